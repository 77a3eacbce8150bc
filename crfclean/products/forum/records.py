"""Records of a page: the text around the body of each post."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from crfclean.products.forum.outline import Outline
from crfclean.types import Bools, Ints

BEFORE, INSIDE, AFTER = 0, 1, 2
_FEW_WORDS = 6  # of a run at the ends of a post that may be an author or a date
_MAX_HEAD = 6  # such runs at each end
_LEAST_GAIN = 0.3  # share of the records that must win a date by the other bounds
MAX_RUNS_BEFORE = 120  # runs before the first body that may belong to its post


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
        marks = np.full(len(self.page.page.table.run_texts), -1, np.int64)
        for place, (start, end) in enumerate(zip(self.start, self.end, strict=True)):
            marks[start:end] = place
        return marks

    @cached_property
    def side(self) -> Ints:
        """Place each run BEFORE, INSIDE or AFTER the body of its post; shape (runs,).

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


def records(outline: Outline, bodies: Ints) -> Records:
    """Find the record of each post; `bodies` are in page order and not nested."""
    around = [_around(outline, bodies, place) for place in range(len(bodies))]
    start, end = outline.first[around], outline.last[around]
    if len(bodies):
        best = _between(outline, bodies)
        if _signs(outline, *best) > _LEAST_GAIN + _signs(outline, start, end):
            start, end = best
    return Records(outline, bodies, start, end)


def _around(outline: Outline, bodies: Ints, place: int) -> int:
    """Return the largest element around a body and no other; limited if there is only one body."""
    table, node = outline.page.table, int(bodies[place])
    before = int(bodies[place - 1]) if place else -1
    after = int(bodies[place + 1]) if place + 1 < len(bodies) else len(table.parent)
    reach = 2 * MAX_RUNS_BEFORE + int(outline.last[node] - outline.first[node])
    while True:
        parent = int(table.parent[node])
        if parent <= before or table.end[parent] > after or table.tags[parent] in {"body", "html"}:
            return node
        if len(bodies) < 2 and outline.last[parent] - outline.first[parent] > reach:
            return node
        node = parent


def _signs(outline: Outline, start: Ints, end: Ints) -> float:
    """Share of the records with a date, plus half the share of the records with an author."""
    return _share(outline.dates, start, end) + _share(outline.authors, start, end) / 2


def _share(marks: Bools, start: Ints, end: Ints) -> float:
    before = np.concatenate([[0], np.cumsum(marks)])
    return float((before[end] > before[start]).mean())


def _between(outline: Outline, bodies: Ints) -> tuple[Ints, Ints]:
    """Bound each post by the end of the body before it, and the end of its own."""
    first, last = outline.first[bodies], outline.last[bodies]
    start = np.concatenate([[max(0, int(first[0]) - MAX_RUNS_BEFORE)], last[:-1]])
    return start, last


Key = TypeVar("Key", bound=Hashable)
