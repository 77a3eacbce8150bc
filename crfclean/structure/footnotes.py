"""Find a page's footnotes: the links that lead to them and the elements that hold them.

Both must be kept. A link to a place on the page is a reference if its role, its class or a
superscript says so, and if its target comes after it and is short; or if it follows a text, shows
a mark such as `[1]`, and its target begins with this mark or leads back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from crfclean.page.arrays import having
from crfclean.page.tree import nearest
from crfclean.page.urls import Addresses
from crfclean.structure.note_marks import NoteMarks, bare_mark
from crfclean.structure.notes import LIST_TAGS, MAX_BLOCKS, Notes, Target, choose_ids
from crfclean.structure.selection import Selection, item_numbers
from crfclean.types import Nodes

_MAX_MARK_CHARS = 12  # of a reference: "[12]", "*", "note 3"
_MAX_BACK_CHARS = 3  # of a link back: "^", "↩", "a"
_BACK_SIGNS = frozenset(["↩", "↩\ufe0e", "↑", "⏎", "⤴", "↵", "^"])  # `<a href="#">↩</a>`
_MAX_LINKS = 200  # of a footnote that may lead back
# `class="footnote-ref"` (pandoc), `class="reference"` (MediaWiki)
_NAMED = re.compile(r"foot-?note|note-?ref|fn-?ref|cite-?ref|endnote|\breference\b", re.IGNORECASE)
_BODY_TAGS = frozenset(["li", "p", "div", "aside", "dd"])
_SECTIONS = frozenset(["div", "aside"])
_WITHOUT_REF = re.compile(r"_|ref")


def find_notes(selection: Selection, addresses: Addresses) -> Notes:
    """Find the footnotes that are kept together with a reference to them."""
    search = _Search(selection, addresses)
    return search.notes() if search.links else Notes()


@dataclass(frozen=True, repr=False, eq=False)
class _Search:
    """The search for the footnotes of one page that links lead to."""

    selection: Selection
    addresses: Addresses

    @property
    def nodes(self) -> Nodes:
        """The page's elements."""
        return self.selection.page.nodes

    @cached_property
    def links(self) -> dict[int, str]:
        """Kept links with a fragment, and the fragment, which may be empty."""
        links = {}
        is_link = self.selection.page.is_tag(["a"]) & self.selection.marked
        for node in np.flatnonzero(is_link).tolist():
            _, sign, name = (self.nodes.attributes[node].get("href") or "").partition("#")
            if sign:
                links[node] = name.strip()
        return links

    @cached_property
    def marks(self) -> NoteMarks:
        """The marks of the page."""
        return NoteMarks(self.selection)

    @cached_property
    def texts(self) -> dict[int, str]:
        """The texts of links."""
        return self.marks.texts(self.links)

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
        lists = _lists(self.selection, {target.element for target in targets.values()})
        targets = {link: at for link, at in targets.items() if self._is_free(at.element, lists)}
        ids = choose_ids(targets, self.texts)
        parents = {int(nodes.parent[link]) for link in targets}
        return Notes(
            {link: ids[target] for link, target in targets.items()},
            {target.element: name for target, name in ids.items() if target.element >= 0},
            frozenset(lists),
            {at.first: (name, at.end) for at, name in ids.items() if at.element < 0},
            frozenset(node for node in parents if nodes.tags[node] == "sup"),
            self._back_links(targets, inside),
            self._taken_marks(targets),
        )

    def _is_free(self, element: int, lists: AbstractSet[int]) -> bool:
        """Whether a footnote is no item, or an item of a list of footnotes."""
        is_item = element >= 0 and self.nodes.tags[element] == "li"
        return not is_item or int(self.nodes.parent[element]) in lists

    # targets

    @cached_property
    def _unnamed(self) -> dict[str, int]:
        """Fragment of a reference, shortened -> a link back to it at the start of a block.

        Word writes `#_ftn1` and `#_ftnref1`, Google Docs `#ftnt1` and `#ftnt_ref1`.
        """
        back: dict[str, int] = {}
        for link, name in self.links.items():
            if "ref" in name and self.marks.block_begun_by(link) >= 0:
                back.setdefault(_WITHOUT_REF.sub("", name), link)
        return back

    def _places(self) -> dict[int, int]:
        """Link -> the element later on the page that it leads to."""
        named = _named_places(self.nodes)
        places = {}
        for link, name in self.links.items():
            place = named.get(name, -1)
            if place < 0 and "ref" not in name:
                place = self._unnamed.get(_WITHOUT_REF.sub("", name), -1)
            if place > link:
                places[link] = place
        return places

    def _candidates(self) -> dict[int, Target]:
        """Link -> what may be the footnote that it leads to."""
        block_level = nearest(self.selection.page, ~self.nodes.inline)
        places = self._places()
        by_element: dict[int, set[int]] = {}
        for place in places.values():
            by_element.setdefault(int(block_level[place]), set()).add(place)
        targets: dict[int, Target] = {}
        for element, inside in by_element.items():
            if self._can_hold(element):
                targets |= self._divided(element, inside)
        return {link: targets[place] for link, place in places.items() if place in targets}

    def _can_hold(self, element: int) -> bool:
        """Whether an element can be a footnote, or a few of them."""
        nodes = self.nodes
        if element < 0 or nodes.tags[element] not in _BODY_TAGS:
            return False
        size = int(nodes.end_block[element] - nodes.first_block[element])
        return bool(self.selection.marked[element]) and 0 < size <= MAX_BLOCKS

    def _divided(self, element: int, places: AbstractSet[int]) -> dict[int, Target]:
        """Place in an element -> its footnote: the element, or its blocks up to the next place."""
        nodes, kept = self.nodes, self.selection.kept
        first, end = int(nodes.first_block[element]), int(nodes.end_block[element])
        begun = {
            place: first if place == element else self.marks.block_begun_by(place)
            for place in places
        }
        starts = sorted({block for block in begun.values() if first <= block < end})
        if starts in ([first], []):
            whole = Target(first, end, element)
            is_line = nodes.tags[element] not in _SECTIONS  # `<p>1 <a name=n></a> text</p>`
            return {place: whole for place in places if begun[place] == first or is_line}
        ends = [*starts[1:], end if len(starts) > 1 else starts[0] + 1]
        spans = {at: Target(at, to, -1) for at, to in zip(starts, ends, strict=True) if kept[at]}
        return {place: spans[block] for place, block in begun.items() if block in spans}

    def _links_inside(self, targets: Iterable[Target]) -> dict[Target, list[int]]:
        """Target -> the links in its blocks."""
        ordered = sorted(set(targets), key=lambda target: (target.first, -target.end))
        begins = [target.first for target in ordered]
        inside: dict[Target, list[int]] = {}
        for link in self.links if ordered else ():
            block = self.marks.block_at(link)
            at = bisect_right(begins, block) - 1
            if at >= 0 and block < ordered[at].end:
                inside.setdefault(ordered[at], []).append(link)
        return inside

    # evidence

    def _refers(self, link: int) -> bool:
        """Whether a link on this page looks like a reference to a footnote."""
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

    def _answers(self, link: int, target: Target, inside: Iterable[int]) -> bool:
        """Whether a link shows a mark within a text, and its target has this mark or leads back.

        The address before the fragment counts only where the target has no mark: a saved page, or
        one with several addresses, names its own places by another one.
        """
        mark = bare_mark(self.texts.get(link, ""))
        if not mark or not self.marks.follows_text(link):
            return False
        if self.marks.at_start(target.first)[0] == mark:
            return True
        if not self.addresses.fragment(self.nodes.attributes[link].get("href")):
            return False
        if str(self.numbers.get(target.element)) == mark:
            return True
        names = set(self._names(link))
        return any(self.links[back] in names for back in islice(inside, _MAX_LINKS))

    def _names(self, link: int) -> Iterator[str]:
        """The names of a link, of an inline element next around it and of the first in it."""
        nodes, above = self.nodes, int(self.nodes.parent[link])
        around = [above] if above >= 0 and nodes.inline[above] else []
        within = [link + 1] if link + 1 < nodes.end[link] else []
        for node in (link, *around, *within):
            for name in ("id", "name"):
                if nodes.attributes[node].get(name):
                    yield nodes.attributes[node][name]

    # what notes repeat

    def _back_links(
        self, targets: Mapping[int, Target], inside: Mapping[Target, Iterable[int]]
    ) -> frozenset[int]:
        """Short links in a footnote that lead to a reference, or show the sign of a way back."""
        names = {name for link in targets for name in self._names(link)}
        short = {_WITHOUT_REF.sub("", self.links[link]) for link in targets}
        back_links = set()
        for target in set(targets.values()):
            for link in inside.get(target, ()):
                name, text = self.links[link], self.texts.get(link, "")
                leads = name in names or ("ref" in name and _WITHOUT_REF.sub("", name) in short)
                leads |= text in _BACK_SIGNS and not name
                if link not in targets and leads and len(text) <= _MAX_BACK_CHARS:
                    back_links.add(link)
        return frozenset(back_links)

    def _taken_marks(self, targets: Mapping[int, Target]) -> dict[int, int]:
        """The runs at the start of footnotes that repeat what their references show."""
        shown: dict[Target, str] = {}
        for link, target in targets.items():
            shown.setdefault(target, bare_mark(self.texts.get(link, "")))
        taken: dict[int, int] = {}
        for target, text in shown.items():
            mark, runs = self.marks.at_start(target.first)
            if text and mark == text and self.marks.leaves_text(runs, target.end):
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
    """The lists of whose kept items at least half are footnotes."""
    nodes = selection.page.nodes
    items = np.flatnonzero(selection.page.is_tag(["li"]) & selection.marked)
    counts = Counter(nodes.parent[items].tolist())
    is_item = [body for body in bodies if body >= 0 and nodes.tags[body] == "li"]
    notes = Counter(int(nodes.parent[body]) for body in is_item)
    return {
        node
        for node, count in notes.items()
        if nodes.tags[node] in LIST_TAGS and 2 * count >= counts[node]
    }
