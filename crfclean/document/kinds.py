"""Make the parts that elements of HTML become: their kinds, facts and shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.core.table import Table
from crfclean.document.callouts import Callouts
from crfclean.document.footnotes import Notes
from crfclean.document.numbered import Numbered
from crfclean.document.parts import Part, split_inline
from crfclean.document.selection import (
    Selection,
    is_ordered,
    item_numbers,
    task_boxes,
    whole_number,
)
from crfclean.io import read_toml

# the kinds of parts that elements of HTML become

ELEMENTS: Mapping[str, Any] = read_toml(Path(__file__).with_name("elements.toml"))
"""The elements of HTML from which parts are read, and as which they are written."""


def _kinds_of(table: str) -> dict[str, str]:
    return {name: kind for kind, names in ELEMENTS[table].items() for name in names.split()}


MARK_KINDS, FLOW_KINDS, TABLE_KINDS = map(_kinds_of, ("marks", "flow", "table"))
"""Inline element, block-level element, element of a data table -> its kind."""

ROLE_KINDS: Mapping[str, str] = {"heading": "heading", "list": "list", "listitem": "item"}
"""Role of an element whose tag has no kind -> its kind."""

LINE_KINDS = frozenset(["heading", "caption", "term"])
"""Kinds that hold only lines of text."""

PARENT_KINDS = _kinds_of("parents")
"""Kind -> the kind of its parent part."""

# read the facts of structural elements: levels, numbers, spans and ids

MAX_SPAN = 1_000  # columns or rows of a cell: HTML's limit for columns
_NESTING = re.compile(r"\b(lst-kix_\w{1,40})-(\d)\b")  # Google Docs: `<ul class="lst-kix_a-1">`
HEADING_LEVEL = 2  # of a heading that is one by its label or role alone


@dataclass(eq=False)
class Facts:
    """The facts of the elements of one page."""

    selection: Selection
    notes: Notes = field(default_factory=Notes)
    callouts: Callouts = field(default_factory=Callouts)
    numbered: Numbered = field(default_factory=Numbered)

    @cached_property
    def table(self) -> Table:
        """The page's elements."""
        return self.selection.page.table

    def of(self, kind: str, node: int) -> dict[str, Any]:
        """Return the facts of the part of some kind that an element becomes."""
        facts_of: Mapping[str, Callable[[int], dict[str, Any]]] = {
            "heading": self._heading_facts,
            "list": self._list_facts,
            "item": self._item_facts,
            "row": self._row_facts,
            "cell": self._cell_facts,
        }
        if kind in facts_of:
            return facts_of[kind](node)
        if kind == "quote" and node in self.callouts.kinds:
            return {"callout": self.callouts.kinds[node]}
        return {"id": self.notes.bodies[node]} if node in self.notes.bodies else {}

    def _heading_facts(self, node: int) -> dict[str, Any]:
        tag, level = self.table.tags[node], self.table.attributes[node].get("aria-level")
        role_level = whole_number(level, 1, 6) or HEADING_LEVEL
        return {"level": int(tag[1]) if FLOW_KINDS.get(tag) == "heading" else role_level}

    def _list_facts(self, node: int) -> dict[str, Any]:
        ordered = is_ordered(self.table, node)
        nesting = _NESTING.search(self.table.attributes[node].get("class") or "")
        deep = {"nesting": (nesting[1], int(nesting[2]))} if nesting else {}
        return {"ordered": ordered} | ({"start": 1} if ordered else {}) | deep

    def _row_facts(self, node: int) -> dict[str, Any]:
        return {"foot": True} if self.table.tags[int(self.table.parent[node])] == "tfoot" else {}

    def _item_facts(self, node: int) -> dict[str, Any]:
        if node in self.numbered.tables:
            written = self.numbered.tables[node]
            return {} if written is None else {"number": written}
        page = self.selection.page
        numbers, checked = item_numbers(page), task_boxes(page)
        number = {"number": numbers[node]} if node in numbers else {}
        return number | ({"checked": checked[node]} if node in checked else {})

    @cached_property
    def kinds(self) -> dict[int, str]:
        """Footnote, list of footnotes, callout or item in a table -> the kind of its part."""
        kinds = dict.fromkeys(self.callouts.kinds, "quote")
        kinds |= dict.fromkeys(self.numbered.tables, "item")
        kinds |= dict.fromkeys(self.notes.lists, "footnotes")
        return kinds | dict.fromkeys(self.notes.bodies, "footnote")

    def _cell_facts(self, node: int) -> dict[str, Any]:
        attributes = self.table.attributes[node]
        row = int(self.table.parent[node])
        head = row >= 0 and self.table.tags[int(self.table.parent[row])] == "thead"
        return {
            "header": head or "scope" in attributes or self.table.tags[node] == "th",
            "colspan": whole_number(attributes.get("colspan"), 1, MAX_SPAN) or 1,
            "rowspan": self._rows(row, attributes.get("rowspan")),
        }

    def _rows(self, row: int, rowspan: str | None) -> int:
        """Count the kept rows that a cell spans; a `rowspan` of 0 means all rows that are left."""
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
        for row in np.flatnonzero(self.selection.page.table.is_tag("tr")).tolist():
            before = counts.setdefault(int(self.table.parent[row]), [0])
            positions[row] = (before, len(before) - 1)
            before.append(before[-1] + bool(self.selection.marked[row]))
        return positions


# make the part of an element from the parts inside it, in the same shape on all pages
#
# Items are in lists, cells in rows, rows in tables. An item or cell has its only line directly,
# without a paragraph; so has an item its first line if only lists follow.

_UNWRAPPED = frozenset(["item", "definition", "footnote", "cell"])
_LISTS = frozenset(["list", "definitions"])
_BREAK = Part("break")
_WITHOUT_RULES = frozenset(["list", "footnotes", "definitions", "table", "row", *LINE_KINDS])


@dataclass(slots=True, eq=False)
class OpenPart:
    """An open element that becomes a part: its kind, its end and the parts inside so far."""

    kind: str
    node: int
    end: int
    facts: Mapping[str, Any] = field(default_factory=dict)
    inside: list[Part] = field(default_factory=list)

    def parts(self) -> list[Part]:
        """Return the part of an element that ends, or only its content if it makes no part."""
        kinds = {part.kind for part in self.inside}
        children = self.inside
        if "rule" in kinds and self.kind in _WITHOUT_RULES:
            children = [part for part in children if part.kind != "rule"]
        if not kinds.isdisjoint(_WITH_PARENTS):
            children = _with_parents(children, self.kind)
        if "list" in kinds:
            children = _nested(children)
        if "rule" in kinds:
            children = _trim_rules(children)
        if not children and self.kind != "cell":
            return []
        close = _CLOSE.get(self.kind)
        if close is None:
            return [_made(self, children)] if self.kind else children
        return close(self, children)


def _with_parents(parts: Sequence[Part], kind: str) -> list[Part]:
    """Add missing parents to parts inside a part of some kind: an item gets a list."""
    complete: list[Part] = []
    for parent, group in groupby(parts, lambda part: _missing_parent(part, kind)):
        children = tuple(group)
        if parent == "paragraph":
            complete += [part._replace(kind=parent) for part in children]
        else:
            around = Part(parent, children, _parent_facts(children[0]))
            complete += _with_parents([around], kind) if parent else children
    return complete


def _parent_facts(first: Part) -> Mapping[str, Any]:
    """The facts of a parent that parts lack; items with numbers need an ordered list."""
    number = first.facts.get("number")
    return {} if number is None else {"ordered": True, "start": number}


_WITH_PARENTS = frozenset([*PARENT_KINDS, "caption"])


def _missing_parent(part: Part, kind: str) -> str:
    """The kind of parent that a part inside another lacks, "" for none.

    "paragraph" says that a caption outside figures and tables becomes a paragraph.
    """
    if part.kind == "caption" and kind not in ("figure", "table"):
        return "paragraph"
    parent = PARENT_KINDS.get(part.kind, "")
    return "" if kind in (parent, "footnotes" if parent == "list" else parent) else parent


def _trim_rules(parts: list[Part]) -> list[Part]:
    """Parts without the rules that separate nothing."""
    trimmed: list[Part] = []
    for part in parts:
        if part.kind != "rule" or (trimmed and trimmed[-1].kind != "rule"):
            trimmed.append(part)
    while trimmed and trimmed[-1].kind == "rule":
        trimmed.pop()
    return trimmed


def _made(element: OpenPart, inside: list[Any]) -> Part:
    return Part(element.kind, tuple(inside), element.facts, element.node)


def _lines(element: OpenPart, inside: list[Part]) -> list[Part]:
    """A part that holds lines of text, with breaks between them."""
    children: list[Any] = []
    blocks: dict[int, None] = {}
    for line in inside:
        children += [_BREAK, *line.children] if children else line.children
        blocks |= dict.fromkeys(line.blocks)
    return [Part(element.kind, tuple(children), element.facts, element.node, tuple(blocks))]


def _unwrap(element: OpenPart, inside: list[Part]) -> list[Part]:
    """A part that begins with a line of its own, unless paragraphs follow."""
    first, others = inside[0] if inside else None, inside[1:]
    is_cell = element.kind == "cell"
    blocks = others if is_cell else [part for part in others if part.kind not in _LISTS]
    if first is None or first.kind != "paragraph" or blocks:
        return [_made(element, inside)]
    children = (*first.children, *others)
    return [Part(element.kind, children, element.facts, element.node, first.blocks)]


def _list(element: OpenPart, inside: list[Part]) -> list[Part]:
    """A list of items; other parts between them belong to the item before."""
    kind = "footnote" if element.kind == "footnotes" else "item"
    items: list[Part | None] = []  # None for an item of the parts before the first item
    followers: list[list[Part]] = []
    for part in inside:
        if part.kind in ("item", "footnote"):
            items.append(part)
            followers.append([])
        elif not items:
            items.append(None)
            followers.append([part])
        else:
            followers[-1].append(part)
    children = [_item(item, parts, kind) for item, parts in zip(items, followers, strict=True)]
    facts = dict(element.facts)
    if facts.get("ordered"):
        numbers = (item.facts["number"] for item in children if "number" in item.facts)
        facts["start"] = next(numbers, 1)
    return [Part(element.kind, tuple(children), facts, element.node)]


def _nested(parts: list[Part]) -> list[Part]:
    """Parts with the lists of deeper levels in the items before them.

    Google Docs writes `<ul class="lst-kix_a-0">`, `<ul class="lst-kix_a-1">` beside each other.
    """
    nested, open_lists = list[Part](), list[OpenPart]()
    for part in [*parts, None]:
        name, level = part.facts.get("nesting", ("", -1)) if part else ("", -1)
        while open_lists and _ends(open_lists[-1], name, level):
            inner = open_lists.pop()
            facts = {key: fact for key, fact in inner.facts.items() if key != "nesting"}
            around = open_lists[-1].inside if open_lists else nested
            around += _list(OpenPart("list", inner.node, inner.end, facts), inner.inside)
        if part is None or level < 0:
            nested += [part] if part else []
            continue
        if not open_lists or open_lists[-1].facts["nesting"][1] < level:
            open_lists.append(OpenPart("list", part.node, -1, part.facts))
        open_lists[-1].inside += split_inline(part)[1]
    return nested


def _ends(element: OpenPart, name: str, level: int) -> bool:
    """Return whether a list ends before a list of some name and level; -1 for another part."""
    own_name, own_level = element.facts["nesting"]
    return bool(own_level > level or (own_level == level and own_name != name))


def _item(item: Part | None, followers: list[Part], kind: str) -> Part:
    """An item with the parts that follow it in the list, or an item of these alone."""
    if item is None:
        return OpenPart(kind, -1, -1, {}, followers).parts()[0]
    item = item if item.kind == kind else item._replace(kind=kind)
    return item._replace(children=_with_followers(item, followers)) if followers else item


def _with_followers(item: Part, followers: list[Part]) -> tuple[Any, ...]:
    """The children of an item and more parts; its line becomes a paragraph if not all are lists."""
    only_lists = all(part.kind in _LISTS for part in followers)
    inline, _ = split_inline(item)
    if only_lists or not inline:
        return (*item.children, *followers)
    line = Part("paragraph", tuple(inline), {}, item.node, item.blocks)
    return (line, *item.children[len(inline) :], *followers)


def _definitions(element: OpenPart, inside: list[Part]) -> list[Part]:
    """A list of terms and definitions; any other part becomes a definition."""
    children = _of_kinds(inside, ("term", "definition"), "definition")
    return [_made(element, children)]


def _row(element: OpenPart, inside: list[Part]) -> list[Part]:
    """A row of cells; any other part becomes a cell."""
    return [_made(element, _of_kinds(inside, ("cell",), "cell"))]


_FACTS: Mapping[str, Mapping[str, Any]] = {"cell": {"header": False, "colspan": 1, "rowspan": 1}}


def _of_kinds(parts: Iterable[Part], kinds: Sequence[str], kind: str) -> list[Part]:
    """Parts of some kinds, and those between them as parts of one kind."""
    children: list[Part] = []
    for fits, group in groupby(parts, lambda part: part.kind in kinds):
        inside, facts = list(group), _FACTS.get(kind, {})
        children += inside if fits else OpenPart(kind, -1, -1, facts, inside).parts()
    return children


def _table(element: OpenPart, inside: list[Part]) -> list[Part]:
    """A table of rows, captions first and feet last; any other part becomes a row."""
    captions = [part for part in inside if part.kind == "caption"]
    others = [part for part in inside if part.kind != "caption"]
    in_order = sorted(others, key=lambda part: "foot" in part.facts)
    bare = (part._replace(facts={}) if "foot" in part.facts else part for part in in_order)
    rows = _of_kinds(bare, ("row",), "row")
    if not rows:
        return [part._replace(kind="paragraph") for part in captions]
    return [_made(element, captions + rows)]


def _figure(element: OpenPart, inside: list[Part]) -> list[Part]:
    """A figure of images, or of anything with a caption; else its content alone."""
    images = [_is_image(part) for part in inside]
    captions = [part.kind == "caption" for part in inside]
    if not any(images) and (not any(captions) or all(captions)):
        return _with_parents(inside, "")
    children: list[Any] = []
    leading = True
    for part, is_image in zip(inside, images, strict=True):
        leading = leading and is_image
        children += part.children if leading else [part]
    return [_made(element, children)]


def _is_image(part: Part) -> bool:
    """Return whether a part is a paragraph of nothing but images, which may be in links."""
    return part.kind == "paragraph" and all(
        isinstance(child, Part)
        and (child.kind == "image" or (child.kind == "link" and _holds_images(child)))
        for child in part.children
    )


def _holds_images(link: Part) -> bool:
    return all(isinstance(child, Part) and child.kind == "image" for child in link.children)


_CLOSE: Mapping[str, Callable[[OpenPart, list[Part]], list[Part]]] = {
    **dict.fromkeys(LINE_KINDS, _lines),
    **dict.fromkeys(_UNWRAPPED, _unwrap),
    "list": _list,
    "footnotes": _list,
    "definitions": _definitions,
    "row": _row,
    "table": _table,
    "figure": _figure,
}
"""Kind -> the function that makes its part; parts of other kinds are made by `_made`."""
