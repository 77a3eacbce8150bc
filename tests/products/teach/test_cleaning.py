"""Tests of `teach/runner.py`: the switches of `clean` on annotated pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crfclean.document.parts import Show
from crfclean.document.text import to_txt
from crfclean.pipeline import run
from crfclean.products.teach.cleaning import Cleaning, by_tagger, without_list_marks
from crfclean.products.teach.gold import GoldPage
from crfclean.systems.load import load
from crfclean.types import Page, Tagger

LISTED = "<h1>Ice</h1><p>The ferry waits for the thaw.</p><ul><li>a rope<li>a lamp</ul>"


@pytest.fixture
def tagger(model: Path) -> Tagger:
    return load(model)


@pytest.fixture
def keeps_all(model: Path) -> Tagger:
    cut = replace(load(model).cut, rule="threshold", threshold=0.0)  # type: ignore[attr-defined]
    with_cut: Tagger = load(model).with_cut(cut)  # type: ignore[attr-defined]
    return with_cut


def gold_of(html: str, site: str = "s") -> GoldPage:
    return GoldPage("p", Page(html), "", "s", site)


def test_low_scores_leave_no_text(tagger: Tagger, demo_gold: list[GoldPage]) -> None:
    score = run(demo_gold[0].page, tagger).score
    above, below = (Cleaning(min_score=score + step) for step in (1e-6, -1e-6))
    left_out = above.document(demo_gold[0], tagger)
    assert (left_out.text, left_out.status) == ("", "low-score")
    assert below.document(demo_gold[0], tagger).status == "ok"


def test_switches_are_those_of_the_writer(keeps_all: Tagger) -> None:
    gold = gold_of(LISTED)
    cleaning = Cleaning(show=Show(headings=False))
    document = cleaning.document(gold, keeps_all)
    assert to_txt(document, Show(headings=False)).splitlines()[-2:] == ["- a rope", "- a lamp"]
    assert cleaning.text(document, gold).splitlines()[-2:] == ["a rope", "a lamp"]
    marked = replace(gold, text="- a rope\n- a lamp")
    lines = by_tagger(keeps_all, cleaning)(marked).text.splitlines()
    assert lines[-2:] == ["- a rope", "- a lamp"]


def test_separate_comments_are_no_part_of_the_text(keeps_all: Tagger) -> None:
    html = f"{LISTED}<div class=comments><p class=comment>Nice text, thank you!</p></div>"
    for show in (Show(), Show(images=False)):
        for mode, inside in (("keep", True), ("separate", False), ("drop", False)):
            cleaning = Cleaning(comments=mode, show=show)
            text = cleaning.text(cleaning.document(gold_of(html), keeps_all), gold_of(html))
            assert ("Nice text" in text) == inside, (mode, show)


@pytest.mark.parametrize(
    ("text", "gold", "expected"),
    [
        ("- one\n  two", "one\ntwo", "one\ntwo"),
        ("- one", "- one", "- one"),
        ("10) ten\n* star\n• dot", "", "ten\nstar\ndot"),
        ("1.5 litres\n-5 degrees", "", "1.5 litres\n-5 degrees"),
    ],
)
def test_marks_of_lists(text: str, gold: str, expected: str) -> None:
    assert without_list_marks(text, gold) == expected
