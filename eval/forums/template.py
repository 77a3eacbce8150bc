"""Templates of sites: and/or trees induced from pages in the way of RoadRunner.

Crescenzi, Mecca, Merialdo (VLDB 2001): pages are compared step by step; texts that differ are data
fields, elements that one page lacks are optional. Lists are not inferred from mismatches: equal
siblings always form a list (Sido 2017, section 6.10, asks for that), and an item may be any of
several alternatives, so that a deleted post or an advertisement between posts breaks nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from crfclean.products.forum.outline import Outline
from crfclean.types import Ints

_MAX_DEPTH = 60  # nested elements with text; a deeper element is one data field
_MAX_STEPS = 1_000_000  # comparisons of two parts, beyond which a template is given up
_CELLS_A_STEP = 4  # of an alignment's table that count as a step
_MAX_CELLS = 40_000  # of an alignment's table; longer sequences are aligned by their order alone
_TAG, _TEXT, _FIELD, _OPTIONAL, _LIST = "tag", "text", "field", "optional", "list"
GAVE_UP = "gave-up"
_NO_FIELD = -1


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """A node of the tree: an element (and), a list of alternatives (or), an optional part, a text.

    `name` is an element's name, the words of a text that all pages share, or "".
    """

    kind: str
    name: str = ""
    parts: tuple[TemplatePart, ...] = ()
    number: int = _NO_FIELD

    @property
    def names(self) -> frozenset[str]:
        """Names of the elements that the part may begin with, "" for a text."""
        if self.kind == _TAG:
            return frozenset([self.name])
        if self.kind in {_TEXT, _FIELD}:
            return frozenset([""])
        return frozenset[str]().union(*(part.names for part in self.parts))


@dataclass(frozen=True, slots=True)
class Template:
    """Structure that pages share; `status` is "ok", "empty" or "gave-up" (too many steps)."""

    root: TemplatePart
    pages: int
    fields: int
    status: str = "ok"


class _GaveUpError(Exception):
    """The pages need more than `MAX_STEPS` comparisons."""


def induce(pages: Sequence[Outline]) -> Template:
    """Induce the template of pages of one site; a single page suffices to find its lists.

    Pages are taken in their order; time is bounded by `MAX_STEPS`.
    """
    merger = _Merger()
    root = None
    try:
        for page in pages:
            tree = merger.tree(page)
            if tree is not None:
                root = tree if root is None else merger.merged(root, tree)
    except _GaveUpError:
        return Template(TemplatePart(_FIELD), len(pages), 0, GAVE_UP)
    if root is None:
        return Template(TemplatePart(_FIELD), len(pages), 0, "empty")
    numbering = _Numbering()
    return Template(numbering.numbered(root), len(pages), numbering.count)


@dataclass
class _Numbering:
    """Numbers the data fields of a tree in order."""

    count: int = 0

    def numbered(self, part: TemplatePart) -> TemplatePart:
        if part.kind == _FIELD:
            self.count += 1
            return replace(part, number=self.count - 1)
        return replace(part, parts=tuple(self.numbered(inner) for inner in part.parts))


@dataclass
class _Merger:
    """Merges two trees into one that generalises both; counts its steps."""

    steps: int = 0
    known: dict[int, TemplatePart] = field(default_factory=dict)

    def tree(self, outline: Outline) -> TemplatePart | None:
        """Return a page as a tree of parts with folded lists; inner elements are built first."""
        table = outline.page.table
        holders = np.flatnonzero(outline.last > outline.first)
        depth = _depths(table.parent, holders)
        inner: dict[int, list[tuple[int, int, int, TemplatePart]]] = {}
        for run, node in enumerate(table.run_node.tolist()):
            text = " ".join(table.run_texts[run].split())
            if text:
                place = (int(table.run_after[run]), 0, run)  # before the element of that number
                inner.setdefault(node, []).append((*place, TemplatePart(_TEXT, text)))
        for node in reversed(holders.tolist()):
            parts = [part for *_, part in sorted(inner.pop(node, []), key=lambda entry: entry[:3])]
            name = outline.names[node].rpartition(">")[2]
            element = TemplatePart(_TAG, name, tuple(self.folded(_texts_joined(parts))))
            if depth[node] > _MAX_DEPTH:
                element = TemplatePart(_FIELD)
            parent = int(table.parent[node])
            if parent < 0:
                return element
            inner.setdefault(parent, []).append((node, 1, 0, element))
        return None

    def folded(self, parts: Sequence[TemplatePart]) -> list[TemplatePart]:
        """Fold equal siblings, and what stands between them, into lists."""
        places: dict[str, list[int]] = {}
        for place, part in enumerate(parts):
            if part.kind == _TAG:
                places.setdefault(part.name, []).append(place)
        spans = sorted((indices[0], indices[-1]) for indices in places.values() if len(indices) > 1)
        siblings, at = list[TemplatePart](), 0
        for start, end in _spans_joined(spans):
            siblings += parts[at:start]
            siblings.append(self.listed(parts[start : end + 1]))
            at = end + 1
        return siblings + list(parts[at:])

    def listed(self, items: Sequence[TemplatePart]) -> TemplatePart:
        """Make a list of items whose alternatives are merged by name."""
        by_name: dict[str, TemplatePart] = {}
        for item in items:
            for part in item.parts if item.kind == _LIST else (item,):
                name = part.name if part.kind == _TAG else ""
                by_name[name] = self.merged(by_name[name], part) if name in by_name else part
        return TemplatePart(_LIST, "", tuple(by_name.values()))

    def merged(self, left: TemplatePart, right: TemplatePart) -> TemplatePart:
        """Return the least general part that covers both."""
        self.steps += 1
        if self.steps > _MAX_STEPS:
            raise _GaveUpError
        if left == right:
            return left
        kinds = {left.kind, right.kind}
        if _OPTIONAL in kinds:
            return TemplatePart(_OPTIONAL, "", (self.merged(_bare(left), _bare(right)),))
        if _LIST in kinds:
            return self.listed([left, right])
        if left.kind == _TAG and right.kind == _TAG and left.name == right.name:
            return TemplatePart(_TAG, left.name, tuple(self.aligned(left.parts, right.parts)))
        return TemplatePart(_FIELD)

    def aligned(
        self, left: Sequence[TemplatePart], right: Sequence[TemplatePart]
    ) -> Iterator[TemplatePart]:
        """Align two sequences: parts that may begin alike are merged, others become optional."""
        cells = min(_MAX_CELLS, len(left) * len(right))
        self.steps += len(left) + len(right) + cells // _CELLS_A_STEP
        if self.steps > _MAX_STEPS:
            raise _GaveUpError
        left_start, right_start = 0, 0
        for left_at, right_at in (*_pairs(left, right), (len(left), len(right))):
            yield from (_optional(part) for part in left[left_start:left_at])
            yield from (_optional(part) for part in right[right_start:right_at])
            if left_at < len(left):
                yield self.merged(left[left_at], right[right_at])
            left_start, right_start = left_at + 1, right_at + 1


def _texts_joined(parts: Sequence[TemplatePart]) -> list[TemplatePart]:
    """Join the texts of an element that only line breaks separate."""
    joined = list[TemplatePart]()
    for part in parts:
        if part.kind == _TEXT and joined and joined[-1].kind == _TEXT:
            joined[-1] = TemplatePart(_TEXT, f"{joined[-1].name} {part.name}")
        else:
            joined.append(part)
    return joined


def _bare(part: TemplatePart) -> TemplatePart:
    return part.parts[0] if part.kind == _OPTIONAL else part


def _optional(part: TemplatePart) -> TemplatePart:
    return part if part.kind == _OPTIONAL else TemplatePart(_OPTIONAL, "", (part,))


def _depths(parents: Ints, holders: Ints) -> dict[int, int]:
    depth: dict[int, int] = {}
    for node in holders.tolist():
        depth[node] = depth.get(int(parents[node]), 0) + 1
    return depth


def _spans_joined(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join sorted spans that overlap."""
    start, end = -1, -1
    for first, last in spans:
        if first > end:
            if end >= 0:
                yield start, end
            start, end = first, last
        end = max(end, last)
    if end >= 0:
        yield start, end


def _pairs(left: Sequence[TemplatePart], right: Sequence[TemplatePart]) -> list[tuple[int, int]]:
    """Pair parts that may begin alike, in order (longest common subsequence)."""
    left_names, right_names = [part.names for part in left], [part.names for part in right]
    if len(left_names) * len(right_names) > _MAX_CELLS:
        return [
            (at, at)
            for at, (a, b) in enumerate(zip(left_names, right_names, strict=False))
            if a & b
        ]
    table = np.zeros((len(left_names) + 1, len(right_names) + 1), np.int32)
    for i in range(len(left_names) - 1, -1, -1):
        for j in range(len(right_names) - 1, -1, -1):
            alike = table[i + 1, j + 1] + 1 if left_names[i] & right_names[j] else 0
            table[i, j] = max(alike, table[i + 1, j], table[i, j + 1])
    pairs, i, j = list[tuple[int, int]](), 0, 0
    while i < len(left_names) and j < len(right_names):
        if left_names[i] & right_names[j] and table[i, j] == table[i + 1, j + 1] + 1:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif table[i + 1, j] >= table[i, j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def show(template: Template) -> str:
    """Show the template as text: `(a | b)+` are lists, `?` optional parts, `#1` fields."""
    lines = [f"template of {template.pages} pages: {template.status}, {template.fields} fields"]
    todo = [(template.root, 0, "")]
    while todo:
        part, depth, mark = todo.pop()
        inside = [(inner, depth + 1, "") for inner in reversed(part.parts)]
        if part.kind == _OPTIONAL:
            todo.append((part.parts[0], depth, mark + "?"))
            continue
        if part.kind == _LIST:
            inside = [(inner, depth + 1, "| ") for inner in reversed(part.parts)]
        labels = {_TAG: f"<{part.name}>", _TEXT: repr(part.name), _LIST: "( )+"}
        lines.append("  " * depth + mark + labels.get(part.kind, f"#{part.number}"))
        todo += inside
    return "\n".join(lines) + "\n"
