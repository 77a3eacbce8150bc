"""What a document takes from its page: lists, tables and pictures of the kept blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.core.table import Table
from crfclean.page.chars import sums_inside
from crfclean.page.data_tables import shown_tables
from crfclean.page.elements import held
from crfclean.page.measures import once
from crfclean.page.pictures import text_pictures
from crfclean.types import Blocks, Bools, Floats, Ints

LISTS_OF_ITEMS = ("ul", "ol", "menu", "dir")
_LEAST = 0.1  # probability of an item of a list of which just half is kept
_MAX_CAPTION_BLOCKS = 3  # a caption and its credit
_DISPLAY = re.compile(r"\\\[.+\\\]|\$\$.+\$\$", re.DOTALL)  # of TeX
_INTEGER = re.compile(r"\s*([+-]?\d{1,9})(?!\d)")
_MAX_NUMBER = 10**9
# ordered lists without visible numbers: `<ol class="comment-list">` and `<ol class="children">` of
# blogs, `list-unstyled` and `carousel-indicators` of Bootstrap
_WITHOUT_NUMBERS = re.compile(
    r"comment|breadcrumb|\bchildren\b|unstyled|no-?style|list-none|hide-ordinal|carousel",
    re.IGNORECASE,
)
_WITHOUT_MARKS = re.compile(r"(?<![\w-])list-style(?:-type)?\s*:[^;]{0,200}\bnone\b", re.IGNORECASE)

_REQUIRED_ANCESTORS = {
    **dict.fromkeys(["li", "dt", "dd"], ("ul", "ol", "dl", "menu", "dir")),
    **dict.fromkeys("caption thead tbody tfoot tr td th".split(), ("table",)),
}
"""Element -> elements of which one must be around it."""


@dataclass(frozen=True, repr=False, eq=False)
class Selection:
    """A page and its kept blocks (n,); computed columns are of elements, (m,).

    `tagger_pictures` are the pictures that the tagger keeps, None if it does not choose any.
    `chosen` (m,) are the elements that the user's selectors let in, None without selectors.
    """

    page: Blocks
    kept: Bools
    tagger_pictures: tuple[int, ...] | None
    chosen: Bools | None = None

    @cached_property
    def chars(self) -> Floats:
        """Characters inside each element, kept or not."""
        return held(self.page, self.page.chars)

    @cached_property
    def _text_counts(self) -> Ints:
        """Count the kept text runs at or inside each element."""
        table = self.page.table
        kept = np.flatnonzero(self.kept[table.run_block]).tolist()
        solid = [run for run in kept if not table.run_texts[run].isspace()]
        counts = np.bincount(table.run_node[solid], minlength=len(table.parent))
        return sums_inside(counts, table.end)

    @cached_property
    def pictures(self) -> frozenset[int]:
        """The pictures that are kept."""
        if self.tagger_pictures is not None:
            return frozenset(self.tagger_pictures)
        root = _lowest_common(self._text_counts)
        pictures = text_pictures(self.page, self.kept, root)
        return frozenset(one for one in pictures if self.chosen is None or self.chosen[one])

    @cached_property
    def picture_counts(self) -> Ints:
        """Count the kept pictures at or inside each element."""
        pictures = np.zeros(len(self.page.table.parent), np.int64)
        pictures[list(self.pictures)] = 1
        return sums_inside(pictures, self.page.table.end)

    @cached_property
    def _content_counts(self) -> Ints:
        """Count the kept text runs and pictures at or inside each element."""
        return self._text_counts + self.picture_counts

    @cached_property
    def root(self) -> int:
        """The nearest common ancestor of all kept text and pictures (block 17 of the algorithm).

        An inline element is replaced by the block-level one around it, a part of a list or table
        by that list or table, an element inside a `pre` by the `pre`.
        """
        page, table = self.page, self.page.table
        node = _lowest_common(self._content_counts)
        is_code = np.zeros(len(table.parent), np.bool_)
        is_code[list(self.page.code)] = True
        code = int(page.table.nearest(is_code)[node])
        node = node if code < 0 else code
        while table.is_inline[node] and table.parent[node] >= 0:
            node = int(table.parent[node])
        required = _REQUIRED_ANCESTORS.get(table.tags[node], ())
        ancestor = page.table.nearest(page.table.is_tag(*required))[node] if required else -1
        return node if ancestor < 0 else int(ancestor)

    @cached_property
    def in_data_table(self) -> Bools:
        """Mark each element whose nearest table, at or around it, shows data."""
        # the last item is for -1, which stands for no table
        shows_data = np.zeros(len(self.page.table.parent) + 1, np.bool_)
        tables, page = shown_tables(self.page), self.page
        if not tables:
            return shows_data[:-1]
        shows_data[list(tables)] = True
        inside: Bools = shows_data[page.table.nearest(page.table.is_tag("table"))]
        return inside

    @cached_property
    def marked(self) -> Bools:
        """Mark each element on a mark-list: those with kept text or a picture at or inside them.

        Line breaks beside kept text are marked as well, and all cells of a row of data that has
        kept text.
        """
        table, page = self.page.table, self.page
        marked = self._content_counts > 0
        kept_around = np.concatenate([[False], self.kept, [False]])
        beside_kept = kept_around[table.first_block] | kept_around[table.first_block + 1]
        breaks = page.table.is_tag("br", "hr") & beside_kept
        rows = marked & page.table.is_tag("tr") & self.in_data_table
        above = np.maximum(table.parent, 0)
        cells = page.table.is_tag("td", "th") & rows[above]
        on_lists: Bools = marked | (breaks & marked[above]) | cells
        return on_lists


def complete_tables(page: Blocks, kept: Bools) -> Bools:
    """Return the kept blocks (n,), with all cells of tables of which half or the head is kept."""
    table, completed = page.table, kept.copy()
    rows = np.flatnonzero(page.table.is_tag("tr"))
    in_form = page.table.within("form")
    for node in shown_tables(page):
        head = rows[np.searchsorted(rows, node)]
        inside, first = (
            slice(int(table.first_block[at]), int(table.end_block[at])) for at in (node, head)
        )
        has_head = not in_form[head] and first.stop - first.start > 1 and kept[first].all()
        if kept[inside].any() and (has_head or kept[inside].mean() >= 0.5):
            completed[inside] = True
    return completed


def complete_lists(page: Blocks, kept: Bools, free: Bools, probabilities: Floats) -> Bools:
    """Return the kept blocks (n,), with all `free` items of lists of lines of which half is kept.

    They stand between kept blocks. Items of cards and threads have several blocks or pictures. Of
    related posts, half was kept, and the others had `probabilities` (n,) of .05.
    """
    table, completed = page.table, kept.copy()
    items, pictures = (np.cumsum(np.append([0], page.table.is_tag(tag))) for tag in ("li", "img"))
    lists = np.flatnonzero(page.table.is_tag("ul", "ol"))
    firsts, ends, behind = table.first_block[lists], table.end_block[lists], table.end[lists]
    chosen = (firsts > 0) & (firsts < ends) & kept[firsts - 1] & np.append(kept, False)[ends]
    chosen &= ends - firsts == items[behind] - items[lists]
    chosen &= pictures[behind] == pictures[lists]
    for first, end in zip(firsts[chosen].tolist(), ends[chosen].tolist(), strict=True):
        items_kept = kept[first:end]
        share = items_kept.mean()
        if share > 0.5 or (share == 0.5 and probabilities[first:end][~items_kept].mean() >= _LEAST):
            completed[first:end] |= free[first:end]
    return completed


def with_code(page: Blocks, kept: Bools, free: Bools) -> Bools:
    """Return the kept blocks (n,), with `free` code and display formulas between two of them."""
    is_code = np.zeros(len(page.table.parent), np.bool_)
    is_code[list(page.code)] = True
    is_code = page.table.nearest(is_code)[page.node] >= 0
    dropped, found = np.flatnonzero(free & ~kept).tolist(), np.zeros_like(kept)
    found[[at for at in dropped if is_code[at] or _DISPLAY.fullmatch(page.texts[at])]] = True
    places, around = np.arange(len(kept)), np.append(kept, False)
    before = np.maximum.accumulate(np.where(found, -1, places))
    behind = np.minimum.accumulate(np.where(found, len(kept), places)[::-1])[::-1]
    completed: Bools = kept | (found & around[before] & around[behind])
    return completed


def with_captions(selection: Selection, free: Bools) -> Bools:
    """Return the kept blocks (n,), with the `free` captions of kept pictures in figures."""
    page, table, completed = selection.page, selection.page.table, selection.kept.copy()
    figures = page.table.nearest(page.table.is_tag("figure"))
    for node in np.flatnonzero(page.table.is_tag("figcaption")).tolist():
        figure = int(figures[node])
        inside = table.blocks_in(node)
        if figure >= 0 and len(inside) <= _MAX_CAPTION_BLOCKS and selection.picture_counts[figure]:
            completed[inside] |= free[inside]
    return completed


def _lowest_common(counts: Ints) -> int:
    """The lowest element that has everything counted at or inside it."""
    return int(np.flatnonzero(counts == counts.max())[-1])


def whole_number(text: str | None, least: int, most: int) -> int | None:
    """Return the integer that an attribute begins with, clipped to bounds; None without one.

    >>> whole_number("3px", 1, 2)
    2
    """
    match = _INTEGER.match(text or "")
    return max(least, min(most, int(match[1]))) if match else None


def is_ordered(table: Table, node: int) -> bool:
    """Return whether a list shows numbers: an `ol` whose class and style do not hide them."""
    if table.tags[node] != "ol":
        return False
    attributes = table.attributes[node]
    names = f"{attributes.get('class')} {attributes.get('id')}"
    hidden = _WITHOUT_MARKS.search(attributes.get("style") or "")
    return not (hidden or _WITHOUT_NUMBERS.search(names))


@once
def item_numbers(page: Blocks) -> dict[int, int]:
    """Map each item of an ordered list to its number; items that are not kept count as well."""
    table, numbers = page.table, dict[int, int]()
    if "ol" not in page.table.tag_names:
        return numbers
    items = np.flatnonzero(page.table.is_tag("li"))
    around = page.table.nearest(page.table.is_tag(*LISTS_OF_ITEMS))
    owners = around[np.maximum(table.parent[items], 0)].tolist()
    counts = np.bincount([owner + 1 for owner in owners], minlength=1).tolist()
    ordered = {owner for owner in set(owners) if owner >= 0 and is_ordered(table, owner)}
    next_numbers: dict[int, int] = {}
    for item, owner in zip(items.tolist(), owners, strict=True):
        if owner not in ordered:
            continue
        attributes = table.attributes[owner]
        is_reversed = "reversed" in attributes
        if owner not in next_numbers:
            first = whole_number(attributes.get("start"), -_MAX_NUMBER, _MAX_NUMBER)
            if first is None:
                first = counts[owner + 1] if is_reversed else 1
            next_numbers[owner] = first
        value = whole_number(table.attributes[item].get("value"), -_MAX_NUMBER, _MAX_NUMBER)
        numbers[item] = next_numbers[owner] if value is None else value
        next_numbers[owner] = numbers[item] + (-1 if is_reversed else 1)
    return numbers


_MAX_BEFORE_BOX = 3  # elements: `<li><p><label><input type=checkbox>`
_AROUND_BOX = frozenset(["p", "label", "span", "div"])


@once
def task_boxes(page: Blocks) -> dict[int, bool]:
    """Map each item of a task list to whether the box at its start is checked.

    It cannot be clicked, or the item's class names it; boxes of forms are no text.
    """
    table, checked = page.table, dict[int, bool]()
    if not {"li", "input"} <= {*table.tag_names}:
        return checked
    for box in table.is_tag("input").nonzero()[0].tolist():
        attributes = table.attributes[box]
        if attributes.get("type") != "checkbox":
            continue
        near = range(box - 1, max(box - 1 - _MAX_BEFORE_BOX, -1), -1)
        item = next((node for node in near if table.tags[node] not in _AROUND_BOX), -1)
        if item < 0 or table.tags[item] != "li" or table.end[item] <= box or item in checked:
            continue
        if "disabled" in attributes or "task" in (table.attributes[item].get("class") or ""):
            checked[item] = "checked" in attributes
    return checked
    return -1
