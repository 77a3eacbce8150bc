"""Tests of levels: a strict and a generous text around the balanced one."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crfclean.decision.rules import BALANCED, LEVELS
from crfclean.decision.verdict import expected, levels
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.page.blocks import split
from crfclean.pipeline import clean, run
from crfclean.systems.load import load, with_comments
from crfclean.teach.gold import GoldPage
from crfclean.types import Document, Label, Page, Tags

NAMES = list(LEVELS)
SENTENCE = "The ferry stayed in its harbour, and nobody on the island could buy bread."


def document(*probabilities: float, header: bool = False) -> Document:
    """A page of paragraphs of one length with these probabilities; half or more is kept."""
    blocks = split(Page("".join(f"<p>{SENTENCE} {at}</p>" for at in range(len(probabilities)))))
    text = np.array(probabilities)
    marginals = np.column_stack([text * header, text * (not header), 1 - text])
    labels = np.where(text >= 0.5, Label.HEADER if header else Label.TEXT, Label.OTHER)
    return Document(None, blocks, Tags(labels.astype(np.int32), marginals, 0.5))


def kept(at_level: Document) -> list[int]:
    return at_level.kept


def test_each_text_is_part_of_the_next() -> None:
    by_name = levels(document(0.99, 0.6, 0.35, 0.02))
    assert {name: kept(by_name[name]) for name in NAMES} == {
        "strict": [0],
        "balanced": [0, 1],
        "generous": [0, 1, 2],
    }


def test_more_is_expected_of_more() -> None:
    figures = [expected(one) for one in levels(document(0.99, 0.6, 0.35, 0.02)).values()]
    assert [round(one["precision"], 3) for one in figures] == [0.99, 0.795, 0.647]
    assert [round(one["recall"], 3) for one in figures] == [0.505, 0.811, 0.99]


def test_labels_of_what_is_added() -> None:
    generous = levels(document(0.9, 0.4, header=True))["generous"]
    assert generous.tags.labels.tolist() == [Label.HEADER, Label.HEADER]
    assert 0 < generous.score <= 1


@pytest.mark.parametrize("html", ["", "<p>", "\0"])
def test_pages_without_text(html: str) -> None:
    page = clean(html)
    assert all(not kept(one) for one in levels(page).values())
    assert all(value == 0 for one in levels(page).values() for value in expected(one).values())


COMMENTS = (
    f"<title>Ferry</title><main><h1>Ferry</h1><p>{SENTENCE * 5}</p><p>{SENTENCE * 4}</p></main>"
    f'<section class="comments" id="comments"><h3>2 comments</h3>'
    f'<div class="comment">{SENTENCE * 3}</div><div class="comment">{SENTENCE * 2}</div></section>'
)


@pytest.mark.parametrize("mode", ["", "drop", "separate"])
def test_comments_come_back_at_no_level(mode: str) -> None:
    tagger = load()
    page = run(Page(COMMENTS), tagger)
    page = with_comments(page, tagger, mode) if mode else page
    assert len(page.text) > 0
    for one in levels(page).values():
        assert SENTENCE * 3 not in one.text.splitlines()


def test_comments_that_are_kept_may_be_more() -> None:
    page = document(0.9, 0.6, 0.3)
    html = f"<p>{SENTENCE}</p><div class=comments><p>{SENTENCE} 1</p><p>{SENTENCE} 2</p></div>"
    with_some = replace(page, blocks=split(Page(html)))
    assert kept(levels(with_some)["generous"]) == [0, 1, 2]
    labels = np.array([Label.TEXT, Label.OTHER, Label.OTHER], np.int32)
    with_none = replace(with_some, tags=replace(page.tags, labels=labels))
    assert kept(levels(with_none)["generous"]) == [0]


def test_rows_have_them_if_asked(demo_gold: list[GoldPage]) -> None:
    page = run(demo_gold[0].page, load())
    assert "levels" not in to_dict(page)
    row = to_dict(page, Show(levels=True, metadata=False))
    assert list(row["levels"]) == NAMES
    assert row["levels"][BALANCED]["text"] == row["text"]
    lines = [one["text"].splitlines() for one in row["levels"].values()]
    assert len(lines[0]) <= len(lines[1]) <= len(lines[2])
    assert json.loads(json.dumps(row["levels"])) == row["levels"]


def test_what_is_switched_off_is_in_none() -> None:
    cells = "".join(f"<tr><td>{SENTENCE}<td>{number}" for number in range(4))
    html = f"<main><h1>Ferry</h1><p>{SENTENCE * 5}</p><table>{cells}</table><p>{SENTENCE * 4}</p>"
    row = to_dict(clean(html, as_="page"), Show(levels=True, tables=False, headings=False))
    assert all("Ferry" not in one["text"].splitlines() for one in row["levels"].values())
    assert row["levels"][BALANCED]["text"] == row["text"]
