"""Tests of the columns of `native/columns.c`."""

from __future__ import annotations

import pytest
from htmlpages import column

PLACES = ("up1", "up2", "up3", "up4", "div", "big", "best")
MIN_SCORED_CHARS = 25  # shorter paragraphs have no score


# One page, by hand: five blocks, of which the first is running text

RUNNING = "word " * 14 + "end."  # 15 words, 60 characters that are no white space
NESTED = (
    f"<main><section><div><p>{RUNNING}</p><p><a>word</a></p></div><h3>word</h3></section>"
    "<p>word word</p></main><p>word</p>"
)
PLACE_IN = {
    "up1": [0, 1 / 2, 2 / 3, 3 / 4, 4 / 5],
    "up2": [0, 1 / 3, 2 / 4, 3 / 5, 4 / 5],
    "up3": [0, 1 / 4, 2 / 5, 3 / 5, 4 / 5],
    "up4": [0, 1 / 5, 2 / 5, 3 / 5, 4 / 5],
    "div": [0, 1 / 2, 2 / 3, 3 / 4, 0],
    "big": [0, 1 / 2, 2 / 3, 3 / 4, 4 / 5],
    "best": [0, 1 / 2, 1, 3 / 2, 2],  # those behind the best element, too
}


@pytest.mark.parametrize("place", PLACES)
def test_places_in_elements(place: str) -> None:
    assert column(f"{place}_place_in", NESTED) == pytest.approx(PLACE_IN[place])


SCORE = 0.6 + 1.0  # of the running text: 60 characters, no comma
SECTION_SCORE = (SCORE / 2 * 16 / 17) / (SCORE * 15 / 16)  # the half, less links, by the best
CASES = [
    ("in_best", NESTED, [1, 1, 0, 0, 0]),
    ("after_best", NESTED, [0, 0, 1, 2, 3]),
    ("before_best", NESTED, [0] * 5),
    ("before_best", f"a<p>b</p><div><p>{RUNNING}</p><p>c</p></div>", [2, 1, 0, 0]),
    ("after_best", f"a<p>b</p><div><p>{RUNNING}</p><p>c</p></div>", [0] * 4),
    ("best_place_in", f"a<p>b</p><div><p>{RUNNING}</p><p>c</p></div>", [-1, -1 / 2, 0, 1 / 2]),
    ("best_common", NESTED, [16 / 20, 16 / 20, 17 / 20, 19 / 20, 1]),
    ("paragraph_score", NESTED, [1, 1, SECTION_SCORE, 0, 0]),
    ("in_best", "<p>a</p><p>b</p>", [1, 1]),  # no scores: the whole page
    ("paragraph_score", "<p>a</p><p>b</p>", [0, 0]),
    ("up1_words_share", "<p>!</p>", [0]),
    ("div_blocks", "<p>a</p>", [0]),
    ("up1_blocks", "<p>a</p>", [1]),
]


@pytest.mark.parametrize(("name", "html", "expected"), CASES)
def test_columns(name: str, html: str, expected: list[float]) -> None:
    assert column(name, html) == pytest.approx(expected)


# Scores

LONG = "a " * 15


@pytest.mark.parametrize(
    ("text", "points"),
    [
        (LONG, 0),  # 15 characters: too short
        ("ab " * 15, 1.3),
        ("ab, " * 15, 16.45),
        ("、" + "ab " * 15, 2.31),
        ("a" * (MIN_SCORED_CHARS - 1), 0),  # no running text
        ("abcdefghij " * 200, 4),  # length counts up to 300 characters
    ],
)
def test_points_of_a_paragraph(text: str, points: float) -> None:
    html = f"<div><p>{text}</p><p>x</p></div><div><p>{RUNNING}</p><p>x</p></div>"
    scores = [points / max(points, SCORE)] * 2 + [SCORE / max(points, SCORE)] * 2
    assert column("paragraph_score", html) == pytest.approx(scores)


def test_the_best_element_has_most_paragraphs_not_in_links() -> None:
    link = "word " * 8 + "<a>" + "word " * 7 + "</a>"
    half, whole = (f"<p>{RUNNING}</p><p>{text}</p>" for text in (link, RUNNING))
    html = f"<div>{half}</div><article>{whole}</article>"
    assert column("in_best", html) == [0, 0, 1, 1]
