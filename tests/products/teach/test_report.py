"""Tests of `teach/report.py`: one HTML file, safe, whole and the same every time."""

from __future__ import annotations

import re
from dataclasses import replace

import lxml.html
import numpy as np
import pytest

from crfclean.products.teach import word_runs
from crfclean.products.teach.block_metrics import BlockScores
from crfclean.products.teach.cleaning import PageScore
from crfclean.products.teach.metrics import WordScores
from crfclean.products.teach.report import report_html
from crfclean.products.teach.result import Evaluation
from crfclean.products.teach.runner import Scored
from crfclean.products.teach.word_runs import CONTEXT_WORDS, SAME_WORDS, Run, word_diff

EVIL = "<script>alert('x')</script>&amp;\"$1"
RNG = np.random.default_rng(3)


def blocks() -> BlockScores:
    return BlockScores(RNG.integers(0, 3, 30), RNG.integers(0, 3, 30), RNG.integers(0, 7, 30))


def page(number: int, f1: float, **fields: object) -> PageScore:
    words = WordScores(f1, f1, f1)
    made = PageScore(f"s/{number}", "s", f"site {number % 3}", "", 4, 0.1, words, alignment=words)
    return replace(made, blocks=blocks(), **fields)  # type: ignore[arg-type]


PAGES = [page(number, number / 8) for number in range(8)]
PEER = [replace(one, blocks=blocks()) for one in PAGES]
BOTH = Evaluation(
    "gold",
    {"crfclean": PAGES, "justext": PEER},
    about={"model": {"name": "default", "fingerprint": "abc" * 20}},
)
SAMPLES = [
    Scored("It sails again.\nFrom Monday.", ["It sails again.\nMenu"], [PAGES[1]]),
    Scored(f"{EVIL} kept", [f"kept {EVIL}"], [replace(PAGES[2], id=EVIL, status=EVIL)]),
]


@pytest.fixture(scope="module")
def html() -> str:
    return report_html(replace(BOTH, worst=SAMPLES))


# one file


def test_it_is_one_whole_page(html: str) -> None:
    tree = lxml.html.document_fromstring(html)
    assert html.startswith("<!DOCTYPE html>")
    assert [one.text for one in tree.iter("h2")] == ["Summary", "Scores", "Worst pages"]
    assert tree.xpath("//meta[@name='viewport']")
    assert tree.get("lang") == "en"


def test_one_site_has_an_interval_by_page() -> None:
    pages = [replace(one, site="s") for one in PAGES]
    html = report_html(Evaluation("gold", {"crfclean": pages}))
    assert re.search(r"95 %: 0\.\d{3} to \d\.\d{3}, by page", html)
    for part, told in ((pages, "no interval: one site"), (pages[:1], "no interval: one page")):
        group_by = "site" if len(part) > 1 else ""
        assert told in report_html(Evaluation("gold", {"crfclean": part}, group_by=group_by))


# hostile pages


def test_everything_is_escaped() -> None:
    pages = [replace(one, id=EVIL, source=EVIL, site=EVIL, kind=EVIL) for one in PAGES]
    about = {"model": {"name": EVIL, "fingerprint": EVIL}}
    html = report_html(
        Evaluation(EVIL, {"crfclean": pages, EVIL: PEER}, about=about, worst=SAMPLES)
    )
    assert "<script" not in html
    assert "alert(&#x27;x&#x27;)" in html
    lxml.html.document_fromstring(html)


# differences of words

CASES = {
    "equal": ("a b", "a b", " a b"),
    "both empty": ("", "", ""),
    "text empty": ("a b", "", "-a b"),
    "gold empty": ("", "a b", "+a b"),
    "missing": ("a b c", "a c", " a|-b| c"),
    "added": ("a c", "a b c", " a|+b| c"),
    "replaced": ("a b c", "a x c", " a|-b|+x| c"),
    "case counts": ("A b", "a b", "-A|+a| b"),
    "lines": ("a\nb", "a\nb", " a ¶ b"),
    "joined lines": ("a\nb", "a b", " a|-¶| b"),
    "blank lines and blanks": (" a\n\n b  c", "a\nb c\n", " a ¶ b c"),
}


def spelled(gold: str, text: str) -> str:
    return "|".join(run.sign + " ".join(run.words) for run in word_diff(gold, text)[0])


@pytest.mark.parametrize(("gold", "text", "expected"), CASES.values(), ids=CASES)
def test_word_diff(gold: str, text: str, expected: str) -> None:
    assert spelled(gold, text) == expected


def test_long_runs_that_are_the_same_are_shortened() -> None:
    words = [f"w{number}" for number in range(100)]
    (run,), left_out = word_diff(" ".join(words), " ".join(words))
    assert run == Run(
        SAME_WORDS, (*words[:CONTEXT_WORDS], *words[-CONTEXT_WORDS:]), 100 - 2 * CONTEXT_WORDS
    )
    assert left_out == 0


def test_what_is_left_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_runs, "_MAX_COMPARED_WORDS", 3)
    runs, left_out = word_diff("a b c d e", "a b c d")
    assert (runs, left_out) == ([Run(SAME_WORDS, ("a", "b", "c"))], 3)
