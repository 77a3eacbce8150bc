"""Features of likeness: blocks beside the page's title, description and structured data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex

from crfclean.features.tree import is_long
from crfclean.measures import Measures, once
from crfclean.types import Floats

_TOKEN = regex.compile(r"[\p{L}\p{N}--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]+|"
                       r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]", regex.VERSION1)
MAX_TITLE_TOKENS = 60  # blocks longer than this are no title
MAX_ITEMS = 5_000  # values of structured data that are looked at
SHINGLE = 3  # tokens of a piece that a text is compared by


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.lower())


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a page says of itself: its titles, descriptions, article text and types."""

    titles: tuple[str, ...]
    descriptions: tuple[str, ...]
    bodies: tuple[str, ...]
    types: frozenset[str]


@once
def metadata(page: Measures) -> Metadata:
    """Read `title`, `meta` elements and JSON-LD."""
    titles, descriptions, bodies, types = [page.page.title], [], [], set()
    for tag, attributes in zip(page.page.nodes.tags, page.page.nodes.attributes, strict=True):
        if tag == "meta" and "content" in attributes:
            name = attributes.get("property") or attributes.get("name") or ""
            if name in ("og:title", "twitter:title"):
                titles.append(attributes["content"])
            elif name in ("description", "og:description"):
                descriptions.append(attributes["content"])
            elif name == "og:type":
                types.add("og:" + attributes["content"].lower().strip())
        elif tag == "body":
            break
    for key, value in _structured(page.page.json_ld):
        if key in ("headline", "alternativeHeadline"):
            titles.append(value)
        elif key == "description":
            descriptions.append(value)
        elif key in ("articleBody", "text"):
            bodies.append(value)
        elif key == "@type":
            types.add(value.lower())
    return Metadata(tuple(titles), tuple(descriptions), tuple(bodies), frozenset(types))


def _structured(scripts: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Names and texts of JSON-LD values, in no deeper order; what is no JSON gives nothing."""
    todo: list[Any] = []
    for script in scripts:
        try:
            todo.append(json.loads(script, strict=False))
        except (ValueError, RecursionError):
            continue
    for _ in range(MAX_ITEMS):
        if not todo:
            return
        value = todo.pop()
        pairs = value.items() if isinstance(value, dict) else [("@type", one) for one in value]
        for key, inner in pairs:
            if isinstance(inner, dict | list):
                todo.append(inner)
            elif isinstance(inner, str) and isinstance(value, dict):
                yield key, inner


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
    return np.array([_likest(set(block), wanted) for block in _block_tokens(page)])


def _likest(block: set[str], wanted: list[set[str]]) -> float:
    if len(block) < 2:  # noqa: PLR2004
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
    return np.full(len(page), float(any(len(text) >= 500 for text in metadata(page).bodies)))  # noqa: PLR2004


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
    return place if score[place] >= 0.5 else -1  # noqa: PLR2004


def from_headline(page: Measures) -> Floats:
    """Blocks since the headline, 0 at it and before."""
    place = headline(page)
    return np.zeros(len(page)) if place < 0 else np.maximum(0.0, np.arange(len(page)) - place)


def to_headline(page: Measures) -> Floats:
    """Blocks until the headline, 0 at it and behind."""
    place = headline(page)
    return np.zeros(len(page)) if place < 0 else np.maximum(0.0, place - np.arange(len(page)))


def is_headline(page: Measures) -> Floats:
    """Whether the block is the likeliest main heading (0 or 1)."""
    return (np.arange(len(page)) == headline(page)).astype(np.float64)


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
