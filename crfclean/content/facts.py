"""`Marked` + footnotes -> the facts of a structural element: levels, numbers, spans, ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.content.kinds import FLOW, whole_number
from crfclean.content.marked import Marked
from crfclean.content.notes import LISTS, Notes
from crfclean.features.tree import nearest
from crfclean.types import Nodes

MAX_SPAN = 1_000  # columns or rows of a cell, as in HTML's own limit for columns
HEADING_LEVEL = 2  # of a heading that only its label tells
MAX_NUMBER = 10**9


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
            return {"ordered": True, "start": 1} if tag == "ol" else {"ordered": False}
        if kind == "item" and node in self.numbers:
            return {"number": self.numbers[node]}
        if kind == "cell":
            return self._cell_facts(node)
        return {"id": self.notes.bodies[node]} if node in self.notes.bodies else {}

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
        """How many of the kept rows a cell spans."""
        span = whole_number(told, 0, MAX_SPAN)
        if span is None or span == 1:
            return 1
        rows, wanted = (
            self._siblings.get(int(self.nodes.parent[row]), []),
            self.marks.wanted,
        )
        at = self._row_at.get(row, 0)
        spanned = rows[at : at + span] if span else rows[at:]
        return max(1, sum(bool(wanted[one]) for one in spanned[:MAX_SPAN]))

    @cached_property
    def _siblings(self) -> dict[int, list[int]]:
        """Element -> the rows right inside it."""
        found: dict[int, list[int]] = {}
        for row in np.flatnonzero(self.marks.page.page.is_tag(["tr"])).tolist():
            found.setdefault(int(self.nodes.parent[row]), []).append(row)
        return found

    @cached_property
    def _row_at(self) -> dict[int, int]:
        """Row -> its place among its siblings."""
        return {row: at for rows in self._siblings.values() for at, row in enumerate(rows)}

    @cached_property
    def numbers(self) -> dict[int, int]:
        """Item of an ordered list -> its number, those that are left out counted as well."""
        page, nodes = self.marks.page.page, self.nodes
        items = np.flatnonzero(page.is_tag(["li"]))
        around = nearest(page, page.is_tag([*LISTS, "menu", "dir"]))
        owners = around[np.maximum(nodes.parent[items], 0)].tolist()
        counts = np.bincount([owner + 1 for owner in owners], minlength=1).tolist()
        following: dict[int, int] = {}
        found = {}
        for item, owner in zip(items.tolist(), owners, strict=True):
            if owner < 0 or nodes.tags[owner] != "ol":
                continue
            attributes = nodes.attributes[owner]
            back = "reversed" in attributes
            if owner not in following:
                first = whole_number(attributes.get("start"), -(MAX_NUMBER), MAX_NUMBER)
                following[owner] = (counts[owner + 1] if back else 1) if first is None else first
            value = whole_number(nodes.attributes[item].get("value"), -(MAX_NUMBER), MAX_NUMBER)
            found[item] = following[owner] if value is None else value
            following[owner] = found[item] + (-1 if back else 1)
        return found
