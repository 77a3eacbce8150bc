"""Tests of `teach/cross_validation.py`: no page is scored by a model that has seen it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crfclean.teach import cross_validation
from crfclean.teach.cross_validation import (
    UNTRAINED,
    Plan,
    PreparedPage,
    cross_validate,
    curve_point,
    learning_curve,
    prepare,
    score_fold,
    within_sources,
)
from crfclean.teach.gold import GoldPage
from crfclean.teach.result import ALL
from crfclean.teach.runner import Scored
from crfclean.teach.train import TrainParams
from crfclean.types import CrfcleanError

FAST = TrainParams(l2=30.0, iterations=15)
PLAN = Plan(3, "page", FAST)


@pytest.fixture(scope="module")
def pages(demo_gold: list[GoldPage]) -> list[PreparedPage]:
    """Twelve pages of three sources."""
    return prepare([gold for gold in demo_gold if gold.source[0] in "hms"], PLAN)


@pytest.fixture(scope="module")
def scored(pages: list[PreparedPage]) -> list[Scored]:
    return cross_validate(pages, PLAN)


def f1(scored: list[Scored]) -> list[float]:
    return [one.scores[0].words.f1 for one in scored]


# folds


def test_every_page_is_scored_once(pages: list[PreparedPage], scored: list[Scored]) -> None:
    assert [one.scores[0].id for one in scored] == [one.gold.id for one in pages]
    assert [one.gold for one in scored] == [one.gold.text for one in pages]
    assert sum(f1(scored)) / 12 > 0.8


def test_models_never_see_the_pages_they_score(
    pages: list[PreparedPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []

    def spy(examples, *_) -> None:
        seen.append({id(one) for one in examples})
        raise CrfcleanError("enough")

    monkeypatch.setattr(cross_validation, "fit", spy)
    for by in ("site", "page"):
        plan = replace(PLAN, by=by, folds=4)
        for fold in range(4):
            seen.clear()
            held = score_fold(fold, (pages, plan, 0))
            places = {place for place, _ in held}
            assert not seen[0] & {id(pages[place].example) for place in places}
            assert len(seen[0]) + len(places) == len(pages)
            if by == "site":
                sites = {pages[place].gold.site for place in places}
                assert not sites & {one.gold.site for one in pages if id(one.example) in seen[0]}


def test_folds_that_teach_nothing_give_no_text(pages: list[PreparedPage]) -> None:
    empty = [replace(one, gold=replace(one.gold, text="")) for one in pages]
    blank = prepare([one.gold for one in empty], PLAN)
    for one in cross_validate(blank, PLAN):
        assert one.texts == [""]
        assert one.scores[0].status.startswith(f"{UNTRAINED}: every block is OTHER")


# learning curves


def test_learning_curve(pages: list[PreparedPage], scored: list[Scored]) -> None:
    small, large = learning_curve(pages, PLAN, [4, 2, 4])
    assert (small.pages, large.pages) == (2, 4)
    for one in (small, large):
        assert 0 <= one.low <= one.f1 <= one.high <= 1
    again = learning_curve(pages, PLAN, [2])
    assert again == [small]
    assert curve_point(scored, 8).f1 == pytest.approx(sum(f1(scored)) / 12)


# sources


def test_within_sources(pages: list[PreparedPage], scored: list[Scored]) -> None:
    rows = within_sources(pages, PLAN, scored)
    assert [(row.source, row.pages) for row in rows] == [
        ("hafenblick", 4),
        ("moorland-gazette", 4),
        ("severnik", 4),
        (ALL, 12),
    ]
    assert rows[-1].f1 == pytest.approx(sum(f1(scored)) / 12)
    own = cross_validate(pages, PLAN, source="severnik")
    assert [one.scores[0].source for one in own] == ["severnik"] * 4
    assert rows[2].f1 == pytest.approx(sum(f1(own)) / 4)
