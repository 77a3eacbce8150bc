"""`Document` -> figures of the whole page that tell what kind of page it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import numpy as np

from crfclean.features.markup import page_marks
from crfclean.features.whole_page import PAGE_FIGURES
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import MARKUP
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures
from crfclean.types import Floats

MAX_URL_CHARS = 2_000
NO_ADDRESS = "url_none"  # the figure that says that there is none
CURRENCIES = "$€£¥₹₽"
QUANTILES = (0.5, 0.75, 0.9, 0.97)  # of the words of blocks

_LETTERS = re.compile(r"[a-z]+")
_YEAR = re.compile(r"/(?:19|20)\d\d/\d")
_NUMBER = re.compile(r"\d{4}")
_MARKS = ".,;:!?()[]\"'“”«»…"

TYPES = (
    "og:article og:website og:product article newsarticle blogposting product itemlist "
    "collectionpage organization localbusiness service faqpage question qapage "
    "discussionforumposting techarticle webpage person aggregaterating offer review listitem"
).split()
"""Types of OpenGraph and schema.org."""

TAGS = (
    "article section nav aside main footer time blockquote figure video iframe select input "
    "button form label pre code table li ul ol dl dt p h1 h2 h3 h4 img script a span div details "
    "textarea kbd"
).split()
"""Elements that are counted."""

Figures = Mapping[str, float]


def of_address(url: str | None) -> Figures:
    """Words and shape of an address; all 0 but `url_none` where there is none."""
    host, path, query = _parts(url)
    steps = [step for step in path.split("/") if step]
    in_path, in_host = frozenset(_LETTERS.findall(path)), frozenset(_LETTERS.findall(host))
    known = bool(host)
    return {
        NO_ADDRESS: float(not known),
        "url_steps": float(len(steps)),
        "url_words": float(steps[-1].count("-") + steps[-1].count("_")) if steps else 0.0,
        "url_number": float(bool(_NUMBER.search(path))),
        "url_date": float(bool(_YEAR.search(path))),
        "url_query": float(bool(query)),
        "url_root": float(known and not steps),
        **_shared("path", in_path),
        **_shared("host", in_host),
    }


def _parts(url: str | None) -> tuple[str, str, str]:
    """Host, path and query in lower case; "" where there is no address, or none that is one."""
    try:
        found = urlsplit((url or "")[:MAX_URL_CHARS].lower())
        host = found.hostname or ""
    except ValueError:
        return "", "", ""
    return host, found.path, found.query


def _shared(source: str, words: frozenset[str]) -> Figures:
    """Whether any of the words of a source is one of each group (0 or 1)."""
    groups = lexicon().page_types[source]
    return {
        f"{source}_{group}": float(not words.isdisjoint(known)) for group, known in groups.items()
    }


def of_title(page: Measures) -> Figures:
    """Words of the page's title."""
    words = page.blocks.title.lower()[:MAX_URL_CHARS].split()
    found = _shared("title", frozenset(word.strip(_MARKS) for word in words))
    return {**found, "title_words": float(len(words))}


def of_text(page: Measures) -> Figures:
    """Words and currencies of all blocks: how many, and how many of 100 words."""
    words = Counter[str]()
    for word, count in Counter(page.text.lower().split()).items():
        words[word.strip(_MARKS)] += count
    total = max(1.0, float(page.words.sum()))
    found: dict[str, float] = {}
    for group, known in lexicon().page_types["text"].items():
        said = float(sum(words[word] for word in known))
        found |= {f"says_{group}": said, f"share_{group}": 100.0 * said / total}
    prices = float(page.marks(CURRENCIES).sum())
    return {**found, "prices": prices, "price_share": prices / max(1, len(page))}


def of_elements(page: Measures) -> Figures:
    """How many elements of each tag, and their share of all."""
    counts = dict(zip(page.tag_names, np.bincount(page.tag_codes).tolist(), strict=True))
    total = max(1, len(page.blocks.nodes))
    tags = {f"tag_{tag}": float(counts.get(tag, 0)) for tag in TAGS}
    return {**tags, **{f"share_{name}": value / total for name, value in tags.items()}}


def of_page(page: Measures) -> Figures:
    """Figures of size, of class and id words, of the types that the page names."""
    marks, types = page_marks(page), head_metadata(page).types
    sizes = np.quantile(page.words, QUANTILES).tolist() if len(page) else [0.0] * len(QUANTILES)
    return {
        **{f"page_{name}": figure(page) for name, figure in PAGE_FIGURES.items()},
        **{f"marked_{group}": float(marks[place]) for place, group in enumerate(MARKUP)},
        **{f"is_{name}": float(name in types) for name in TYPES},
        **dict(zip((f"words_{part}" for part in QUANTILES), sizes, strict=True)),
        "json_ld": float(len(page.blocks.json_ld)),
        "nodes": float(len(page.blocks.nodes)),
        "blocks": float(len(page)),
        "words": float(page.words.sum()),
    }


_OF_A_PAGE: tuple[Callable[[Measures], Figures], ...] = (of_title, of_text, of_elements, of_page)


def figures(page: Measures, url: str | None) -> Figures:
    """All figures of a page of a block or more, by name, always in the same order."""
    found = dict(of_address(url))
    for told in _OF_A_PAGE:
        found |= told(page)
    return found


def row(found: Figures) -> Floats:
    """Figures as an array, (figures,)."""
    return np.array(list(found.values()))
