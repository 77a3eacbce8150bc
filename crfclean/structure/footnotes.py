"""Find a page's footnotes: the links that lead to them and the elements that hold them.

Both must be kept. A link to a place on the page is a reference if its role, its class or a
superscript says so, and if its target comes after it and is short.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from crfclean.page.tree import nearest
from crfclean.page.urls import Addresses
from crfclean.structure.selection import Selection
from crfclean.types import Nodes

LIST_TAGS = ("ul", "ol")
_MAX_BLOCKS = 30  # of a footnote; a longer target is a section of the text
_MAX_MARK_CHARS = 12  # of a reference: "[12]", "*", "note 3"
_MAX_BACK_CHARS = 3  # of a link back: "^", "↩", "a"
# `class="footnote-ref"` (pandoc), `class="reference"` (MediaWiki)
_NAMED = re.compile(r"foot-?note|note-?ref|fn-?ref|cite-?ref|endnote|\breference\b", re.IGNORECASE)
_BODY_TAGS = frozenset(["li", "p", "div", "aside", "dd"])
_MARK = re.compile(r"\w{1,8}")


@dataclass(frozen=True, slots=True)
class Notes:
    """Footnotes of a page; elements are given by their index.

    `references` are links and `bodies` footnotes, each with the footnote's id; `lists` hold
    footnotes. `superscripts` are those around references, which they repeat; `back_links` lead
    from a footnote to its reference.
    """

    references: Mapping[int, str] = field(default_factory=dict)
    bodies: Mapping[int, str] = field(default_factory=dict)
    lists: frozenset[int] = frozenset()
    superscripts: frozenset[int] = frozenset()
    back_links: frozenset[int] = frozenset()


def find_notes(selection: Selection, addresses: Addresses) -> Notes:
    """Find the footnotes that are kept together with a reference to them."""
    nodes = selection.elements.blocks.nodes
    links = _links(selection, addresses)
    if not links:
        return Notes()
    texts, places = _texts(selection, links), _places(nodes)
    page = selection.elements.page
    block_level = nearest(page, ~nodes.inline).tolist()
    bodies = {}  # link -> the footnote that it leads to
    for link, name in links.items():
        body = _body(selection, block_level[places[name]] if name in places else -1, link)
        if body >= 0 and _refers(nodes, link, texts.get(link, "")):
            bodies[link] = body
    lists = _lists(selection, set(bodies.values()))
    bodies = {
        link: body
        for link, body in bodies.items()
        if nodes.tags[body] != "li" or int(nodes.parent[body]) in lists
    }
    ids = _ids(bodies, texts)
    parents = {int(nodes.parent[link]) for link in bodies}
    return Notes(
        {link: ids[body] for link, body in bodies.items()},
        ids,
        frozenset(lists),
        frozenset(node for node in parents if nodes.tags[node] == "sup"),
        _back_links(nodes, links, places, texts, bodies),
    )


def _links(selection: Selection, addresses: Addresses) -> dict[int, str]:
    """Kept links to places on the page, with the names of these places."""
    nodes, links = selection.elements.blocks.nodes, {}
    for node in np.flatnonzero(selection.elements.page.is_tag(["a"]) & selection.marked).tolist():
        href = nodes.attributes[node].get("href") or ""
        if "#" in href and (name := addresses.fragment(href)):
            links[node] = name
    return links


def _texts(selection: Selection, links: Mapping[int, str]) -> dict[int, str]:
    """The texts of links."""
    blocks = selection.elements.blocks
    is_link = np.zeros(len(blocks.nodes), np.bool_)
    is_link[list(links)] = True
    link_of_run = nearest(selection.elements.page, is_link)[blocks.runs.node]
    texts: dict[int, list[str]] = {}
    for run in np.flatnonzero(link_of_run >= 0).tolist():
        texts.setdefault(int(link_of_run[run]), []).append(blocks.runs.texts[run])
    return {link: "".join(parts).strip() for link, parts in texts.items()}


def _places(nodes: Nodes) -> dict[str, int]:
    """Name (`id` or `name`) -> the first element that has it."""
    places: dict[str, int] = {}
    for node, attributes in enumerate(nodes.attributes):
        if attributes:
            for name in (attributes.get("id"), attributes.get("name")):
                if name:
                    places.setdefault(name, node)
    return places


def _body(selection: Selection, place: int, link: int) -> int:
    """The paragraph or item that a link leads to if it can be a footnote, else -1."""
    nodes = selection.elements.blocks.nodes
    if place < link or nodes.tags[place] not in _BODY_TAGS or not selection.marked[place]:
        return -1
    size = nodes.end_block[place] - nodes.first_block[place]
    return place if 0 < size <= _MAX_BLOCKS else -1


def _refers(nodes: Nodes, link: int, text: str) -> bool:
    """Whether a link looks like a reference to a footnote."""
    attributes, above = nodes.attributes[link], int(nodes.parent[link])
    if not text or len(text) > _MAX_MARK_CHARS:
        return False
    if attributes.get("role") == "doc-noteref" or attributes.get("rel") == "footnote":
        return True
    holds_sup = link + 1 < nodes.end[link] and nodes.tags[link + 1] == "sup"
    if holds_sup or nodes.tags[above] == "sup":
        return True
    around = nodes.attributes[above].get("class") if nodes.inline[above] else ""
    return bool(_NAMED.search(f"{attributes.get('class')} {attributes.get('id')} {around}"))


def _lists(selection: Selection, bodies: set[int]) -> set[int]:
    """The lists of whose kept items at least half are footnotes."""
    nodes = selection.elements.blocks.nodes
    items = np.flatnonzero(selection.elements.page.is_tag(["li"]) & selection.marked)
    counts = Counter(nodes.parent[items].tolist())
    notes = Counter(int(nodes.parent[body]) for body in bodies if nodes.tags[body] == "li")
    return {
        node
        for node, count in notes.items()
        if nodes.tags[node] in LIST_TAGS and 2 * count >= counts[node]
    }


def _ids(bodies: Mapping[int, int], texts: Mapping[int, str]) -> dict[int, str]:
    """Footnote -> its id: the text of its first reference if it is free, else a number."""
    ids: dict[int, str] = {}
    used: set[str] = set()
    number = 0
    for link, body in bodies.items():
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


def _back_links(
    nodes: Nodes,
    links: Mapping[int, str],
    places: Mapping[str, int],
    texts: Mapping[int, str],
    bodies: Mapping[int, int],
) -> frozenset[int]:
    """Short links in a footnote that lead to a reference or to the element next around or in it."""
    targets = set(bodies)
    for link in bodies:
        above = int(nodes.parent[link])
        targets |= {above} if above >= 0 and nodes.inline[above] else set()
        targets |= {link + 1} if link + 1 < nodes.end[link] else set()
    spans = sorted((body, int(nodes.end[body])) for body in set(bodies.values()))
    begins = [begin for begin, _ in spans]
    back_links = set()
    for link, name in links.items():
        at = int(np.searchsorted(begins, link, "right")) - 1 if begins else -1
        inside = at >= 0 and link < spans[at][1]
        short = len(texts.get(link, "")) <= _MAX_BACK_CHARS
        if inside and short and link not in bodies and places.get(name, -1) in targets:
            back_links.add(link)
    return frozenset(back_links)
