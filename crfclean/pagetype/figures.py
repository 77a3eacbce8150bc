"""Compute figures of the whole page, from which its type is predicted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from urllib.parse import urlsplit

import numpy as np

from crfclean.features.markup import page_marks
from crfclean.features.whole_page import PAGE_FIGURES, page_figures
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import MARKUP
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.types import Floats

_MAX_URL_CHARS = 2_000
MAX_TITLE_CHARS = 2_000
NO_ADDRESS = "url_none"  # name of the figure that is 1 for pages without an address
CURRENCIES = "$€£¥₹₽"
QUANTILES = (0.5, 0.75, 0.9, 0.97)  # of the number of words of blocks

_LETTERS = re.compile(r"[a-z]+")
_YEAR = re.compile(r"/(?:19|20)\d\d/\d")
_NUMBER = re.compile(r"\d{4}")
WORD_MARKS = ".,;:!?()[]\"'“”«»…"

DECLARED_TYPES = (
    "og:article og:website og:product article newsarticle blogposting product itemlist "
    "collectionpage organization localbusiness service faqpage question qapage "
    "discussionforumposting techarticle webpage person aggregaterating offer review listitem"
).split()
"""Types of OpenGraph and schema.org that a page may declare."""

COUNTED_TAGS = (
    "article section nav aside main footer time blockquote figure video iframe select input "
    "button form label pre code table li ul ol dl dt p h1 h2 h3 h4 img script a span div details "
    "textarea kbd"
).split()
"""Tags whose elements are counted."""

_TAG_NAMES = [f"{what}{tag}" for what in ("tag_", "share_tag_") for tag in COUNTED_TAGS]
_MARK_NAMES = [f"marked_{group}" for group in MARKUP]
_TYPE_NAMES = {name: f"is_{name}" for name in DECLARED_TYPES}
_SIZE_NAMES = [f"words_{part}" for part in QUANTILES]
_PAGE_NAMES = [f"page_{name}" for name in PAGE_FIGURES]

Figures = Mapping[str, float]


def of_address(url: str | None) -> Figures:
    """Figures of the words and the shape of an address; without one all are 0 but `url_none`."""
    host, path, query = _parts(url)
    steps = [step for step in path.split("/") if step]
    in_path, in_host = frozenset(_LETTERS.findall(path)), frozenset(_LETTERS.findall(host))
    has_address = bool(host)
    return {
        NO_ADDRESS: float(not has_address),
        "url_steps": float(len(steps)),
        "url_words": float(steps[-1].count("-") + steps[-1].count("_")) if steps else 0.0,
        "url_number": float(bool(_NUMBER.search(path))),
        "url_date": float(bool(_YEAR.search(path))),
        "url_query": float(bool(query)),
        "url_root": float(has_address and not steps),
        **_shared("path", in_path),
        **_shared("host", in_host),
    }


def _parts(url: str | None) -> tuple[str, str, str]:
    """Host, path and query in lower case; "" for no address or a malformed one."""
    try:
        parts = urlsplit((url or "")[:_MAX_URL_CHARS].lower())
        host = parts.hostname or ""
    except ValueError:
        return "", "", ""
    return host, parts.path, parts.query


def _shared(source: str, words: frozenset[str]) -> Figures:
    """For each group of a source: whether it has one of the words (0 or 1)."""
    groups = lexicon().page_types[source]
    if not words:
        return {f"{source}_{group}": 0.0 for group in groups}
    return {
        f"{source}_{group}": float(not words.isdisjoint(listed)) for group, listed in groups.items()
    }


@once
def of_title(page: Measures) -> Figures:
    """Figures of the words of the page's title."""
    words = page.blocks.title.lower()[:MAX_TITLE_CHARS].split()
    shared = _shared("title", frozenset(word.strip(WORD_MARKS) for word in words))
    return {**shared, "title_words": float(len(words))}


@once
def of_text(page: Measures) -> Figures:
    """Words of each group and signs of currencies: counts, and shares in percent of all words."""
    groups = _groups_of_words()
    hits = dict.fromkeys(lexicon().page_types["text"], 0)
    for word, count in _count_words(page.text.lower().split()).items():
        for group in groups[word]:
            hits[group] += count
    total = max(1.0, float(page.words.sum()))
    values: dict[str, float] = {}
    for group, count in hits.items():
        values[f"says_{group}"] = float(count)
        values[f"share_{group}"] = 100.0 * count / total
    prices = float(page.marks(CURRENCIES).sum())
    return {**values, "prices": prices, "price_share": prices / max(1, len(page))}


def _count_words(tokens: Sequence[str]) -> dict[str, int]:
    """How often each word of the lexicon's groups occurs among tokens with marks around them."""
    listed, words = _groups_of_words(), dict[str, int]()
    for token, count in Counter(tokens).items():
        word = token.strip(WORD_MARKS)
        if word in listed:
            words[word] = words.get(word, 0) + count
    return words


@cache
def _groups_of_words() -> Mapping[str, tuple[str, ...]]:
    """Word of the lexicon's groups -> those that it is in."""
    groups: dict[str, tuple[str, ...]] = {}
    for group, listed in lexicon().page_types["text"].items():
        for word in listed:
            groups[word] = (*groups.get(word, ()), group)
    return groups


@once
def of_elements(page: Measures) -> Figures:
    """The number of elements of each tag, and their share of all elements."""
    by_tag = dict(zip(page.tag_names, np.bincount(page.tag_codes).tolist(), strict=True))
    total = max(1, len(page.blocks.nodes))
    counts = [float(by_tag.get(tag, 0)) for tag in COUNTED_TAGS]
    return dict(zip(_TAG_NAMES, (*counts, *(count / total for count in counts)), strict=True))


@once
def of_page(page: Measures) -> Figures:
    """Figures of size, of the words of class and id, of the types that the page declares."""
    marks, types = page_marks(page), head_metadata(page).types
    sizes = _quantiles(page.words) if len(page) else [0.0] * len(QUANTILES)
    return {
        **dict(zip(_PAGE_NAMES, page_figures(page).tolist(), strict=True)),
        **dict(zip(_MARK_NAMES, marks.tolist(), strict=True)),
        **{name: float(declared in types) for declared, name in _TYPE_NAMES.items()},
        **dict(zip(_SIZE_NAMES, sizes, strict=True)),
        "json_ld": float(len(page.blocks.json_ld)),
        "nodes": float(len(page.blocks.nodes)),
        "blocks": float(len(page)),
        "words": float(page.words.sum()),
    }


def _quantiles(values: Floats) -> list[float]:
    """The `QUANTILES` of values (n,), as numpy's `quantile`, which imports masked arrays."""
    ordered, place = np.sort(values), (len(values) - 1) * np.array(QUANTILES)
    below = place.astype(np.int64)
    low, high = ordered[below], ordered[np.minimum(below + 1, len(values) - 1)]
    part, step = place - below, high - low
    between = np.where(part < 0.5, low + step * part, high - step * (1 - part))
    quantiles: list[float] = between.tolist()
    return quantiles


_GROUPS: tuple[Callable[[Measures], Figures], ...] = (of_title, of_text, of_elements, of_page)


def figures(page: Measures, url: str | None) -> Figures:
    """All figures of a page that is not empty, by name, always in the same order."""
    values = dict(of_address(url))
    for group in _GROUPS:
        values |= group(page)
    return values


def row(values: Figures) -> Floats:
    """Figures as an array (figures,)."""
    return np.array(list(values.values()))
