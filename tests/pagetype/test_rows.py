"""The core's figures of a page are those of Python, to the last bit."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest
from hostile import HOSTILE

from crfclean.core import native
from crfclean.features.whole_page import PAGE_FIGURES
from crfclean.lexicon import lexicon
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.pagetype.figures import CURRENCIES, WORD_MARKS, figures, row
from crfclean.pagetype.rows import page_row, row_without_address
from crfclean.types import Page
from eval.lib.cores import without_core
from eval.lib.timing import demo_pages

needs_core = pytest.mark.skipif(
    native.CORE is None, reason="the core was not built: no compiler, or it is switched off"
)
ADDRESS = "https://forum.example.org/threads/2024/05/a-question-12345?page=2"
SIZES = (1, 2, 3, 5, 8, 9, 30, 131)


def words() -> list[str]:
    """All listed words of titles and texts."""
    groups = lexicon().page_types
    return sorted(
        {word for source in ("title", "text") for word in set().union(*groups[source].values())}
    )


def page_of_words(seed: int) -> str:
    """A page of listed words, of others, of marks and white space, in both cases."""
    rng = random.Random(seed)
    listed, spaces = words(), [" ", "\u00a0", "\u2003", "\u3000", "\x1f", "\u200b", "\n"]

    def text() -> str:
        tokens = [
            rng.choice((str.upper, str.title, str))(rng.choice(listed))
            + rng.choice(("", "", "x", "İ", "Σ", "Σ.", "ß", "漢", "\U0001f600"))
            for _ in range(rng.randrange(9))
        ]
        marked = [f"{rng.choice(WORD_MARKS)}{token}{rng.choice(CURRENCIES)}" for token in tokens]
        return rng.choice(spaces).join(rng.sample([*tokens, *marked], len(tokens)))

    tags = ("p", "h1", "li", "td", "article class=post", "x-y", "kbd", "figure id=comments")
    blocks = "".join(f"<{rng.choice(tags)}>{text()}" for _ in range(rng.choice(SIZES)))
    kind = rng.choice(("", '{"@type": "QAPage"}', '[{"@type": ["Product", "Offer"]}]'))
    head = f"<title>{text()}</title><script type=application/ld+json>{kind}</script>"
    return f"<html><head>{head}</head><body>word {blocks}"


CASES: dict[str, str | bytes] = {
    **{f"words {seed}": page_of_words(seed) for seed in range(120)},
    **{name: page for name, page in HOSTILE.items() if isinstance(page, str | bytes)},
    **{f"demo {number}": page for number, page in enumerate(demo_pages())},
    "surrogates": "<title>\ud800 Forum</title><p>a \ud800 b<p>\U00020000\U0001f600 \uffff",
}


def differing(html: str | bytes) -> list[str]:
    """The names of the figures that differ."""
    blocks = split(decode(html))
    if not len(blocks):
        return []
    by_core = row_without_address(Measures(blocks))
    with without_core():
        values = figures(Measures(blocks), None)
    pairs = zip(values.items(), by_core.tolist(), strict=True)
    return [name for (name, value), by_core_value in pairs if value != by_core_value]


@needs_core
@pytest.mark.parametrize("case", CASES)
def test_figures_are_equal(case: str) -> None:
    assert not differing(CASES[case])


@needs_core
@pytest.mark.parametrize("before", ["", "a", "a'"])
def test_every_letter_in_lower_case(before: str) -> None:
    chars = map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1)))
    tokens = [before + char for char in chars if char != char.lower()]
    assert len(tokens) > 1_000
    for start in range(0, len(tokens), 63):
        text = " ".join(tokens[start : start + 63])
        listed = list(dict.fromkeys(text.lower().split()))
        vocabulary = native.CORE.Vocabulary(
            {word: 1 << place for place, word in enumerate(listed)}, len(listed), WORD_MARKS, ""
        )
        counted = np.frombuffer(vocabulary.of_text((text,), 1.0))[: 2 * len(listed) : 2]
        assert counted.tolist() == [text.lower().split().count(word) for word in listed]


@needs_core
@pytest.mark.parametrize("word", ["", "x" * 65])
def test_words_that_are_not_read(word: str) -> None:
    with pytest.raises(ValueError, match="too long"):
        native.CORE.Vocabulary({word: 1}, 1, "", "")


@needs_core
def test_the_longest_word() -> None:
    longest = "x" * 64
    vocabulary = native.CORE.Vocabulary({longest: 1}, 1, ".", "$")
    texts = (f"{longest} {longest}x .{longest.upper()}. $", "")
    assert np.frombuffer(vocabulary.of_text(texts, 4.0)).tolist() == [2.0, 50.0, 1.0, 0.5]


@needs_core
def test_what_does_not_fit_is_refused() -> None:
    floats, ints = np.ones(2), np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="no such tag"):
        native.CORE.of_elements(np.array([0, 1], np.int32), ("p",), {"p": 0})
    with pytest.raises(ValueError, match="out of bounds"):
        native.CORE.of_page(floats, ints, np.zeros(0, np.int64), floats, floats, 1, 0, 1, 0, 1.0)
    with pytest.raises(ValueError, match="no blocks"):
        native.CORE.of_page(floats, ints, ints, np.zeros(0), floats, 1, 0, 1, 0, 1.0)
    with pytest.raises(ValueError, match="out of bounds"):
        native.CORE.of_page(floats, ints, ints, floats, np.array([1.5]), 1, 0, 1, 0, 1.0)


@needs_core
def test_the_core_names_the_figures_of_the_page_last() -> None:
    assert native.CORE.COLUMNS[-len(PAGE_FIGURES) :] == tuple(
        f"page_{name}" for name in PAGE_FIGURES
    )


@pytest.mark.parametrize("url", [None, "", ADDRESS, "http://[broken"])
def test_a_row_with_an_address(url: str | None) -> None:
    blocks = split(Page("<title>A forum</title><p>Reply to this post for $ 5."))
    assert page_row(Measures(blocks), url).tolist() == row(figures(Measures(blocks), url)).tolist()


def test_listed_words_are_of_their_groups() -> None:
    values = figures(Measures(split(Page("<p>Reply, reply! <p>“PRICE”: $5"))), None)
    assert values["prices"] == 1.0
    assert sum(values[f"says_{group}"] for group in lexicon().page_types["text"]) >= 2
