"""Find a page's footnotes: what refers to them, and where they stand."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, count, islice

import numpy as np

from crfclean.document.selection import item_numbers
from crfclean.page.chars import having
from crfclean.page.elements import HEADINGS
from crfclean.page.head import Addresses
from crfclean.page.measures import Measures
from crfclean.types import Bools, Ints


@dataclass(frozen=True, slots=True)
class Notes:
    """Footnotes of a page: ids of references and bodies (elements), and of `lines` (blocks).

    `lists` hold footnotes, `superscripts` stand around references, and `back_links` lead back to
    them. `marks` maps a text run at the start of a footnote to the number of its characters that
    repeat the reference. `blocks` are all blocks of footnotes, also those that the model dropped.
    """

    references: Mapping[int, str] = field(default_factory=dict)
    bodies: Mapping[int, str] = field(default_factory=dict)
    lines: Mapping[int, str] = field(default_factory=dict)
    lists: frozenset[int] = frozenset()
    superscripts: frozenset[int] = frozenset()
    back_links: frozenset[int] = frozenset()
    marks: Mapping[int, int] = field(default_factory=dict)
    blocks: frozenset[int] = frozenset()


# A reference is a short link or superscript in a kept block. Its footnote comes after it on the
# page and is short. A link refers by its role, its class or a superscript, or if the footnote
# begins with its mark, has its number in an ordered list, or leads back. A superscript without such
# a link refers to the next block that begins with its mark (`<sup>1</sup> text`).

_MAX_BLOCKS = 30  # of a footnote; a longer target is a section of the text
_MAX_RUNS = 6  # of a mark: `[`, `<a>1</a>`, `]`, and white space between them
_MAX_CHARS = 40  # of these runs, with the white space of the source
_MAX_REFERENCE = 12  # characters: "[12]", "*", "note 3"
_MAX_BACK = 3  # characters of a link back: "^", "↩", "a"
_MAX_LINKS = 200  # of a footnote that may lead back
_BACK_SIGNS = frozenset(["↩", "↩\ufe0e", "↑", "⏎", "⤴", "↵", "^"])  # `<a href="#">↩</a>`
_BARE = r"\d{1,4}|[a-zA-Z]|[ivxl]{2,5}|[*†‡§¶]{1,3}"
_SHOWN = re.compile(rf"[\[(]?\s*({_BARE})\s*[\])]?")
_WHOLE = re.compile(rf"\s*(?:\^?\s*({_BARE})[.:)]?|\^?\s*[\[(]\s*({_BARE})\s*[\])][.:]?)\s*")
_SET_OFF = re.compile(rf"\s*(?:({_BARE})[.:)]|[\[(]\s*({_BARE})\s*[\])][.:]?)\s+")
_CLOSING = re.compile(r"[.:)]\s+")
_ID = re.compile(r"\w{1,8}")
# `class="footnote-ref"` (pandoc), `class="reference"` (MediaWiki), `role=doc-noteref`
_NAMED = re.compile(r"foot-?note|note-?ref|fn-?ref|cite-?ref|endnote|\breference\b", re.IGNORECASE)
_BODIES, _DIVS = ("li", "p", "div", "aside", "dd"), ("div", "aside")


def find_notes(page: Measures, kept: Bools, free: Bools, addresses: Addresses) -> Notes:
    """Find the footnotes of kept references; what is not kept of them must be `free`, both (n,)."""
    search = _Search(page, kept, kept | free, addresses)
    targets = search.linked()
    targets |= search.loose(targets)
    return search.notes(targets) if targets else Notes()


@dataclass(frozen=True, repr=False, eq=False)
class _Search:
    """The search on one page; a target is an element, or ~block for one that shares its element."""

    page: Measures
    kept: Bools
    possible: Bools
    addresses: Addresses

    @cached_property
    def fragments(self) -> dict[int, str]:
        """Map each link with a fragment, on this or any other page, to the fragment."""
        hrefs = self.page.nodes.attributes
        links = np.flatnonzero(self.page.is_tag("a")).tolist()
        parts = ((link, (hrefs[link].get("href") or "").partition("#")) for link in links)
        return {link: name.strip() for link, (_, sign, name) in parts if sign}

    @cached_property
    def texts(self) -> dict[int, str]:
        """Map each short superscript, and each short link with a fragment, to its text."""
        runs, ends, texts = self.page.runs, self.page.nodes.end, dict[int, str]()
        superscripts = np.flatnonzero(self.page.is_tag("sup")).tolist()
        nodes = np.array([*self.fragments, *superscripts], np.int64)
        places = (runs.after.searchsorted(at).tolist() for at in (nodes + 1, ends[nodes] + 1))
        for node, first, last in zip(nodes.tolist(), *places, strict=True):
            near = range(first, last)[:_MAX_RUNS]
            inside = (runs.texts[run] for run in near if node <= runs.node[run] < ends[node])
            text = "".join(inside).strip()
            if 0 < len(text) <= _MAX_REFERENCE:
                texts[node] = text
        return texts

    @cached_property
    def _solid(self) -> tuple[Ints, Ints, Ints]:
        """The runs with text, the elements that begin before each, and their blocks, with a -1."""
        runs = self.page.runs
        solid = np.flatnonzero(np.array([not text.isspace() for text in runs.texts], np.bool_))
        return solid, runs.after[solid], np.append(runs.block[solid], -1)

    def place(self, node: int) -> tuple[int, bool]:
        """Return the block of the text in or behind an element, and whether it begins the block."""
        _, afters, blocks = self._solid
        at = int(afters.searchsorted(node + 1))
        return int(blocks[at]), at == 0 or bool(blocks[at - 1] != blocks[at])

    def mark_at(self, block: int) -> tuple[str, dict[int, int]]:
        """Return the mark at the start of a block, and its characters in each run.

        Brackets, a full stop and a space, or the end of an element set a mark off:
        `<sup>1</sup> text` and `1. text` have one, `1 of them` has none.
        """
        runs, (solid, _, blocks) = self.page.runs, self._solid
        first = int(solid[blocks[:-1].searchsorted(block)])
        near = range(first, len(runs.texts))[:_MAX_RUNS]
        inside = [run for run in near if runs.block[run] == block and run not in runs.formulas]
        parts = [runs.texts[run][:_MAX_CHARS] for run in inside]
        text, ends = "".join(parts), list(accumulate(map(len, parts)))
        is_set_off = len(parts) == 1 or self.page.nodes.inline[runs.node[first]]
        wholes = (_WHOLE.fullmatch(text, 0, end) for end in ends if is_set_off)
        match = next(filter(None, wholes), None) or _SET_OFF.match(text)
        if not match or inside[0] != first:
            return "", {}
        end = (_CLOSING.match(text, match.end()) or match).end()
        begins = zip(inside, [0, *ends], strict=False)
        return match[1] or match[2], {run: end - at for run, at in begins if at < end}

    def span(self, target: int) -> range:
        """The blocks of a footnote."""
        nodes = self.page.nodes
        if target < 0:
            return range(~target, ~target + 1)
        return range(int(nodes.first_block[target]), int(nodes.end_block[target]))

    def fits(self, target: int) -> bool:
        """Return whether a target is short, and is or may be kept."""
        blocks = self.span(target)
        allowed = self.kept[blocks].any() or self.possible[blocks].all()
        return 0 < len(blocks) <= _MAX_BLOCKS and bool(allowed)

    def is_marked(self, target: int, mark: str) -> bool:
        """Return whether a footnote begins with a mark, and goes on behind it."""
        blocks = self.span(target)
        begins = mark != "" and self.mark_at(blocks.start)[0] == mark
        return begins and (len(blocks) > 1 or not _WHOLE.fullmatch(self.page.texts[blocks.start]))

    @cached_property
    def named(self) -> dict[str, int]:
        """Map each `id` and `name` to the first element that has it."""
        nodes, places = self.page.nodes, dict[str, int]()
        for node in having(nodes.attributes, ("id", "name")):
            for name in ("id", "name"):
                places.setdefault(nodes.attributes[node].get(name) or " ", node)
        return places

    def linked(self) -> dict[int, int]:
        """Map each reference to the footnote that it links to."""
        places = {link: self.named.get(name, -1) for link, name in self.fragments.items()}
        places = {
            link: place
            for link, place in places.items()
            if place > link and link in self.texts and self.kept[self.place(link)[0]]
        }
        block_level = self.page.table.nearest(~self.page.nodes.inline) if places else ()
        owners = {place: int(block_level[place]) for place in places.values()}
        sharing = Counter(owners.values())
        found = {place: self._target(place, at, sharing[at]) for place, at in owners.items()}
        targets = {link: found[place] for link, place in places.items()}
        return {
            link: target
            for link, target in targets.items()
            if target is not None
            and self.fits(target)
            and (self._refers(link) or self._answers(link, target))
        }

    def _target(self, place: int, element: int, sharing: int) -> int | None:
        """Return the footnote at a named place in a block-level element, None for none."""
        nodes, (block, begins) = self.page.nodes, self.place(place)
        if element >= 0 and nodes.tags[element] in HEADINGS:  # `<h5><a name=n>(1)</a></h5><p>text`
            element = place = min(int(nodes.end[element]), len(nodes) - 1)
        if element < 0 or nodes.tags[element] not in _BODIES:
            return None
        if sharing > 1:
            return ~block if begins and block in self.span(element) else None
        is_line = block == nodes.first_block[element] and nodes.tags[element] not in _DIVS
        return element if place == element or begins or is_line else None

    def _refers(self, link: int) -> bool:
        """Return whether a link on this page looks like a reference to a footnote."""
        nodes = self.page.nodes
        attributes, above = nodes.attributes[link], int(nodes.parent[link])
        if not self.addresses.fragment(attributes.get("href")):
            return False
        around = nodes.attributes[above].get("class") if nodes.inline[above] else ""
        names = [attributes.get(name) or "" for name in ("role", "rel", "class", "id")]
        is_named = _NAMED.search(" ".join([*names, around or ""]))
        return bool(is_named) or "sup" in (nodes.tags[above], *nodes.tags[link + 1 : link + 2])

    def _answers(self, link: int, target: int) -> bool:
        """Return whether a link shows a mark in a text, and its target has the mark or links back.

        The address before the fragment counts only if the target has no mark: links of a saved page
        may name its old address.
        """
        mark, (_, begins) = bare_mark(self.texts[link]), self.place(link)
        if not mark or begins:
            return False
        href = self.page.nodes.attributes[link].get("href")
        is_here = bool(self.addresses.fragment(href))
        answers = str(self._numbers.get(target)) == mark or self._back_links(link, target)
        return self.is_marked(target, mark) or (is_here and bool(answers))

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return item_numbers(self.page)

    @cached_property
    def _links_of(self) -> dict[int, list[int]]:
        """Map each block to its short links with a fragment."""
        links: dict[int, list[int]] = {}
        for link in filter(self.texts.get, self.fragments):
            links.setdefault(self.place(link)[0], []).append(link)
        return links

    def _links_in(self, target: int) -> Iterator[int]:
        links = (self._links_of.get(block, ()) for block in self.span(target))
        return islice(chain.from_iterable(links), _MAX_LINKS)

    def _back_links(self, reference: int, target: int) -> list[int]:
        """The links in a footnote to its reference, or to an element around or in that."""
        near, links = range(reference - 1, reference + 2), self._links_in(target)
        return [link for link in links if self.named.get(self.fragments[link], -1) in near]

    def loose(self, linked: Mapping[int, int]) -> dict[int, int]:
        """Map each superscript that is no link to the next footnote with its mark.

        The marks begin with 1 or are no numbers: `m<sup>2</sup>` refers to nothing.
        """
        nodes, targets = self.page.nodes, dict[int, int]()
        around = {node for link in linked for node in (int(nodes.parent[link]), link + 1)}
        found = {node: text for node, text in self.texts.items() if nodes.tags[node] == "sup"}
        places = {node: self.place(node) for node in found if node not in around}
        references = [at for at, (block, begins) in places.items() if self.kept[block] > begins]
        bodies = self._marked(references[0]) if references else {}
        for node in references:
            of_mark = bodies.get(bare_mark(found[node]), [])
            at = bisect_right(of_mark, (places[node][0], len(nodes)))
            if at < len(of_mark):
                targets[node] = of_mark[at][1]
        marks = {bare_mark(found[node]) for node in targets}
        return targets if "1" in marks or not any(map(str.isdigit, marks)) else {}

    def _marked(self, first: int) -> dict[str, list[tuple[int, int]]]:
        """Map marks to the footnotes behind an element that begin with them or have their number.

        They stand in an element with a telling name, or begin with an inline element.
        """
        page, nodes, bodies = self.page, self.page.nodes, dict[str, list[tuple[int, int]]]()
        named = page.is_tag("aside")
        for name in ("class", "id"):
            which, values = page.attribute(name)
            tells = [_NAMED.search(value) is not None for value in values]
            named = named | np.array(tells)[which]
        named[: first + 1] = False
        within = page.table.nearest(named) >= 0
        items = np.flatnonzero(within & page.is_tag("li")).tolist()
        found = [(str(self._numbers.get(item)), item) for item in items]
        solid, _, blocks = self._solid
        starts = solid[np.flatnonzero(np.diff(blocks, prepend=-1))[:-1]]
        is_marked = nodes.inline[page.runs.node[starts]] | within[page.node]
        is_marked[: self.place(first)[0] + 1] = False
        for block in np.flatnonzero(is_marked).tolist():
            element = int(page.node[block])
            target = element if len(self.span(element)) == 1 else ~block
            mark, _ = self.mark_at(block)
            if nodes.tags[element] in _BODIES and self.is_marked(target, mark):
                found.append((mark, target))
        for mark, target in found:
            if self.fits(target):
                insort(bodies.setdefault(mark, []), (self.span(target).start, target))
        return bodies

    def in_lists(self, targets: Mapping[int, int]) -> tuple[dict[int, int], frozenset[int]]:
        """Return the references but those to items of other lists, and the lists of footnotes.

        In these at least half of the items are footnotes.
        """
        nodes, of = self.page.nodes, self.page.nodes.parent
        bodies = {at for at in targets.values() if at >= 0 and nodes.tags[at] == "li"}
        items = np.flatnonzero(self.page.is_tag("li")).tolist() if bodies else []
        counts = Counter(int(of[item]) for item in items if self.fits(item))
        notes = Counter(int(of[body]) for body in bodies)
        lists = {at for at, many in notes.items() if 2 * many >= counts[at]}
        lists = {at for at in lists if nodes.tags[at] in ("ul", "ol")}
        others = {body for body in bodies if int(of[body]) not in lists}
        return {link: at for link, at in targets.items() if at not in others}, frozenset(lists)

    def notes(self, targets: Mapping[int, int]) -> Notes:
        """The footnotes of references."""
        targets, lists = self.in_lists(targets)
        nodes, ids = self.page.nodes, choose_ids(targets, self.texts)
        parents = {int(nodes.parent[link]) for link in targets}
        marks, back_links = dict[int, int](), set[int]()
        for link, target in targets.items():
            if self.is_marked(target, bare_mark(self.texts[link])):
                marks |= self.mark_at(self.span(target).start)[1]
            back_links |= {at for at in self._links_in(target) if self.texts[at] in _BACK_SIGNS}
            back_links |= set(self._back_links(link, target))
        return Notes(
            {link: ids[target] for link, target in targets.items()},
            {target: name for target, name in ids.items() if target >= 0},
            {~target: name for target, name in ids.items() if target < 0},
            lists,
            frozenset(node for node in parents if nodes.tags[node] == "sup"),
            frozenset(at for at in back_links if len(self.texts[at]) <= _MAX_BACK),
            marks,
            frozenset(block for target in ids for block in self.span(target)),
        )


def bare_mark(text: str) -> str:
    """Return the mark in a reference, without brackets, "" for a text that is no mark.

    >>> bare_mark("[12]"), bare_mark("*"), bare_mark("see there")
    ('12', '*', '')
    """
    match = _SHOWN.fullmatch(text.strip())
    return match[1] if match else ""


def choose_ids(targets: Mapping[int, int], texts: Mapping[int, str]) -> dict[int, str]:
    """Return the ids of footnotes: the text of the first reference if unused, else a number."""
    ids, used = dict[int, str](), set[str]()
    numbers = (f"n{number}" for number in count(1))
    for link, target in targets.items():
        if target not in ids:
            shown = texts[link].strip("[]() \u00a0")
            names = chain([shown] if _ID.fullmatch(shown) else [], numbers)
            ids[target] = next(name for name in names if name not in used)
            used.add(ids[target])
    return ids
