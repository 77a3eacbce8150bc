"""Read the facts of structural elements: levels, numbers, spans and ids."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.page.tree import nearest
from crfclean.structure.callouts import Callouts
from crfclean.structure.kinds import FLOW_KINDS, whole_number
from crfclean.structure.notes import LIST_TAGS, Notes
from crfclean.structure.selection import Selection
from crfclean.types import Nodes

MAX_SPAN = 1_000  # columns or rows of a cell: HTML's limit for columns
HEADING_LEVEL = 2  # of a heading that is one by its label or role alone
_MAX_NUMBER = 10**9
# `<ol class="comment-list">` and `<ol class="children">` of blogs, `list-unstyled` and
# `carousel-indicators` of Bootstrap: ordered lists whose items show no numbers.
_WITHOUT_NUMBERS = re.compile(
    r"comment|breadcrumb|\bchildren\b|unstyled|no-?style|list-none|hide-ordinal|carousel",
    re.IGNORECASE,
)
_WITHOUT_MARKS = re.compile(r"list-style(?:-type)?\s*:[^;]*\bnone\b", re.IGNORECASE)


@dataclass(eq=False)
class Facts:
    """The facts of the elements of one page."""

    selection: Selection
    notes: Notes = field(default_factory=Notes)
    callouts: Callouts = field(default_factory=Callouts)

    @cached_property
    def nodes(self) -> Nodes:
        """The page's elements."""
        return self.selection.page.nodes

    def of(self, kind: str, node: int) -> dict[str, Any]:
        """Return the facts of the part of some kind that an element becomes."""
        tag, attributes = self.nodes.tags[node], self.nodes.attributes[node]
        if kind == "heading":
            role_level = whole_number(attributes.get("aria-level"), 1, 6) or HEADING_LEVEL
            return {"level": int(tag[1]) if FLOW_KINDS.get(tag) == kind else role_level}
        if kind == "list":
            return {"ordered": True, "start": 1} if self._ordered(node) else {"ordered": False}
        if kind == "item" and node in self.numbers:
            return {"number": self.numbers[node]}
        if kind == "cell":
            return self._cell_facts(node)
        if kind == "quote" and node in self.callouts.kinds:
            return {"callout": self.callouts.kinds[node]}
        return {"id": self.notes.bodies[node]} if node in self.notes.bodies else {}

    @cached_property
    def kinds(self) -> dict[int, str]:
        """Footnote, list of footnotes or callout -> the kind of part that it is."""
        kinds = dict.fromkeys(self.callouts.kinds, "quote")
        kinds |= dict.fromkeys(self.notes.lists, "footnotes")
        return kinds | dict.fromkeys(self.notes.bodies, "footnote")

    def _ordered(self, node: int) -> bool:
        """Whether a list shows numbers: an `ol` whose class and style do not hide them."""
        if self.nodes.tags[node] != "ol":
            return False
        attributes = self.nodes.attributes[node]
        names = f"{attributes.get('class')} {attributes.get('id')}"
        hidden = _WITHOUT_MARKS.search(attributes.get("style") or "")
        return not (hidden or _WITHOUT_NUMBERS.search(names))

    def _cell_facts(self, node: int) -> dict[str, Any]:
        attributes = self.nodes.attributes[node]
        row = int(self.nodes.parent[node])
        head = row >= 0 and self.nodes.tags[int(self.nodes.parent[row])] == "thead"
        return {
            "header": head or "scope" in attributes or self.nodes.tags[node] == "th",
            "colspan": whole_number(attributes.get("colspan"), 1, MAX_SPAN) or 1,
            "rowspan": self._rows(row, attributes.get("rowspan")),
        }

    def _rows(self, row: int, rowspan: str | None) -> int:
        """How many kept rows a cell spans; a `rowspan` of 0 means all rows that are left."""
        span = whole_number(rowspan, 0, MAX_SPAN)
        if span is None or span == 1 or row not in self._row_at:
            return 1
        rows, at = self._row_at[row]
        end = min(at + span, len(rows) - 1) if span else len(rows) - 1
        return max(1, rows[end] - rows[at])

    @cached_property
    def _row_at(self) -> dict[int, tuple[list[int], int]]:
        """Row -> the kept rows before each of its siblings and before the end, and its position."""
        counts: dict[int, list[int]] = {}
        positions = {}
        for row in np.flatnonzero(self.selection.page.is_tag(["tr"])).tolist():
            before = counts.setdefault(int(self.nodes.parent[row]), [0])
            positions[row] = (before, len(before) - 1)
            before.append(before[-1] + bool(self.selection.marked[row]))
        return positions

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Item of an ordered list -> its number; items that are left out count as well."""
        page, nodes = self.selection.page, self.nodes
        items = np.flatnonzero(page.is_tag(["li"]))
        around = nearest(page, page.is_tag([*LIST_TAGS, "menu", "dir"]))
        owners = around[np.maximum(nodes.parent[items], 0)].tolist()
        counts = np.bincount([owner + 1 for owner in owners], minlength=1).tolist()
        ordered = {owner for owner in set(owners) if owner >= 0 and self._ordered(owner)}
        next_numbers: dict[int, int] = {}
        numbers = {}
        for item, owner in zip(items.tolist(), owners, strict=True):
            if owner not in ordered:
                continue
            attributes = nodes.attributes[owner]
            is_reversed = "reversed" in attributes
            if owner not in next_numbers:
                first = whole_number(attributes.get("start"), -_MAX_NUMBER, _MAX_NUMBER)
                if first is None:
                    first = counts[owner + 1] if is_reversed else 1
                next_numbers[owner] = first
            value = whole_number(nodes.attributes[item].get("value"), -_MAX_NUMBER, _MAX_NUMBER)
            numbers[item] = next_numbers[owner] if value is None else value
            next_numbers[owner] = numbers[item] + (-1 if is_reversed else 1)
        return numbers
