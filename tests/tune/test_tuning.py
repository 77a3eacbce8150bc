"""Tests of `tune/tuning.py`: what is learnt, when the default stays, and what is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crfclean import extract, load
from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.pipeline import run
from crfclean.taggers.capabilities import Decides, need
from crfclean.tune import tuning
from crfclean.tune.tuning import WAYS, Adaptation, Way, tune


def without_first_lines(golds: Sequence[GoldPage]) -> list[GoldPage]:
    return [replace(gold, text=gold.text.partition("\n")[2], labels=None) for gold in golds]


@pytest.fixture(scope="module")
def untitled(demo_gold: list[GoldPage]) -> list[GoldPage]:
    return without_first_lines(demo_gold[::4])


def f1(golds: Sequence[GoldPage], tagger: object) -> float:
    texts = [run(gold.page, tagger).text for gold in golds]  # type: ignore[arg-type]
    pairs = zip(texts, golds, strict=True)
    return float(np.mean([word_scores(text, gold.text).f1 for text, gold in pairs]))


def test_a_convention_is_learnt_for_other_pages(
    untitled: list[GoldPage], demo_gold: list[GoldPage]
) -> None:
    tuned = tune(untitled, adapts=False)
    assert "title" in need(tuned.tagger, Decides).cut.without
    assert tuned.after > tuned.before
    others = without_first_lines(demo_gold[1::4])
    assert f1(others, tuned.tagger) > f1(others, load())
    assert any(line.startswith("title out (0% ") for line in tuned.understood)


def test_the_scores_are_of_pages_held_out(untitled: list[GoldPage]) -> None:
    tuned = tune(untitled, adapts=False)
    assert tuned.settings.f1 == {
        "default": round(tuned.before, 4),
        "tuned": round(tuned.after, 4),
    }
    assert tuned.before == pytest.approx(f1(untitled, load()))
    assert tuned.settings.pages == len(untitled)


def test_a_convention_that_held_out_pages_contradict_is_not_taken(
    untitled: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "scores", lambda pages, _: [0.1] * len(pages))
    tuned = tune(untitled, adapts=False)
    assert tuned.settings.cut == {}
    assert tuned.after == tuned.before
    assert not [line for line in tuned.understood if " out " in line]


def test_texts_as_the_default_writes_them_change_nothing(demo_gold: list[GoldPage]) -> None:
    written = [replace(gold, text=extract(gold.page.html)) for gold in demo_gold[:3]]
    tuned = tune(written)
    assert tuned.understood[0].startswith("all texts are as the default writes them")
    assert (tuned.before, tuned.after, tuned.bundle) == (1.0, 1.0, None)
    html = demo_gold[0].page.html
    assert extract(html, model=tuned.tagger) == extract(html)


def chosen_adaptation(way: Way) -> Callable[..., Adaptation]:
    return lambda pages, *_: Adaptation((1.0,) * len(pages), way)


@pytest.mark.parametrize("way", WAYS)
def test_an_adaptation_is_taken_where_held_out_pages_gain(
    untitled: list[GoldPage],
    networked: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: Way,
) -> None:
    monkeypatch.setattr(tuning, "adaptation", chosen_adaptation(way))
    tuned = tune(untitled, str(networked))
    assert tuned.after == 1.0
    assert [line for line in tuned.understood if line.startswith("adapted: ")]
    assert any(line.startswith("title out") for line in tuned.understood) is way.is_alike
    assert ("title" in need(tuned.tagger, Decides).cut.without) is way.is_alike
    tuned.save(tmp_path / "own.json")
    opened = load(tmp_path / "own.json")
    assert need(opened, Decides).cut == need(tuned.tagger, Decides).cut
    page = untitled[0].page
    assert run(page, opened).text == run(page, tuned.tagger).text
    assert (tmp_path / "own-model" / "manifest.json").is_file()


def test_an_adaptation_that_does_not_help_is_not_taken(
    untitled: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "adaptation", lambda *_: None)
    tuned = tune(untitled)
    assert tuned.bundle is None
    assert tuned.understood[-1].startswith("no adaptation: 6 pages cannot tell")
    assert tuned.after == tune(untitled, adapts=False).after


def test_what_is_written_cleans_as_the_tagger(untitled: list[GoldPage], tmp_path: Path) -> None:
    tuned = tune(untitled, adapts=False)
    tuned.save(tmp_path / "own.json")
    first = (tmp_path / "own.json").read_bytes()
    tune(untitled, adapts=False).save(tmp_path / "own.json")
    assert (tmp_path / "own.json").read_bytes() == first
    html = untitled[0].page.html
    assert extract(html, model=tmp_path / "own.json") == extract(html, model=tuned.tagger)
    assert not (tmp_path / "own-model").exists()


def test_settings_can_be_tuned_again(untitled: list[GoldPage], tmp_path: Path) -> None:
    tune(untitled, adapts=False).save(tmp_path / "own.json")
    again = tune(untitled, str(tmp_path / "own.json"))
    assert again.settings.model == "default"
    assert "title" in need(again.tagger, Decides).cut.without
