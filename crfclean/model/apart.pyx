# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Find the title, and the blocks that are no plain text, such as captions and bylines."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

from crfclean.core.table cimport SET_ADDRESS, SET_CAPTION, SET_LI_TD, Page, Table, has_set

from crfclean.model.markup import CAPTIONED, MARK_NAMES, SIGNED, rows_of_steps, type_bits
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import group_bit
from crfclean.types import Kind

cdef int32_t BYLINE = Kind.BYLINE, CAPTION = Kind.CAPTION, COMMENT = Kind.COMMENT, TITLE = Kind.TITLE
cdef int SAYS_BYLINE = PHRASE_GROUPS.index("byline")
cdef int64_t BYLINE_NAME = group_bit("for_byline"), TIME_TYPE = type_bits(("in_time",))
cdef const int64_t[::1] SIGNED_ROWS = np.array(rows_of_steps(SIGNED)), CAPTIONED_ROWS = np.array(rows_of_steps(CAPTIONED))
cdef int NEAR_STEPS = 1  # the block's element is marked, or the one around it
cdef double MAX_BYLINE_WORDS = 15
cdef double MAX_BYLINE_BOX_WORDS = 60  # of an element that names an author; a longer one describes them
cdef double MOST_APART = 0.5  # of a page's running text: captions with more are its content


cdef bint is_near(const Page *page, Py_ssize_t block, const int64_t[::1] rows) noexcept nogil:
    """Whether a block stands near an element that is marked by one of some groups."""
    cdef Py_ssize_t k
    for k in range(rows.shape[0]):
        if page.steps[rows[k] * page.n + block] <= NEAR_STEPS:
            return True
    return False


cdef void mark_bylines(const Page *page, uint8_t[::1] signed, uint8_t[::1] up, double[::1] total) noexcept nogil:
    """Mark the short blocks that say who wrote something, or when, in words or in a small element for it."""
    cdef bint marks, worded, any_signed = False
    cdef Py_ssize_t i, e
    for i in range(page.n):
        worded = (
            page.phrase[i] == SAYS_BYLINE and page.sentence_ends[i] == 0.0
            and not has_set(page.sets_around[page.node[i]], SET_LI_TD)
        )
        if page.words[i] < MAX_BYLINE_WORDS and not page.in_heading[i]:
            signed[i] = 2 if worded else is_near(page, i, SIGNED_ROWS)  # 1 needs an element for it
        any_signed = any_signed or signed[i]
        total[i + 1] = total[i] + page.words[i]
    if not any_signed:
        return
    for e in range(page.m):
        marks = (
            page.name_bits[page.name[e]] & BYLINE_NAME or page.typed[e] & TIME_TYPE
            or has_set(page.sets[e], SET_ADDRESS) or page.is_author[e]
        )
        marks = marks and total[page.end_block[e]] - total[page.first_block[e]] <= MAX_BYLINE_BOX_WORDS
        up[e] = marks or (page.parent[e] >= 0 and up[page.parent[e]])
    for i in range(page.n):
        if signed[i] == 1:
            signed[i] = up[page.start[i]]


cdef void mark_captions(const Page *page, uint8_t[::1] captions) noexcept nogil:
    """Mark the blocks in captions. If captions hold most of the running text, they are the page's text."""
    cdef double running = 0.0, inside = 0.0
    cdef Py_ssize_t i
    for i in range(page.n):
        captions[i] = has_set(page.sets_around[page.node[i]], SET_CAPTION) or is_near(page, i, CAPTIONED_ROWS)
        running += page.running[i]
        inside += page.running[i] if captions[i] else 0.0
    if inside > MOST_APART * running:
        captions[:] = 0


def apart_of(Table table not None, const int32_t[::1] zones not None, Py_ssize_t heading):
    """Return the `Kind` of each block that markup or place shows to be no plain text, 0 for others; (n,).

    `zones` (n,) are the kinds of zones, `heading` is the index of the main heading, -1 for none.
    """
    cdef const Page *page = table.with_groups(len(PHRASE_GROUPS), len(MARK_NAMES))
    if zones.shape[0] != page.n or heading >= page.n:
        raise ValueError("apart: zones of another page")
    apart = np.zeros(page.n, np.int32)
    cdef int32_t[::1] kinds = apart
    cdef uint8_t[::1] signed = np.zeros(page.n, np.uint8), captions = np.zeros(page.n, np.uint8)
    cdef uint8_t[::1] up = np.zeros(page.m, np.uint8)
    cdef double[::1] total = np.zeros(page.n + 1)
    cdef int32_t own
    cdef Py_ssize_t i
    with nogil:
        mark_bylines(page, signed, up, total)
        mark_captions(page, captions)
        for i in range(page.n):
            own = CAPTION if captions[i] else BYLINE if signed[i] else 0
            kinds[i] = own if zones[i] <= 0 or (zones[i] == COMMENT and own) else zones[i]
        if heading >= 0:
            kinds[heading] = TITLE
    return apart
