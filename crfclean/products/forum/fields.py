"""Fields of a forum page: the texts between two tags inside a record, with their addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from crfclean.core.table import Table
from crfclean.lexicon import lexicon
from crfclean.page.chars import ordinals_of
from crfclean.products.forum.outline import Outline, spans
from crfclean.products.forum.patterns import date_shapes, markup_kinds, name_words, profile_pattern
from crfclean.products.forum.records import BEFORE, INSIDE, Key, Records
from crfclean.types import Ints


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

FIELD_LABELS = ("NICK", "DATE", "COMM", "NORM")
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
    outline: Outline, keys: Sequence[Key], describe: Callable[[Key], Iterable[str]]
) -> list[int]:
    """The number of each key's part on the page; parts of new keys are described."""
    numbers: dict[Key, int] = outline.memo.setdefault(describe, {})
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
    words = name_words(" ".join(attributes.get(name, "") for name in ("class", "itemprop", "id")))
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
        yield from (f"c{level}:{kind}" for kind in sorted(markup_kinds(words)))
        if kind_of_link:
            yield f"href={kind_of_link}"
