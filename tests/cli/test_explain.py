"""Tests of `cli/explain.py`: what it shows of a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crfclean as package
from crfclean.cli.messages import EXIT_OK, EXIT_USAGE
from crfclean.document.formats import kind_phrase
from crfclean.systems.crf import CrfTagger

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def page(demo: Path) -> Path:
    return demo / "moorland-gazette" / "sunday-bus-reprieve.html"


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
        refused = done.err.startswith(f"crfclean: explain: tagger `{name}` ")
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
