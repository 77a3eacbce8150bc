"""`Blocks` -> `Survey`: the elements in which a page says what it is, found in one pass."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np

from crfclean.expert.headings import find_best_header
from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import MAX_TEXT, plain
from crfclean.page.measures import measured
from crfclean.page.paragraphs import Elements
from crfclean.types import Blocks

MAX_RUNS = 300  # pieces of text of an element that are read
MAX_MARKED = 1_000  # elements with `itemprop` or `property` that are read
MAX_NEAR = 2_000  # elements near the heading that are looked at
MAX_PLACES = 200  # elements of a kind that are looked at
NEAR_BEFORE, NEAR_AFTER = 8, 14  # blocks around the main heading that may be its byline

_CLASSES = {
    "title": re.compile(
        r"(?:entry|post|article|page|topic|thread|product|story|content|blog|news)[-_]{0,2}"
        r"(?:title|headline|heading|name)|^headline$|p-name|\bheadline\b",
        re.IGNORECASE,
    ),
    "author": re.compile(
        r"(?<![a-z])(?:p-)?(?:author|byline|autor|auteur|writer|username|user-?_?name|poster|"
        r"contributor|posted-?_?by|creator)|(?<=[a-z])(?:Author|ByLine|Byline|username|User-?[Nn]ame)|by-line",
    ),
    "date": re.compile(
        r"(?<![a-z])(?:dt-|post|entry|article|pub)?[-_]?(?:date|published|pubdate|posted|"
        r"timestamp|datetime|updated|modified|time)(?![a-z])|(?<=[a-z])(?:Date|Published|Time)\b",
    ),
}
"""What the classes and the id of an element say that it holds."""

_STEMS = (
    "title head name auth autor auteur by-line byline writer user poster contrib posted creator "
    "date publi time modif"
).split()
"""What every class of `_CLASSES` has one of: most have none, and need no pattern."""

_RELS = {"author": "author", "tag": "tag", "category": "category", "license": "licence"}


@dataclass(frozen=True, slots=True)
class Survey:
    """Elements by what they may hold, in page order; `main` is the main heading, -1 for none."""

    blocks: Blocks
    main: int = -1
    headings: tuple[int, ...] = ()
    times: tuple[int, ...] = ()
    marked: tuple[int, ...] = ()
    rels: tuple[tuple[str, int], ...] = ()
    profiles: tuple[int, ...] = ()
    classed: tuple[tuple[str, int], ...] = ()

    def lines(self, node: int) -> list[str]:
        """What an element shows, a text a block, white space folded, cut at `MAX_TEXT`."""
        runs, end = self.blocks.runs, int(self.blocks.nodes.end[node])
        low = int(np.searchsorted(runs.after, node + 1, "left"))
        high = int(np.searchsorted(runs.after, end, "right"))
        texts: dict[int, list[str]] = {}
        size = 0
        for run in range(low, min(high, low + MAX_RUNS)):
            if node <= runs.node[run] < end:
                texts.setdefault(int(runs.block[run]), []).append(runs.texts[run])
                size += len(runs.texts[run])
            if size > MAX_TEXT:
                break
        return [line for line in (plain("".join(one)) for one in texts.values()) if line]

    def text(self, node: int) -> str:
        """What an element shows, as one text."""
        return plain(" ".join(self.lines(node)))

    def is_near(self, node: int) -> bool:
        """Whether an element stands close to the main heading."""
        if self.main < 0:
            return False
        first = self.blocks.nodes.first_block
        away = int(first[node]) - int(first[self.main])
        return -NEAR_BEFORE <= away <= NEAR_AFTER

    def holds(self, node: int) -> bool:
        """Whether an element shows any text."""
        nodes = self.blocks.nodes
        return bool(nodes.end_block[node] > nodes.first_block[node])


@lru_cache(maxsize=20_000)
def kind_of_class(name: str) -> str:
    """What the classes of an element say that it holds, "" for nothing.

    >>> [kind_of_class(one) for one in ("entry-title", "post-author vcard", "posted-on", "menu")]
    ['title', 'author', 'date', '']
    """
    name = name[:300]
    low = name.lower()
    for stem in _STEMS:
        if stem in low:
            break
    else:
        return ""
    return next((kind for kind, known in _CLASSES.items() if known.search(name)), "")


@dataclass(slots=True)
class _Places:
    headings: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    marked: list[int] = field(default_factory=list)
    rels: list[tuple[str, int]] = field(default_factory=list)
    classed: dict[str, list[int]] = field(default_factory=lambda: {kind: [] for kind in _CLASSES})


def survey(blocks: Blocks) -> Survey:
    """Find the elements that may say something of a page."""
    tags, attributes = blocks.nodes.tags, blocks.nodes.attributes
    found = _Places()
    for node in [node for node, tag in enumerate(tags) if tag in _NOTED]:
        _note_tag(found, node, tags[node], attributes[node])
    marked = [node for node, one in enumerate(attributes) if "itemprop" in one or "property" in one]
    found.marked = [
        node for node in marked if tags[node] != "meta" or "itemprop" in attributes[node]
    ]
    names = [one.get("class") or one.get("id", "") for one in attributes]
    kinds = {name: kind_of_class(name) for name in set(names)}
    for node in [node for node, name in enumerate(names) if kinds[name]]:
        places = found.classed[kinds[names[node]]]
        if len(places) < MAX_PLACES:
            places.append(node)
    main = _main_heading(blocks, found.headings)
    classed = ((kind, node) for kind, nodes in found.classed.items() for node in nodes)
    return Survey(
        blocks,
        main,
        tuple(found.headings),
        tuple(found.times),
        tuple(found.marked[:MAX_MARKED]),
        tuple(found.rels),
        _profiles(blocks, main),
        tuple(classed),
    )


_NOTED = frozenset(["h1", "h2", "time", "a"])


def _note_tag(found: _Places, node: int, tag: str, attributes: Mapping[str, str]) -> None:
    """Put an element where its name says that it belongs."""
    if tag == "a":
        for name in attributes["rel"].lower().split()[:5] if "rel" in attributes else ():
            if name in _RELS and len(found.rels) < MAX_PLACES:
                found.rels.append((_RELS[name], node))
    else:
        places = found.times if tag == "time" else found.headings
        if len(places) < MAX_PLACES:
            places.append(node)


def _main_heading(blocks: Blocks, headings: Sequence[int]) -> int:
    """The only `h1`, or the one of several headings that the expert's rules choose; -1 for none."""
    nodes = blocks.nodes
    held = [node for node in headings if nodes.end_block[node] > nodes.first_block[node]]
    ones = [node for node in held if nodes.tags[node] == "h1"]
    if len(ones) == 1:
        return ones[0]
    return find_best_header(Elements(measured(blocks))).first if len(blocks) else -1


def _profiles(blocks: Blocks, main: int) -> tuple[int, ...]:
    """Links near the main heading that lead to somebody's profile."""
    if main < 0:
        return ()
    nodes = blocks.nodes
    heading = int(nodes.first_block[main])
    bounds = (heading - NEAR_BEFORE, heading + NEAR_AFTER + 1)
    first, end = (int(np.searchsorted(nodes.first_block, one)) for one in bounds)
    links = (node for node in range(first, min(end, first + MAX_NEAR)) if nodes.tags[node] == "a")
    hrefs = ((node, nodes.attributes[node].get("href", "")[:500]) for node in links)
    pattern = _author_path()
    return tuple(node for node, href in hrefs if pattern.search(href))[:MAX_PLACES]


@cache
def _author_path() -> re.Pattern[str]:
    """Addresses of people's pages."""
    steps = lexicon().pattern(lambda language: language.bylines.paths)
    members = r"(?:member|user|profile)(?:list)?\.php\?"
    return re.compile(rf"/(?:{steps})/[^/?#]+|{members}", re.IGNORECASE)
