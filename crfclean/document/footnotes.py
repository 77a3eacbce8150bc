"""Find a page's footnotes: what refers to them, and where they stand."""

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

from crfclean.document.selection import item_numbers
from crfclean.page.chars import in_classes
from crfclean.page.elements import HEADINGS
from crfclean.types import Blocks, Bools


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
_MAX_RUN_CHARS = 40  # of each of these runs, with the white space of the source
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
        texts = [table.run_texts[run][:_MAX_RUN_CHARS] for run in near]
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
