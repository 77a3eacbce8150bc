"""Tests of the figures that the core makes of a page."""

from __future__ import annotations

import pytest
from htmlpages import measures_of

from crfclean.core.table import COLUMNS
from crfclean.core.words import Vocabulary
from crfclean.model.columns import PAGE_FIGURES
from crfclean.model.pagetype import (
    figure_names,
    of_address,
    page_row,
)
from crfclean.model.zoning import of_names, of_words
from crfclean.page.blocks import split
from crfclean.page.measures import count_texts
from crfclean.types import Page

ADDRESS = "https://forum.example.org/threads/2024/05/a-question-12345?page=2"


def figures(html: str, url: str | None = None) -> dict[str, float]:
    row = page_row(split(Page(html)), url)
    return dict(zip(figure_names(), row.tolist(), strict=True))


def test_elements_types_and_sizes() -> None:
    head = '<script type=application/ld+json>{"@type": "QAPage"}</script>'
    found = figures(f"{head}<p>a b c<p class=comments>d<article><p>e f</article>")
    counts = {"tag_p": 3, "tag_article": 1, "tag_div": 0, "share_tag_p": 3 / found["nodes"]}
    marks = {"marked_comment": 1 / found["nodes"], "is_qapage": 1, "is_product": 0, "json_ld": 1}
    sizes = {"blocks": 3, "words": 6, "words_0.5": 2, "page_running": 0, "page_largest_block": 3}
    expected = {**counts, **marks, **sizes}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("word", ["", "x" * 65])
def test_words_that_are_not_read(word: str) -> None:
    with pytest.raises(ValueError, match="too long"):
        Vocabulary(bits={word: 1}, groups=1, marks="", counted="")


def test_the_longest_word() -> None:
    longest = "x" * 64
    vocabulary = Vocabulary(bits={longest: 1}, groups=1, marks=".", counted="$")
    table = count_texts((f"{longest} {longest}x .{longest.upper()}. $", ""))
    assert vocabulary.of_table(table, 4.0).tolist() == [2.0, 50.0, 1.0, 0.5]


def test_a_page_without_blocks_has_no_figures() -> None:
    table = measures_of("").table
    with pytest.raises(ValueError, match="no blocks"):
        of_words(table)
    with pytest.raises(ValueError, match="a part is missing"):
        of_names(table)


def test_the_core_names_the_figures_of_the_page_last() -> None:
    assert COLUMNS[-len(PAGE_FIGURES) :] == tuple(f"page_{name}" for name in PAGE_FIGURES)


@pytest.mark.parametrize("url", [None, "", ADDRESS, "http://[broken"])
def test_a_row_with_an_address(url: str | None) -> None:
    html = "<title>A forum</title><p>Reply to this post for $ 5."
    found, without = figures(html, url), figures(html)
    address = of_address(url)
    assert {name: found[name] for name in address} == dict(address)
    assert all(found[name] == without[name] for name in found if name not in address)
