"""Read the facts of structural elements: levels, numbers, spans and ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.structure.callouts import Callouts
from crfclean.structure.kinds import FLOW_KINDS
from crfclean.structure.notes import Notes
from crfclean.structure.selection import Selection, is_ordered, item_numbers, whole_number
from crfclean.types import Nodes

MAX_SPAN = 1_000  # columns or rows of a cell: HTML's limit for columns
HEADING_LEVEL = 2  # of a heading that is one by its label or role alone


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
            return (
                {"ordered": True, "start": 1}
                if is_ordered(self.nodes, node)
                else {"ordered": False}
            )
        if kind == "item" and node in self._numbers:
            return {"number": self._numbers[node]}
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

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return item_numbers(self.selection.page)

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
