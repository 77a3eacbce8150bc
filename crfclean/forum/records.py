"""Records of a page: the text around the body of each post, its words, and its addresses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.forum.outline import Outline, masked
from crfclean.types import Bools, Ints

# records of a page: the text around the body of each post
#
# If every post has an element of its own, that is its record; if head and body of a post are
# siblings (rows of a table, `dt` and `dd`), a record runs from the end of the body before to that
# of its own, or, where author and date stand below the words, from the start of a body to that of
# the next.

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


# the words of each post without the lines that frame them, and the thread's title

_FRAME = 0.6  # share of the posts that end with a line, above which it frames them, as `Reply` does
_MAX_HEADINGS = 20  # of a page, searched for the title
_MAX_SIGN = 2  # characters of a sign at the start of a page's title, with the space after it
_SIGNED = 8  # most lines of a signature, its rule included

_SIGNATURE = re.compile(r"^(?:_{5,}|--(?: |$))")
_PARTED = re.compile(r" [|»·–—-] |\s::\s")


def repeated(records: Records, drop: Bools) -> frozenset[str]:
    """Return the masked lines that most posts, of three or more, end with."""
    page, counts = records.page, Counter[str]()
    for node in records.bodies.tolist():
        lines = page.lines(int(page.first[node]), int(page.last[node]), drop)
        counts.update({masked(line) for line in lines[-3:]})
    least = max(2.5, _FRAME * len(records))
    return frozenset(line for line, count in counts.items() if count > least)


def trimmed(lines: Sequence[str], frame: frozenset[str]) -> list[str]:
    """Remove a post's signature, and the lines that most posts end with.

    >>> trimmed(["Yes.", "_______", "Ann, Leeds", "Reply"], frozenset(["reply"]))
    ['Yes.']
    """
    kept = _unsigned(lines)
    while len(kept) > 1 and masked(kept[-1]) in frame:
        kept.pop()
    return kept


def _unsigned(lines: Sequence[str]) -> list[str]:
    """Lines before the rule of a signature, if there is one after the first line."""
    for place, line in enumerate(lines):
        if place and _SIGNATURE.match(line) and len(lines) - place <= _SIGNED:
            return list(lines[:place])
    return list(lines)


def topic(page: Outline, start: Ints) -> str:
    """Return the thread's title: a heading up to the first post, else the page's title.

    Of the headings that agree with the page's title, the one that stands first in it: the title
    ends with the name of the site, which is often a heading of its own.
    """
    limit = int(start[0]) if len(start) else len(page.page.runs.texts)
    nodes = page.page.nodes
    places = dict[str, int]()
    for tag in ("h1", "h2"):
        headings = [node for node, name in enumerate(nodes.tags) if name == tag]
        for node in headings[:_MAX_HEADINGS]:
            text = " ".join(page.text(node).split()) if page.first[node] <= limit else ""
            if text and (place := _place_in_title(text, page.page.title)) >= 0:
                places.setdefault(text, place)
    if places:
        return min(places, key=lambda text: places[text])
    return _PARTED.split(page.page.title)[0].strip()


def _place_in_title(text: str, title: str) -> int:
    """Where a heading stands in the page's title, 0 on a page without one; -1: it disagrees.

    A sign before it, as a tick or a bracket, does not count.
    """
    text, title = text.lower(), title.lower()
    place = 0 if title[:20] in text else title.find(text[:40])
    return 0 if 0 < place <= _MAX_SIGN else place


# addresses of the fields of a page: fields at one address mean the same in every post


def addresses(page_records: Records, runs: Ints) -> tuple[str, ...]:
    """Return the address of each of some runs.

    An address is the side of the body, the name of the element and, from the second one, the number
    of the text node in it. If a record has elements of one name in elements of several names, such
    as two `span.time`, one of which is in a `dd.joined`, the name of the outer element comes first.
    """
    page = page_records.page
    nodes = page.page.runs.node[runs]
    parents = page.page.nodes.parent[nodes]
    names = [
        f"{side} {page.names[node]}"
        for side, node in zip(page_records.side[runs].tolist(), nodes.tolist(), strict=True)
    ]
    outer = [page.names[parent] if parent >= 0 else "" for parent in parents.tolist()]
    ambiguous = _ambiguous(names, outer, page_records.record[runs].tolist())
    ordinals = ordinals_of(nodes).tolist()
    return tuple(
        (f"{name} in {around}" if name in ambiguous else name)
        + (f"/text()[{ordinal + 1}]" if ordinal else "")
        for name, around, ordinal in zip(names, outer, ordinals, strict=True)
    )


def _ambiguous(names: list[str], outer: list[str], owners: list[int]) -> set[str]:
    """Names that any one record has inside elements of several names."""
    around = defaultdict[tuple[int, str], set[str]](set)
    for name, outer_name, owner in zip(names, outer, owners, strict=True):
        around[owner, name].add(outer_name)
    return {name for (_, name), outer_names in around.items() if len(outer_names) > 1}


def ordinals_of(values: Ints) -> Ints:
    """Count the earlier values that equal each value, shape (n,).

    >>> ordinals_of(np.array([7, 5, 7, 7, 5])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    ordinals = np.empty_like(values)
    ordinals[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return ordinals
