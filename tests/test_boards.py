"""Tests of eval/boards: the layouts of leaderboards are read, their measures and outputs right."""

from __future__ import annotations

from typing import Any

import pytest

from crfclean.products.teach.gold import GoldPage
from crfclean.types import Page
from eval.boards import aeb, trafilatura, wcxb


def gold_page(text: str, name: str = "1", **fields: Any) -> GoldPage:
    return GoldPage(name, Page(""), text, "board", name, **fields)


# article-extraction-benchmark


def test_aeb_is_measured_by_shingles() -> None:
    pages = [gold_page("a b c d e", "1"), gold_page("f g h i", "2"), gold_page("", "3")]
    texts = {"1": "a b c d e x", "2": "", "3": ""}
    figures = aeb.score(pages, texts)
    assert figures["precision"] == pytest.approx(2 / 3)  # the page without output does not count
    assert figures["recall"] == pytest.approx(1 / 2)
    assert figures["f1"] == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))
    assert figures["accuracy"] == pytest.approx(1 / 3)


# WCXB


def test_wcxb_is_measured_by_words_of_any_order() -> None:
    pages = [
        gold_page("the cat sat", "1", kind="article", expected_snippets=("CAT", "dog")),
        gold_page("", "2", kind="forum"),
        gold_page("x", "3", kind="forum"),
    ]
    figures = wcxb.score(pages, {"1": "Sat the dog, Cat", "2": "", "3": ""})
    first = 2 * 3 / 7
    assert figures["f1"] == pytest.approx((first + 1 + 0) / 3)
    assert figures["precision"] == pytest.approx((3 / 4 + 1 + 0) / 3)
    assert (figures["article"], figures["forum"]) == pytest.approx((first, 0.5))
    assert (figures["with"], figures["without"]) == (1.0, 1.0)


# trafilatura's evaluation


def test_trafilaturas_evaluation_counts_passages() -> None:
    pages = [
        gold_page(
            "",
            "1",
            expected_snippets=("it sails", "daily"),
            forbidden_snippets=("cookies", "share"),
        ),
        gold_page("", "2", expected_snippets=("rain",), forbidden_snippets=("menu",)),
    ]
    figures = trafilatura.score(pages, {"1": "It sails\n it\n sails daily. share", "2": ""})
    assert figures["precision"] == pytest.approx(2 / 3)
    assert figures["recall"] == pytest.approx(2 / 3)
    assert figures["f1"] == pytest.approx(2 / 3)
    assert figures["accuracy"] == pytest.approx((2 + 2) / 6)
    assert (figures["wanted"], figures["unwanted"], figures["empty"]) == (3, 3, 1)
