"""Tests of `teach/tuning.py`: what is learnt, when the default stays, and what is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from crfclean import extract, load
from crfclean.pipeline import run
from crfclean.systems.load import Decides, need
from crfclean.teach import tuning
from crfclean.teach.gold import GoldPage
from crfclean.teach.metrics import word_scores
from crfclean.teach.tune import TunedPage, Verdict
from crfclean.teach.tuning import Tuned, tune
from crfclean.types import Kind, Page, Tagger


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
    assert "title" in need(tuned.tagger, Decides).cut.without
    assert tuned.after > tuned.before
    others = without_first_lines(demo_gold[1::4])
    assert f1(others, tuned.tagger) > f1(others, load())
    assert any(line.startswith("title: dropped (your texts keep 0 % ") for line in tuned.understood)


def test_the_scores_are_of_pages_held_out(untitled: list[GoldPage], without_titles: Tuned) -> None:
    tuned = without_titles
    assert tuned.settings.f1 == {
        "default": round(tuned.before, 4),
        "tuned": round(tuned.after, 4),
    }
    assert tuned.before == pytest.approx(f1(untitled, load()))
    assert tuned.settings.pages == len(untitled)


def test_kinds_are_taken_one_by_one(
    untitled: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kind that loses does not sink another, and one that gains nothing more is not taken."""
    tried: list[set[Kind]] = []

    def f1(pages: Sequence[TunedPage], _: Tagger, kinds: Mapping[Kind, bool]) -> list[float]:
        tried.append(set(kinds))
        gain = -0.1 if Kind.LEAD in kinds else 0.02 * (Kind.TITLE in kinds) + 0.01
        return [page.f1 + gain for page in pages]

    agreed = {Kind.TITLE: False, Kind.LEAD: True, Kind.CAPTION: True, Kind.HEADING: True}
    said = {
        kind: Verdict(is_in, 3, float(is_in), is_default=kind is Kind.HEADING)
        for kind, is_in in agreed.items()
    }
    monkeypatch.setattr(tuning, "verdicts", lambda _: said)
    monkeypatch.setattr(tuning, "_kinds_held_out", f1)
    tuned = tune(untitled)
    assert tuned.kinds == {Kind.TITLE: False}
    assert (tuned.settings.cut["also"], tuned.settings.cut["without"]) == ((), ("title",))
    title, lead, caption = {Kind.TITLE}, {Kind.LEAD}, {Kind.CAPTION}
    assert tried == [title, lead, caption, title | caption, title | lead]
    unused = [line for line in tuned.understood if line.startswith("unused: ")]
    assert [line.partition(" (")[0] for line in unused] == [
        "unused: captions kept",
        "unused: leads kept",
    ]


def test_a_convention_that_held_out_pages_contradict_is_not_taken(
    untitled: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "scores", lambda pages, _: [0.1] * len(pages))
    tuned = tune(untitled)
    assert tuned.settings.cut == {}
    assert tuned.after == tuned.before
    assert not [line for line in tuned.understood if ": dropped (" in line]
    assert (
        f"unused: title dropped (F1 on held-out pages: {tuned.before:.3f} without, 0.100 with)"
        in tuned.understood
    )


def test_texts_as_the_default_writes_them_change_nothing(demo_gold: list[GoldPage]) -> None:
    written = [replace(gold, text=extract(gold.page.html)) for gold in demo_gold[:3]]
    tuned = tune(written)
    assert tuned.understood[0].startswith("all texts are as clean writes them")
    assert (tuned.before, tuned.after) == (1.0, 1.0)
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
    assert tuned.after > tuned.before


def test_names_that_held_out_pages_contradict_are_not_taken(
    letters: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "_named_held_out", lambda tuned, _: list(tuned.held_out))
    tuned = tune(letters[:6])
    assert not tuned.settings.cut.get("names")
    assert tuned.understood[-1].startswith("names of elements: unused (6 pages do not show")


def test_pages_of_several_sites_need_more_evidence(
    letters: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gained(tuned: Tuned, _: object) -> list[float]:
        return [value + gain for value, gain in zip(tuned.held_out, (0.3, 0, 0, 0.2), strict=True)]

    monkeypatch.setattr(tuning, "_named_held_out", gained)
    apart = [replace(gold, site=gold.id) for gold in letters[:4]]
    assert "names" in tune(letters[:4]).settings.cut
    assert "names" not in tune(apart).settings.cut


def test_kinds_give_way_where_names_alone_are_better(
    letters: list[GoldPage], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = without_first_lines(letters[:6])
    both = tune(out)
    assert both.settings.cut["without"] == ("title",)
    better = lambda tuned, base: [0.9 + 0.1 * (tuned.tagger is base)] * 6  # noqa: E731
    monkeypatch.setattr(tuning, "_named_held_out", better)
    alone = tune(out)
    assert not alone.settings.cut.get("without")
    assert dict(alone.settings.cut["names"])[":title"] < 0


def test_names_are_learnt_anew(letters: list[GoldPage], ending: Tuned, tmp_path: Path) -> None:
    first = ending
    first.save(tmp_path / "own.json")
    again = tune(letters[:6], str(tmp_path / "own.json"))
    assert again.settings.cut["names"] == first.settings.cut["names"]
    assert need(load(tmp_path / "own.json"), Decides).cut == need(again.tagger, Decides).cut
