"""Tests of the figures that the core makes of a page."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest
from hostile import HOSTILE
from htmlpages import measures_of

from crfclean.core.native import CORE
from crfclean.core.table import COLUMNS
from crfclean.lexicon import lexicon
from crfclean.model.columns import PAGE_FIGURES
from crfclean.model.pagetype import (
    _WORD_MARKS,
    figure_names,
    of_address,
    page_row,
    row_without_address,
)
from crfclean.model.sizes import of_names, of_words
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.types import Page

ADDRESS = "https://forum.example.org/threads/2024/05/a-question-12345?page=2"


def figures(html: str, url: str | None = None) -> dict[str, float]:
    row = page_row(split(Page(html)), url)
    return dict(zip(figure_names(), row.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(20))
def test_words_of_texts_and_titles(seed: int) -> None:
    """Listed words in both cases, with marks around them and letters after them."""
    rng, groups = random.Random(seed), lexicon().page_types
    listed = sorted(set().union(*groups["text"].values(), *groups["title"].values()))
    spaces, ends = (
        [" ", "\u00a0", "\u2003", "\u3000"],
        ["", "", "x", "İ", "Σ", "Σ.", "ß", "漢", "!"],
    )
    tokens = [
        rng.choice('.,("“')
        + rng.choice((str.upper, str.title, str))(rng.choice(listed))
        + rng.choice(ends)
        for _ in range(300)
    ]
    text = "".join(token + rng.choice(spaces) for token in tokens)
    found = figures(f"<title>{text[:1_500]}</title><p>{text}</p><p>$5 €</p>")
    words = [word.strip(_WORD_MARKS) for word in text.lower().split()]
    heads = {word.strip(_WORD_MARKS) for word in text[:1_500].lower().split()}
    for group, known in groups["text"].items():
        assert found[f"says_{group}"] == sum(word in known for word in words), group
    for group, known in groups["title"].items():
        assert found[f"title_{group}"] == (not heads.isdisjoint(known)), group
    assert found["prices"] == 2
    assert found["title_words"] == len(text[:1_500].split())


def test_elements_types_and_sizes() -> None:
    head = '<script type=application/ld+json>{"@type": "QAPage"}</script>'
    found = figures(f"{head}<p>a b c<p class=comments>d<article><p>e f</article>")
    counts = {"tag_p": 3, "tag_article": 1, "tag_div": 0, "share_tag_p": 3 / found["nodes"]}
    marks = {"marked_comment": 1 / found["nodes"], "is_qapage": 1, "is_product": 0, "json_ld": 1}
    sizes = {"blocks": 3, "words": 6, "words_0.5": 2, "page_running": 0, "page_largest_block": 3}
    expected = {**counts, **marks, **sizes}
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@pytest.mark.parametrize("name", HOSTILE)
def test_no_page_is_too_bad(name: str) -> None:
    given = HOSTILE[name]
    page = split(decode(given) if isinstance(given, bytes) else Page(str(given)))
    assert not len(page) or np.isfinite(row_without_address(page)).all()


@pytest.mark.parametrize("before", ["", "a", "a'"])
def test_every_letter_in_lower_case(before: str) -> None:
    chars = map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1)))
    tokens = [before + char for char in chars if char != char.lower()]
    assert len(tokens) > 1_000
    for start in range(0, len(tokens), 63):
        text = " ".join(tokens[start : start + 63])
        listed = list(dict.fromkeys(text.lower().split()))
        vocabulary = CORE.Vocabulary(
            {word: 1 << place for place, word in enumerate(listed)}, len(listed), _WORD_MARKS, ""
        )
        counted = np.frombuffer(vocabulary.of_text((text,), 1.0))[: 2 * len(listed) : 2]
        assert counted.tolist() == [text.lower().split().count(word) for word in listed]


@pytest.mark.parametrize("word", ["", "x" * 65])
def test_words_that_are_not_read(word: str) -> None:
    with pytest.raises(ValueError, match="too long"):
        CORE.Vocabulary({word: 1}, 1, "", "")


def test_the_longest_word() -> None:
    longest = "x" * 64
    vocabulary = CORE.Vocabulary({longest: 1}, 1, ".", "$")
    texts = (f"{longest} {longest}x .{longest.upper()}. $", "")
    assert np.frombuffer(vocabulary.of_text(texts, 4.0)).tolist() == [2.0, 50.0, 1.0, 0.5]


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
