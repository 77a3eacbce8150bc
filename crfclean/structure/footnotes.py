"""Find a page's footnotes: the links that lead to them and the elements that hold them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, islice

import numpy as np

from crfclean.page.arrays import having
from crfclean.page.urls import Addresses
from crfclean.structure.selection import Selection, item_numbers
from crfclean.types import Ints, Nodes

# the footnotes of a page

_MARK = re.compile(r"\w{1,8}")
LIST_TAGS = ("ul", "ol")
MAX_BLOCKS = 30  # of a footnote; a longer target is a section of the text


@dataclass(frozen=True, slots=True)
class Notes:
    """Footnotes of a page; elements are given by their index.

    `references` (links) and `bodies` (footnotes) map to the footnote's id. `lists` hold footnotes,
    and `superscripts` stand around references. `back_links` lead from a footnote to its reference.
    `marks` maps a text run at the start of a footnote to the number of its characters that repeat
    the reference.
    """

    references: Mapping[int, str] = field(default_factory=dict)
    bodies: Mapping[int, str] = field(default_factory=dict)
    lists: frozenset[int] = frozenset()
    superscripts: frozenset[int] = frozenset()
    back_links: frozenset[int] = frozenset()
    marks: Mapping[int, int] = field(default_factory=dict)


def choose_ids(targets: Mapping[int, int], texts: Mapping[int, str]) -> dict[int, str]:
    """Return the ids of footnotes: the text of the first reference if unused, else a number."""
    ids: dict[int, str] = {}
    used: set[str] = set()
    number = 0
    for link, target in targets.items():
        if target in ids:
            continue
        shown = texts[link].strip("[]() \u00a0")
        if not _MARK.fullmatch(shown) or shown in used:
            number += 1
            while (shown := f"n{number}") in used:
                number += 1
        used.add(shown)
        ids[target] = shown
    return ids


# read the mark of a footnote: the text of its reference, which the footnote may begin with

_MAX_RUNS = 6  # of a mark: `[`, `<a>1</a>`, `]`, and white space between them
_MAX_CHARS = 40  # of these runs, with the white space of the source
_BARE = r"\d{1,4}|[a-zA-Z]|[ivxl]{2,5}|[*†‡§¶]{1,3}"
_SHOWN = re.compile(rf"[\[(]?\s*({_BARE})\s*[\])]?")
_WHOLE = re.compile(rf"\s*(?:\^?\s*({_BARE})[.:)]?|\^?\s*[\[(]\s*({_BARE})\s*[\])][.:]?)\s*")
_SET_OFF = re.compile(rf"\s*(?:({_BARE})[.:)]|[\[(]\s*({_BARE})\s*[\])][.:]?)\s+")
_CLOSING = re.compile(r"[.:)]\s+")


def bare_mark(text: str) -> str:
    """Return the mark in a reference, without brackets, "" for a text that is no mark.

    >>> bare_mark("[12]"), bare_mark("*"), bare_mark("see there")
    ('12', '*', '')
    """
    match = _SHOWN.fullmatch(text.strip())
    return match[1] if match else ""


def _taken(first: int, parts: Iterable[str], end: int) -> dict[int, int]:
    """Map each run from `first` on to its number of characters before place `end`."""
    taken, begin = {}, 0
    for run, part in enumerate(parts, first):
        if begin < end:
            taken[run] = min(len(part), end - begin)
        begin += len(part)
    return taken


# A footnote counts only if it and a reference to it are kept. The target of a reference comes
# after it on the page and is short. A link is a reference if its role, its class or a superscript
# says so. It is also one if it follows a text and shows a mark such as `[1]`, and its target begins
# with this mark, has this number in an ordered list, or leads back.

_MAX_MARK_CHARS = 12  # of a reference: "[12]", "*", "note 3"
_MAX_BACK_CHARS = 3  # of a link back: "^", "↩", "a"
_BACK_SIGNS = frozenset(["↩", "↩\ufe0e", "↑", "⏎", "⤴", "↵", "^"])  # `<a href="#">↩</a>`
_MAX_LINKS = 200  # of a footnote that may lead back
# `class="footnote-ref"` (pandoc), `class="reference"` (MediaWiki)
_NAMED = re.compile(r"foot-?note|note-?ref|fn-?ref|cite-?ref|endnote|\breference\b", re.IGNORECASE)
_BODY_TAGS = frozenset(["li", "p", "div", "aside", "dd"])
_SECTIONS = frozenset(["div", "aside"])


def find_notes(selection: Selection, addresses: Addresses) -> Notes:
    """Find the footnotes that are kept together with a reference to them."""
    search = _Search(selection, addresses)
    return search.notes() if search.links else Notes()


@dataclass(frozen=True, repr=False, eq=False)
class _Search:
    """The search for the footnotes of one page that links lead to."""

    selection: Selection
    addresses: Addresses

    @cached_property
    def nodes(self) -> Nodes:
        """The page's elements."""
        return self.selection.page.nodes

    @cached_property
    def links(self) -> dict[int, str]:
        """Map each kept link with a fragment to the fragment, which may be empty."""
        links = {}
        is_link = self.selection.page.is_tag("a") & self.selection.marked
        for node in np.flatnonzero(is_link).tolist():
            _, sign, name = (self.nodes.attributes[node].get("href") or "").partition("#")
            if sign:
                links[node] = name.strip()
        return links

    @cached_property
    def texts(self) -> dict[int, str]:
        """Map each link with text to its text, which belongs to the innermost link."""
        page = self.selection.page
        is_link = np.zeros(len(page.nodes), np.bool_)
        is_link[list(self.links)] = True
        owners = page.table.nearest(is_link)[page.runs.node]
        texts: dict[int, list[str]] = {}
        for run in np.flatnonzero(owners >= 0).tolist():
            texts.setdefault(int(owners[run]), []).append(page.runs.texts[run])
        return {node: "".join(parts).strip() for node, parts in texts.items()}

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The numbers of the items of ordered lists."""
        return item_numbers(self.selection.page)

    def notes(self) -> Notes:
        """The footnotes that are kept together with a link to them."""
        nodes, candidates = self.nodes, self._candidates()
        inside = self._links_inside(candidates.values())
        targets = {
            link: target
            for link, target in candidates.items()
            if self._refers(link) or self._answers(link, target, inside.get(target, ()))
        }
        lists = _lists(self.selection, set(targets.values()))
        targets = {
            link: target
            for link, target in targets.items()
            if nodes.tags[target] != "li" or int(nodes.parent[target]) in lists
        }
        ids = choose_ids(targets, self.texts)
        parents = {int(nodes.parent[link]) for link in targets}
        return Notes(
            {link: ids[target] for link, target in targets.items()},
            ids,
            frozenset(lists),
            frozenset(node for node in parents if nodes.tags[node] == "sup"),
            self._back_links(targets, inside),
            self._taken_marks(targets),
        )

    # targets

    def _candidates(self) -> dict[int, int]:
        """Link -> the element that may be the footnote that it leads to."""
        block_level = self.selection.page.table.nearest(~self.nodes.inline)
        named = _named_places(self.nodes)
        places = {link: named.get(name, -1) for link, name in self.links.items()}
        places = {link: place for link, place in places.items() if place > link}
        by_element: dict[int, set[int]] = {}
        for place in places.values():
            by_element.setdefault(int(block_level[place]), set()).add(place)
        targets: dict[int, int] = {}
        for element, inside in by_element.items():
            if self._can_hold(element):
                targets |= dict.fromkeys(self._whole_places(element, inside), element)
        return {link: targets[place] for link, place in places.items() if place in targets}

    def _can_hold(self, element: int) -> bool:
        """Return whether an element can be a footnote."""
        nodes = self.nodes
        if element < 0 or nodes.tags[element] not in _BODY_TAGS:
            return False
        size = int(nodes.end_block[element] - nodes.first_block[element])
        return bool(self.selection.marked[element]) and 0 < size <= MAX_BLOCKS

    def _whole_places(self, element: int, places: AbstractSet[int]) -> list[int]:
        """The places in an element that stand for all of it; none if one begins a later block."""
        nodes = self.nodes
        first, end = int(nodes.first_block[element]), int(nodes.end_block[element])
        begun = {
            place: first if place == element else self.block_begun_by(place) for place in places
        }
        if any(first < block < end for block in begun.values()):
            return []
        is_line = nodes.tags[element] not in _SECTIONS  # `<p>1 <a name=n></a> text</p>`
        return [place for place in places if begun[place] == first or is_line]

    def _links_inside(self, targets: Iterable[int]) -> dict[int, list[int]]:
        """Footnote -> the links in its blocks."""
        firsts, ends = self.nodes.first_block, self.nodes.end_block
        ordered = sorted(set(targets), key=lambda target: (firsts[target], -ends[target]))
        begins = [int(firsts[target]) for target in ordered]
        inside: dict[int, list[int]] = {}
        for link in self.links if ordered else ():
            block = self.block_at(link)
            at = bisect_right(begins, block) - 1
            if at >= 0 and block < ends[ordered[at]]:
                inside.setdefault(ordered[at], []).append(link)
        return inside

    # text runs of the page

    @cached_property
    def solid(self) -> Ints:
        """The text runs that are not white space."""
        return np.flatnonzero(self.selection.solid)

    @cached_property
    def first_runs(self) -> Ints:
        """The first solid run of each block, shape (n,); -1 for none."""
        blocks = self.selection.page
        first = np.full(len(blocks), -1, np.int64)
        first[blocks.runs.block[self.solid[::-1]]] = self.solid[::-1]
        return first

    @cached_property
    def _afters(self) -> Ints:
        """Count the elements that begin before each solid run."""
        return self.selection.page.runs.after[self.solid]

    def _run_at(self, node: int) -> int:
        """The first solid run in or behind the begin of an element, -1 for none."""
        at = int(np.searchsorted(self._afters, node + 1))
        return int(self.solid[at]) if at < len(self.solid) else -1

    def block_at(self, node: int) -> int:
        """Return the block of the first text in an element or behind its begin, -1 for none."""
        run = self._run_at(node)
        return -1 if run < 0 else int(self.selection.page.runs.block[run])

    def follows_text(self, node: int) -> bool:
        """Return whether text stands before an element in the block that it begins in."""
        block = self.block_at(node)
        return block >= 0 and int(self.first_runs[block]) < self._run_at(node)

    def block_begun_by(self, node: int) -> int:
        """Return the block that begins with the text in or behind an element, -1 for none."""
        block = self.block_at(node)
        return -1 if block < 0 or self.follows_text(node) else block

    def leaves_text(self, taken: Mapping[int, int], end: int) -> bool:
        """Return whether a footnote has text after its mark.

        `taken` maps runs to the number of characters that belong to the mark. `end` is the block
        behind the footnote.
        """
        runs, last = self.selection.page.runs, max(taken)
        if runs.texts[last][taken[last] :].strip():
            return True
        at = int(np.searchsorted(self.solid, last, "right"))
        block = int(runs.block[self.solid[at]]) if at < len(self.solid) else end
        return block < end and bool(self.selection.kept[block])

    def at_start(self, block: int) -> tuple[str, dict[int, int]]:
        """Return the mark at the start of a block, and its characters in each run.

        Brackets, a full stop and a space, or the end of an element set a mark off:
        `<sup>1</sup> text` and `1. text` have one, `1 of them` has none.
        """
        first, runs = int(self.first_runs[block]), self.selection.page.runs
        parts = [text[:_MAX_CHARS] for text in runs.texts[first : first + _MAX_RUNS]]
        if first < 0 or any(first + at in runs.formulas for at in range(len(parts))):
            return "", {}
        text = "".join(parts)
        for end in accumulate(map(len, parts)):
            match = _WHOLE.fullmatch(text, 0, end)
            if match and self._is_set_off(first):
                closing = _CLOSING.match(text, end)
                return match[1] or match[2], _taken(first, parts, closing.end() if closing else end)
        match = _SET_OFF.match(text)
        if not match:
            return "", {}
        return match[1] or match[2], _taken(first, parts, match.end())

    def _is_set_off(self, run: int) -> bool:
        """Return whether a run is in an inline element or fills its block."""
        blocks = self.selection.page
        node, block = int(blocks.runs.node[run]), int(blocks.runs.block[run])
        is_alone = run + 1 < len(blocks.runs.texts) and blocks.runs.block[run + 1] != block
        return bool(blocks.nodes.inline[node]) or is_alone

    # signs of references

    def _refers(self, link: int) -> bool:
        """Return whether a link on this page looks like a reference to a footnote."""
        nodes, text = self.nodes, self.texts.get(link, "")
        attributes, above = nodes.attributes[link], int(nodes.parent[link])
        if not text or len(text) > _MAX_MARK_CHARS:
            return False
        if not self.addresses.fragment(attributes.get("href")):
            return False
        if attributes.get("role") == "doc-noteref" or attributes.get("rel") == "footnote":
            return True
        holds_sup = link + 1 < nodes.end[link] and nodes.tags[link + 1] == "sup"
        if holds_sup or nodes.tags[above] == "sup":
            return True
        around = nodes.attributes[above].get("class") if nodes.inline[above] else ""
        return bool(_NAMED.search(f"{attributes.get('class')} {attributes.get('id')} {around}"))

    def _answers(self, link: int, target: int, inside: Iterable[int]) -> bool:
        """Return whether a link shows a mark in a text, and its target has the mark or links back.

        The address before the fragment counts only if the target has no mark: links of a saved page
        may name its old address.
        """
        mark = bare_mark(self.texts.get(link, ""))
        if not mark or not self.follows_text(link):
            return False
        if self.at_start(int(self.nodes.first_block[target]))[0] == mark:
            return True
        if not self.addresses.fragment(self.nodes.attributes[link].get("href")):
            return False
        if str(self.numbers.get(target)) == mark:
            return True
        names = set(self._names(link))
        return any(self.links[back] in names for back in islice(inside, _MAX_LINKS))

    def _names(self, link: int) -> Iterator[str]:
        """The names of a link, of an inline parent and of its first child."""
        nodes, above = self.nodes, int(self.nodes.parent[link])
        around = [above] if above >= 0 and nodes.inline[above] else []
        within = [link + 1] if link + 1 < nodes.end[link] else []
        for node in (link, *around, *within):
            for name in ("id", "name"):
                if nodes.attributes[node].get(name):
                    yield nodes.attributes[node][name]

    # texts in footnotes that repeat their references

    def _back_links(
        self, targets: Mapping[int, int], inside: Mapping[int, Iterable[int]]
    ) -> frozenset[int]:
        """Short links in a footnote that lead to a reference, or show a sign such as an arrow."""
        names = {name for link in targets for name in self._names(link)}
        back_links = set()
        for target in set(targets.values()):
            for link in inside.get(target, ()):
                name, text = self.links[link], self.texts.get(link, "")
                leads = name in names or (text in _BACK_SIGNS and not name)
                if link not in targets and leads and len(text) <= _MAX_BACK_CHARS:
                    back_links.add(link)
        return frozenset(back_links)

    def _taken_marks(self, targets: Mapping[int, int]) -> dict[int, int]:
        """The runs at the start of footnotes that repeat the marks of their references."""
        shown: dict[int, str] = {}
        for link, target in targets.items():
            shown.setdefault(target, bare_mark(self.texts.get(link, "")))
        taken: dict[int, int] = {}
        for target, text in shown.items():
            mark, runs = self.at_start(int(self.nodes.first_block[target]))
            end = int(self.nodes.end_block[target])
            if text and mark == text and self.leaves_text(runs, end):
                taken |= runs
        return taken


def _named_places(nodes: Nodes) -> dict[str, int]:
    """Name (`id` or `name`) -> the first element that has it."""
    places: dict[str, int] = {}
    for node in having(nodes.attributes, ("id", "name")):
        for name in map(nodes.attributes[node].get, ("id", "name")):
            if name:
                places.setdefault(name, node)
    return places


def _lists(selection: Selection, bodies: AbstractSet[int]) -> set[int]:
    """The lists with at least half of their kept items among the footnotes `bodies`."""
    nodes = selection.page.nodes
    items = np.flatnonzero(selection.page.is_tag("li") & selection.marked)
    counts = Counter(nodes.parent[items].tolist())
    is_item = [body for body in bodies if nodes.tags[body] == "li"]
    notes = Counter(int(nodes.parent[body]) for body in is_item)
    return {
        node
        for node, count in notes.items()
        if nodes.tags[node] in LIST_TAGS and 2 * count >= counts[node]
    }
