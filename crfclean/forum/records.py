"""Records of a page: the text around the body of each post.

If every post has an element of its own, that is its record; if head and body of a post are siblings
(rows of a table, `dt` and `dd`), a record runs from the end of the body before to that of its own,
or, where author and date stand below the words, from the start of a body to that of the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.forum.outline import Outline
from crfclean.types import Bools, Ints

BEFORE, INSIDE, AFTER = 0, 1, 2
_FEW_WORDS = 6  # of a run at the ends of a post that may be an author or a date
_MAX_HEAD = 6  # such runs at each end
_LEAST_GAIN = 0.3  # share of the records that win a date, for which other bounds are taken
_FEWEST_AFTER = 3  # bodies, for authors and dates below them
_MAX_REACH = 120  # runs before the first body that may be of its post


@dataclass(frozen=True)
class Records:
    """The posts of a page: their bodies (elements, (k,)) and the bounds of their runs.

    `start` and `end` (k,) are half-open and do not overlap; other runs belong to no post.
    """

    page: Outline
    bodies: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.bodies)

    @cached_property
    def record(self) -> Ints:
        """The record of each run, -1 for none; shape (runs,)."""
        marks = np.full(len(self.page.page.runs.texts), -1, np.int64)
        for place, (start, end) in enumerate(zip(self.start, self.end, strict=True)):
            marks[start:end] = place
        return marks

    @cached_property
    def side(self) -> Ints:
        """Whether each run stands BEFORE, INSIDE or AFTER the body of its post; shape (runs,).

        If the body is the whole record, author and date stand in it: the short runs at its ends
        count as BEFORE and AFTER.
        """
        sides = np.zeros(len(self.record), np.int64)
        spans = zip(self.bodies.tolist(), self.start.tolist(), self.end.tolist(), strict=True)
        for body, start, end in spans:
            first, last = int(self.page.first[body]), int(self.page.last[body])
            if (first, last) == (start, end):
                first, last = self._within(start, end)
            sides[start:first], sides[first:last], sides[last:end] = BEFORE, INSIDE, AFTER
        return sides

    def _within(self, start: int, end: int) -> tuple[int, int]:
        """Bounds of a span without the short runs at both ends."""
        short = np.diff(self.page.words[start : end + 1]) <= _FEW_WORDS
        if short.all():
            return start, end
        long = np.flatnonzero(~short)
        return start + min(_MAX_HEAD, int(long[0])), max(end - _MAX_HEAD, start + int(long[-1]) + 1)


def records(page: Outline, bodies: Ints) -> Records:
    """Find the record of each post; `bodies` are in page order and not nested."""
    around = [_around(page, bodies, place) for place in range(len(bodies))]
    start, end = page.first[around], page.last[around]
    if len(bodies):
        others = [_between(page, bodies)]
        if len(bodies) >= _FEWEST_AFTER:
            others.append(_after(page, bodies))
        best = max(others, key=lambda span: _signs(page, *span))
        if _signs(page, *best) > _LEAST_GAIN + _signs(page, start, end):
            start, end = best
    return Records(page, bodies, start, end)


def _around(page: Outline, bodies: Ints, place: int) -> int:
    """The largest element around a body that holds no other; limited for a single body."""
    nodes, node = page.page.nodes, int(bodies[place])
    before = int(bodies[place - 1]) if place else -1
    after = int(bodies[place + 1]) if place + 1 < len(bodies) else len(nodes)
    reach = 2 * _MAX_REACH + int(page.last[node] - page.first[node])
    while True:
        parent = int(nodes.parent[node])
        if parent <= before or nodes.end[parent] > after or nodes.tags[parent] in {"body", "html"}:
            return node
        if len(bodies) < 2 and page.last[parent] - page.first[parent] > reach:
            return node
        node = parent


def _signs(page: Outline, start: Ints, end: Ints) -> float:
    """Share of the records with a run that looks like a date, and half of that with an author."""
    return _share(page.dates, start, end) + _share(page.authors, start, end) / 2


def _share(marks: Bools, start: Ints, end: Ints) -> float:
    """Share of the records with a marked run."""
    before = np.concatenate([[0], np.cumsum(marks)])
    return float((before[end] > before[start]).mean())


def _between(page: Outline, bodies: Ints) -> tuple[Ints, Ints]:
    """Bounds between bodies: from the end of the body before to the end of a post's own."""
    first, last = page.first[bodies], page.last[bodies]
    start = np.concatenate([[max(0, int(first[0]) - _MAX_REACH)], last[:-1]])
    return start, last


def _after(page: Outline, bodies: Ints) -> tuple[Ints, Ints]:
    """Bounds where authors stand below: from the start of a body to that of the next."""
    first, last = page.first[bodies], page.last[bodies]
    end = min(int(last[-1]) + _MAX_REACH, len(page.page.runs.texts))
    return first, np.concatenate([first[1:], [end]])
