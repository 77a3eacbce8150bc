"""Tests of `site.py`: what a site's pages have in common, by hand and end to end."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.decision.rules import CutParams
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.pipeline import run_many
from crfclean.site import (
    PageNotes,
    Site,
    SiteParams,
    SiteTagger,
    adjust,
    gather,
    page_notes,
    run_site,
)
from crfclean.taggers.crf import CrfTagger
from crfclean.types import Blocks, CrfcleanError, Page

Command = Callable[..., Any]
LONG = "{0} went down to the harbour that morning, and the ferry left without {0}, as ever."
NOTICE = "Readers who value our work support it with a gift of their own choice, large or small."
NAMES = ["Anna", "Bruno", "Carla", "David", "Emil", "Franka", "Gustav"]


def story(name: str, notice: str = NOTICE) -> str:
    """An invented page of a site: a story of its own, with the notice that all of them have."""
    text = LONG.format(name)
    return (
        f"<ul><li><a href='/'>Home</a></li></ul><h1>{name} and the ferry</h1>"
        f"<div class='story'><p>{text} {text}</p><p>{text[::-1]}</p></div>"
        f"<div class='gift'><p>{notice}</p></div><ul><li><a href='/a'>About</a></li></ul>"
    )


def page_of(html: str) -> Measures:
    return split(Page(html))


def kept(*probabilities: float) -> np.ndarray:
    """Marginals of blocks that are kept so surely; a quarter of it is HEADER."""
    share = np.array(probabilities)
    return np.column_stack([share / 4, share * 3 / 4, 1 - share])


def notes(
    places: list[int], texts: list[int], probability: list[float], words: list[float]
) -> PageNotes:
    sizes = np.array(words, np.float64)
    chance = np.array(probability, np.float64)
    return PageNotes(np.array(places, np.int64), np.array(texts, np.int64), chance * sizes, sizes)


def odds(probability: float) -> float:
    safe = min(max(probability, 0.005), 0.995)
    return math.log(safe / (1 - safe))


def chance(value: float) -> float:
    return 1 / (1 + math.exp(-value))


# notes


def test_notes_of_a_page() -> None:
    page = page_of("<p>One two</p><p>One two</p><div><p>One two</p></div><p class='x'>Three</p>")
    made = page_notes(page, kept(0.5, 1.0, 0.0, 0.25))
    assert made.words.tolist() == [2, 2, 2, 1]
    assert made.kept.tolist() == [1, 2, 0, 0.25]
    assert made.places[0] == made.places[1]
    assert len(set(made.places.tolist())) == 3, "another parent, another class"
    assert made.texts[0] == made.texts[1]
    assert len(set(made.texts.tolist())) == 3
    assert made.places.dtype == made.texts.dtype == np.int64


PRINTED = """
import json
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.site import page_notes
from crfclean.types import Page
import numpy as np
page = split(Page({html!r}))
made = page_notes(page, np.full((len(page), 3), 1 / 3))
print(json.dumps([made.number, made.places.tolist(), made.texts.tolist()]))
"""


def test_notes_are_equal_in_every_process(root: Path) -> None:
    html = story("Žofie", "Ještě jednou: 陸")
    told = []
    for seed in ("0", "1", "4711"):
        done = subprocess.run(
            [sys.executable, "-c", PRINTED.format(html=html)],
            capture_output=True,
            check=True,
            env={"PYTHONPATH": str(root), "PYTHONHASHSEED": seed},
        )
        told.append(json.loads(done.stdout))
    page = page_of(html)
    own = page_notes(page, np.full((len(page), 3), 1 / 3))
    assert told == [[own.number, own.places.tolist(), own.texts.tolist()]] * 3


# what is remembered


A = notes([1, 1, 2], [10, 10, 20], [0.5, 1.0, 0.25], [4, 2, 8])
B = notes([1, 2, 3], [10, 21, 30], [0.0, 0.5, 1.0], [4, 8, 1])


def test_a_site_by_hand() -> None:
    site = gather([A, B])
    assert site.pages == 2
    assert site.texts == Counter({10: 2, 20: 1, 21: 1, 30: 1}), "pages, not blocks"
    assert site.holders == Counter({1: 2, 2: 2, 3: 1})
    assert site.kept == {1: 4.0, 2: 6.0, 3: 1.0}
    assert site.words == {1: 10.0, 2: 16.0, 3: 1.0}
    assert site.members == {A.number, B.number}


# adjustment

# Four pages with a block at place 1 (told by three texts) and one of them with place 2.
FOUR = [
    notes([1, 2], [10, 20], [0.9, 0.6], [10, 5]),
    notes([1], [10], [0.8], [20]),
    notes([1], [10], [0.7], [10]),
    notes([1], [11], [0.2], [10]),
]
SITE = gather(FOUR)


@pytest.mark.parametrize(("repeat", "place"), [(4.0, 0.4), (0.0, 0.0), (1.0, 1.0), (2.5, 0.25)])
def test_adjustment_by_hand(repeat: float, place: float) -> None:
    params = SiteParams(4, repeat, place)
    found = adjust(kept(0.9, 0.6), FOUR[0], SITE, params)
    elsewhere = (0.8 * 20 + 0.7 * 10 + 0.2 * 10) / 40
    # text 10 stands on two others: the whole weight; place 2 on no other: it does not speak
    first = chance((1 - place) * odds(0.9) + place * odds(elsewhere) - repeat)
    expected = [[first / 4, first * 3 / 4, 1 - first], [0.15, 0.45, 0.4]]
    assert found == pytest.approx(np.array(expected))


def test_a_repetition_within_the_page_is_none() -> None:
    pages = [notes([1, 1, 1], [10, 10, 10], [0.9] * 3, [5] * 3), *FOUR[2:], FOUR[3]]
    pages[1] = notes([1], [13], [0.7], [10])
    found = adjust(kept(0.9, 0.9, 0.9), pages[0], gather(pages), SiteParams(place=0.0))
    assert found == pytest.approx(kept(0.9, 0.9, 0.9))


def test_a_place_speaks_from_three_pages() -> None:
    params = SiteParams(least_pages=2, repeat=0.0, place=1.0)
    pages = [notes([1], [text], [0.5], [10]) for text in range(3)]
    alone = notes([2], [9], [0.5], [1])
    two = gather([*pages[:2], alone])
    assert adjust(kept(0.9), pages[0], two, params) == pytest.approx(kept(0.9))
    three = gather([*pages, alone])
    assert adjust(kept(0.9), pages[0], three, params) == pytest.approx(kept(0.5))


IMPOSSIBLE: list[dict[str, float]] = [
    {"least_pages": 1},
    {"repeat": -0.1},
    {"repeat": 1_000.0},
    {"place": -0.1},
    {"place": 1.1},
    {"place": float("nan")},
]


@pytest.mark.parametrize("wrong", IMPOSSIBLE, ids=str)
def test_impossible_parameters_are_refused(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(CrfcleanError, match=f"{name} must be from"):
        SiteParams(**wrong)  # type: ignore[arg-type]


# the tagger


@pytest.fixture(scope="module")
def pages() -> list[Blocks]:
    return [split(Page(story(name))) for name in NAMES]


def remembered(tagger: CrfTagger, pages: list[Blocks]) -> Site:
    measures = list(pages)
    return gather(page_notes(page, tagger.judge(page)[0]) for page in measures)


def notice_of(page: Blocks) -> int:
    return page.texts.index(NOTICE)


def test_repeated_text_loses(tagger: CrfTagger, pages: list[Blocks]) -> None:
    site = remembered(tagger, pages)
    for page in pages:
        before, after = tagger.tag(page), SiteTagger(tagger, site).tag(page)
        assert after.probabilities[notice_of(page)] < before.probabilities[notice_of(page)] - 0.1
        assert before.kept[notice_of(page)]
        assert not after.kept[notice_of(page)]
        assert after.kept.tolist()[2:4] == [True, True], "the story itself"


def test_site_tagger_follows_the_cut(tagger: CrfTagger, pages: list[Blocks]) -> None:
    site = remembered(tagger, pages)
    strict, loose = (
        SiteTagger(tagger.with_cut(CutParams("threshold", limit)), site).tag(pages[0])
        for limit in (1.0, 0.0)
    )
    assert not strict.kept.any()
    assert loose.kept.all()
    labels = SiteTagger(tagger.with_cut(CutParams("viterbi")), site).tag(pages[0])
    assert labels.labels.tolist() == labels.marginals.argmax(1).tolist()


def test_site_tagger_crosses_processes(tagger: CrfTagger, pages: list[Blocks]) -> None:
    made = SiteTagger(tagger, remembered(tagger, pages))
    again = pickle.loads(pickle.dumps(made)).tag(pages[1])
    assert np.array_equal(again.marginals, made.tag(pages[1]).marginals)


# batches


@pytest.fixture
def site_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Seven pages of one site, and one page of another with the same notice."""
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        write(tmp_path / "in" / "news" / f"{name}.html", story(name))
    write(tmp_path / "in" / "other" / "Olga.html", story("Olga"))
    return tmp_path


def write(path: Path, html: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(html, "utf-8")


def texts(folder: Path) -> dict[str, str]:
    """The files of a run, but for its record."""
    found = sorted(path for path in folder.rglob("[!.]*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in found}


def test_repeated_text_is_dropped_by_site_and_kept_without(
    crfclean: Command, site_pages: Path, model: Path
) -> None:
    plain = crfclean("clean", "in", "plain", "--model", model)
    by_site = crfclean("clean", "in", "by-site", "--model", model, "--group-by", "site")
    assert (plain.code, by_site.code) == (0, 0)
    assert by_site.err == plain.err == "8 pages: 8 cleaned, 0 without text, 0 failed\n"
    before, after = texts(site_pages / "plain"), texts(site_pages / "by-site")
    assert list(before) == list(after)
    for name, text in after.items():
        assert NOTICE in before[name]
        assert (NOTICE in text) == name.startswith("other/"), "one page is no site"
        assert LONG.format(Path(name).stem) in text
    assert after["other/Olga.txt"] == before["other/Olga.txt"]


def test_run_site_drops_what_repeats(tagger: CrfTagger) -> None:
    pages = [Page(story(name)) for name in NAMES]
    alone = [document.text for document in run_many(pages, tagger)]
    together = [document.text for document in run_site(pages, tagger)]
    assert all(NOTICE in text for text in alone)
    assert not any(NOTICE in text for text in together)
    assert [document.text for document in run_site(pages, tagger, workers=2)] == together
