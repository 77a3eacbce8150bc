"""`Marked` + addresses -> a page's footnotes: which links lead to one, which elements are one.

Both ends must be kept. A link to a place on the page is a reference where its role, its class or
a superscript says so, and what it leads to comes after it and is short.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from crfclean.page.elements import INLINE
from crfclean.page.tree import nearest
from crfclean.page.urls import Addresses
from crfclean.structure.selection import Marked
from crfclean.types import Nodes

LISTS = ("ul", "ol")
MAX_BLOCKS = 30  # of a footnote
MAX_MARK_CHARS = 12  # of a reference's text: "[12]", "*", "note 3"
MAX_BACK_CHARS = 3  # "^", "↩", "a"
_NAMED = re.compile(r"foot-?note|note-?ref|fn-?ref|cite-?ref|endnote|\breference\b", re.IGNORECASE)
_BODIES = frozenset(["li", "p", "div", "aside", "dd"])
_MARK = re.compile(r"\w{1,8}")


@dataclass(frozen=True, slots=True)
class Notes:
    """Footnotes of a page, elements by their index.

    `references` are links with the id of their footnote, `bodies` footnotes with theirs, `lists`
    those that hold footnotes; `bare` are superscripts around references, which say no more, and
    `backs` links in a footnote that only lead back to its reference.
    """

    references: Mapping[int, str] = field(default_factory=dict)
    bodies: Mapping[int, str] = field(default_factory=dict)
    lists: frozenset[int] = frozenset()
    bare: frozenset[int] = frozenset()
    backs: frozenset[int] = frozenset()


def find_notes(marks: Marked, addresses: Addresses) -> Notes:
    """The footnotes that are kept with a reference to them."""
    nodes = marks.page.blocks.nodes
    links = _links(marks, addresses)
    if not links:
        return Notes()
    texts, places = _texts(marks, links), _places(nodes)
    solid = nearest(marks.page.page, ~marks.page.page.is_tag(INLINE)).tolist()
    found = {}
    for link, name in links.items():
        body = _body(marks, solid[places[name]] if name in places else -1, link)
        if body >= 0 and _refers(nodes, link, texts.get(link, "")):
            found[link] = body
    lists = _lists(marks, set(found.values()))
    found = {
        link: body
        for link, body in found.items()
        if nodes.tags[body] != "li" or int(nodes.parent[body]) in lists
    }
    ids = _ids(found, texts)
    bare = {int(nodes.parent[link]) for link in found}
    return Notes(
        {link: ids[body] for link, body in found.items()},
        ids,
        frozenset(lists),
        frozenset(node for node in bare if nodes.tags[node] == "sup"),
        _backs(nodes, links, places, texts, found),
    )


def _links(marks: Marked, addresses: Addresses) -> dict[int, str]:
    """Kept links to places on the page, with the place's name."""
    nodes, found = marks.page.blocks.nodes, {}
    for node in np.flatnonzero(marks.page.page.is_tag(["a"]) & marks.wanted).tolist():
        href = nodes.attributes[node].get("href") or ""
        if "#" in href and (name := addresses.fragment(href)):
            found[node] = name
    return found


def _texts(marks: Marked, links: Mapping[int, str]) -> dict[int, str]:
    """The text of some links."""
    blocks = marks.page.blocks
    wanted = np.zeros(len(blocks.nodes), np.bool_)
    wanted[list(links)] = True
    around = nearest(marks.page.page, wanted)[blocks.runs.node]
    found: dict[int, list[str]] = {}
    for run in np.flatnonzero(around >= 0).tolist():
        found.setdefault(int(around[run]), []).append(blocks.runs.texts[run])
    return {link: "".join(texts).strip() for link, texts in found.items()}


def _places(nodes: Nodes) -> dict[str, int]:
    """Name -> the first element that has it."""
    found: dict[str, int] = {}
    for node, attributes in enumerate(nodes.attributes):
        if attributes:
            for name in (attributes.get("id"), attributes.get("name")):
                if name:
                    found.setdefault(name, node)
    return found


def _body(marks: Marked, place: int, link: int) -> int:
    """The paragraph or item that a link leads to, if it is a footnote, else -1."""
    nodes = marks.page.blocks.nodes
    if place < link or nodes.tags[place] not in _BODIES or not marks.wanted[place]:
        return -1
    size = nodes.end_block[place] - nodes.first_block[place]
    return place if 0 < size <= MAX_BLOCKS else -1


def _refers(nodes: Nodes, link: int, text: str) -> bool:
    """Whether a link looks like the mark of a footnote."""
    attributes, above = nodes.attributes[link], int(nodes.parent[link])
    if not text or len(text) > MAX_MARK_CHARS:
        return False
    if attributes.get("role") == "doc-noteref" or attributes.get("rel") == "footnote":
        return True
    inner = link + 1 < nodes.end[link] and nodes.tags[link + 1] == "sup"
    if inner or nodes.tags[above] == "sup":
        return True
    around = nodes.attributes[above].get("class") if nodes.tags[above] in INLINE else ""
    return bool(_NAMED.search(f"{attributes.get('class')} {attributes.get('id')} {around}"))


def _lists(marks: Marked, bodies: set[int]) -> set[int]:
    """The lists of which half of the kept items are footnotes, or more."""
    nodes = marks.page.blocks.nodes
    items = np.flatnonzero(marks.page.page.is_tag(["li"]) & marks.wanted)
    counts = Counter(nodes.parent[items].tolist())
    notes = Counter(int(nodes.parent[body]) for body in bodies if nodes.tags[body] == "li")
    return {
        node
        for node, count in notes.items()
        if nodes.tags[node] in LISTS and 2 * count >= counts[node]
    }


def _ids(found: Mapping[int, int], texts: Mapping[int, str]) -> dict[int, str]:
    """Footnote -> its id: what its first reference shows, if no other has it, else a number."""
    ids: dict[int, str] = {}
    used: set[str] = set()
    number = 0
    for link, body in found.items():
        if body in ids:
            continue
        shown = texts[link].strip("[]() \u00a0")
        if not _MARK.fullmatch(shown) or shown in used:
            number += 1
            while (shown := f"n{number}") in used:
                number += 1
        used.add(shown)
        ids[body] = shown
    return ids


def _backs(
    nodes: Nodes,
    links: Mapping[int, str],
    places: Mapping[str, int],
    texts: Mapping[int, str],
    found: Mapping[int, int],
) -> frozenset[int]:
    """Links back: short ones in a footnote that lead to a reference or what is right around it."""
    starts = set(found)
    for link in found:
        above = int(nodes.parent[link])
        starts |= {above} if above >= 0 and nodes.tags[above] in INLINE else set()
        starts |= {link + 1} if link + 1 < nodes.end[link] else set()
    spans = sorted((body, int(nodes.end[body])) for body in set(found.values()))
    begins = [begin for begin, _ in spans]
    backs = set()
    for link, name in links.items():
        at = int(np.searchsorted(begins, link, "right")) - 1 if begins else -1
        inside = at >= 0 and link < spans[at][1]
        short = len(texts.get(link, "")) <= MAX_BACK_CHARS
        if inside and short and link not in found and places.get(name, -1) in starts:
            backs.add(link)
    return frozenset(backs)
