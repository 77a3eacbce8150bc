"""`Elements` -> the tables that show data, apart from those that only arrange the page.

The registry of tables of the paper's Blk0; its "text tables" and "organising tables".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.page.paragraphs import Elements
from crfclean.page.tree import nearest
from crfclean.rules import Conclusion, Rule, Store, System, some, unless
from crfclean.types import Bools, Floats, Ints

LARGE_CELL = 400  # characters: the text of a page's column, not a value
LARGE_SHARE = 0.6  # of the page's text: a table that holds so much arranges it
ARRANGING = ("h1", "h2", "article", "section", "nav", "form", "header", "footer")


@dataclass(frozen=True)
class Tables:
    """A page with columns of shape (m,): of its tables, rows and cells."""

    elements: Elements

    @cached_property
    def of(self) -> Ints:
        """The nearest table at or around each element, -1 for none."""
        return nearest(self.elements.page, self.elements.page.is_tag(["table"]))

    def count(self, *tags: str) -> Ints:
        """How many elements of the tags each table has, those of tables inside it aside."""
        found = self.elements.page.is_tag(tags) & (self.of >= 0)
        return np.bincount(self.of[found], minlength=len(self.of))

    @cached_property
    def rows(self) -> Ints:
        """Rows of each table."""
        return self.count("tr")

    @cached_property
    def cells(self) -> Ints:
        """Cells of each table."""
        return self.count("td", "th")

    @cached_property
    def marked(self) -> Ints:
        """What says that a table shows data: header cells, captions, heads."""
        return self.count("th", "caption", "thead", "colgroup")

    @cached_property
    def largest_cell(self) -> Floats:
        """Characters of each table's largest cell."""
        page, largest = self.elements, np.zeros(len(self.of))
        cells = np.flatnonzero(page.page.is_tag(["td", "th"]) & (self.of >= 0))
        np.maximum.at(largest, self.of[cells], page.all_held[cells])
        return largest

    @cached_property
    def nested(self) -> Ints:
        """Tables inside each table, at any depth."""
        return self._inside(self.elements.page.is_tag(["table"])) - 1

    @cached_property
    def arranging(self) -> Ints:
        """Elements inside each that a cell of data does not have."""
        return self._inside(self.elements.page.is_tag(ARRANGING))

    def _inside(self, wanted: Bools) -> Ints:
        """How many wanted elements are at or inside each element."""
        total = np.concatenate([[0], np.cumsum(wanted)])
        inside: Ints = total[self.elements.blocks.nodes.end] - total[:-1]
        return inside

    def role(self, node: int) -> str:
        """The role that a table is given."""
        return (self.elements.blocks.nodes.attributes[node].get("role") or "").strip().lower()


def _unmarked(store: Store, node: int) -> bool:
    return not store.facts.marked[node]


TABLE_RULES = System(
    "text tables",
    (
        Rule(
            "role",
            some,
            unless(
                lambda store, node: store.facts.role(node) not in ("presentation", "none"),
                "its role is presentation",
            ),
        ),
        Rule(
            "no text",
            some,
            unless(lambda store, node: store.facts.elements.all_held[node] > 0, "it has no text"),
        ),
        Rule(
            "one cell a row",
            some,
            unless(
                lambda store, node: (
                    store.facts.rows[node] >= 2 and store.facts.cells[node] > store.facts.rows[node]
                ),
                "it has one row or one column",
            ),
        ),
        Rule(
            "headings and parts of pages",
            some,
            unless(lambda store, node: not store.facts.arranging[node], "a page's part is inside"),
        ),
        Rule(
            "large cell",
            some,
            unless(
                lambda store, node: (
                    not _unmarked(store, node) or store.facts.largest_cell[node] <= LARGE_CELL
                ),
                f"a cell has over {LARGE_CELL} characters, none is a header",
            ),
        ),
        Rule(
            "tables inside",
            some,
            unless(
                lambda store, node: not (_unmarked(store, node) and store.facts.nested[node]),
                "tables stand in it, no cell is a header",
            ),
        ),
        Rule(
            "most of the page",
            some,
            unless(
                lambda store, node: (
                    not _unmarked(store, node)
                    or store.facts.elements.all_held[node]
                    <= LARGE_SHARE * store.facts.elements.page.chars.sum()
                ),
                "it holds most of the page, no cell is a header",
            ),
        ),
    ),
)


def find_text_tables(page: Elements) -> Conclusion:
    """The tables that show data, nested ones too."""
    facts = Tables(page)
    return TABLE_RULES.run(facts, np.flatnonzero(page.page.is_tag(["table"])).tolist())


def outermost(page: Elements, tables: tuple[int, ...]) -> list[int]:
    """Those of some elements that stand in no other of them."""
    found: list[int] = []
    for node in sorted(tables):
        if not found or node >= page.blocks.nodes.end[found[-1]]:
            found.append(node)
    return found
