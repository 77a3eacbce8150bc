"""The figures of a page as an array, made by the compiled core where there is one.

`figures` is its specification: the core fills one group of figures a call, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from crfclean.core import native
from crfclean.features.markup import named_elements
from crfclean.features.table import matrix
from crfclean.features.whole_page import PAGE_FIGURES, page_figures
from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import MARKUP
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.page.memo import key_of
from crfclean.pagetype.figures import (
    COUNTED_TAGS,
    CURRENCIES,
    DECLARED_TYPES,
    MAX_TITLE_CHARS,
    QUANTILES,
    WORD_MARKS,
    figures,
    of_address,
    row,
)
from crfclean.types import Floats

_TAG_PLACES = {tag: place for place, tag in enumerate(COUNTED_TAGS)}
_TYPE_BITS = {name: 1 << place for place, name in enumerate(DECLARED_TYPES)}
_SHARES = np.array(QUANTILES)
_COLUMN = f"page_{next(iter(PAGE_FIGURES))}"
_KEPT = key_of(page_figures)


@once
def row_without_address(page: Measures) -> Floats:
    """The figures of a page that is not empty, whatever its address is, shape (figures,)."""
    if native.CORE is None:
        return row(figures(page, None))
    return np.frombuffer(b"".join((_no_address(), *_groups(page))), np.float64)


def page_row(page: Measures, url: str | None) -> Floats:
    """The figures of a page that is not empty, shape (figures,)."""
    of_page = row_without_address(page)
    if not url:
        return of_page
    address = row(of_address(url))
    return np.concatenate([address, of_page[len(address) :]])


def _groups(page: Measures) -> Iterator[bytes]:
    """The figures of the page's title, of its text, of its elements, and of the page."""
    yield _vocabulary("title").of_title(page.blocks.title.lower()[:MAX_TITLE_CHARS])
    yield _vocabulary("text").of_text(page.texts, page.all_words)
    yield native.CORE.of_elements(page.tag_codes, page.tag_names, _TAG_PLACES)
    which, bits = named_elements(page)
    types = sum(_TYPE_BITS.get(name, 0) for name in head_metadata(page).types)
    yield native.CORE.of_page(
        *(_page_figures(page), which, bits, np.sort(page.words), _SHARES, len(MARKUP)),
        *(types, len(_TYPE_BITS), len(page.blocks.json_ld), page.all_words),
    )


def _page_figures(page: Measures) -> Floats:
    """The `PAGE_FIGURES`, which the core leaves behind when it fills any column of a page."""
    if _KEPT not in page.memo:
        matrix(page, [_COLUMN])
    return page_figures(page)


@cache
def _no_address() -> bytes:
    """The figures of a page without an address."""
    return row(of_address(None)).tobytes()


@cache
def _vocabulary(source: str) -> Any:
    """The lexicon's words of a source for the core, each with a bit for each of its groups."""
    groups, bits = lexicon().page_types[source], dict[str, int]()
    for place, words in enumerate(groups.values()):
        for word in words:
            bits[word] = bits.get(word, 0) | 1 << place
    return native.CORE.Vocabulary(bits, len(groups), WORD_MARKS, CURRENCIES)
