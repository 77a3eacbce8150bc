"""Features of similarity to the page's title, description and structured data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


def _title_tokens(titles: tuple[str, ...]) -> list[frozenset[str]]:
    """Tokens of the titles and of their parts between `|`, dashes and the like."""
    heads = [title[:MAX_TITLE_CHARS] for title in titles[:MAX_TITLES] if title]
    parts = [part for title in heads for part in (title, *SPLIT_TITLE.split(title))]
    lists = tokens_of(spelled_out(tuple(dict.fromkeys(parts))))
    sets = dict.fromkeys(frozenset(tokens) for tokens in lists if len(tokens) > 1)
    return list(sets)[:MAX_TITLES]


@once
def title_likeness(page: Measures) -> Floats:
    """Largest Dice coefficient of the block's tokens with those of a title of the page (0..1).

    Titles count whole and in parts; blocks of over `MAX_TITLE_WORDS` words have 0.
    """
    titles = _title_tokens(head_metadata(page).titles)
    if not titles:
        return np.zeros(len(page))
    short = page.words <= MAX_TITLE_WORDS
    likeness, left = _likeness_by_core(page, titles, short)
    title_words = frozenset[str]().union(*titles)
    for index, tokens in zip(left, tokens_of([page.texts[index] for index in left]), strict=True):
        if not title_words.isdisjoint(tokens):
            likeness[index] = _largest_dice(frozenset(tokens), titles)
    return likeness


def _likeness_by_core(
    page: Measures, titles: Sequence[frozenset[str]], short: Bools
) -> tuple[Floats, list[int]]:
    """The likeness of the `short` blocks (n,) as far as the core says it, and the blocks left."""
    if native.CORE is None:
        return np.zeros(len(page)), np.flatnonzero(short).tolist()
    bits: dict[str, int] = {}
    for number, title in enumerate(titles):
        for word in title:
            bits[word] = bits.get(word, 0) | 1 << number
    sizes = np.array([len(title) for title in titles], np.int64)
    words = native.CORE.Words(bits, frozenset())
    likeness = np.frombuffer(native.CORE.likeness(page.texts, short, words, sizes), np.float64)
    left = np.flatnonzero(likeness < 0).tolist()
    return np.maximum(likeness, 0.0), left


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
