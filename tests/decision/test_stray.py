"""Tests of `decision/stray.py`: doubtful parts far from the text of an article are left out."""

from __future__ import annotations

import numpy as np
import pytest
from decided import ARTICLE, decided, is_kept

from crfclean.decision.stray import stray_runs
from crfclean.types import Rule

WORDS = 20.0


def stray(*runs: tuple[int, float]) -> list[int]:
    """The runs, of so many kept blocks with a probability (0.0: left out), that are stray."""
    kept = np.concatenate([np.full(count, value > 0.0) for count, value in runs])
    values = np.concatenate([np.full(count, value) for count, value in runs])
    marked = stray_runs(kept, values, np.full(len(kept), WORDS), np.arange(len(kept)))
    ends = np.cumsum([count for count, _ in runs])
    return [at for at, (count, _) in enumerate(runs) if marked[ends[at] - count : ends[at]].all()]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([(6, 0.95), (9, 0.0), (2, 0.6)], [2]),
        ([(6, 0.95), (9, 0.0), (2, 0.6), (1, 0.0), (2, 0.6)], [2, 4]),
        ([(2, 0.6), (9, 0.0), (6, 0.95)], []),  # a lead
        ([(6, 0.95), (8, 0.0), (2, 0.6)], []),  # too near
        ([(6, 0.95), (9, 0.0), (2, 0.75)], []),  # too likely
        ([(6, 0.95), (9, 0.0), (5, 0.6)], []),  # too large
        ([(6, 0.95), *[(9, 0.0), (1, 0.6)] * 3], [2, 4, 6]),
        ([(6, 0.95), *[(9, 0.0), (1, 0.6)] * 5], []),  # cards below an introduction
        ([(6, 0.75), (9, 0.0), (2, 0.6)], []),  # nothing is sure
        ([(5, 0.95), (9, 0.0), (2, 0.6)], []),  # too short to be the text
        ([(6, 0.95), (9, 0.0), (2, 0.6), (9, 0.0), (6, 0.95)], []),
        ([(2, 0.6)], []),
        ([(2, 0.0)], []),
    ],
)
def test_stray_runs(runs: list[tuple[int, float]], expected: list[int]) -> None:
    assert stray(*runs) == expected


PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
MENU = "".join(f"<p><a href=/{at}>Section {at}</a></p>" for at in range(9))
PAGE = f"<article><p>First. {PROSE * 7}</p></article>{MENU}<div><p>Remark. {PROSE}</p></div>"
LIKELY = {"First": 0.99, "Remark": 0.6, "": 0.01}


def test_remarks_far_from_an_article_are_left_out() -> None:
    made = decided(PAGE, LIKELY, ARTICLE, convention="auto")
    assert is_kept(made, "First")
    assert not is_kept(made, "Remark")
    assert made.rule("Remark") == Rule.STRAY


def test_paragraphs_like_those_of_the_text_are_kept() -> None:
    """Of a novel on one page, a chapter of 700 words had .59 and was left out."""
    made = decided(
        PAGE.replace("<div><p>Rem", "<article><p>Rem"), LIKELY, ARTICLE, convention="auto"
    )
    assert is_kept(made, "Remark")


@pytest.mark.parametrize("types", [{"article": 0.8}, {"article": 0.3, "forum": 0.6}])
def test_other_pages_keep_them(types: dict[str, float]) -> None:
    assert is_kept(decided(PAGE, LIKELY, {"types": types}, convention="auto"), "Remark")


def test_recipes_keep_them() -> None:
    data = '<script type="application/ld+json">{"@type": "Recipe"}</script>'
    assert is_kept(decided(data + PAGE, LIKELY, ARTICLE, convention="auto"), "Remark")


def test_kinds_that_are_asked_for_are_kept() -> None:
    figure = f"<figure><img src=a.jpg><figcaption>Remark. {PROSE}</figcaption></figure>"
    page = f"<article><p>First. {PROSE * 7}</p></article>{MENU}{figure}<p>Behind it.</p>"
    likely = {"First": 0.99, "Remark": 0.4, "Behind": 0.7, "": 0.01}
    made = decided(page, likely, ARTICLE, convention="auto", also=("caption",))
    assert made.rule("Remark") == Rule.ALSO
    assert is_kept(made, "Remark")


def test_readers_comments_are_kept_if_they_are_asked_for() -> None:
    assert is_kept(decided(PAGE, LIKELY, ARTICLE, convention="auto", also=("comment",)), "Remark")
