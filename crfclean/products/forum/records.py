"""Find the records of a forum page and their fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from crfclean.core.table import Table
from crfclean.lexicon import lexicon
from crfclean.page.chars import ordinals_of, share
from crfclean.products.forum.outline import (
    Outline,
    date_shapes,
    kinds_of,
    profile_pattern,
    spans,
    words_of,
)
from crfclean.types import Bools, Floats, Ints

_Key = TypeVar("_Key", bound=Hashable)

# records of a page: the text around the body of each post
#
# If every post has an element of its own, this element is its record. If head and body of a post
# are siblings (rows of a table, `dt` and `dd`), the record begins at the end of the body before.

BEFORE, INSIDE, AFTER = 0, 1, 2
_FEW_WORDS = 6  # of a run at the ends of a post that may be an author or a date
_MAX_HEAD = 6  # such runs at each end
_LEAST_GAIN = 0.3  # share of the records that must win a date by the other bounds
MAX_REACH = 120  # runs before the first body that may belong to its post


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
    reach = 2 * MAX_REACH + int(outline.last[node] - outline.first[node])
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
    start = np.concatenate([[max(0, int(first[0]) - MAX_REACH)], last[:-1]])
    return start, last


# the words of each post without its signature, and the thread's title

_MAX_HEADINGS = 20  # of a page, searched for the title
_MAX_SIGN = 2  # characters of a sign at the start of a page's title, such as a tick, with a space
_SIGNED = 8  # most lines of a signature, its rule included

_SIGNATURE = re.compile(r"^(?:_{5,}|--(?: |$))")
_PARTED = re.compile(r" [|»·–—-] |\s::\s")


def unsigned(lines: Sequence[str]) -> list[str]:
    """Return a post's lines without its signature, which begins with a line of signs.

    `-- Ann` begins a signature only in the last line, since items of lists look like it.

    >>> unsigned(["Yes.", "_______", "Ann, Leeds"])
    ['Yes.']
    """
    for place, line in enumerate(lines):
        most = 1 if line.startswith("-- ") else _SIGNED
        if place and _SIGNATURE.match(line) and len(lines) - place <= most:
            return list(lines[:place])
    return list(lines)


def topic(outline: Outline, start: Ints) -> str:
    """Return the thread's title: a heading up to the first post, else the page's title.

    The heading must agree with the page's title. Of several such headings, the one that comes
    first in the title counts: the title ends with the site's name, which may be a heading, too.
    """
    limit = int(start[0]) if len(start) else len(outline.page.table.run_texts)
    table = outline.page.table
    places = dict[str, int]()
    for tag in ("h1", "h2"):
        headings = [node for node, name in enumerate(table.tags) if name == tag]
        for node in headings[:_MAX_HEADINGS]:
            text = " ".join(outline.text(node).split()) if outline.first[node] <= limit else ""
            if text and (place := _place_in_title(text, outline.page.title)) >= 0:
                places.setdefault(text, place)
    if places:
        return min(places, key=lambda text: places[text])
    return _PARTED.split(outline.page.title)[0].strip()


def _place_in_title(text: str, title: str) -> int:
    """Find a heading in the page's title: its place, 0 without a title, -1 if they disagree.

    A sign before it, such as a tick or a bracket, is ignored.
    """
    text, title = text.lower(), title.lower()
    place = 0 if title[:20] in text else title.find(text[:40])
    return 0 if 0 < place <= _MAX_SIGN else place


# addresses of fields: fields at the same address mean the same in every post


def addresses(page_records: Records, runs: Ints) -> tuple[str, ...]:
    """Return the address of each of some runs.

    An address is the side of the body, the name of the element and, from the second one, the number
    of the text node in it.
    """
    page = page_records.page
    nodes = page.page.table.run_node[runs]
    sides, ordinals = page_records.side[runs].tolist(), ordinals_of(nodes).tolist()
    return tuple(
        f"{side} {page.names[node]}" + (f"/text()[{ordinal + 1}]" if ordinal else "")
        for side, node, ordinal in zip(sides, nodes.tolist(), ordinals, strict=True)
    )


# fields of a forum page (the texts between two tags inside a record) with their attributes
#
# Attributes of Sido (2017, section 5.6): words, character n-grams with digits masked, length, share
# of digits, key words. Attributes of our own: the side of the body, classes, links, and how many
# records have the same text.

LABELS = ("NICK", "DATE", "COMM", "NORM")
NICK, DATES, COMM, NORM = range(4)
_MAX_FIELDS = 200_000  # per page: 20,000 posts with ten fields
_MAX_WORDS = 12  # of a field that become attributes
_MAX_DATED_CHARS = 60  # of a field whose dates become attributes
_MAX_GRAM_CHARS = 32  # of a field whose n-grams become attributes


@dataclass(frozen=True)
class ForumFields:
    """A page's fields in order: runs (n,), and attributes in three parts.

    `distinct` are all parts of the page, `which` (n, 3) those of each field. Fields with the same
    address mean the same in every post.
    """

    records: Records
    runs: Ints
    distinct: Sequence[tuple[str, ...]]
    which: Ints

    def __len__(self) -> int:
        return len(self.runs)

    @cached_property
    def addresses(self) -> tuple[str, ...]:
        """The address of each field."""
        return addresses(self.records, self.runs)

    @property
    def parts(self) -> Iterator[list[tuple[str, ...]]]:
        """The attributes of each field by part: its text, its place, the elements around it."""
        return ([self.distinct[number] for number in row] for row in self.which.tolist())

    @property
    def attributes(self) -> Iterator[tuple[str, ...]]:
        """The attributes of each field."""
        return (tuple(chain.from_iterable(parts)) for parts in self.parts)


def fields(page_records: Records) -> ForumFields:
    """Return the fields of a page's records; the groups of a page share the parts of a run."""
    page = page_records.page
    within = np.flatnonzero(page_records.record >= 0)[:_MAX_FIELDS].tolist()
    runs = np.array([run for run in within if page.masks[run]], np.int64)
    if "which" not in page.memo:
        page.memo["which"], page.memo["distinct"] = np.full((len(page.masks), 2), -1), []
    known, distinct = page.memo["which"], page.memo["distinct"]
    new = runs[known[runs, 0] < 0]
    texts, nodes = [page.masks[run] for run in new.tolist()], page.page.table.run_node[new].tolist()
    known[new, 0] = _numbers(page, texts, _of_text)
    known[new, 1] = _numbers(page, _elements(page, nodes), _of_elements)
    places = _numbers(page, _places(page_records, runs), _of_place)
    which = np.column_stack([known[runs, 0], np.array(places, np.int64), known[runs, 1]])
    return ForumFields(page_records, runs, distinct, which)


def _numbers(
    outline: Outline, keys: Sequence[_Key], describe: Callable[[_Key], Iterable[str]]
) -> list[int]:
    """The number of each key's part on the page; parts of new keys are described."""
    numbers: dict[_Key, int] = outline.memo.setdefault(describe, {})
    for key in keys:
        if key not in numbers:
            numbers[key] = len(outline.memo["distinct"])
            outline.memo["distinct"].append(tuple(describe(key)))
    return [numbers[key] for key in keys]


_Place = tuple[Any, ...]
"""Attributes of the text before a run, its side, the size of its distance to the body and to the
record's start, quarters and number of records with its text, and whether it is quoted, and linked.
"""


def _places(page_records: Records, runs: Ints) -> list[_Place]:
    """What is known of each run's place, as `_of_place` reads it."""
    page, side = page_records.page, page_records.side[runs]
    record = page_records.record[runs]
    body, start = page_records.bodies[record], page_records.start[record]
    far = np.abs(np.where(side == BEFORE, page.first[body], page.last[body]) - runs)
    count = _holders(page_records)[page.mask_numbers[runs]]
    share = count / len(page_records) if len(page_records) > 1 else np.full(len(runs), 0.5)
    before = [
        (page.masks[run - 1], at) if run > begin else None
        for run, at, begin in zip(runs.tolist(), side.tolist(), start.tolist(), strict=True)
    ]
    labels: dict[tuple[str, int] | None, tuple[str, ...]]
    labels = page.memo.setdefault("labels", {None: ()})
    labels |= {key: tuple(_fields_after(*key)) for key in set(before) - labels.keys() if key}
    columns = (
        side,
        np.searchsorted(_POWERS, far, "right"),
        np.searchsorted(_POWERS[:-1], runs - start, "right"),
        (4 * share).astype(int),
        np.minimum(3, count),
        page.quoted[runs],
        page.linked[runs],
    )
    texts = [labels[key] for key in before]
    return list(zip(texts, *(column.tolist() for column in columns), strict=True))


_POWERS = 2 ** np.arange(6)


def _of_place(place: _Place) -> Iterator[str]:
    label, side, far, from_start, share, count, is_quoted, is_linked = place
    yield f"side={side}"
    if side != INSIDE:
        yield f"far={side}{far}"
        yield f"start={side}{from_start}"
    yield from label
    yield f"same={side}{share}{count}"
    if is_quoted:
        yield "quoted"
    if is_linked:
        yield f"linked={side}"


def _holders(page_records: Records) -> Ints:
    """Count the records that have each masked text, by its number."""
    numbers = page_records.page.mask_numbers
    record, runs = spans(page_records.start, page_records.end)
    pairs = np.unique(record * len(numbers) + numbers[runs])
    return np.bincount(pairs % len(numbers), minlength=len(numbers))


def _fields_after(mask: str, side: int) -> Iterator[str]:
    """Attributes of the text before a field, such as the label in `Joined: May 2010`."""
    words = mask.split()
    if len(words) <= 4:
        for word in words:
            key = lexicon().fields.get(word.strip(":.,()[]#»«"))
            if key:
                yield f"after={side}{key}"
        yield f"colon={mask.endswith(':')}"


def _of_text(mask: str) -> Iterator[str]:
    yield f"l={min(12, len(mask)) if len(mask) < 13 else 12 + len(mask).bit_length()}"
    yield f"d={-(-8 * mask.count('0') // max(1, len(mask)))}"
    words = mask.split()
    for word in dict.fromkeys(words[:_MAX_WORDS]):
        yield f"w={word[:24]}"
        key = lexicon().fields.get(word.strip(":.,()[]#»«"))
        if key:
            yield f"k={key}{len(words) < 4}"
    if len(mask) <= _MAX_DATED_CHARS:
        yield f"r={'+'.join(date_shapes(mask))}"
    if len(mask) <= _MAX_GRAM_CHARS:
        padded = f"^{mask}$"
        sizes = [
            (place, place + size) for size in (2, 3) for place in range(len(padded) - size + 1)
        ]
        grams = {padded[start:end] for start, end in sizes}
        yield from (f"g={gram}" for gram in sorted(grams))


_Mark = tuple[str, frozenset[str], str, bool]
_Elements = tuple[tuple[str, frozenset[str], str], ...]


def _elements(outline: Outline, nodes: Sequence[int]) -> list[_Elements]:
    """The element around each field, and the next three around it, of elements `nodes`."""
    memo: dict[int, _Elements] = outline.memo.setdefault("elements", {})
    marks: dict[int, _Mark] = outline.memo.setdefault("marks", {})
    for node in {*nodes} - memo.keys():
        levels, is_linked = list[tuple[str, frozenset[str], str]](), False
        for at in outline.page.table.around(node, 4):
            if at not in marks:
                marks[at] = _mark(outline.page.table, at)
            tag, words, kind, has_link = marks[at]
            levels.append((tag, words, "" if is_linked else kind))
            is_linked |= has_link
        memo[node] = tuple(levels)
    return [memo[node] for node in nodes]


def _mark(table: Table, node: int) -> _Mark:
    """Tag, words of class, itemprop and id, kind of link of an element, and whether it has one."""
    tag, attributes = table.tags[node], table.attributes[node]
    words = words_of(" ".join(attributes.get(name, "") for name in ("class", "itemprop", "id")))
    if tag != "a":
        return tag, words, "", False
    link = attributes.get("href", "")
    is_profile = profile_pattern().search(link)
    kind = "profile" if is_profile else "here" if "#" in link else "other"
    return tag, words, kind, bool(link)


def _of_elements(elements: _Elements) -> Iterator[str]:
    """Attributes of the element around a field, and of the next elements around it."""
    for level, (tag, words, kind_of_link) in enumerate(elements):
        yield f"t{min(level, 2)}={tag}"
        if level < 3:
            yield from (f"c{min(level, 1)}={word}" for word in sorted(words)[:16])
        yield from (f"c{level}:{kind}" for kind in sorted(kinds_of(words)))
        if kind_of_link:
            yield f"href={kind_of_link}"


# evidence for a group of elements from the labels of its fields

EVIDENCE = "nick date comm lost foreign nicks dates".split()
"""The columns of `evidence`."""

INNER = 0.5  # weight of an author or a date inside the body, where few pages have them


def evidence(page_fields: ForumFields, probabilities: Floats) -> Floats:
    """Return the values of `EVIDENCE` for a group, each in 0..1.

    `nick` and `date`: mean over records of the highest probability. `comm`: share of the words in
    bodies that are a post's. `lost`: share of posts' words outside bodies. `foreign`: share of
    records without such words inside. `nicks` and `dates`: mean surplus of authors and dates.
    """
    records, count = page_fields.records, len(page_fields.records)
    if not len(page_fields):
        return np.zeros(7)
    owner = records.record[page_fields.runs]
    words = np.diff(records.page.words)[page_fields.runs] + 0.1
    inside = records.side[page_fields.runs] == INSIDE
    best = np.zeros((count, probabilities.shape[1]))
    np.maximum.at(best, owner, np.where(inside[:, None], INNER, 1.0) * probabilities)
    comm = words * probabilities[:, COMM]
    post_words = np.bincount(owner, comm * inside, count)
    sums = [
        np.bincount(owner, np.where(inside, 0.0, probabilities[:, label]), count)
        for label in (NICK, DATES)
    ]
    extra = [float(np.clip(total - 1.0, 0.0, 3.0).mean()) / 3 for total in sums]
    parts = [float(best[:, NICK].mean()), float(best[:, DATES].mean())]
    parts.append(float(share(comm[inside].sum(keepdims=True), words[inside].sum()).item()))
    parts.append(float(share(comm[~inside].sum(keepdims=True), comm.sum()).item()))
    parts.append(float((post_words < 0.5).mean()))
    return np.array([*parts, *extra])
