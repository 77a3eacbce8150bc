"""Tell tables that show data from tables that lay out the page.

The registry of tables of the paper's Blk0, with its "text tables" and "organising tables".
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from crfclean.page.measures import Measures, once
from crfclean.page.paragraphs import Elements
from crfclean.page.tree import nearest
from crfclean.rules import Conclusion, Rule, Store, System, some, unless
from crfclean.types import Bools, Floats, Ints
from crfclean.types.light import dataclass

_LARGE_CELL = 400  # characters: more is a column of the page, not a value
_LARGE_SHARE = 0.6  # of the page's text: a table that holds more lays it out
_LAYOUT_TAGS = ("h1", "h2", "article", "section", "nav", "form", "header", "footer")


@dataclass(frozen=True, repr=False, eq=False)
class Tables:
    """Figures of a page's tables, rows and cells, each of shape (m,) for m elements."""

    elements: Elements

    @cached_property
    def of(self) -> Ints:
        """The nearest table at or around each element, -1 for none."""
        return nearest(self.elements.page, self.elements.page.is_tag(["table"]))

    def count(self, *tags: str) -> Ints:
        """Elements of the tags in each table, without those of tables inside it."""
        counted = self.elements.page.is_tag(tags) & (self.of >= 0)
        return np.bincount(self.of[counted], minlength=len(self.of))

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
        """Elements that only tables of data have: header cells, captions, heads."""
        return self.count("th", "caption", "thead", "colgroup")

    @cached_property
    def largest_cell(self) -> Floats:
        """Characters of each table's largest cell."""
        largest = np.zeros(len(self.of))
        cells = np.flatnonzero(self.elements.page.is_tag(["td", "th"]) & (self.of >= 0))
        np.maximum.at(largest, self.of[cells], self.elements.all_held[cells])
        return largest

    @cached_property
    def nested(self) -> Ints:
        """Tables inside each table, at any depth."""
        return self._inside(self.elements.page.is_tag(["table"])) - 1

    @cached_property
    def layout(self) -> Ints:
        """Elements inside each element that a cell of data does not have."""
        return self._inside(self.elements.page.is_tag(_LAYOUT_TAGS))

    def _inside(self, mask: Bools) -> Ints:
        """How many elements of the mask are at or inside each element."""
        total = np.concatenate([[0], np.cumsum(mask)])
        inside: Ints = total[self.elements.blocks.nodes.end] - total[:-1]
        return inside

    def role(self, node: int) -> str:
        """The `role` attribute of a table, in lower case, "" for none."""
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
            unless(lambda store, node: not store.facts.layout[node], "a page's part is inside"),
        ),
        Rule(
            "large cell",
            some,
            unless(
                lambda store, node: (
                    not _unmarked(store, node) or store.facts.largest_cell[node] <= _LARGE_CELL
                ),
                f"a cell has over {_LARGE_CELL} characters, none is a header",
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
                    <= _LARGE_SHARE * store.facts.elements.page.chars.sum()
                ),
                "it holds most of the page, no cell is a header",
            ),
        ),
    ),
)


def find_text_tables(page: Elements) -> Conclusion:
    """The tables that show data, nested ones included, with the trace of the rules."""
    facts = Tables(page)
    return TABLE_RULES.run(facts, np.flatnonzero(page.page.is_tag(["table"])).tolist())


@once
def text_tables(page: Measures) -> tuple[int, ...]:
    """The elements that are tables of data, nested ones included."""
    if "table" not in page.tag_names:
        return ()
    return find_text_tables(Elements(page)).candidates


def outermost(page: Elements, tables: tuple[int, ...]) -> list[int]:
    """The tables that are inside no other of them, in page order."""
    outer: list[int] = []
    for node in sorted(tables):
        if not outer or node >= page.blocks.nodes.end[outer[-1]]:
            outer.append(node)
    return outer
