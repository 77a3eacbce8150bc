"""Tell tables that show data from tables that lay out the page.

In the paper's Blk0, these are the registry's "text tables" and "organising tables".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.page.chars import sums_inside
from crfclean.page.elements import CELLS, Elements, held
from crfclean.page.measures import once
from crfclean.rules import Conclusion, Production, System, some, unless
from crfclean.types import Blocks, Floats, Ints

_LARGE_CELL = 400  # characters: a longer cell is a column of the page, not a value
_LARGE_SHARE = 0.6  # of the page's text: a table that holds more lays out the page
_SHORT_CELL = 100  # characters: of the head of a table
_MIN_ROWS, _MIN_FULL = 3, 0.7  # rows with several texts: their number, and their share of all
_NOT_OF_PROSE = ("large cell", "most of the page")
_LAYOUT_TAGS = ("h1", "h2", "article", "section", "nav", "form", "header", "footer")
_DATA_TAGS = ("th", "caption", "thead", "colgroup")
_ROWS = ("tr",)


class TableFacts(NamedTuple):
    """A table without its nested tables.

    Its `role` is in lower case, "" for none. `page_chars` are the characters of the page, `chars`
    those of the whole table. `marked` counts elements that only data tables have: header cells,
    captions, heads. `layout` counts elements that cells of data do not have, and `nested` tables,
    at any depth.
    """

    role: str
    page_chars: float
    rows: float
    cells: float
    marked: float
    layout: float
    nested: float
    largest_cell: float
    chars: float


_Condition = tuple[str, str, Callable[[TableFacts], bool]]
CONDITIONS: tuple[_Condition, ...] = (
    ("role", "its role is presentation", lambda table: table.role not in ("presentation", "none")),
    ("no text", "it has no text", lambda table: table.chars > 0),
    (
        "one cell a row",
        "it has one row or one column",
        lambda table: table.rows >= 2 and table.cells > table.rows,
    ),
    ("headings and parts of pages", "a page's part is inside", lambda table: not table.layout),
    (
        "large cell",
        f"a cell has over {_LARGE_CELL} characters, none is a header",
        lambda table: table.marked > 0 or table.largest_cell <= _LARGE_CELL,
    ),
    (
        "tables inside",
        "tables stand in it, no cell is a header",
        lambda table: table.marked > 0 or not table.nested,
    ),
    (
        "most of the page",
        "it holds most of the page, no cell is a header",
        lambda table: table.marked > 0 or table.chars <= _LARGE_SHARE * table.page_chars,
    ),
)
"""Conditions of data tables: name, reason if a table fails, test."""


def _rule(name: str, why: str, holds: Callable[[TableFacts], bool]) -> Production:
    return unless(name, some, lambda tables, node: holds(tables[node]), why)


TABLE_RULES = System("text tables", tuple(_rule(*condition) for condition in CONDITIONS))


def find_text_tables(elements: Elements) -> Conclusion:
    """Find the tables that show data, nested ones included, with the trace of the rules."""
    tables = dict(_tables(elements.blocks))
    return TABLE_RULES.run(tables, list(tables))


@once
def text_tables(page: Blocks) -> tuple[int, ...]:
    """Find the elements that are data tables, nested ones included.

    The result is that of `find_text_tables`: the rules are independent.
    """
    if "table" not in page.table.tag_names:
        return ()
    conditions = [holds for _, _, holds in CONDITIONS]
    return tuple(node for node, table in _tables(page) if all(holds(table) for holds in conditions))


@once
def shown_tables(page: Blocks) -> tuple[int, ...]:
    """Find the elements that are data tables or tables of prose, as policies have them.

    A table of prose has rows of one width. On most of the page it has a short first row as well: a
    thread has none.
    """
    data = text_tables(page)
    if "table" not in page.table.tag_names:
        return data
    needed = [holds for name, _, holds in CONDITIONS if name not in _NOT_OF_PROSE]
    *_, (_, _, is_part) = CONDITIONS
    chars = held(page, page.chars)
    return tuple(
        node
        for node, table in _tables(page)
        if node in data
        or (
            all(holds(table) for holds in needed)
            and _is_prose(page.table, chars, node, short=not is_part(table))
        )
    )


def _is_prose(elements: Table, chars: Floats, table: int, *, short: bool) -> bool:
    """Return whether all rows have one width, and most several texts; `short` ones in the first.

    `chars` are those inside each element, (m,).
    """
    rows: dict[int, list[int]] = {}
    for cell in range(table, int(elements.end[table])):
        if elements.tags[cell] in CELLS:
            rows.setdefault(int(elements.parent[cell]), []).append(cell)
    spans = [
        [elements.attributes[cell].get("colspan") or "1" for cell in row] for row in rows.values()
    ]
    widths = {sum(int(span[:4]) if span.isdecimal() else 1 for span in row) for row in spans}
    cells = [chars[row] for row in rows.values() if len(row) > 1]
    full = sum(int((row > 0).sum()) > 1 for row in cells)
    is_grid = len(widths) == 1 and full >= _MIN_ROWS and full >= _MIN_FULL * len(cells)
    return is_grid and not (short and cells[0].max() > _SHORT_CELL)


def _tables(page: Blocks) -> Iterator[tuple[int, TableFacts]]:
    attributes, chars = page.table.attributes, float(page.chars.sum())
    for element, *figures in table_figures(page):
        role = (attributes[int(element)].get("role") or "").strip().lower()
        yield int(element), TableFacts(role, chars, *figures)


@once
def table_figures(page: Blocks) -> list[list[float]]:
    """Return the element and the figures of each table, in page order."""
    is_table = page.table.is_tag("table")
    of, tables = page.table.nearest(is_table), np.flatnonzero(is_table)
    chars, cells = held(page, page.chars), np.flatnonzero(page.table.is_tag(*CELLS) & (of >= 0))
    largest = np.zeros(len(of))
    np.maximum.at(largest, of[cells], chars[cells])
    columns = [
        tables,
        *(_count(page, of, tags)[tables] for tags in (_ROWS, CELLS, _DATA_TAGS)),
        sums_inside(page.table.is_tag(*_LAYOUT_TAGS).astype(np.int64), page.table.end)[tables],
        sums_inside(is_table.astype(np.int64), page.table.end)[tables] - 1,
        *(largest[tables], chars[tables]),
    ]
    figures: list[list[float]] = np.array(columns, np.float64).T.tolist()
    return figures


def _count(page: Blocks, of: Ints, tags: tuple[str, ...]) -> Ints:
    """Count elements with some tags by the nearest table around them, `of` (m,); shape (m,)."""
    return np.bincount(of[page.table.is_tag(*tags) & (of >= 0)], minlength=len(of))


def outermost(elements: Elements, tables: tuple[int, ...]) -> list[int]:
    """Return the tables that are not inside others of them, in page order."""
    outer: list[int] = []
    for node in sorted(tables):
        if not outer or node >= elements.blocks.table.end[outer[-1]]:
            outer.append(node)
    return outer
