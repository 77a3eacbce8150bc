"""`Measures` -> columns of likeness with the page's title, description and structured data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import regex

from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.page.tree import is_long
from crfclean.types import Bools, Floats

MAX_TITLE_WORDS = 60  # longer blocks are no title
MAX_TITLE_CHARS = 500  # of a title that are looked at
MAX_TITLES = 50  # of a page, parts of titles among them

_TOKEN = regex.compile(
    r"[\p{L}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]+|"
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]",
    regex.VERSION1,
)
_SPLIT_TITLE = regex.compile(r"\s[|\u2013\u2014\-:\u00bb\u00b7/]+\s|[|_]")
_MARKS = "’“”–—…"  # lines that have these alone beyond ASCII are parted as fast as ASCII is
_TO_PLAIN = bytes(code if chr(code).isalnum() or code == 10 else 32 for code in range(128))
_TO_PLAIN += b" " * 128


def tokens_of(texts: Sequence[str]) -> list[list[str]]:
    """Runs of letters and digits of each text in lower case, ideographs and Thai one by one.

    Lines of ASCII, nearly all of most pages, are parted all at once.
    """
    if not texts:
        return []
    joined = "\n".join(text.replace("\n", " ") for text in texts)
    for mark in _MARKS:
        joined = joined.replace(mark, " ")
    plain = joined.encode("ascii", "replace").lower().translate(_TO_PLAIN).decode("ascii")
    return [
        line.split() if before.isascii() else _TOKEN.findall(text.lower())
        for text, before, line in zip(texts, joined.split("\n"), plain.split("\n"), strict=True)
    ]


@once
def _tokens(page: Measures) -> list[list[str]]:
    """Tokens of each block."""
    return tokens_of(page.blocks.texts)


def _wanted(titles: tuple[str, ...]) -> list[frozenset[str]]:
    """Tokens of the titles, and of the parts that `|`, dashes and the like make of them."""
    heads = [title[:MAX_TITLE_CHARS] for title in titles[:MAX_TITLES]]
    parts = [part for title in heads for part in (title, *_SPLIT_TITLE.split(title))]
    tokens = tokens_of(list(dict.fromkeys(parts)))
    sets = dict.fromkeys(frozenset(one) for one in tokens if len(one) > 1)
    return list(sets)[:MAX_TITLES]


@once
def title_likeness(page: Measures) -> Floats:
    """Largest Dice coefficient of the block's tokens with those of a title of the page (0..1).

    A title is taken whole, and in its parts; long blocks are like none.
    """
    likeness = np.zeros(len(page))
    wanted = _wanted(head_metadata(page).titles)
    known = frozenset[str]().union(*wanted)
    tokens = _tokens(page)
    for place in np.flatnonzero(page.words <= MAX_TITLE_WORDS).tolist():
        if not known.isdisjoint(tokens[place]):
            likeness[place] = _likest(frozenset(tokens[place]), wanted)
    return likeness


def _likest(block: frozenset[str], wanted: list[frozenset[str]]) -> float:
    """Largest Dice coefficient of a block's tokens with a title's; of one token: 0."""
    if len(block) < 2:
        return 0.0
    return max(2 * len(block & one) / (len(block) + len(one)) for one in wanted)


def _cover(page: Measures, texts: tuple[str, ...]) -> Floats:
    """Share of each block's shingles that stand in the texts (0..1), shape (n,)."""
    known = {shingle for tokens in tokens_of(texts) for shingle in _shingles(tokens)}
    if not known:
        return np.zeros(len(page))
    telling = frozenset(max(shingle, key=len) for shingle in known)  # long words are seldom
    cover = np.zeros(len(page))
    for place, tokens in enumerate(_tokens(page)):
        if not telling.isdisjoint(tokens):
            cover[place] = _share_in(tokens, known)
    return cover


Shingle = tuple[str, str, str]


def _shingles(tokens: list[str]) -> Iterator[Shingle]:
    """All pieces of three tokens."""
    return zip(tokens, tokens[1:], tokens[2:], strict=False)


def _share_in(tokens: list[str], known: set[Shingle]) -> float:
    """Share of a text's shingles that are known, 0 for a text of none."""
    return sum(map(known.__contains__, _shingles(tokens))) / max(1, len(tokens) - 2)


def description_cover(page: Measures) -> Floats:
    """Share of the block's pieces that stand in a description of the page (0..1)."""
    return _cover(page, head_metadata(page).descriptions)


def body_cover(page: Measures) -> Floats:
    """Share of the block's pieces that stand in the article text of JSON-LD (0..1)."""
    return _cover(page, head_metadata(page).bodies)


def has_body(page: Measures) -> Floats:
    """Whether JSON-LD carries an article text of 500 characters or more (0 or 1)."""
    return np.full(len(page), float(any(len(text) >= 500 for text in head_metadata(page).bodies)))


@once
def headline(page: Measures) -> int:
    """The block that is most likely the main heading, -1 where none is like one.

    A title's text, more so in a heading element, more so before the running text.
    """
    if not len(page):
        return -1
    nodes = page.blocks.node
    level = page.is_tag(["h1"])[nodes] * 0.5 + page.is_tag(["h2", "h3"])[nodes] * 0.25
    early = np.cumsum(is_long(page)) <= 1
    score = title_likeness(page) + level + 0.1 * early
    place = int(score.argmax())
    return place if score[place] >= 0.5 else -1


def from_headline(page: Measures) -> Floats:
    """Blocks since the headline, 0 at it and before."""
    place = headline(page)
    since: Floats = np.clip(np.arange(len(page)) - float(place), 0.0, None) * (place >= 0)
    return since


def to_headline(page: Measures) -> Floats:
    """Blocks until the headline, 0 at it and behind."""
    place = headline(page)
    return np.clip(float(place) - np.arange(len(page)), 0.0, None)


def is_headline(page: Measures) -> Floats:
    """Whether the block is the likeliest main heading (0 or 1)."""
    found: Bools = np.arange(len(page)) == headline(page)
    return found.astype(np.float64)


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
