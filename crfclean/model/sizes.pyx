# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Count the elements of a page, by tag and by name, and measure its blocks."""

from libc.stdint cimport int64_t

import numpy as np

from crfclean.core.table cimport FILLED, Page, Table

COUNTED_TAGS = tuple(
    "article section nav aside main footer time blockquote figure video iframe select input "
    "button form label pre code table li ul ol dl dt p h1 h2 h3 h4 img script a span div details "
    "textarea kbd".split()
)
"""Tags whose elements are counted."""

QUANTILES = (0.5, 0.75, 0.9, 0.97)
"""Quantiles of the number of words of blocks."""


cdef double quantile(const double[::1] ordered, double share) noexcept nogil:
    """A quantile of sorted values, interpolated as numpy does."""
    cdef double place = (ordered.shape[0] - 1) * share
    cdef Py_ssize_t below = <Py_ssize_t>place
    cdef double low = ordered[below], high = ordered[min(below + 1, ordered.shape[0] - 1)]
    cdef double part = place - below
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)


def of_tags(Table table not None):
    """Return the number of elements of each of `COUNTED_TAGS`, then their shares of all elements."""
    cdef const Page *page = table.page
    cdef double[::1] counts = np.zeros(len(table.tag_names))
    cdef Py_ssize_t e
    for e in range(page.m):
        counts[page.tag[e]] += 1.0
    by_tag = dict(zip(table.tag_names, counts))
    figures = np.array([by_tag.get(tag, 0.0) for tag in COUNTED_TAGS])
    return np.concatenate([figures, figures / max(page.m, 1)])


def of_names(Table table not None):
    """Return the share of the elements that have a name of each group of `MARKUP`."""
    cdef const Page *page = table.at_least(FILLED)
    cdef double[64] hits
    cdef int64_t bits
    cdef int group
    cdef Py_ssize_t e
    for group in range(64):
        hits[group] = 0.0
    for e in range(page.m):
        bits, group = page.name_bits[page.name[e]], 0
        while bits and group < page.named_groups:
            hits[group] += bits & 1
            bits, group = bits >> 1, group + 1
    return np.array([hits[group] / page.m for group in range(page.named_groups)])


def of_words(Table table not None):
    """Return the `QUANTILES` of the words of blocks, of which there is one at least."""
    cdef const double[::1] ordered = np.sort(table.words)
    if not ordered.shape[0]:
        raise ValueError("of_words: no blocks")
    return np.array([quantile(ordered, share) for share in QUANTILES])
