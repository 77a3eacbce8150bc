"""`Marked` + footnotes -> the facts of a structural element: levels, numbers, spans, ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.page.tree import nearest
from crfclean.structure.footnotes import LISTS, Notes
from crfclean.structure.kinds import FLOW, whole_number
from crfclean.structure.selection import Marked
from crfclean.types import Nodes

MAX_SPAN = 1_000  # columns or rows of a cell, as in HTML's own limit for columns
HEADING_LEVEL = 2  # of a heading that only its label tells
MAX_NUMBER = 10**9
_WITHOUT_NUMBERS = re.compile(
    r"comment|breadcrumb|\bchildren\b|unstyled|no-?style|list-none|hide-ordinal|carousel",
    re.IGNORECASE,
)
_WITHOUT_MARKS = re.compile(r"list-style(?:-type)?\s*:[^;]*\bnone\b", re.IGNORECASE)


@dataclass
class Facts:
    """A page of which elements are asked."""

    marks: Marked
    notes: Notes

    @property
    def nodes(self) -> Nodes:
        """The page's elements."""
        return self.marks.page.blocks.nodes

    def of(self, kind: str, node: int) -> dict[str, Any]:
        """What is known of a part besides its content."""
        tag, attributes = self.nodes.tags[node], self.nodes.attributes[node]
        if kind == "heading":
            told = whole_number(attributes.get("aria-level"), 1, 6) or HEADING_LEVEL
            return {"level": int(tag[1]) if FLOW.get(tag) == kind else told}
        if kind == "list":
            return {"ordered": True, "start": 1} if self._ordered(node) else {"ordered": False}
        if kind == "item" and node in self.numbers:
            return {"number": self.numbers[node]}
        if kind == "cell":
            return self._cell_facts(node)
        return {"id": self.notes.bodies[node]} if node in self.notes.bodies else {}

    def _ordered(self, node: int) -> bool:
        """Whether a list shows numbers: an `ol` of which neither class nor style hides them."""
        if self.nodes.tags[node] != "ol":
            return False
        attributes = self.nodes.attributes[node]
        named = f"{attributes.get('class')} {attributes.get('id')}"
        hidden = _WITHOUT_MARKS.search(attributes.get("style") or "")
        return not (hidden or _WITHOUT_NUMBERS.search(named))

    def _cell_facts(self, node: int) -> dict[str, Any]:
        attributes = self.nodes.attributes[node]
        row = int(self.nodes.parent[node])
        head = row >= 0 and self.nodes.tags[int(self.nodes.parent[row])] == "thead"
        return {
            "header": head or "scope" in attributes or self.nodes.tags[node] == "th",
            "colspan": whole_number(attributes.get("colspan"), 1, MAX_SPAN) or 1,
            "rowspan": self._rows(row, attributes.get("rowspan")),
        }

    def _rows(self, row: int, told: str | None) -> int:
        """How many of the kept rows a cell spans; 0 is told for all that are left."""
        span = whole_number(told, 0, MAX_SPAN)
        if span is None or span == 1 or row not in self._row_at:
            return 1
        rows, at = self._row_at[row]
        end = min(at + span, len(rows) - 1) if span else len(rows) - 1
        return max(1, rows[end] - rows[at])

    @cached_property
    def _row_at(self) -> dict[int, tuple[list[int], int]]:
        """Row -> how many kept rows stand before each of its siblings and the end, its place."""
        counts: dict[int, list[int]] = {}
        found = {}
        for row in np.flatnonzero(self.marks.page.page.is_tag(["tr"])).tolist():
            before = counts.setdefault(int(self.nodes.parent[row]), [0])
            found[row] = (before, len(before) - 1)
            before.append(before[-1] + bool(self.marks.wanted[row]))
        return found

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Item of an ordered list -> its number, those that are left out counted as well."""
        page, nodes = self.marks.page.page, self.nodes
        items = np.flatnonzero(page.is_tag(["li"]))
        around = nearest(page, page.is_tag([*LISTS, "menu", "dir"]))
        owners = around[np.maximum(nodes.parent[items], 0)].tolist()
        counts = np.bincount([owner + 1 for owner in owners], minlength=1).tolist()
        ordered = {owner for owner in set(owners) if owner >= 0 and self._ordered(owner)}
        following: dict[int, int] = {}
        found = {}
        for item, owner in zip(items.tolist(), owners, strict=True):
            if owner not in ordered:
                continue
            attributes = nodes.attributes[owner]
            back = "reversed" in attributes
            if owner not in following:
                first = whole_number(attributes.get("start"), -MAX_NUMBER, MAX_NUMBER)
                following[owner] = (counts[owner + 1] if back else 1) if first is None else first
            value = whole_number(nodes.attributes[item].get("value"), -MAX_NUMBER, MAX_NUMBER)
            found[item] = following[owner] if value is None else value
            following[owner] = found[item] + (-1 if back else 1)
        return found
