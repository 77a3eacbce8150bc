"""The features of a page that tell its type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from crfclean.core import words
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import TEXT_GROUPS, TITLE_GROUPS
from crfclean.lexicon.markup import MARKUP
from crfclean.model.columns import PAGE_FIGURES, filled
from crfclean.model.zoning import COUNTED_TAGS, QUANTILES, of_names, of_tags, of_words
from crfclean.page.chars import bits_by_member
from crfclean.page.head import head_metadata
from crfclean.page.measures import once
from crfclean.types import Blocks, Floats

_MAX_URL_CHARS = 2_000
_MAX_TITLE_CHARS = 2_000
NO_ADDRESS = "url_none"  # name of the figure that is 1 for pages without an address
_CURRENCIES = "$€£¥₹₽"

_LETTERS = re.compile(r"[a-z]+")
_YEAR = re.compile(r"/(?:19|20)\d\d/\d")
_NUMBER = re.compile(r"\d{4}")
_WORD_MARKS = ".,;:!?()[]\"'“”«»…"

_DECLARED_TYPES = (
    "og:article og:website og:product article newsarticle blogposting product itemlist "
    "collectionpage organization localbusiness service faqpage question qapage "
    "discussionforumposting techarticle webpage person aggregaterating offer review listitem"
).split()
"""Types of OpenGraph and schema.org that a page may declare."""

Figures = Mapping[str, float]


def of_address(url: str | None) -> Figures:
    """Figures of the words and shape of an address; without one, all but `url_none` are 0."""
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
    """Mark each group of a source that has one of the words (0 or 1)."""
    return {
        f"{source}_{group}": float(not words.isdisjoint(listed))
        for group, listed in lexicon().page_types[source].items()
    }


def figure_names() -> tuple[str, ...]:
    """The names of all figures, in their order.

    Figures of the text: the words of each group, as counts and in percent of all words; signs of
    currencies, as counts and per block. Figures of elements: the number of elements of each tag,
    and their share of all elements.
    """
    return (
        *of_address(None),
        *(f"title_{group}" for group in TITLE_GROUPS),
        "title_words",
        *(f"{what}_{group}" for group in TEXT_GROUPS for what in ("says", "share")),
        *("prices", "price_share"),
        *(f"{what}{tag}" for what in ("tag_", "share_tag_") for tag in COUNTED_TAGS),
        *(f"page_{name}" for name in PAGE_FIGURES),
        *(f"marked_{group}" for group in MARKUP),
        *(f"is_{name}" for name in _DECLARED_TYPES),
        *(f"words_{part}" for part in QUANTILES),
        *("json_ld", "nodes", "blocks", "words"),
    )


def page_row(page: Blocks, url: str | None) -> Floats:
    """The figures of a page that is not empty, shape (figures,)."""
    of_page = row_without_address(page)
    if not url:
        return of_page
    address = _row(of_address(url))
    return np.concatenate([address, of_page[len(address) :]])


@once
def row_without_address(page: Blocks) -> Floats:
    """The figures of a page that is not empty, as if it had no address, shape (figures,)."""
    page_figures = filled(page).page_figures  # first: it needs the columns
    table, types = page.table, head_metadata(page).types
    groups: tuple[Any, ...] = (
        _no_address(),
        _vocabulary("title").of_title(page.title.lower()[:_MAX_TITLE_CHARS]),
        _vocabulary("text").of_table(table, page.all_words),
        of_tags(table),
        page_figures,
        of_names(table),
        np.array([name in types for name in _DECLARED_TYPES], np.float64),
        of_words(table),
        np.array(
            [len(page.table.json_ld), len(page.table.parent), len(page), page.all_words], np.float64
        ),
    )
    return np.frombuffer(b"".join(groups), np.float64)


def _row(values: Figures) -> Floats:
    return np.array(list(values.values()))


@cache
def _no_address() -> bytes:
    return _row(of_address(None)).tobytes()


@cache
def _vocabulary(source: str) -> words.Vocabulary:
    """The lexicon's words of a source for the core, each with a bit for each of its groups."""
    groups = lexicon().page_types[source]
    return words.Vocabulary(
        bits=bits_by_member(groups.values()),
        groups=len(groups),
        marks=_WORD_MARKS,
        counted=_CURRENCIES,
    )
