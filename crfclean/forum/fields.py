"""Fields of a forum page (the texts between two tags in a record), and their labels as evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from crfclean.forum.clues import (
    TIME,
    date_pattern,
    kinds_of,
    profile_pattern,
    relative_pattern,
    words_of,
)
from crfclean.forum.outline import Outline
from crfclean.forum.records import INSIDE, Records, addresses
from crfclean.lexicon import lexicon
from crfclean.page.arrays import share
from crfclean.types import Floats, Ints

# fields of a forum page (the texts between two tags inside a record) with their attributes
#
# The attributes are those of Sido (2017, section 5.6): words, character n-grams with digits
# masked, length, share of digits, key words. Others describe the field's place: its side of the
# body, classes, links, and how many records have the same text.

LABELS = ("NICK", "DATE", "COMM", "NORM")
NICK, DATES, COMM, NORM = range(4)
ATTRIBUTE_GROUPS = ("words", "ngrams", "digits", "length", "date", "keywords", "place", "address")
"""Groups of attributes, which experiments may leave out."""

PARTS = 3  # of a field's attributes: text, place, elements around it
_MAX_FIELDS = 200_000  # per page: 20,000 posts with ten fields
_MAX_WORDS = 12  # of a field that become attributes
_MAX_GRAM_CHARS = 32  # of a field whose n-grams become attributes


@dataclass(frozen=True)
class ForumFields:
    """A page's fields in order: their runs (n,), and the attributes of each, in three parts.

    Fields with one of the `addresses` (n,) mean the same in every post.
    """

    records: Records
    runs: Ints
    addresses: tuple[str, ...]
    parts: tuple[tuple[tuple[str, ...], ...], ...]

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def attributes(self) -> Iterator[tuple[str, ...]]:
        """The attributes of each field."""
        return (tuple(chain.from_iterable(parts)) for parts in self.parts)


def fields(page_records: Records, without: frozenset[str] = frozenset()) -> ForumFields:
    """Return the fields of a page's records, without some groups of attributes."""
    runs = np.flatnonzero((page_records.record >= 0) & (np.diff(page_records.page.words) >= 0))[
        :_MAX_FIELDS
    ]
    texts = page_records.page.page.runs.texts
    runs = np.array([run for run in runs.tolist() if texts[run].strip()], np.int64)
    describe = _Describer(page_records, without)
    parts = tuple(describe.field(run) for run in runs.tolist())
    return ForumFields(page_records, runs, addresses(page_records, runs), parts)


class _Describer:
    """Describes fields by attributes; those of equal texts and elements are computed once."""

    def __init__(self, page_records: Records, without: frozenset[str]) -> None:
        self.records, self.page, self.without = page_records, page_records.page, without
        memo = self.page.memo
        self.of_texts: dict[str, tuple[str, ...]] = memo.setdefault(("texts", without), {})
        self.of_nodes: dict[int, tuple[str, ...]] = memo.setdefault(("nodes", without), {})
        self.of_places: dict[tuple[str, ...], tuple[str, ...]] = memo.setdefault("places", {})
        self.holders = _holders(page_records)

    def field(self, run: int) -> tuple[tuple[str, ...], ...]:
        mask, node = self.page.masks[run], int(self.page.page.runs.node[run])
        if mask not in self.of_texts:
            attributes = (
                attribute for attribute in _of_text(mask) if _group(attribute) not in self.without
            )
            self.of_texts[mask] = tuple(attributes)
        if node not in self.of_nodes:
            self.of_nodes[node] = tuple(_of_node(self.page, node))
        place = () if "place" in self.without else tuple(self._place(run, mask))
        address = () if "address" in self.without else self.of_nodes[node]
        return self.of_texts[mask], self.of_places.setdefault(place, place), address

    def _place(self, run: int, mask: str) -> Iterator[str]:
        side, record = int(self.records.side[run]), int(self.records.record[run])
        yield f"side={side}"
        body = int(self.records.bodies[record])
        edge = self.page.first[body] - run if not side else run - self.page.last[body]
        if side != INSIDE:
            yield f"far={side}{min(6, int(edge).bit_length())}"
            from_start = run - int(self.records.start[record])
            yield f"start={side}{min(5, from_start.bit_length())}"
        if run > self.records.start[record]:
            yield from _after(self.page.masks[run - 1], side)
        share = self.holders[mask] / len(self.records) if len(self.records) > 1 else 0.5
        yield f"same={side}{int(4 * share)}{min(3, self.holders[mask])}"
        if self.page.quoted[run]:
            yield "quoted"
        if self.page.linked[run]:
            yield f"linked={side}"


def _holders(page_records: Records) -> Counter[str]:
    """Count the records that have each masked text."""
    holders = Counter[str]()
    for start, end in zip(page_records.start.tolist(), page_records.end.tolist(), strict=True):
        holders.update(set(page_records.page.masks[start:end]))
    return holders


def _after(mask: str, side: int) -> Iterator[str]:
    """Attributes of the text before a field, as in `Joined: May 2010`."""
    words = mask.split()
    if len(words) <= 4:
        for word in words:
            key = lexicon().fields.get(word.strip(":.,()[]#»«"))
            if key:
                yield f"after={side}{key}"
        yield f"colon={mask.endswith(':')}"


_GROUP_OF = {
    "w": "words",
    "g": "ngrams",
    "d": "digits",
    "l": "length",
    "r": "date",
    "k": "keywords",
}


def _group(attribute: str) -> str:
    """The group of a text's attribute, by its first letter."""
    return _GROUP_OF[attribute[0]]


def _of_text(mask: str) -> Iterator[str]:
    """Attributes of a masked text."""
    yield f"l={min(12, len(mask)) if len(mask) < 13 else 12 + len(mask).bit_length()}"
    yield f"d={-(-8 * mask.count('0') // max(1, len(mask)))}"
    words = mask.split()
    for word in dict.fromkeys(words[:_MAX_WORDS]):
        yield f"w={word[:24]}"
        key = lexicon().fields.get(word.strip(":.,()[]#»«"))
        if key:
            yield f"k={key}{len(words) < 4}"
    yield from _dates(mask)
    if len(mask) <= _MAX_GRAM_CHARS:
        padded = f"^{mask}$"
        sizes = [
            (place, place + size) for size in (2, 3) for place in range(len(padded) - size + 1)
        ]
        grams = {padded[start:end] for start, end in sizes}
        yield from (f"g={gram}" for gram in sorted(grams))


def _dates(mask: str) -> Iterator[str]:
    if len(mask) > 60:
        return
    shapes = {"date": date_pattern(), "relative": relative_pattern(), "time": TIME}
    seen = [name for name, pattern in shapes.items() if pattern.search(mask)]
    yield f"r={'+'.join(seen)}"


def _of_node(page: Outline, node: int) -> Iterator[str]:
    """Attributes of the element around a field, and of the two around that."""
    nodes = page.page.nodes
    link = ""
    for level in range(4):
        if node < 0:
            return
        tag, attributes = nodes.tags[node], nodes.attributes[node]
        markup = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}"
        markup += f" {attributes.get('id', '')}"
        words = words_of(markup)
        yield f"t{min(level, 2)}={tag}"
        if level < 3:
            yield from (f"c{min(level, 1)}={word}" for word in sorted(words)[:16])
        yield from (f"c{level}:{kind}" for kind in sorted(kinds_of(words)))
        if tag == "a" and not link:
            link = attributes.get("href", "")
            is_profile = profile_pattern().search(link)
            kind = "profile" if is_profile else "here" if "#" in link else "other"
            yield f"href={kind}"
        node = int(nodes.parent[node])


# evidence for a group of elements from the labels of its fields

EVIDENCE = "nick date comm lost foreign nicks dates".split()
"""The columns of `evidence`."""

INNER = 0.5  # weight of an author or a date inside the body: some pages have them only there


def evidence(page_fields: ForumFields, probabilities: Floats) -> Floats:
    """Return the values of `EVIDENCE` for a group, each in 0..1.

    `nick` and `date`: mean over records of the highest probability; `comm`: share of the words in
    bodies that are a post's; `lost`: share of a post's words that stand outside; `foreign`: share
    of records without any inside; `nicks`, `dates`: mean surplus of authors and dates per record.
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
