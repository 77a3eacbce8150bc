"""Tests of `decision/boxes.py`: boxes of keys and values are kept or left whole."""

from __future__ import annotations

import pytest
from decided import ARTICLE, decided, is_kept
from htmlpages import measures_of

from crfclean.decision.boxes import boxes
from crfclean.types import Rule

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
CARD = {"Built": "1898", "Harbour": "Norwick", "Length": "thirty metres", "Captain": "Ada Reed"}
ROWS = "".join(f"<tr><th>{key}</th><td>{value}</td></tr>" for key, value in CARD.items())
TABLE = f"<table><tr><td colspan=2>The ferry Swan</td></tr>{ROWS}</table>"
TERMS = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in CARD.items())
LIST = f"<dl>{TERMS}</dl>"


def article(box: str) -> str:
    """Return an article with a box above its text."""
    return f"<article>{box}<p>First. {PROSE * 4}</p></article>"


@pytest.mark.parametrize("box", [TABLE, LIST])
@pytest.mark.parametrize(("others", "kept"), [(0.4, True), (0.1, False)])
def test_keys_and_values_are_kept_or_left_together(box: str, others: float, *, kept: bool) -> None:
    """Of the rows, the model keeps the last alone."""
    cells = dict.fromkeys([*CARD, *CARD.values(), "The ferry"], others)
    likely = {"First": 0.95, "": 0.5, **cells, "Captain": 0.7, "Ada Reed": 0.7}
    made = decided(article(box), likely, ARTICLE, convention="auto")
    assert all(is_kept(made, text) == kept for text in (*CARD, *CARD.values()))
    assert made.rule("Built") == Rule.RECORD


def test_a_kept_head_keeps_its_table() -> None:
    rows = "".join(f"<tr><td>{key}</td><td>{value}</td></tr>" for key, value in CARD.items())
    table = f"<table><tr><td>Property</td><td>Content</td></tr>{rows}</table>"
    cells = dict.fromkeys([*CARD, *CARD.values()], 0.35)
    likely = {"First": 0.95, "": 0.5, **cells, "Property": 0.8, "Content": 0.6}
    made = decided(article(table), likely, ARTICLE, convention="auto")
    assert all(is_kept(made, text) for text in (*CARD, *CARD.values()))


def test_lists_of_forums_are_no_boxes() -> None:
    likely = {"": 0.95, **dict.fromkeys(CARD.values(), 0.3)}
    made = decided(article(LIST), likely, {"types": {"article": 0.1, "forum": 0.9}})
    assert made.rule("Built") == Rule.NONE


REMARKS = f"<table>{''.join(f'<tr><td>{key}</td><td>It sank.</td></tr>' for key in CARD)}</table>"
ANSWERS = f"<dl>{''.join(f'<dt>{key}?</dt><dd>{PROSE * 3}</dd>' for key in CARD)}</dl>"
WIDE = f"<table>{''.join(f'<tr><td>{key}</td><td>a</td><td>b</td></tr>' for key in CARD)}</table>"


@pytest.mark.parametrize(
    ("html", "sizes"),
    [
        (TABLE, [9]),
        (LIST, [8]),
        (f"<table><tr><th>Ship</th><td>{LIST}</td></tr>{ROWS}</table>", [17]),
        (WIDE, []),
        (ANSWERS, []),  # questions and their answers
        (REMARKS, []),  # readers' comments in rows
        ("<table><tr><th>Built</th><td>1898</td></tr></table>", []),
        (f"<table><tr><td><h1>Swan</h1>{PROSE}</td><td>{LIST}</td></tr></table>", [8]),  # layout
    ],
)
def test_boxes(html: str, sizes: list[int]) -> None:
    assert [len(box) for box in boxes(measures_of(html))] == sizes
