"""Tests of `crfclean segment`, and of `--tagger` and `--comments` in other commands."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.exit_codes import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.segmentation.coherent import METHODS, segments
from crfclean.segmentation.params import EnergyParams, SegmentParams
from crfclean.taggers.load import NAMED

Command = Callable[..., Any]
LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. " * 3
MENU = "".join(f"<li><a href={n}>News of the week {n}</a></li>" for n in range(5))
PAGE = (
    f"<ul>{MENU}</ul><div><h1>Ferry in the ice</h1><p>{LONG}</p><p>{LONG}</p></div>"
    "<div class=comments><h2>Comments</h2><p>What a winter, worse than the last!</p></div>"
)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    for name in ("a.html", "b.html"):
        (tmp_path / "in" / name).write_text(PAGE, "utf-8")
    return tmp_path


@pytest.mark.parametrize("method", METHODS)
def test_segment_writes_json(pages: Path, crfclean: Command, method: str) -> None:
    done = crfclean("segment", "in", "out", "--method", method)
    assert (done.code, done.out) == (EXIT_OK, "")
    told = json.loads((pages / "out" / "a.json").read_text("utf-8"))
    assert told["method"] == method
    assert [one["text"] for one in told["segments"]] == [one.text for one in segments(PAGE, method)]
    assert (pages / "out" / "b.json").is_file()


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_write_the_same(pages: Path, crfclean: Command, workers: int) -> None:
    assert crfclean("segment", "in", "out", "--workers", workers, "--html").code == EXIT_OK
    assert crfclean("segment", "in", "one", "--html").code == EXIT_OK
    assert (pages / "out/a.html").read_bytes() == (pages / "one/a.html").read_bytes()


def test_segment_to_standard_output(pages: Path, crfclean: Command) -> None:
    done = crfclean(
        "segment", "-", "-", "--format", "txt", "--method", "links", stdin=PAGE.encode()
    )
    assert done.code == EXIT_OK
    assert "\n\n" in done.out


def test_parameters_reach_the_energy(pages: Path, crfclean: Command) -> None:
    options = ["--method", "energy", "--dissipation", "2", "--metric", "words", "--law", "loss"]
    done = crfclean("segment", "in/a.html", "-", *options)
    params = SegmentParams(energy=EnergyParams("words", "loss", 2.0))
    expected = [one.text for one in segments(PAGE, "energy", params)]
    assert [one["text"] for one in json.loads(done.out)["segments"]] == expected
    assert expected != [one.text for one in segments(PAGE, "energy")]


def test_parameters_reach_the_rules(pages: Path, crfclean: Command) -> None:
    options = ["--method", "links", "--stray-share", "1"]
    done = crfclean("segment", "in/a.html", "-", *options, "--menu-links", "0")
    assert len(json.loads(done.out)["segments"]) == 1
    done = crfclean("segment", "in/a.html", "-", *options)
    assert len(json.loads(done.out)["segments"]) == 6


def test_labels_of_a_model(pages: Path, crfclean: Command, model: Path) -> None:
    by_model = crfclean("segment", "in/a.html", "-", "--model", model)
    by_keep = crfclean("segment", "in/a.html", "-", "--model", model, "--threshold", "1")
    labels = [
        {label for one in json.loads(done.out)["segments"] for label in one["labels"]}
        for done in (by_model, by_keep)
    ]
    assert "TEXT" in labels[0]
    assert labels[1] == {"OTHER"}


def test_dictionary(pages: Path, crfclean: Command) -> None:
    (pages / "words.txt").write_text("Ferry\nlake\n\n", "utf-8")
    done = crfclean(
        "segment", "in/a.html", "-", "--metric", "dictionary", "--dictionary", "words.txt"
    )
    assert done.code == EXIT_OK
    assert sum(one["energy"] > 0 for one in json.loads(done.out)["segments"]) >= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metric", "dictionary"], "needs a list of words"),
        (["--dissipation", "0"], "above 0"),
        (["--stray-share", "2"], "stray_share"),
        (["--dictionary", "missing.txt"], "missing.txt: cannot be read"),
        (["--dictionary", "in/empty.txt"], "has no words"),
        (["--tagger", "links", "--threshold", "0.5"], "not made by a cut"),
        (["--tagger", "links", "--model", "x"], "leave out --model x"),
    ],
)
def test_wrong_options(pages: Path, crfclean: Command, options: list[str], message: str) -> None:
    (pages / "in" / "empty.txt").write_text("\n \n", "utf-8")
    done = crfclean("segment", "in", "out", *options)
    assert done.code == EXIT_USAGE
    assert message in done.err


def test_bad_pages_are_told(pages: Path, crfclean: Command) -> None:
    (pages / "in" / "bad.html").write_bytes(b"\x89PNG" + bytes(99))
    done = crfclean("segment", "in", "out", "--failures", "failed.tsv")
    assert done.code == EXIT_SOME_FAILED
    assert "binary data" in (pages / "failed.tsv").read_text("utf-8")
    assert crfclean("segment", "in/bad.html", "-").code == EXIT_NOTHING


def test_a_row_a_record(pages: Path, crfclean: Command) -> None:
    rows = [{"id": name, "html": html} for name, html in {"a": PAGE, "b": ""}.items()]
    (pages / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert crfclean("segment", "in.jsonl", "out.jsonl.gz").code == EXIT_SOME_FAILED
    with gzip.open(pages / "out.jsonl.gz", "rt", encoding="utf-8") as lines:
        told = [json.loads(line) for line in lines]
    assert [(one["id"], one["status"]) for one in told] == [("a", "ok"), ("b", "empty")]
    alone = json.loads(crfclean("segment", "in/a.html", "-").out)
    assert {key: told[0][key] for key in alone} == alone
    assert (told[1]["segments"], told[1]["message"]) == ([], "the file is empty")


def test_pictures_are_for_pages(pages: Path, crfclean: Command) -> None:
    (pages / "in.jsonl").write_text(json.dumps({"html": PAGE}) + "\n", "utf-8")
    done = crfclean("segment", "in.jsonl", "out", "--html")
    assert (done.code, "need a format for many" in done.err) == (EXIT_USAGE, True)


# taggers without a model


@pytest.mark.parametrize("name", NAMED)
def test_clean_by_a_named_tagger(pages: Path, crfclean: Command, name: str) -> None:
    done = crfclean("clean", "in/a.html", "-", "--tagger", name)
    assert done.code == EXIT_OK
    assert LONG.strip() in done.out
    assert "News of the week" not in done.out


@pytest.mark.parametrize("name", NAMED)
def test_eval_of_a_named_tagger(crfclean: Command, demo: Path, name: str) -> None:
    done = crfclean("eval", demo, "--tagger", name, "--json")
    told = json.loads(done.out)
    assert done.code == EXIT_OK
    assert told["table"][-1]["f1"] > 0.5
    assert told["model"] is None


def test_tagger_and_model_exclude_each_other(pages: Path, crfclean: Command) -> None:
    done = crfclean("clean", "in", "out", "--tagger", "energy", "--model", "other")
    assert (done.code, "leave out --model other" in done.err) == (EXIT_USAGE, True)


def test_tagger_says_nothing_to_cross_validation(crfclean: Command, demo: Path) -> None:
    done = crfclean("eval", demo, "--cv", "2", "--tagger", "energy")
    assert (done.code, "--tagger has no effect here" in done.err) == (EXIT_USAGE, True)


# HTML, and why


def test_clean_writes_html(pages: Path, crfclean: Command) -> None:
    pytest.importorskip("nh3")
    linked = PAGE.replace("</p><p>", " <a href='/x'>more</a></p><p>", 1)
    (pages / "in" / "a.html").write_text(linked, "utf-8")
    options = ["--tagger", "expert", "--format", "html"]
    assert crfclean("clean", "in", "out", *options).code == EXIT_OK
    plain = (pages / "out/a.html").read_text("utf-8")
    assert "<h1>Ferry in the ice</h1>" in plain
    assert 'href="/x"' in plain
    assert "What a winter" not in plain
    assert crfclean("clean", "in", "out", *options, "--no-links").code == EXIT_OK
    assert "href" not in (pages / "out/a.html").read_text("utf-8")
    assert crfclean("clean", "in", "out", *options, "--comments", "separate").code == EXIT_OK
    assert "<section><p>What a winter" in (pages / "out/a.html").read_text("utf-8")


def test_explain_tells_rules(pages: Path, crfclean: Command) -> None:
    done = crfclean("explain", "in/a.html", "--tagger", "expert")
    assert done.code == EXIT_OK
    assert "main article is /html[1]" in done.out
    assert "outside the article=1 -1.00" in done.out
    assert "article or heading=1 +1.00" in done.out


def test_explain_needs_reasons(pages: Path, crfclean: Command) -> None:
    done = crfclean("explain", "in/a.html", "--tagger", "energy")
    assert (done.code, "no reasons" in done.err) == (EXIT_USAGE, True)


def test_comments_of_the_expert(pages: Path, crfclean: Command) -> None:
    texts = {
        mode: crfclean("clean", "in/a.html", "-", "--tagger", "expert", "--comments", mode).out
        for mode in ("keep", "separate", "drop")
    }
    comment = "What a winter, worse than the last!\n"
    assert texts["keep"].endswith(comment)
    assert texts["separate"] == texts["drop"] + "\n" + comment
    assert comment not in texts["drop"]


# comments


@pytest.mark.parametrize(
    ("mode", "inside", "beside"),
    [("keep", True, False), ("separate", False, True), ("drop", False, False)],
)
def test_clean_with_comments(
    pages: Path, crfclean: Command, model: Path, mode: str, *, inside: bool, beside: bool
) -> None:
    options = ["--model", model, "--threshold", "0", "--format", "json"]
    done = crfclean("clean", "in/a.html", "-", *options, "--comments", mode)
    told = json.loads(done.out)
    comment = "What a winter, worse than the last!"
    assert (comment in told["text"]) == inside
    assert (comment in [one["text"] for one in told.get("comments", [])]) == beside


def test_comments_with_site_evidence(pages: Path, crfclean: Command) -> None:
    done = crfclean("clean", "in", "out", "--group-by", "site", "--comments", "drop")
    assert done.code == EXIT_OK
    assert "What a winter" not in (pages / "out/a.txt").read_text("utf-8")
