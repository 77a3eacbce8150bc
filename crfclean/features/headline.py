"""Features of similarity to the page's title, description and structured data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import regex

from crfclean.core import native
from crfclean.features.feature import flag
from crfclean.page.chars import spelled_out
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once, once_a_group
from crfclean.page.tree import is_long
from crfclean.types import Bools, Floats

MAX_TITLE_WORDS = 60  # longer blocks are not titles
MAX_TITLE_CHARS = 500  # of a title that are read
MAX_TITLES = 50  # of a page, parts of titles included
_MOST_SETS = 62  # of titles' tokens, for the core
_SITE = 0.6  # the weight of a title's last part, which is the site's name as a rule

_TOKEN = regex.compile(
    r"[\p{L}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]+|"
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]",
    regex.VERSION1,
)
# "Ice on the upper lake - The Probe", "Ice | The Probe"
SPLIT_TITLE = regex.compile(r"\s[|\u2013\u2014\-:\u00bb\u00b7/]+\s|[|_]")
_MARKS = "’“”–—…"  # common marks that keep a line from the fast way for ASCII
_TO_PLAIN = bytes(code if chr(code).isalnum() or code == 10 else 32 for code in range(128))
_TO_PLAIN += b" " * 128


def tokens_of(texts: Sequence[str]) -> list[list[str]]:
    """Runs of letters and digits of each text in lower case; ideographs and Thai letters singly.

    Lines of ASCII, nearly all of most pages, are split all at once.
    """
    if not texts:
        return []
    if native.CORE is not None:
        return _tokens_by_core(texts)
    joined = "\n".join(text.replace("\n", " ") for text in texts)
    for mark in _MARKS:
        joined = joined.replace(mark, " ")
    plain = joined.encode("ascii", "replace").lower().translate(_TO_PLAIN).decode("ascii")
    return [
        line.split() if before.isascii() else _TOKEN.findall(text.lower())
        for text, before, line in zip(texts, joined.split("\n"), plain.split("\n"), strict=True)
    ]


def _tokens_by_core(texts: Sequence[str]) -> list[list[str]]:
    """The same by the core, which leaves texts with letters beyond ASCII."""
    lists = native.CORE.tokens(tuple(texts))
    return [
        _TOKEN.findall(text.lower()) if tokens is None else tokens
        for text, tokens in zip(texts, lists, strict=True)
    ]


@once_a_group
def _tokens(page: Measures) -> list[list[str]]:
    """Tokens of each block."""
    return tokens_of(page.texts)


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

    `plain` is `title_likeness`. By the core alone: `weighted` is the largest Dice coefficient with
    a title of several tokens times its weight, `single` the weight of the title that is a block's
    only token; both are 0 of other blocks, and -1 where the core cannot say it.
    """

    plain: Floats
    weighted: Floats | None = None
    single: Floats | None = None


@once
def likeness_to_titles(page: Measures) -> TitleLikeness:
    """How alike the blocks are to the page's titles."""
    plain, weights = title_sets(page)
    if not weights:
        return TitleLikeness(*[np.zeros(len(page))] * 3)
    short = page.words <= MAX_TITLE_WORDS
    sets = dict.fromkeys([*plain, *weights])
    if native.CORE is None or len(sets) > _MOST_SETS:
        likeness, left = TitleLikeness(np.zeros(len(page))), np.flatnonzero(short).tolist()
    else:
        likeness = _likeness_by_core(page, sets, short)
        left = np.flatnonzero(likeness.plain < 0).tolist()
    if not left:
        return likeness
    values, title_words = likeness.plain.copy(), frozenset[str]().union(*plain)
    for index, tokens in zip(left, tokens_of([page.texts[index] for index in left]), strict=True):
        is_like = not title_words.isdisjoint(tokens)
        values[index] = _largest_dice(frozenset(tokens), plain) if is_like else 0.0
    return likeness._replace(plain=values)


def _likeness_by_core(
    page: Measures, sets: Iterable[frozenset[str]], short: Bools
) -> TitleLikeness:
    """The likeness of the `short` blocks (n,) to titles, -1 where the core cannot say it."""
    plain, weights = title_sets(page)
    titles, bits = list(sets), dict[str, int]()
    for number, title in enumerate(titles):
        for word in title:
            bits[word] = bits.get(word, 0) | 1 << number
    sizes, words = list(map(len, titles)), native.CORE.Words(bits, frozenset())
    figures = (
        np.array(sizes, np.int64),
        np.array([*sizes[: len(plain)], *[0] * (len(sizes) - len(plain))], np.int64),
        np.array([weights.get(title, 0.0) for title in titles]),
    )
    rows = native.CORE.likeness(page.texts, short, words, *figures)
    return TitleLikeness(*(np.frombuffer(row, np.float64) for row in rows))


@once
def title_likeness(page: Measures) -> Floats:
    """Largest Dice coefficient of the block's tokens with those of a title of the page (0..1).

    Titles count whole and in parts; blocks of over `MAX_TITLE_WORDS` words have 0.
    """
    return likeness_to_titles(page).plain


def _largest_dice(block: frozenset[str], titles: list[frozenset[str]]) -> float:
    """Largest Dice coefficient of a block's tokens with a title's; 0 for a single token."""
    if len(block) < 2:
        return 0.0
    return max(2 * len(block & title) / (len(block) + len(title)) for title in titles)


def _cover(page: Measures, texts: tuple[str, ...]) -> Floats:
    """Share of each block's shingles that are in the texts (0..1), shape (n,)."""
    lists = [tokens for tokens in tokens_of(spelled_out(texts)) if len(tokens) > 2]
    if not lists:
        return np.zeros(len(page))
    cover, left = _cover_by_core(page, lists)
    if left is None or len(left):
        shingles = {shingle for tokens in lists for shingle in _shingles(tokens)}
        for index, tokens in _tokens_with(page, shingles, left):
            cover[index] = _share_in(tokens, shingles)
    return cover


def _cover_by_core(page: Measures, lists: list[list[str]]) -> tuple[Floats, list[int] | None]:
    """The cover as far as the core says it, and the blocks left, None for all."""
    if native.CORE is None:
        return np.zeros(len(page)), None
    cover = np.frombuffer(native.CORE.cover(page.texts, lists), np.float64)
    return np.maximum(cover, 0.0), np.flatnonzero(cover < 0).tolist()


_Shingle = tuple[str, str, str]


def _tokens_with(
    page: Measures, shingles: set[_Shingle], indices: list[int] | None
) -> Iterator[tuple[int, list[str]]]:
    """Those of some blocks, or of all, that may have one of the shingles, with their tokens."""
    rare = frozenset(max(shingle, key=len) for shingle in shingles)  # long words are rare
    if indices is None:
        pairs = zip(range(len(page)), _tokens(page), strict=True)
    else:
        pairs = zip(indices, tokens_of([page.texts[index] for index in indices]), strict=True)
    return ((index, tokens) for index, tokens in pairs if not rare.isdisjoint(tokens))


def _shingles(tokens: list[str]) -> Iterator[_Shingle]:
    """All sequences of three tokens."""
    return zip(tokens, tokens[1:], tokens[2:], strict=False)


def _share_in(tokens: list[str], shingles: set[_Shingle]) -> float:
    """Share of a text's shingles that are in the set, 0 for a text without any."""
    return sum(map(shingles.__contains__, _shingles(tokens))) / max(1, len(tokens) - 2)


@once
def description_cover(page: Measures) -> Floats:
    """Share of the block's shingles that are in a description of the page (0..1)."""
    return _cover(page, head_metadata(page).descriptions)


@once
def body_cover(page: Measures) -> Floats:
    """Share of the block's shingles that are in the article text of JSON-LD (0..1)."""
    return _cover(page, head_metadata(page).bodies)


def has_body(page: Measures) -> Floats:
    """Whether JSON-LD carries an article text of 500 characters or more (0 or 1)."""
    return np.full(len(page), float(carries_body(page)))


def carries_body(page: Measures) -> bool:
    """Whether JSON-LD carries an article text of 500 characters or more."""
    return any(len(text) >= 500 for text in head_metadata(page).bodies)


@once
def headline(page: Measures) -> int:
    """The index of the block that is most likely the main heading, -1 if none is likely.

    Similarity to a title counts most, then a heading element, then a place before the running text.
    """
    if not len(page):
        return -1
    nodes = page.blocks.node
    level = page.is_tag(["h1"])[nodes] * 0.5 + page.is_tag(["h2", "h3"])[nodes] * 0.25
    early = np.cumsum(is_long(page)) <= 1
    score = title_likeness(page) + level + 0.1 * early
    index = int(score.argmax())
    return index if score[index] >= 0.5 else -1


def from_headline(page: Measures) -> Floats:
    """Blocks since the headline, 0 at it and before."""
    index = headline(page)
    since: Floats = np.clip(np.arange(len(page)) - float(index), 0.0, None) * (index >= 0)
    return since


def to_headline(page: Measures) -> Floats:
    """Blocks until the headline, 0 at it and after."""
    index = headline(page)
    return np.clip(float(index) - np.arange(len(page)), 0.0, None)


def is_headline(page: Measures) -> Floats:
    """Whether the block is the most likely main heading (0 or 1)."""
    return flag(np.arange(len(page)) == headline(page))


def has_headline(page: Measures) -> Floats:
    """Whether the page has a likely main heading (0 or 1)."""
    return np.full(len(page), float(headline(page) >= 0))


HEADLINE = {
    "title_likeness": title_likeness,
    "description_cover": description_cover,
    "body_cover": body_cover,
    "has_body": has_body,
    "is_headline": is_headline,
    "from_headline": from_headline,
    "to_headline": to_headline,
    "has_headline": has_headline,
}
