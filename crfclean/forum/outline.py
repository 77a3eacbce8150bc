"""Elements of a page, named so that those of one template share a name, with their text.

Elements that a template repeats for every post share tag, classes and the shape of their id; an
element with neither class nor id takes its parent's name. Elements of one name form a group.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.forum.alike import coarse_names, is_nameless, merged, places_in_parents
from crfclean.forum.asides import beside, without_asides
from crfclean.forum.clues import kinds_of, looks_like_date, profile_pattern, words_of
from crfclean.lexicon.markup import QUOTE_WORDS
from crfclean.page.measures import Measures
from crfclean.types import Blocks, Bools, Ints

_MAX_NAME = 160  # characters; names of distant ancestors are cut off
MAX_CLASSES = 8  # of an element
_INLINE = frozenset("b strong i em font span u".split())
"""Elements that only colour a name."""

_DIGITS = re.compile(r"\d+")
_QUOTE_WORDS = frozenset(QUOTE_WORDS.split())
_NO_QUOTE = re.compile(r"button|link|reply|select|control|action|multi", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def element_name(tag: str, attributes: Mapping[str, str]) -> str:
    """Name an element by tag, classes and a numbered id, digits masked.

    >>> element_name("div", {"class": "post p12", "id": "post_7"})
    'div.p#.post#post_#'
    """
    classes = attributes.get("class", "").split()[:MAX_CLASSES]
    words = sorted({_DIGITS.sub("#", word) for word in classes})
    element_id = attributes.get("id", "")
    number = _DIGITS.sub("#", element_id) if _DIGITS.search(element_id) else ""
    name = tag + "".join("." + word for word in words) + ("#" + number if number else "")
    return name[:_MAX_NAME]


def masked(text: str) -> str:
    """Lower-case a text, replace every digit by 0, fold white space.

    >>> masked("Posts:  12")
    'posts: 00'
    """
    return _DIGITS.sub(lambda match: "0" * len(match[0]), " ".join(text.lower().split()))


@dataclass(frozen=True)
class Outline:
    """A page's elements: `names` (m,), half-open bounds of their runs `first`, `last` (m,)."""

    page: Blocks
    names: tuple[str, ...]
    first: Ints
    last: Ints
    memo: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def words(self) -> Ints:
        """Number of words before each run, and of all words, shape (runs + 1,)."""
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
        """Whether each run stands inside a link, shape (runs,)."""
        return Measures(self.page).inside(["a"])[self.page.runs.node] > 0

    @cached_property
    def authors(self) -> Bools:
        """Whether each run stands in an element named for authors, or a member's link, (runs,).

        An element named for a date as well, as `user-action-time`, is none.
        """
        nodes, marks = self.page.nodes, list[bool]()
        for tag, attributes, parent in zip(
            nodes.tags, nodes.attributes, nodes.parent.tolist(), strict=True
        ):
            name = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}"
            link = attributes.get("href", "") if tag == "a" else ""
            kinds = kinds_of(words_of(name))
            marks.append(
                ("author" in kinds and "date" not in kinds)
                or bool(link and profile_pattern().search(link))
                or (tag in _INLINE and not name.strip() and parent >= 0 and marks[parent])
            )
        return np.array(marks, np.bool_)[self.page.runs.node]

    @cached_property
    def preformatted(self) -> Bools:
        """Whether each run keeps its line breaks, shape (runs,)."""
        return Measures(self.page).inside(["pre"])[self.page.runs.node] > 0

    @cached_property
    def quotes(self) -> Ints:
        """Elements that are made for quotes of other posts, in page order."""
        nodes = self.page.nodes
        marked = map(is_quote, nodes.tags, nodes.attributes)
        return np.flatnonzero(np.fromiter(marked, np.bool_, len(nodes)))

    @cached_property
    def quoted(self) -> Bools:
        """Whether each run stands inside one of the `quotes`, shape (runs,)."""
        return self.inside(self.first[self.quotes], self.last[self.quotes])

    def inside(self, first: Ints, last: Ints) -> Bools:
        """Whether each run stands in one of some half-open spans of runs, shape (runs,)."""
        count = len(self.page.runs.texts) + 1
        depth = np.bincount(first, minlength=count) - np.bincount(last, minlength=count)
        return np.cumsum(depth)[:-1] > 0

    @cached_property
    def groups(self) -> Mapping[str, list[int]]:
        """Elements with text by name, in page order, without those inside another of their name.

        A group whose parents have several names is also listed by parent, as `parent/name`; one
        of elements without a class, several in each parent, by their place, as `name[2]`; and
        elements that share a class and differ in others, together, as `~name`. Elements in an aside
        belong to no group that has most of its elements elsewhere.
        """
        groups = self._by_name(self.names)
        nodes = self.page.nodes
        for name, members in list(groups.items()):
            parents = [self.names[nodes.parent[node]] for node in members]
            if len(set(parents)) > 1:
                for parent, node in zip(parents, members, strict=True):
                    groups[f"{parent}/{name}"].append(node)
            if is_nameless(name):
                for place, node in places_in_parents(nodes.parent[members].tolist(), members):
                    groups[f"{name}[{place}]"].append(node)
        coarse = coarse_names(nodes.tags, nodes.attributes, nodes.parent.tolist())
        for name, members in merged(self._by_name(coarse), self.names, nodes.attributes).items():
            groups[f"~{name}"] = members
        aside = beside(nodes)
        if not aside.any():
            return groups
        return {name: without_asides(members, aside) for name, members in groups.items()}

    def _by_name(self, names: Sequence[str]) -> defaultdict[str, list[int]]:
        """Elements with text by name, without those inside another of their name."""
        groups = defaultdict[str, list[int]](list)
        for node in np.flatnonzero(self.last > self.first).tolist():
            members = groups[names[node]]
            if not members or node >= self.page.nodes.end[members[-1]]:
                members.append(node)
        return groups

    def lines(self, start: int, end: int, skip: Bools | None = None) -> list[str]:
        """Text of some runs, a line per block or line of `pre`, without those in `skip` (runs,)."""
        runs, lines = self.page.runs, list[str]()
        before = -1
        for place in range(start, end):
            if skip is not None and skip[place]:
                continue
            if runs.block[place] != before:
                lines.append("")
            first, *others = self._lines_of(place)
            lines[-1] += first
            lines += others
            before = runs.block[place]
        folded = (" ".join(line.split()) for line in lines)
        return [line for line in folded if line]

    def _lines_of(self, place: int) -> list[str]:
        """The text of a run, in its lines where it keeps them."""
        text = self.page.runs.texts[place]
        return text.split("\n") if self.preformatted[place] else [text]

    def text(self, node: int) -> str:
        """Return the text inside an element, one line per block."""
        return "\n".join(self.lines(int(self.first[node]), int(self.last[node])))


def is_quote(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether an element is made for a quote of another post, by its classes or its tag.

    XenForo 1 has every post in a `blockquote.messageText`; whether others hold posts, their words
    decide (`quotes`).

    >>> is_quote("blockquote", {}), is_quote("blockquote", {"class": "messageText"})
    (True, False)
    """
    name = attributes.get("class", "")
    words = words_of(name)
    if tag != "a" and words & _QUOTE_WORDS and not _NO_QUOTE.search(name):
        return True
    return tag == "blockquote" and "body" not in kinds_of(words)


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
