"""Tests of `evaluate/report.py`: one HTML file, safe, whole and the same every time."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import lxml.html
import numpy as np
import pytest

from crfclean.evaluate.block_metrics import BlockScores
from crfclean.evaluate.metrics import Snippets, WordScores
from crfclean.evaluate.report import MAX_WORST_PAGES, Sample, load_plots, report_html, worst_of
from crfclean.evaluate.result import CurvePoint, Evaluation
from crfclean.evaluate.runner import PageScore, Scored
from crfclean.types import CrfcleanError

pytest.importorskip("matplotlib")

EVIL = "<script>alert('x')</script>&amp;\"$1"
RNG = np.random.default_rng(3)


def blocks(*, probability: bool = True) -> BlockScores:
    gold, labels = RNG.integers(0, 3, 30), RNG.integers(0, 3, 30)
    sure = RNG.random(30) if probability else None
    return BlockScores(gold, labels, RNG.integers(0, 7, 30), RNG.random(30) * 9, sure)


def page(number: int, f1: float, **fields: object) -> PageScore:
    words = WordScores(f1, f1, f1)
    made = PageScore(f"s/{number}", "s", f"site {number % 3}", "", 4, 0.1, words, alignment=words)
    return replace(made, blocks=blocks(), **fields)  # type: ignore[arg-type]


PAGES = [page(number, number / 8) for number in range(8)]
PEER = [replace(one, blocks=blocks(probability=False)) for one in PAGES]
BOTH = Evaluation(
    "gold",
    {"crfclean": PAGES, "justext": PEER},
    about={"model": {"name": "default", "fingerprint": "abc" * 20}},
    curve=[CurvePoint(5, 0.5, 0.4, 0.6), CurvePoint(10, 0.6, 0.5, 0.7)],
)
SAMPLES = [
    Sample(0.1, "s/1", PAGES[1], "It sails again.\nFrom Monday.", "It sails again.\nMenu"),
    Sample(0.2, EVIL, replace(PAGES[2], status=EVIL), f"{EVIL} kept", f"kept {EVIL}"),
]


@pytest.fixture(scope="module")
def html() -> str:
    return report_html(BOTH, SAMPLES)


# one file


def test_it_is_one_whole_page(html: str) -> None:
    tree = lxml.html.document_fromstring(html)
    assert html.startswith("<!DOCTYPE html>")
    assert [one.text for one in tree.iter("h2")] == ["Summary", "Plots", "Scores", "Worst pages"]
    assert tree.xpath("//meta[@name='viewport']")
    assert tree.get("lang") == "en"


class Balance(HTMLParser):
    """Notes elements that are not closed in order."""

    EMPTY = frozenset(["meta", "br", "path", "use", "rect"])

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.open.pop() == tag


def test_every_element_is_closed(html: str) -> None:
    parser = Balance()
    parser.feed(html)
    assert parser.open == []


def test_it_loads_nothing(html: str) -> None:
    tree = lxml.html.document_fromstring(html)
    assert not tree.xpath("//script|//link|//iframe|//img|//object|//embed")
    addresses = tree.xpath("//@href|//@src|//@*[name()='xlink:href']")
    assert all(address.startswith("#") for address in addresses)
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)


def test_names_of_parts_are_not_used_twice(html: str) -> None:
    found = re.findall(r'\bid="([^"]+)"', html)
    assert len(found) == len(set(found)) > 50
    for name in re.findall(r'(?:href="#|url\(#)([^")]+)', html):
        assert name in found


def test_it_is_the_same_every_time(html: str) -> None:
    assert report_html(BOTH, SAMPLES) == html


# what it says


def test_subtitle(html: str) -> None:
    assert "crfclean, justext · 8 pages · 3 sites · model default (abcabcabcabc)" in html


def test_training_pages_are_named(html: str) -> None:
    assert "note: " not in html
    told = report_html(replace(BOTH, trained_on=3))
    assert "note: 3 of 8 pages were in this model&#x27;s training data" in told


def test_subtitle_of_folds() -> None:
    about = {"model": None, "training": {"folds": 4, "by": "page"}}
    assert "4 folds by page, each scored by a new model" in report_html(replace(BOTH, about=about))


def test_tables(html: str) -> None:
    tree = lxml.html.document_fromstring(html)
    names = [one.text for one in tree.iter("h3")]
    assert names[0] == "By source"
    assert names[2:] == ["Blocks by kind", "Blocks by label", "Learning curve"]
    rows = tree.xpath("//table[1]")[0].xpath(".//tr")
    assert [cell.text for cell in rows[1]][:3] == ["s", "crfclean", "8"]
    assert [cell.text for cell in rows[2]][1] == "justext"


def test_plots(html: str) -> None:
    tree = lxml.html.document_fromstring(html)
    captions = [one.text for one in tree.iter("figcaption")]
    assert len(captions) == len(tree.xpath("//svg")) == 5
    assert "site 0 (3)" in html


def test_without_probabilities_there_is_no_curve() -> None:
    html = report_html(Evaluation("gold", {"texts": PEER}))
    assert html.count("<svg") == 3
    assert "Reliability" not in html


def test_without_blocks_there_are_boxes_alone() -> None:
    html = report_html(Evaluation("gold", {"texts": [replace(one, blocks=None) for one in PAGES]}))
    assert html.count("<svg") == 1
    assert "Blocks by kind" not in html
    assert "Worst pages" not in html


def test_snippets_are_told() -> None:
    pages = [replace(one, snippets=Snippets(4, 3, 0, 0)) for one in PAGES]
    assert "75.0 %" in report_html(Evaluation("gold", {"texts": pages}))


# differences


def test_signs_stand_beside_colours(html: str) -> None:
    assert "<del>− From Monday.</del>" in html
    assert "<ins>+ Menu</ins>" in html


def test_long_texts_are_cut_with_a_note() -> None:
    gold = " ".join(f"w{number}" for number in range(5_000))
    html = report_html(BOTH, [Sample(0.1, "s/1", PAGES[1], gold, gold)])
    assert "2000 more words are left out." in html
    assert "… 3976 words …" in html


# hostile pages


def test_everything_is_escaped() -> None:
    pages = [replace(one, id=EVIL, source=EVIL, site=EVIL, kind=EVIL) for one in PAGES]
    about = {"model": {"name": EVIL, "fingerprint": EVIL}}
    html = report_html(Evaluation(EVIL, {"crfclean": pages, EVIL: PEER}, about=about), SAMPLES)
    assert "<script" not in html
    assert "alert(&#x27;x&#x27;)" in html
    lxml.html.document_fromstring(html)


@pytest.mark.parametrize("site", ["$a$ $", r"\\frac{", "中文", "ไทย", "x" * 200, "", " "])
def test_names_of_sites_are_drawn_as_they_are(site: str) -> None:
    assert report_html(Evaluation("gold", {"crfclean": [replace(one, site=site) for one in PAGES]}))


def test_many_sites_are_cut() -> None:
    pages = [replace(PAGES[0], site=f"host {number % 90:03}") for number in range(180)]
    html = report_html(Evaluation("gold", {"crfclean": pages}))
    assert len(set(re.findall(r"host \d+ \(2\)", html))) == 24


def test_pages_of_lone_sites_are_boxed_by_group() -> None:
    pages = [replace(PAGES[0], site=f"host {n}", kind="ab"[n % 2]) for n in range(9)]
    html = report_html(Evaluation("gold", {"crfclean": pages}, by="kind"))
    assert "F1 of pages by kind" in html
    assert "a (5)" in html
    assert "host" not in html


# the worst


def test_worst_pages_are_kept_in_order() -> None:
    found: list[Sample] = []
    for number in range(40):
        score = replace(PAGES[0], id=f"{number:02}", words=WordScores(0, 0, (number * 7 % 40) / 40))
        found = worst_of(found, Scored("gold", [f"text {number}"], [score]))
    assert len(found) == MAX_WORST_PAGES
    assert [one.f1 for one in found] == [number / 40 for number in range(MAX_WORST_PAGES)]
    assert found[1].text == f"text {int(found[1].id)}"


def test_missing_matplotlib_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crfclean.evaluate.plots", None)
    monkeypatch.delattr("crfclean.evaluate.plots", raising=False)
    with pytest.raises(CrfcleanError, match=r"pip install 'crfclean\[plots\]'"):
        load_plots()
