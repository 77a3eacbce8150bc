"""Tests of `tune/report.py`: the blocks, kinds and scores that the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from crfclean import Tagger, load
from crfclean.gold.pages import GoldPage
from crfclean.tune.report import BlockRow, PageRow, TunedView, view_of_tuned
from crfclean.tune.tuning import Tuned, tune


@pytest.fixture(scope="module")
def base() -> Tagger:
    return load()


@pytest.fixture(scope="module")
def untitled(demo_gold: Sequence[GoldPage]) -> list[GoldPage]:
    """Pages of several sites whose texts have lost their first lines, the titles."""
    return [
        replace(gold, text=gold.text.partition("\n")[2], labels=None) for gold in demo_gold[::4]
    ]


@pytest.fixture(scope="module")
def tuned(untitled: list[GoldPage]) -> Tuned:
    return tune(untitled, adapts=False)


@pytest.fixture(scope="module")
def view(tuned: Tuned, base: Tagger) -> TunedView:
    return view_of_tuned(tuned, base)


def titles(page: PageRow, gold: GoldPage, demo_gold: Sequence[GoldPage]) -> list[BlockRow]:
    whole = next(other.text for other in demo_gold if other.id == gold.id)
    return [block for block in page.blocks if block.text == whole.partition("\n")[0]]


def test_titles_are_before_and_not_now(
    view: TunedView, untitled: list[GoldPage], demo_gold: Sequence[GoldPage]
) -> None:
    changed = [
        block
        for page, gold in zip(view.pages, untitled, strict=True)
        for block in titles(page, gold, demo_gold)
        if block.before
    ]
    assert len(changed) >= len(untitled) - 1
    assert {(block.by_user, block.now) for block in changed} == {(False, False)}


def test_scores_are_those_of_the_settings(view: TunedView, tuned: Tuned) -> None:
    assert tuned.settings.f1 == {"default": round(view.before, 4), "tuned": round(view.after, 4)}
    assert [page.before for page in view.pages] == [page.f1 for page in tuned.pages]
    assert [page.after for page in view.pages] == list(tuned.held_out)


def test_kinds_are_those_that_were_understood(view: TunedView, tuned: Tuned) -> None:
    assert view.kinds[0].name == "title"
    assert (view.kinds[0].side, view.kinds[0].kept) == ("out", 0.0)
    for kind in view.kinds:
        line = f"{kind.name} {kind.side} ({kind.kept:.0%} of their words"
        assert any(other.startswith(line) for other in tuned.understood)
