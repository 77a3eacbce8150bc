"""Tests of `tune/tuning.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from crfclean.decision.rules import CutParams
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.taggers.capabilities import Decides, need
from crfclean.taggers.learned import PARAMETER
from crfclean.taggers.load import load
from crfclean.train.examples import no_progress
from crfclean.tune import tuning
from crfclean.tune.pages import TunedPage, read_pages, scores
from crfclean.tune.tuning import WAYS, adaptation, adapted, tagger_of
from crfclean.types import Label


@pytest.fixture(scope="module")
def pages(demo_gold: list[GoldPage]) -> list[TunedPage]:
    return read_pages(demo_gold[:4], load())


def plain(_pages: Sequence[TunedPage]) -> CutParams:
    return CutParams()


def test_every_page_is_scored_by_a_model_that_has_not_seen_it(
    pages: list[TunedPage], networked: Path
) -> None:
    counted: list[str] = []
    seen: list[int] = []

    def cut_of(others: Sequence[TunedPage]) -> CutParams:
        seen.append(len(others))
        return CutParams()

    new = adaptation(
        pages,
        str(networked),
        [0.1] * len(pages),
        cut_of,
        lambda stage, steps: counted.append(stage),
    )
    assert new is not None
    assert len(new.f1) == len(pages) == len(counted)
    assert seen == [len(pages) - 1] * len(pages)
    assert min(new.f1) > 0.5


@pytest.mark.parametrize(
    ("alike", "own", "taken"),
    [
        (0.9, 0.9, 0),
        (0.9, 0.905, 0),
        (0.9, 0.92, 1),
        (0.803, 0.803, None),
        (0.803, 0.82, 1),
        (0.806, 0.8, 0),
        (0.7, 0.7, None),
    ],
)
def test_each_way_must_pay_over_the_best_before_it(
    pages: list[TunedPage],
    monkeypatch: pytest.MonkeyPatch,
    alike: float,
    own: float,
    taken: int | None,
) -> None:
    f1 = dict(zip(WAYS, ([alike] * len(pages), [own] * len(pages)), strict=True))
    monkeypatch.setattr(tuning, "_adapt_held_out", lambda *_: f1)
    new = adaptation(pages, "default", [0.8] * len(pages), plain, no_progress)
    assert (new and new.way) == (None if taken is None else WAYS[taken])


@pytest.mark.parametrize(("sites", "is_taken"), [("aaaa", True), ("aaab", False), ("abcd", False)])
def test_pages_of_several_sites_need_more_evidence(
    pages: list[TunedPage], monkeypatch: pytest.MonkeyPatch, sites: str, *, is_taken: bool
) -> None:
    of_sites = [replace(page, site=site) for page, site in zip(pages, sites, strict=True)]
    f1 = {WAYS[0]: [0.8] * 4, WAYS[1]: [0.9, 0.8, 0.8, 0.85]}
    monkeypatch.setattr(tuning, "_adapt_held_out", lambda *_: f1)
    new = adaptation(of_sites, "default", [0.8] * 4, plain, no_progress)
    assert (new is not None) is is_taken


def test_the_adapted_model_has_the_weight_and_the_decision_of_its_way(
    pages: list[TunedPage], networked: Path
) -> None:
    cut = CutParams(keep=("body",), without=("title",))
    alike, own = (adapted(pages, str(networked), way, cut) for way in WAYS)
    assert (alike.parameters[PARAMETER], own.parameters[PARAMETER]) == (0.25, 0.0)
    assert need(tagger_of(alike), Decides).cut == cut
    assert need(tagger_of(own), Decides).cut == CutParams()
    assert alike.weights == own.weights
    assert len(own.pages) >= len(pages)
    assert min(scores(pages, tagger_of(own))) > 0.5


def test_pages_of_one_label_teach_no_model(pages: list[TunedPage], networked: Path) -> None:
    def all_text(page: TunedPage) -> TunedPage:
        texts = split(page.gold.page).texts
        labels = tuple((Label.TEXT, text) for text in texts)
        return replace(page, gold=replace(page.gold, labels=labels))

    every = [all_text(page) for page in pages]
    assert adaptation(every, str(networked), [0.1] * len(every), plain, no_progress) is None
