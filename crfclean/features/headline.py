"""Compare blocks with the page's titles, its descriptions and its structured data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import regex

from crfclean.core.native import CORE
from crfclean.page.chars import spelled_out
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.types import Floats

MAX_TITLE_WORDS = 60  # longer blocks are not titles
MAX_TITLE_CHARS = 500  # of a title that are read
MAX_TITLES = 50  # of a page, parts of titles included
_MOST_SETS = 62  # of titles' tokens that the core likens to at once
_SITE = 0.6  # the weight of a title's last part, which is the site's name as a rule

# "Ice on the upper lake - The Probe", "Ice | The Probe"
SPLIT_TITLE = regex.compile(r"\s[|\u2013\u2014\-:\u00bb\u00b7/]+\s|[|_]")


def tokens_of(texts: Sequence[str]) -> list[list[str]]:
    """Runs of letters and numbers of each text in lower case; ideographs, kana, Thai singly.

    >>> tokens_of(["Ice-free, 40 cm", "上海 2 Cafés"])
    [['ice', 'free', '40', 'cm'], ['上', '海', '2', 'cafés']]
    """
    lists: list[list[str]] = CORE.tokens(tuple(texts))
    return lists


class TitleSets(NamedTuple):
    """Tokens of a page's titles and of their parts between `|`, dashes and the like.

    `plain` are those of several tokens. `weights` say of all how much likeness with them counts in
    the search for the main heading (0..1): a title's last part is the site's name as a rule.
    """

    plain: list[frozenset[str]]
    weights: dict[frozenset[str], float]


@once
def title_sets(page: Measures) -> TitleSets:
    """The tokens of the page's titles and of their parts, `MAX_TITLES` at most of each sort."""
    titles, weights = head_metadata(page).titles[:MAX_TITLES], dict[str, float]()
    if not titles:
        return TitleSets([], {})
    for title in dict.fromkeys(title[:MAX_TITLE_CHARS] for title in titles):
        parts = [part for part in SPLIT_TITLE.split(title) if part.strip()]
        for part in (title, *parts):
            worth = _SITE if len(parts) > 1 and part == parts[-1] else 1.0
            weights[part] = max(worth, weights.get(part, 0.0))
    by_tokens: dict[frozenset[str], float] = {}
    plain: dict[frozenset[str], None] = {}
    for tokens, worth in zip(tokens_of(spelled_out(tuple(weights))), weights.values(), strict=True):
        title_set = frozenset(tokens)
        by_tokens[title_set] = max(worth, by_tokens.get(title_set, 0.0))
        if len(tokens) > 1:
            plain[title_set] = None
    by_tokens.pop(frozenset(), None)
    return TitleSets(list(plain)[:MAX_TITLES], dict(list(by_tokens.items())[:MAX_TITLES]))


class TitleLikeness(NamedTuple):
    """How alike the blocks of at most `MAX_TITLE_WORDS` words are to titles, shape (n,) each.

    `plain` is `title_likeness`. `weighted` is the largest Dice coefficient with a title of several
    tokens times its weight, `single` the weight of the title that is a block's only token.
    """

    plain: Floats
    weighted: Floats
    single: Floats


@once
def likeness_to_titles(page: Measures) -> TitleLikeness:
    """How alike the blocks are to the page's titles, 0 for longer blocks."""
    plain, weights = title_sets(page)
    sets = list(dict.fromkeys([*plain, *weights]))
    parts = [sets[start : start + _MOST_SETS] for start in range(0, len(sets), _MOST_SETS)]
    if not parts:
        return TitleLikeness(*[np.zeros(len(page))] * 3)
    rows = _likeness(page, parts[0])
    for part in parts[1:]:  # of few pages
        rows = np.maximum(rows, _likeness(page, part))
    return TitleLikeness(*rows)


def _likeness(page: Measures, titles: list[frozenset[str]]) -> Floats:
    """The rows of the likeness to some of the page's titles, (3, n)."""
    (plain, weights), bits = title_sets(page), dict[str, int]()
    for number, title in enumerate(titles):
        for word in title:
            bits[word] = bits.get(word, 0) | 1 << number
    among = frozenset(plain)
    figures = (
        np.array([len(title) for title in titles], np.int64),
        np.array([len(title) if title in among else 0 for title in titles], np.int64),
        np.array([weights.get(title, 0.0) for title in titles]),
    )
    words = CORE.Words(bits, frozenset())
    rows = CORE.likeness(page.plain_texts, page.words <= MAX_TITLE_WORDS, words, *figures)
    return np.frombuffer(rows, np.float64).reshape(3, -1)


def title_likeness(page: Measures) -> Floats:
    """Largest Dice coefficient of the block's tokens with those of a title of the page (0..1).

    Titles count whole and in parts; blocks of over `MAX_TITLE_WORDS` words have 0.
    """
    return likeness_to_titles(page).plain


def _cover(page: Measures, texts: tuple[str, ...]) -> Floats:
    """Share of each block's sequences of three tokens that are in the texts (0..1), shape (n,)."""
    lists = [tokens for tokens in tokens_of(spelled_out(texts)) if len(tokens) > 2]
    if not lists:
        return np.zeros(len(page))
    return np.frombuffer(CORE.cover(page.plain_texts, lists), np.float64)


def description_cover(page: Measures) -> Floats:
    """Share of the block's sequences of three tokens that are in a description (0..1)."""
    return _cover(page, head_metadata(page).descriptions)


def body_cover(page: Measures) -> Floats:
    """Share of the block's sequences of three tokens that are in JSON-LD's article text (0..1)."""
    return _cover(page, head_metadata(page).bodies)


def carries_body(page: Measures) -> bool:
    """Whether JSON-LD carries an article text of 500 characters or more."""
    return any(len(text) >= 500 for text in head_metadata(page).bodies)
