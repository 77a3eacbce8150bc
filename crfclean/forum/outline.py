"""`Blocks` -> `Outline`: every element with a name that its likes share, and the text inside it.

Elements that one template made for every post share tag, classes and the shape of their id; an
element with neither class nor id is named by its parent. Elements of one name are a group.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.forum.clues import looks_like_date
from crfclean.lexicon.markup import QUOTE_NAMES
from crfclean.page.measures import Measures
from crfclean.types import Blocks, Bools, Ints

_MAX_NAME = 160  # characters of a name: what is further up is cut off
MAX_CLASSES = 8  # of an element's classes
QUOTES = frozenset(["blockquote", "q"])

_DIGITS = re.compile(r"\d+")
_QUOTE = re.compile(rf"(?<![a-z])(?:block)?(?:{QUOTE_NAMES})(?![a-z])", re.IGNORECASE)
_NO_QUOTE = re.compile(r"button|link|reply|select|control|action|multi", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def element_name(tag: str, attributes: Mapping[str, str]) -> str:
    """Tag, classes and a numbered id, digits masked.

    >>> name_of("div", {"class": "post p12", "id": "post_7"})
    'div.p#.post#post_#'
    """
    classes = attributes.get("class", "").split()[:MAX_CLASSES]
    words = sorted({_DIGITS.sub("#", word) for word in classes})
    element_id = attributes.get("id", "")
    number = _DIGITS.sub("#", element_id) if _DIGITS.search(element_id) else ""
    name = tag + "".join("." + word for word in words) + ("#" + number if number else "")
    return name[:_MAX_NAME]


def masked(text: str) -> str:
    """A text in lower case, every digit 0, white space folded.

    >>> masked("Posts:  12")
    'posts: 00'
    """
    return _DIGITS.sub(lambda match: "0" * len(match[0]), " ".join(text.lower().split()))


@dataclass(frozen=True)
class Outline:
    """A page's elements: `names` (m,), and the half-open bounds of their text runs, both (m,)."""

    page: Blocks
    names: tuple[str, ...]
    first: Ints
    last: Ints
    memo: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def words(self) -> Ints:
        """Words before each run and after the last one, shape (runs + 1,)."""
        counts = [len(_WORD.findall(text)) for text in self.page.runs.texts]
        return np.cumsum([0, *counts])

    @cached_property
    def masks(self) -> tuple[str, ...]:
        """The masked text of each run."""
        return tuple(masked(text) for text in self.page.runs.texts)

    @cached_property
    def dates(self) -> Bools:
        """Whether each run looks like a date, shape (runs,)."""
        return np.array([looks_like_date(text) for text in self.masks], np.bool_)

    @cached_property
    def linked(self) -> Bools:
        """Whether each run stands inside a link."""
        return Measures(self.page).inside(["a"])[self.page.runs.node] > 0

    @cached_property
    def quoted(self) -> Bools:
        """Whether each run stands inside a quote of another post."""
        nodes = self.page.nodes
        depth = np.zeros(len(nodes) + 1, np.int64)
        for node, (tag, attributes) in enumerate(zip(nodes.tags, nodes.attributes, strict=True)):
            if is_quote(tag, attributes):
                depth[node] += 1
                depth[nodes.end[node]] -= 1
        return np.cumsum(depth)[self.page.runs.node] > 0

    @cached_property
    def groups(self) -> Mapping[str, list[int]]:
        """Name -> its elements with text, in page order; those inside another are left out.

        A group with parents of several names has a part `parent/name` for each of them as well.
        """
        groups = defaultdict[str, list[int]](list)
        nodes = self.page.nodes
        for node in np.flatnonzero(self.last > self.first).tolist():
            members = groups[self.names[node]]
            if not members or node >= nodes.end[members[-1]]:
                members.append(node)
        for name, members in list(groups.items()):
            parents = [self.names[nodes.parent[node]] for node in members]
            if len(set(parents)) > 1:
                for parent, node in zip(parents, members, strict=True):
                    groups[f"{parent}/{name}"].append(node)
        return groups

    def lines(self, start: int, end: int, skip: Bools | None = None) -> list[str]:
        """The text of some runs, a line a block; without those that `skip` (runs,) marks."""
        runs, lines = self.page.runs, list[str]()
        before = -1
        for place in range(start, end):
            if skip is not None and skip[place]:
                continue
            if runs.block[place] != before:
                lines.append("")
            lines[-1] += runs.texts[place]
            before = runs.block[place]
        folded = (" ".join(line.split()) for line in lines)
        return [line for line in folded if line]

    def text(self, node: int) -> str:
        """The text inside an element, a line a block."""
        return "\n".join(self.lines(int(self.first[node]), int(self.last[node])))


def is_quote(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element holds words of another post, by its tag or classes."""
    if tag in QUOTES:
        return True
    name = attributes.get("class", "")
    return bool(name and tag != "a" and _QUOTE.search(name) and not _NO_QUOTE.search(name))


def outline(page: Blocks) -> Outline:
    """Name a page's elements and find their text; linear in the page."""
    nodes, runs = page.nodes, page.runs
    names: list[str] = []
    for tag, attributes, parent in zip(
        nodes.tags, nodes.attributes, nodes.parent.tolist(), strict=True
    ):
        name = element_name(tag, attributes)
        if name == tag and parent >= 0:
            name = f"{names[parent]}>{tag}"[-_MAX_NAME:]
        names.append(name)
    before = np.concatenate([[0], np.cumsum(np.bincount(runs.node, minlength=len(nodes)))])
    first = np.searchsorted(runs.after, np.arange(len(nodes)), side="right")
    return Outline(page, tuple(names), first, first + before[nodes.end] - before[:-1])
