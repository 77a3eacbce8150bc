"""Tests of `tune/report.py`: the blocks, kinds and scores that the page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from crfclean import Tagger, load
from crfclean.gold.pages import GoldPage
from crfclean.tune.report import block_rows, tuned_html
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


def test_titles_are_before_and_not_now(
    tuned: Tuned, base: Tagger, untitled: list[GoldPage], demo_gold: Sequence[GoldPage]
) -> None:
    titles = {gold.id: gold.text.partition("\n")[0] for gold in demo_gold}
    changed = [
        block
        for page in tuned.pages
        for block in block_rows(page, tuned.tagger, base)
        if block.before and block.text == titles[page.gold.id]
    ]
    assert len(changed) >= len(untitled) - 1
    assert {(block.by_user, block.now) for block in changed} == {(False, False)}


def test_the_page_says_what_was_understood(tuned: Tuned, base: Tagger) -> None:
    html = tuned_html(tuned, base)
    assert f">{tuned.before:.3f}<meter" in html
    assert f">{tuned.after:.3f}<meter" in html
    for page, f1 in zip(tuned.pages, tuned.held_out, strict=True):
        assert f"F1 {page.f1:.3f} → {f1:.3f}" in html
    assert 'title <b class="side out">out</b></span><span class="score">0%' in html
    assert "<script" not in html
