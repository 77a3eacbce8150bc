"""Select the elements that lead to kept blocks: mark-lists, tables, pictures and footnotes.

These are steps 13 and 16 to 18 of table 2 in Golovko and Lapin, "Representative and role model of
the web page content" (2015), applied to the blocks that any tagger keeps. Elements on a mark-list
(the path from the root to a kept part) stay, all others go.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, count
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.page.chars import in_classes, sums_inside
from crfclean.page.data_tables import shown_tables
from crfclean.page.elements import HEADINGS, held
from crfclean.page.head import MEDIA
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
        if set(MEDIA).isdisjoint(self.page.table.tag_names):
            return frozenset()
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


# find a page's footnotes: what refers to them, and where they stand


class Notes(NamedTuple):
    """Footnotes of a page: ids of references and bodies (elements), and of `lines` (blocks).

    `lists` hold footnotes, and `back_links` lead back to references. `marks` maps a text run
    at the start of a footnote to the number of its characters that repeat the reference. `blocks`
    are all blocks of footnotes, also those that the model dropped.
    """

    references: Mapping[int, str] = MappingProxyType({})
    bodies: Mapping[int, str] = MappingProxyType({})
    lines: Mapping[int, str] = MappingProxyType({})
    lists: frozenset[int] = frozenset()
    back_links: frozenset[int] = frozenset()
    marks: Mapping[int, int] = MappingProxyType({})
    blocks: frozenset[int] = frozenset()


# A reference is a short link or superscript in a kept block. Its footnote comes after it on the
# page and is short. A link refers by its role, its class or a superscript, or if the footnote
# begins with its mark, or has its number in an ordered list. A superscript without a link refers to
# the next footnote with its mark: a block that begins with it in an element (`<sup>1</sup> text`),
# or an item of a list with a telling name.

_MAX_BLOCKS = 30  # of a footnote; a longer target is a section of the text
_MAX_RUNS = 6  # of a mark: `[`, `<a>1</a>`, `]`, and white space between them
_MAX_CHARS = 40  # of each of these runs, with the white space of the source
_MAX_REFERENCE = 12  # characters: "12", "*", "note 3"
_MAX_BACK = 3  # characters of a link back: "^", "↩", "a"
_BACK_SIGNS = frozenset(["↩", "↩\ufe0e", "↑", "⏎", "⤴", "↵", "^"])  # `<a href="#">↩</a>`
_AROUND = " \t\r\n\u00a0[]()"
# possessive: white space before no mark, as in source that is indented, took the cube of its length
_MARK = (
    r"\s*+\^?\s*+([\[(]?)\s*+(\d{1,4}|[ivxl]{2,5}|[a-zA-Z]|[*†‡§¶]{1,3})(\s*+[\])]?[.:)]?)(\s*+)"
)
_ID = re.compile(r"^\w{1,8}$")
# `class="footnote-ref"` (pandoc), `class="reference"` (MediaWiki), `role=doc-noteref`, `<sup>`
_NAMED = re.compile(
    r"foot-?note|note-?ref|fn-?ref|cite-?ref|endnote|\breference\b|^sup\b", re.IGNORECASE
)
_BODIES = ("li", "p", "div", "aside", "dd")


def find_notes(page: Blocks, kept: Bools, free: Bools) -> Notes:
    """Find the footnotes of kept references; what is not kept of them must be `free`, both (n,)."""
    search = _Search(page, kept, kept | free)
    targets = search.linked()
    targets |= search.loose(targets)
    return search.notes(targets) if targets else Notes()


@dataclass(frozen=True, repr=False, eq=False)
class _Search:
    """The search on one page; a target is an element, or ~block for one that shares its element."""

    page: Blocks
    kept: Bools
    possible: Bools

    @cached_property
    def fragments(self) -> dict[int, str]:
        """Map each link with a fragment, on this or any other page, to the fragment."""
        which, hrefs = self.page.table.attribute("href")
        has_fragment = np.array(["#" in href for href in hrefs], np.bool_)[which]
        links = np.flatnonzero(self.page.table.is_tag("a") & has_fragment).tolist()
        return {link: hrefs[which[link]].partition("#")[2].strip() for link in links}

    @cached_property
    def texts(self) -> dict[int, str]:
        """Map short superscripts, and short links with a fragment, to their texts, unbracketed."""
        table, texts = self.page.table, dict[int, str]()
        ends = table.end
        nodes = np.array([*self.fragments, *np.flatnonzero(table.is_tag("sup"))], np.int64)
        places = (table.run_after.searchsorted(at).tolist() for at in (nodes + 1, ends[nodes] + 1))
        for node, first, last in zip(nodes.tolist(), *places, strict=True):
            near = range(first, last)[:_MAX_RUNS]
            inside = (
                table.run_texts[run] for run in near if node <= table.run_node[run] < ends[node]
            )
            text = "".join(inside).strip(_AROUND)
            if 0 < len(text) <= _MAX_REFERENCE:
                texts[node] = text
        return texts

    @cached_property
    def named(self) -> dict[str, int]:
        """Map each `id` and `name` to the first element that has it."""
        named = dict[str, int]()
        for which, values in map(self.page.table.attribute, ("id", "name")):
            firsts = np.unique(which, return_index=True)[1].tolist()
            for value, node in zip(values, firsts, strict=True):
                named[value] = min(node, named.get(value, node))
        named.pop("", None)
        return named

    def place(self, node: int) -> tuple[int, bool]:
        """Return the block of the text in or behind an element, and whether it begins the block."""
        table = self.page.table
        at = min(int(table.run_after.searchsorted(node + 1)), len(table.run_texts) - 1)
        block = int(table.run_block[at])
        before = range(int(table.run_block.searchsorted(block)), at)[-_MAX_RUNS:]
        return block, all(table.run_texts[run].isspace() for run in before)

    def span(self, target: int) -> range:
        """The blocks of a footnote."""
        return self.page.table.blocks_in(target) if target >= 0 else range(~target, ~target + 1)

    def fits(self, target: int) -> bool:
        """Return whether a target is short, and is or may be kept."""
        blocks = self.span(target)
        return 0 < len(blocks) <= _MAX_BLOCKS and bool(self.possible[blocks].all())

    def mark_of(self, target: int) -> tuple[str, dict[int, int]]:
        """Return the mark at the start of a footnote, "" for none, and its characters in each run.

        Brackets, a full stop and a space, or the end of an element set a mark off:
        `<sup>1</sup> text` and `1. text` have one, `1 of them` has none.
        """
        table, blocks = self.page.table, self.span(target)
        block = blocks.start
        near = range(*table.run_block.searchsorted([block, block + 1]).tolist())[:_MAX_RUNS]
        texts = [table.run_texts[run][:_MAX_CHARS] for run in near]
        match = re.match(_MARK, "".join(texts))
        if not match or (len(blocks) == 1 and re.fullmatch(_MARK, self.page.texts[block])):
            return "", {}
        is_enclosed, ends = (match[1] or match[3]) and match[4], [0, *accumulate(map(len, texts))]
        if not is_enclosed and {*map(match.end, (2, 3, 4))}.isdisjoint(ends):
            return "", {}
        begins = zip(near, ends, strict=False)
        return match[2], {run: match.end() - at for run, at in begins if at < match.end()}

    def linked(self) -> dict[int, int]:
        """Map each reference to the footnote that it links to."""
        targets, around = dict[int, int](), self.page.table.nearest(~self.page.table.is_inline)
        for link in filter(self.texts.get, self.fragments):
            place = self.named.get(self.fragments[link], -1)
            if place > link and self.kept[self.place(link)[0]]:
                target = self._target(place, int(around[place]))
                if target is not None and self.fits(target) and self._refers(link, target):
                    targets[link] = target
        return targets

    def _target(self, place: int, element: int) -> int | None:
        """Return the footnote at a named place in a block-level element, None for none."""
        table, (block, begins) = self.page.table, self.place(place)
        if element >= 0 and table.tags[element] in HEADINGS:  # `<h5><a name=n>(1)</a></h5><p>text`
            element = place = min(int(table.end[element]), len(table.parent) - 1)
        if element < 0 or table.tags[element] not in _BODIES:
            return None
        owners = self.page.node[self.span(element)[:_MAX_BLOCKS]]
        if place == element or len(owners) < 2 or (owners != element).any():
            return element
        return ~block if begins else None  # `<p><a name=n>1</a> text<br><br><a name=m>2</a> text`

    def _refers(self, link: int, target: int) -> bool:
        """Return whether a link looks like a reference, or its footnote has its mark or number."""
        table, text = self.page.table, self.texts[link]
        above = int(table.parent[link])
        names = [*table.tags[link + 1 : link + 2], table.tags[above]]
        for node in (link, above):
            names += filter(None, map(table.attributes[node].get, ("role", "class", "id")))
        if any(map(_NAMED.search, names)):
            return True
        has_mark = text in (self.mark_of(target)[0], str(item_numbers(self.page).get(target)))
        return has_mark and not self.place(link)[1]

    def loose(self, linked: Iterable[int]) -> dict[int, int]:
        """Map each superscript that is no such link to the next footnote with its mark.

        The marks begin with 1 or are no numbers: `m<sup>2</sup>` refers to nothing.
        """
        table, targets = self.page.table, dict[int, int]()
        around = {node for link in linked for node in (int(table.parent[link]), link + 1)}
        for node in filter(self.page.table.is_tag("sup").__getitem__, self.texts):
            block, begins = self.place(node)
            if self.kept[block] and not (begins or node in around):
                of_mark = self.marked.get(self.texts[node], [])
                at = bisect_right(of_mark, (block, len(table.parent)))
                if at < len(of_mark):
                    targets[node] = of_mark[at][1]
        marks = {self.texts[node] for node in targets}
        return targets if "1" in marks or not any(map(str.isdigit, marks)) else {}

    @cached_property
    def marked(self) -> dict[str, list[tuple[int, int]]]:
        """Map marks to the footnotes that have them, each with its first block, in page order."""
        page, table, bodies = self.page, self.page.table, dict[str, list[tuple[int, int]]]()
        of_class = in_classes(table, _NAMED, ("note", "ref", "sup"))
        named = page.table.nearest(page.table.is_tag("aside") | of_class) >= 0
        numbers = {at: str(number) for at, number in item_numbers(page).items() if named[at]}
        starts = page.table.run_node[page.table.run_block.searchsorted(np.arange(len(page)))]
        for block in np.flatnonzero(table.is_inline[starts]).tolist():
            element = int(page.node[block])
            target = element if len(self.span(element)) == 1 else ~block
            numbers.setdefault(target, self.mark_of(target)[0])
        for target, mark in numbers.items():
            if mark and self.fits(target):
                bodies.setdefault(mark, []).append((self.span(target).start, target))
        return {mark: sorted(of_mark) for mark, of_mark in bodies.items()}

    def notes(self, targets: Mapping[int, int]) -> Notes:
        """The footnotes of references; in a list, at least half of the items are footnotes."""
        table, of = self.page.table, self.page.table.parent
        items = {at for at in targets.values() if at >= 0 and table.tags[at] == "li"}
        counts = Counter(of[self.page.table.is_tag("li")].tolist())
        in_lists = Counter(of[[*items]].tolist())
        lists = frozenset(at for at, many in in_lists.items() if 2 * many >= counts[at])
        targets = {link: at for link, at in targets.items() if at not in items or of[at] in lists}
        ids, marks = choose_ids(targets, self.texts), dict[int, int]()
        for link, target in targets.items():
            mark, chars = self.mark_of(target)
            marks |= chars if mark == self.texts[link] else {}
        blocks = frozenset(block for target in ids for block in self.span(target))
        near = {link - step for link in targets for step in (0, 1)}
        back_links = frozenset(
            link
            for link, name in self.fragments.items()
            if len(text := self.texts.get(link, " " * 4)) <= _MAX_BACK
            and (text in _BACK_SIGNS or self.named.get(name) in near)
            and self.place(link)[0] in blocks
        )
        references = {link: ids[target] for link, target in targets.items()}
        bodies = {target: name for target, name in ids.items() if target >= 0}
        lines = {~target: name for target, name in ids.items() if target < 0}
        return Notes(references, bodies, lines, lists, back_links, marks, blocks)


def choose_ids(targets: Mapping[int, int], texts: Mapping[int, str]) -> dict[int, str]:
    """Return the ids of footnotes: the text of the first reference if unused, else a number."""
    ids, used, numbers = dict[int, str](), set[str](), map("n{}".format, count(1))
    for link, target in targets.items():
        if target not in ids:
            names = chain(_ID.findall(texts[link]), numbers)
            ids[target] = next(name for name in names if name not in used)
            used.add(ids[target])
    return ids
