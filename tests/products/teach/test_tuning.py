"""Tests of `teach/tune.py`: what is learnt, when the default stays, and what is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crfclean import extract, load
from crfclean.pipeline import run
from crfclean.products.teach import tune as tuning
from crfclean.products.teach.corrected import TunedPage, folds_of, tuned_pages
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.lesson import Lesson
from crfclean.products.teach.metrics import word_scores
from crfclean.products.teach.tune import Tuned, tune
from crfclean.systems.capabilities import Decides, need
from crfclean.types import Page


def without_first_lines(golds: Sequence[GoldPage]) -> list[GoldPage]:
    return [replace(gold, text=gold.text.partition("\n")[2], labels=None) for gold in golds]


@pytest.fixture(scope="module")
def untitled(demo_gold: list[GoldPage]) -> list[GoldPage]:
    return without_first_lines(demo_gold[::4])


@pytest.fixture(scope="module")
def without_titles(untitled: list[GoldPage]) -> Tuned:
    return tune(untitled)


def f1(golds: Sequence[GoldPage], tagger: object) -> float:
    texts = [run(gold.page, tagger).text for gold in golds]  # type: ignore[arg-type]
    pairs = zip(texts, golds, strict=True)
    return float(np.mean([word_scores(text, gold.text).f1 for text, gold in pairs]))


def test_a_convention_is_learnt_for_other_pages(
    without_titles: Tuned, demo_gold: list[GoldPage]
) -> None:
    tuned = without_titles
    assert dict(need(tuned.tagger, Decides).cut.names)[":title"] < -3
    assert tuned.settings.f1["tuned"] > tuned.settings.f1["default"]
    others = without_first_lines(demo_gold[1::4])
    assert f1(others, tuned.tagger) > f1(others, load())
    assert "kinds out: title" in tuned.understood


def test_the_scores_are_of_pages_held_out(untitled: list[GoldPage], without_titles: Tuned) -> None:
    settings = without_titles.settings
    assert settings.f1["default"] == round(f1(untitled, load()), 4)


def test_no_page_is_scored_by_what_it_taught(
    untitled: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = tuned_pages(untitled, load())
    lessons = [page.lesson for page in pages]
    taught = list[set[int]]()
    numbers = {id(lesson): number for number, lesson in enumerate(lessons)}

    def learn(others: Sequence[Lesson], _: float) -> tuple[()]:
        taught.append({numbers[id(lesson)] for lesson in others})
        return ()

    monkeypatch.setattr(tuning, "learn", learn)
    assert tuning.held_out_f1(pages, lessons, load(), 0.0) == [page.f1 for page in pages]
    folds = folds_of(pages)
    assert taught == [
        {number for number, of in enumerate(folds) if of != fold} for fold in sorted(set(folds))
    ]


def test_a_convention_that_held_out_pages_contradict_is_not_taken(
    untitled: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "held_out_f1", lambda pages, *_: [0.1] * len(pages))
    tuned = tune(untitled)
    assert tuned.settings.cut == {}
    assert tuned.settings.f1["tuned"] == tuned.settings.f1["default"]
    assert tuned.understood[0] == "nothing learned: 6 pages do not show that anything helps"


def test_texts_as_the_default_writes_them_change_nothing(demo_gold: list[GoldPage]) -> None:
    written = [replace(gold, text=extract(gold.page.html)) for gold in demo_gold[:3]]
    tuned = tune(written)
    assert tuned.understood[0].startswith("all texts are as clean writes them")
    assert tuned.settings.f1 == {"default": 1.0, "tuned": 1.0}
    html = demo_gold[0].page.html
    assert extract(html, model=tuned.tagger) == extract(html)


SITE = """<title>Letter {n}</title><body><nav><a href=/>Home</a></nav><main><h1>Letter {n}</h1>
<div class=entry>{body}</div><div class=answer>{after}</div></main>"""


@pytest.fixture(scope="module")
def letters(demo_gold: list[GoldPage]) -> list[GoldPage]:
    """Pages of a site whose texts end before an answer, which is running text, too."""
    golds = []
    every = [
        [line for line in gold.text.splitlines() if len(line.split()) > 12] for gold in demo_gold
    ]
    long = [lines for lines in every if len(lines) > 7][:10]
    for number, lines in enumerate(long):
        body, after = (
            "".join(f"<p>{line}</p>" for line in part) for part in (lines[:4], lines[4:7])
        )
        html = SITE.format(n=number, body=body, after=after)
        text = "\n".join([f"Letter {number}", *lines[:4]])
        golds.append(GoldPage(str(number), Page(html), text, "letters", "letters"))
    return golds


@pytest.fixture(scope="module")
def ending(letters: list[GoldPage]) -> Tuned:
    return tune(letters[:6])


def test_where_a_site_ends_its_texts_is_learnt(letters: list[GoldPage], ending: Tuned) -> None:
    tuned = ending
    assert f1(letters[6:], load()) < 0.99
    assert f1(letters[6:], tuned.tagger) == 1.0
    assert dict(tuned.settings.cut["names"])[".answer"] < 0
    assert any(line.startswith("names out: ") for line in tuned.understood)
    assert tuned.settings.f1["tuned"] > tuned.settings.f1["default"]


def test_pages_of_several_sites_teach_kinds_alone(letters: list[GoldPage]) -> None:
    out = without_first_lines(letters[:8])
    names = tune([replace(gold, site=gold.id) for gold in out]).settings.cut["names"]
    assert ":title" in dict(names)
    assert all(name.startswith(":") for name, _ in names)


def test_kinds_alone_are_taken_where_they_are_better(
    letters: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    def f1(pages: Sequence[TunedPage], lessons: Sequence[Lesson], *_: object) -> list[float]:
        has_classes = any(".answer" in names for names in lessons[0].names)
        return [0.9 if has_classes else 1.0] * len(pages)

    assert ".answer" in dict(tune(letters[:6]).settings.cut["names"])
    monkeypatch.setattr(tuning, "held_out_f1", f1)
    names = tune(letters[:6]).settings.cut["names"]
    assert all(name.startswith(":") for name, _ in names)


def test_names_are_learnt_anew(letters: list[GoldPage], ending: Tuned, tmp_path: Path) -> None:
    first = ending
    first.save(tmp_path / "own.json")
    again = tune(letters[:6], str(tmp_path / "own.json"))
    assert again.settings.cut["names"] == first.settings.cut["names"]
    assert need(load(tmp_path / "own.json"), Decides).cut == need(again.tagger, Decides).cut
