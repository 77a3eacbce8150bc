"""`Measures` -> columns of likeness with the page's title, description and structured data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import regex

from crfclean.features.metadata import metadata
from crfclean.features.tree import is_long
from crfclean.measures import Measures, once
from crfclean.types import Bools, Floats

_TOKEN = regex.compile(
    r"[\p{L}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]+|"
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]",
    regex.VERSION1,
)
MAX_TITLE_TOKENS = 60  # blocks longer than this are no title
SHINGLE = 3  # tokens of a piece that a text is compared by


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


@once
def _block_tokens(page: Measures) -> list[list[str]]:
    """Tokens of each block that is short enough to be a title, of others none."""
    short = (page.words <= MAX_TITLE_TOKENS).tolist()
    texts = page.page.texts
    return [_tokens(text) if wanted else [] for text, wanted in zip(texts, short, strict=True)]


@once
def title_likeness(page: Measures) -> Floats:
    """Largest Dice coefficient of the block's tokens with those of a title of the page (0..1).

    A title is taken whole, and in the parts that `|`, dashes and the like make of it.
    """
    wanted = []
    for title in metadata(page).titles:
        parts = [title, *regex.split(r"\s[|\u2013\u2014\-:\u00bb\u00b7/]+\s|[|_]", title)]
        wanted += [set(tokens) for part in parts if len(tokens := _tokens(part)) > 1]
    likeness: Floats = np.array([_likest(set(block), wanted) for block in _block_tokens(page)])
    return likeness


def _likest(block: set[str], wanted: list[set[str]]) -> float:
    if len(block) < 2:
        return 0.0
    return max((2 * len(block & one) / (len(block) + len(one)) for one in wanted), default=0.0)


def _cover(page: Measures, texts: tuple[str, ...]) -> Floats:
    """Share of each block's shingles that stand in the texts (0..1), shape (n,)."""
    known: set[tuple[str, ...]] = set()
    for text in texts:
        known.update(_shingles(_tokens(text)))
    if not known:
        return np.zeros(len(page))
    return np.array([_share_in(_tokens(text), known) for text in page.page.texts])


def _shingles(tokens: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[shift:] for shift in range(SHINGLE)), strict=False)


def _share_in(tokens: list[str], known: set[tuple[str, ...]]) -> float:
    own = list(_shingles(tokens))
    return sum(one in known for one in own) / len(own) if own else 0.0


def description_cover(page: Measures) -> Floats:
    """Share of the block's pieces that stand in a description of the page (0..1)."""
    return _cover(page, metadata(page).descriptions)


def body_cover(page: Measures) -> Floats:
    """Share of the block's pieces that stand in the article text of JSON-LD (0..1)."""
    return _cover(page, metadata(page).bodies)


def has_body(page: Measures) -> Floats:
    """Whether JSON-LD carries an article text of 500 characters or more (0 or 1)."""
    return np.full(len(page), float(any(len(text) >= 500 for text in metadata(page).bodies)))


@once
def headline(page: Measures) -> int:
    """The block that is most likely the main heading, -1 where none is like one.

    A title's text, more so in a heading element, more so before the running text.
    """
    if not len(page):
        return -1
    nodes = page.page.node
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
