"""Find text at the ends of posts' bodies that is not part of the post, such as edit notes."""

from __future__ import annotations

import numpy as np

from crfclean.products.forum.choose import LabelledGroup
from crfclean.products.forum.fields import COMM
from crfclean.products.forum.picking import in_most_records
from crfclean.products.forum.records import INSIDE, Records
from crfclean.types import Bools, Floats, Ints

_NO_WORDS = 0.15  # probability of COMM below which a field is left out of the post's words
_MOST_CLOSE = 0.8  # share of the posts with the same text, which is none of their words
_MOST_OF_BODY = 0.5  # share of a body's words that an element beside them may have


def no_words(group: LabelledGroup, corrected: Floats) -> Bools:
    """Mark the runs at the ends of bodies that are not the post's words, shape (runs,).

    At both ends these are runs that are unlikely to be words. At the end these are also texts of
    nearly all posts (`Reply`), and elements named for something else
    (`div.reactions`). Runs between a post's words stay, such as a heading or the lines of a list.
    A body that would lose all its runs keeps them: deleted posts may all have the same text.
    """
    page_fields, records = group.fields, group.fields.records
    runs, owner = page_fields.runs, records.record[page_fields.runs]
    inside = records.side[runs] == INSIDE
    weak = corrected[:, COMM] < _NO_WORDS
    closing = in_most_records(page_fields, np.full(len(page_fields), _MOST_CLOSE))
    beside = _beside(records) & ~records.page.quoted
    closing |= weak | beside[runs]
    first, last = _bounds(np.flatnonzero(inside & ~weak), owner, len(records))
    _, words_end = _bounds(np.flatnonzero(inside & ~closing), owner, len(records))
    at, drop = np.arange(len(page_fields)), np.zeros(len(records.record), np.bool_)
    ends = inside & (words_end[owner] >= 0) & (at > words_end[owner])
    drop[runs[weak & ((at < first[owner]) | (at > last[owner])) | ends]] = True
    return drop


def _bounds(places: Ints, owner: Ints, count: int) -> tuple[Ints, Ints]:
    """The first and the last of the fields `places` in every record; -1 for no last one."""
    first, last = np.full(count, len(owner)), np.full(count, -1)
    np.minimum.at(first, owner[places], places)
    np.maximum.at(last, owner[places], places)
    return first, last


def _beside(records: Records) -> Bools:
    """Mark each run in an element of a body whose name says that it is not post text."""
    page, table = records.page, records.page.page.table
    words = page.words[page.last] - page.words[page.first]
    marks = np.zeros(len(table.parent), np.bool_)
    for body in records.bodies.tolist():
        inner = slice(body + 1, int(table.end[body]))
        marks[inner] |= page.beside_words[inner] & (words[inner] < _MOST_OF_BODY * words[body])
    return page.inside(page.first[marks], page.last[marks])
