"""Tests of `cli/look.py`: what `explain` shows of a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import crfclean as package
from crfclean._version import __version__
from crfclean.cli import look as doctor
from crfclean.cli import look as mcp
from crfclean.cli.help import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.corpus.jobs import TaskLimits
from crfclean.document.formats import kind_phrase
from crfclean.extras import page_tools
from crfclean.extras.page_tools import ToolParams
from crfclean.page import walk
from crfclean.page.libxml2 import old_parser
from crfclean.systems.crf import CrfTagger
from crfclean.types import ModelError

Command = Callable[..., Any]


def test_explain_shows_every_block(
    crfclean: Command, demo: Path, model: Path, tagger: CrfTagger
) -> None:
    page = demo / "severnik" / "hokej-derby-finale.html"
    done = crfclean("explain", page, "--model", model)
    document = package.clean(page.read_bytes(), model=tagger)
    assert (done.code, done.err) == (EXIT_OK, "")
    head, *lines = done.out.splitlines()
    assert head.startswith(f"{page}: ok, {len(document.blocks)} blocks")
    assert len(lines) == 3 * len(document.blocks)
    kinds = [
        kind_phrase(kind, likely)
        for kind, likely in zip(document.kinds, document.likely_kinds, strict=True)
    ]
    assert any("rather" in kind for kind in kinds)
    for block, tag, kind, one, text in zip(
        document.blocks, document.tags, kinds, lines[::3], lines[1::3], strict=True
    ):
        shown = f"{tag.label.name:6} {tag.probability:.3f} {block.xpath} {kind}"
        assert one.partition(" -> ")[0] == shown
        assert " -> " in one or tag.label.name == "OTHER"
        assert text.strip() == block.text[:100].strip()


def test_explain_writes_the_page_with_what_was_kept(
    crfclean: Command, demo: Path, model: Path, tmp_path: Path
) -> None:
    page, target = demo / "severnik" / "hokej-derby-finale.html", tmp_path / "view.html"
    done = crfclean("explain", page, "--model", model, "--html", target)
    assert (done.code, done.out, done.told) == (EXIT_OK, "", "")
    html = target.read_text("utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert '"because": [' in html
    done = crfclean("explain", page, "--model", model, "--html", tmp_path / "none" / "view.html")
    assert done.code != EXIT_OK
    assert "cannot be written" in done.err


def test_a_tagger_without_a_model_gives_its_rules_or_refuses(
    crfclean: Command, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    text = f"<p>{'Plain words of a page, in a sentence. ' * 9}</p>" * 3
    page.write_text(f"<title>Words</title><h1>Words</h1><article>{text}</article><p>The foot.")
    done = crfclean("explain", page, "--tagger", "expert")
    assert (done.code, "main article is" in done.out) == (EXIT_OK, True)
    assert "article or heading" in done.out
    for name in ("links", "forum"):
        done = crfclean("explain", page, "--tagger", name)
        refused = done.err.startswith(f"crfclean: explain: the tagger {name} ")
        assert (done.code, refused) == (EXIT_USAGE, True)


def test_a_view_replaces_no_other_page(
    crfclean: Command, page: Path, model: Path, tmp_path: Path
) -> None:
    target = tmp_path / "b.html"
    target.write_text("<p>Rain.", "utf-8")
    done = crfclean("explain", page, "--model", model, "--html", target)
    assert (done.code, target.read_text("utf-8")) == (2, "<p>Rain.")
    assert f"{target}: is a file that crfclean did not write: name another" in done.err
    target.write_bytes(b"")
    for _ in range(2):
        assert crfclean("explain", page, "--model", model, "--html", target).code == EXIT_OK


@pytest.mark.parametrize(
    "line", [("explain", "--features", -1), ("annotate", "--web", "--port", 70_000)]
)
def test_numbers_out_of_range(crfclean: Command, page: Path, line: tuple[object, ...]) -> None:
    source = page if line[0] == "explain" else page.parent
    done = crfclean(line[0], source, *line[1:])
    assert (done.code, " is not in the range " in done.err) == (2, True)


# the command `cite`


@pytest.fixture(scope="module")
def page(demo: Path) -> Path:
    return demo / "moorland-gazette" / "sunday-bus-reprieve.html"


def test_a_quote_is_found(crfclean: Command, page: Path, model: Path) -> None:
    quote = "More than 1,900 people signed a petition"
    done = crfclean("cite", page, quote, "--model", model)
    assert (done.code, done.err) == (EXIT_OK, "")
    place, text = done.out.splitlines()
    xpath, span, similarity, url = place.split("\t")
    assert xpath.startswith("/html[1]/body[1]/")
    start, end = map(int, span.split("-"))
    assert end - start == len(quote)
    assert similarity == "1.00"
    assert url == "#:~:text=More%20than%201%2C900%20people%20signed%20a%20petition"
    assert text.strip() == quote


def test_exit_codes_say_what_was_found(crfclean: Command, page: Path, model: Path) -> None:
    quote, other = "signed a petition", "a whale was seen beside the lighthouse of Brindle"
    done = crfclean("cite", page, quote, other, "--model", model)
    assert (done.code, done.err) == (EXIT_SOME_FAILED, f"not found: {other}\n")
    done = crfclean("cite", page, other, "--model", model)
    assert (done.code, done.out) == (EXIT_NOTHING, "")


def test_a_page_without_text_is_told(crfclean: Command, tmp_path: Path, model: Path) -> None:
    (tmp_path / "x.html").write_bytes(b"%PDF-1.7")
    done = crfclean("cite", tmp_path / "x.html", "--each", "block", "--model", model)
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert done.err == f"{tmp_path / 'x.html'}: no text to search (binary)\n"


def test_json_has_all_places(crfclean: Command, page: Path, model: Path) -> None:
    url = "https://example.org/1"
    done = crfclean("cite", page, "signed a petition", "no such words here", "--json",
                    "--url", url, "--model", model)  # fmt: skip
    first, second = map(json.loads, done.out.splitlines())
    assert first["citation"]["url"] == f"{url}#:~:text=signed%20a%20petition"
    assert first["citation"]["blocks"][0]["place"]
    assert second == {"quote": "no such words here", "citation": None}


def test_each_sentence_of_the_text(crfclean: Command, page: Path, model: Path) -> None:
    text = crfclean("clean", page, "--model", model).out
    done = crfclean("cite", page, "--each", "sentence", "--json", "--model", model)
    assert done.code == EXIT_OK
    rows = [json.loads(line)["citation"] for line in done.out.splitlines()]
    assert len(rows) >= 10
    assert all(text[row["span"][0] : row["span"][1]] == row["text"] for row in rows)


# the command `mcp`; tests/extras/test_mcp.py talks to the server


Served = tuple[ToolParams, TaskLimits]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Served]:
    """What the command serves, in place of a server."""
    calls: list[Served] = []
    modules = {
        "extras.mcp": SimpleNamespace(serve=lambda *given: calls.append(given)),
        "extras.page_tools": page_tools,
        "web.fetch": None,
    }
    monkeypatch.setattr(mcp, "extra", lambda name, package: modules[name])
    return calls


def test_nothing_is_read_by_default(crfclean: Command, served: list[Served]) -> None:
    done = crfclean("mcp")
    assert (done.code, done.out, done.err) == (EXIT_OK, "", "")
    assert served == [(ToolParams("default", None, fetches=False), TaskLimits())]


def test_options_allow_more(crfclean: Command, served: list[Served], tmp_path: Path) -> None:
    assert crfclean("mcp", "--pages", tmp_path, "--allow-fetch", "--model", "mlp").code == EXIT_OK
    assert served == [(ToolParams("mlp", tmp_path, fetches=True), TaskLimits())]


def test_limits_are_options(crfclean: Command, served: list[Served]) -> None:
    options = ("--max-seconds", "5", "--max-memory", "512")
    assert crfclean("mcp", *options).code == EXIT_OK
    assert [limits for _, limits in served] == [TaskLimits(5.0, 512)]
    assert crfclean("mcp", "--max-seconds", "0").code == EXIT_USAGE


def test_a_directory_must_be_there(crfclean: Command, served: list[Served], tmp_path: Path) -> None:
    done = crfclean("mcp", "--pages", tmp_path / "none")
    assert done.code == EXIT_USAGE
    assert "is not a directory" in done.err
    assert served == []


# the command `doctor`


def rows(out: str) -> dict[str, str]:
    pairs = (line[:17].strip() for line in out.splitlines())
    return {name: line[17:] for name, line in zip(pairs, out.splitlines(), strict=True)}


def test_an_installation_that_works(crfclean: Command) -> None:
    done = crfclean("doctor")
    assert (done.code, done.err) == (EXIT_SOME_FAILED if old_parser() else EXIT_OK, "")
    found = rows(done.out.partition("PROBLEM:")[0])
    assert found["crfclean"].startswith(f"{__version__}, in ")
    assert found["core"] == "works"
    expected = ("libxml2 inside lxml, called directly", walk.lxml_note(), old_parser())
    assert found["parser"] in expected
    for name in ("default", "mlp", "forum", "pagetype", "kinds"):
        assert found[f"model {name}"].startswith("works, sha256 ")
    assert found["extra parquet"].startswith(("pyarrow ", "not installed"))
    assert not {"extra test", "extra peers"} & set(found)


def test_a_model_that_does_not_open_is_a_problem(
    crfclean: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(folder: Path) -> None:
        raise ModelError(f"{folder}: weights are damaged")

    monkeypatch.setattr("crfclean.forum.model.load_forum_model", load)
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert done.out.splitlines()[-1].startswith("PROBLEM: model forum: ")


def test_a_parser_that_cannot_be_called_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "parses_alone", lambda: False)
    parser = doctor._parser()
    assert not parser.problem
    assert parser.says.startswith("the parser inside lxml (libxml2 2.")


def test_a_parser_that_loses_text_is_a_problem(
    crfclean: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lxml.etree.LIBXML_VERSION", (2, 9, 14))
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert "PROBLEM: parser: the parser inside lxml here (libxml2 2.9.14) loses text" in done.out
    assert rows(done.out)["model default"].startswith("works, ")


def test_a_missing_core_is_a_problem(crfclean: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = doctor.Finding("core", "it is not there", problem=True)
    monkeypatch.setattr(doctor, "_core", lambda: problem)
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert "model default" not in rows(done.out), "no model can be opened"
    assert done.out.splitlines()[-1] == "PROBLEM: core: it is not there"
