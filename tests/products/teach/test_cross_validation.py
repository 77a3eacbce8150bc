"""Tests of `teach/runner.py`: no page is scored by a model that has seen it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from crfclean.products.teach import train
from crfclean.products.teach.cross_validation import (
    UNTRAINED,
    Plan,
    PreparedPage,
    cross_validate,
    prepare,
    score_fold,
)
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.runner import Scored
from crfclean.products.teach.train import Learner, TrainParams
from crfclean.types import CrfcleanError

FAST = TrainParams(l2=30.0, iterations=15)
PLAN = Plan(3, "page", Learner(FAST))


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

    def spy(examples: Sequence[object], *_: object) -> None:
        seen.append({id(one) for one in examples})
        raise CrfcleanError("enough")

    monkeypatch.setattr(train, "fit", spy)
    for by in ("site", "page"):
        plan = replace(PLAN, by=by, folds=4)
        for fold in range(4):
            seen.clear()
            held = score_fold(fold, (pages, plan))
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
        assert one.scores[0].status.startswith(f"{UNTRAINED}: every labelled block is OTHER")
