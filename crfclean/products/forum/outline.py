"""Groups of elements that a template repeats for every post."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, wraps
from typing import Any, TypeVar

import numpy as np

from crfclean.lexicon.markup import QUOTE_WORDS
from crfclean.products.forum.asides import beside, without_asides
from crfclean.products.forum.patterns import (
    date_shapes,
    is_beside_words,
    markup_kinds,
    name_words,
    profile_pattern,
)
from crfclean.types import Blocks, Bools, Ints

# groups of elements for which the names of all elements are too coarse, or too fine

_NAMED = re.compile(r"[.#]")
_FEWEST_PARENTS = 2
_MOST_PLACES = 6  # elements of one name in a parent that are grouped by their place
_MOST = 0.8  # share of the parents that have the usual number of these elements
_DIGITS = re.compile(r"\d+")
_MAX_CLASSES = 8  # of an element
_MAX_NAME = 160  # characters; names of distant ancestors are cut off
_FEWEST = 3  # elements of a coarse group
_FEWEST_SHAPES = 2  # shapes of ids that show that the elements mean different things


def places_in_parents(parents: Sequence[int], members: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield place (from 1) and element, if nearly all parents have equally many of the elements.

    The two cells of each row may be head and body of a post; the places of paragraphs mean nothing.

    >>> list(places_in_parents([1, 1, 4, 4], [2, 3, 5, 6]))
    [(1, 2), (2, 3), (1, 5), (2, 6)]
    """
    sizes = Counter(parents)
    ((size, count),) = Counter(sizes.values()).most_common(1) or [(0, 0)]
    if not 1 < size <= _MOST_PLACES or count < max(_FEWEST_PARENTS, _MOST * len(sizes)):
        return
    places = Counter[int]()
    for parent, node in zip(parents, members, strict=True):
        places[parent] += 1
        if places[parent] <= size:
            yield places[parent], node


def coarse_names(
    tags: Sequence[str], attributes: Sequence[Mapping[str, str]], parents: Sequence[int]
) -> list[str]:
    """Name elements by tag and commonest class; elements without a class by their parent.

    Blogs give a comment the classes `comment odd depth-2 by-ann`, of which few are common. An
    element whose commonest class is rare, such as `ann-says`, is named by its parent as well.

    >>> coarse_names(["li", "li"], [{"class": "c odd"}, {"class": "by-ann c"}], [-1, -1])
    ['li.c', 'li.c']
    """
    classes = [_classes(node.get("class", "")) for node in attributes]
    shared = Counter((tag, word) for tag, own in zip(tags, classes, strict=True) for word in own)
    words = [
        max(own, key=lambda word: shared[tag, word], default="")
        for tag, own in zip(tags, classes, strict=True)
    ]
    counts = Counter(zip(tags, words, strict=True))
    names = list[str]()
    for tag, word, parent in zip(tags, words, parents, strict=True):
        above = counts[tags[parent], words[parent]] if parent >= 0 and words[parent] else 0
        if word and counts[tag, word] >= _MOST * above:
            names.append(f"{tag}.{word}")
        else:
            names.append((f"{names[parent]}>{tag}" if parent >= 0 else tag)[-_MAX_NAME:])
    return names


@lru_cache(maxsize=20_000)
def _classes(value: str) -> list[str]:
    """Classes of an element, digits masked, sorted."""
    return sorted({_DIGITS.sub("#", word) for word in value.split()[:_MAX_CLASSES]})


def merged(
    groups: Mapping[str, list[int]], names: Sequence[str], attributes: Sequence[Mapping[str, str]]
) -> dict[str, list[int]]:
    """Return the groups by coarse name that join elements of two or more names.

    Groups whose ids have two or more shapes are left out. In vBulletin 3 the author's name is in
    `postmenu_7` and the words are in `post_message_7`, in cells whose classes differ in a digit.
    """
    return {
        coarse: members
        for coarse, members in groups.items()
        if len(members) >= _FEWEST
        and len({names[node] for node in members}) > 1
        and _shapes(members, attributes) < _FEWEST_SHAPES
    }


def _shapes(members: Sequence[int], attributes: Sequence[Mapping[str, str]]) -> int:
    """Number of shapes of ids, digits masked, that several of the elements have."""
    ids = (attributes[node].get("id", "") for node in members)
    counts = Counter(_DIGITS.sub("#", name) for name in ids if _DIGITS.search(name))
    return sum(count > 1 for count in counts.values())


# Elements that a template repeats for every post share tag, classes and the shape of their id; an
# element with neither class nor id takes its parent's name. Elements of one name form a group.

_INLINE = frozenset("b strong i em font span u".split())
"""Elements that only style a name."""

_NO_QUOTE = re.compile(r"button|link|reply|select|control|action|multi", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_NO_LETTER = re.compile(r"[\W_]+")


def element_name(tag: str, attributes: Mapping[str, str]) -> str:
    """Name an element by tag, classes and a numbered id, digits masked.

    >>> element_name("div", {"class": "post p12", "id": "post_7"})
    'div.p#.post#post_#'
    """
    element_id = attributes.get("id", "")
    number = "#" + _DIGITS.sub("#", element_id) if _DIGITS.search(element_id) else ""
    name = tag + "".join("." + word for word in _classes(attributes.get("class", ""))) + number
    return name[:_MAX_NAME]


def folded_words(text: str) -> str:
    """Lower-case the words of a text and join them by blanks, without punctuation.

    >>> folded_words("Hello, World!")
    'hello world'
    """
    return " ".join(_WORD.findall(text.lower()))


def letters(text: str) -> str:
    """Reduce a text to its letters and digits, in lower case.

    >>> letters("5. May 2020")
    '5may2020'
    """
    return _NO_LETTER.sub("", text.lower())


def masked(text: str) -> str:
    """Lower-case a text, replace every digit by 0, fold white space.

    >>> masked("Posts:  12")
    'posts: 00'
    """
    return _DIGITS.sub(lambda match: "0" * len(match[0]), " ".join(text.lower().split()))


@dataclass(frozen=True)
class Outline:
    """A page's elements (m,): `names`, and half-open bounds of their runs, `first` and `last`."""

    page: Blocks
    names: tuple[str, ...]
    first: Ints
    last: Ints
    memo: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def words(self) -> Ints:
        """Number of words before each run, and of all words, shape (runs + 1,)."""
        counts = [len(_WORD.findall(text)) for text in self.page.table.run_texts]
        return np.cumsum([0, *counts])

    @cached_property
    def masks(self) -> tuple[str, ...]:
        """The masked text of each run."""
        return tuple(masked(text) for text in self.page.table.run_texts)

    @cached_property
    def mask_numbers(self) -> Ints:
        """A number for the masked text of each run, the same for equal texts, shape (runs,)."""
        numbers = dict[str, int]()
        return np.array([numbers.setdefault(text, len(numbers)) for text in self.masks], np.int64)

    @cached_property
    def beside_words(self) -> Bools:
        """Mark each element whose name says that it is not a post's words, shape (m,)."""
        marks = {name: is_beside_words(name) for name in set(self.names)}
        return np.array([marks[name] for name in self.names], np.bool_)

    @cached_property
    def dates(self) -> Bools:
        """Mark each run that looks like a date, shape (runs,)."""
        return np.array([bool(date_shapes(text)) for text in self.masks], np.bool_)

    @cached_property
    def linked(self) -> Bools:
        """Mark each run that is inside a link, shape (runs,)."""
        return self.page.table.within("a")[self.page.table.run_node] > 0

    @cached_property
    def authors(self) -> Bools:
        """Mark each run in an element named for authors, or in a link to a member, (runs,).

        A name that is also for dates, such as `user-action-time`, does not count.
        """
        table, marks = self.page.table, list[bool]()
        for tag, attributes, parent in zip(
            table.tags, table.attributes, table.parent.tolist(), strict=True
        ):
            name, link = "", ""
            if attributes:
                name = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}".strip()
                link = attributes.get("href", "") if tag == "a" else ""
            kinds = markup_kinds(name_words(name)) if name else frozenset()
            marks.append(
                ("author" in kinds and "date" not in kinds)
                or bool(link and profile_pattern().search(link))
                or (tag in _INLINE and not name and parent >= 0 and marks[parent])
            )
        return np.array(marks, np.bool_)[self.page.table.run_node]

    @cached_property
    def preformatted(self) -> Bools:
        """Mark each run that keeps its line breaks, shape (runs,)."""
        return self.page.table.within("pre")[self.page.table.run_node] > 0

    @cached_property
    def quotes(self) -> Ints:
        """Elements for quotes of other posts, in page order."""
        table = self.page.table
        kinds = list(zip(table.tags, table.class_number.tolist(), strict=True))
        marked = {(tag, of): is_quote(tag, {"class": table.classes[of]}) for tag, of in set(kinds)}
        return np.flatnonzero([marked[kind] for kind in kinds])

    @cached_property
    def quoted(self) -> Bools:
        """Mark each run that is inside one of the `quotes`, shape (runs,)."""
        return self.inside(self.first[self.quotes], self.last[self.quotes])

    def inside(self, first: Ints, last: Ints) -> Bools:
        """Mark each run that is in one of some half-open spans of runs, shape (runs,)."""
        count = len(self.page.table.run_texts) + 1
        depth = np.bincount(first, minlength=count) - np.bincount(last, minlength=count)
        return np.cumsum(depth)[:-1] > 0

    @cached_property
    def groups(self) -> Mapping[str, list[int]]:
        """Groups of elements with text, by name, in page order; no element is inside another.

        Further groups have names of these forms: `parent/name` for one of several parents,
        `name[2]` for the second element of a name in each parent, `~name` for elements that share
        one class and differ in others. An element in an aside counts only in groups that are mostly
        in asides.
        """
        groups = self._by_name(self.names)
        table = self.page.table
        for name, members in list(groups.items()):
            parents = [self.names[table.parent[node]] for node in members]
            if len(set(parents)) > 1:
                for parent, node in zip(parents, members, strict=True):
                    groups[f"{parent}/{name}"].append(node)
            if not _NAMED.search(name.rpartition(">")[2]):  # as in `tr.post>td`
                for place, node in places_in_parents(table.parent[members].tolist(), members):
                    groups[f"{name}[{place}]"].append(node)
        coarse = coarse_names(table.tags, table.attributes, table.parent.tolist())
        for name, members in merged(self._by_name(coarse), self.names, table.attributes).items():
            groups[f"~{name}"] = members
        aside = beside(table)
        if not aside.any():
            return groups
        return {name: without_asides(members, aside) for name, members in groups.items()}

    def _by_name(self, names: Sequence[str]) -> defaultdict[str, list[int]]:
        """Group elements with text by name; an element inside another of its name is left out."""
        groups = defaultdict[str, list[int]](list)
        for node in np.flatnonzero(self.last > self.first).tolist():
            members = groups[names[node]]
            if not members or node >= self.page.table.end[members[-1]]:
                members.append(node)
        return groups

    def lines(self, start: int, end: int, skip: Bools | None = None) -> list[str]:
        """Return the lines of some runs, without those in `skip` (runs,); blocks begin a line."""
        table, lines = self.page.table, list[str]()
        before = -1
        for place in range(start, min(end, len(table.run_texts))):
            if skip is not None and skip[place]:
                continue
            if table.run_block[place] != before:
                lines.append("")
            text = table.run_texts[place]
            first, *others = text.split("\n") if self.preformatted[place] else [text]
            lines[-1] += first
            lines += others
            before = table.run_block[place]
        folded = (" ".join(line.split()) for line in lines)
        return [line for line in folded if line]

    def text(self, node: int) -> str:
        """Return the text inside an element, one line per block."""
        return "\n".join(self.lines(int(self.first[node]), int(self.last[node])))


_Value = TypeVar("_Value")


def once_per_outline(function: Callable[[Outline], _Value]) -> Callable[[Outline], _Value]:
    """Compute a function of a page once for each page."""

    @wraps(function)
    def cached(outline: Outline) -> _Value:
        if function not in outline.memo:
            outline.memo[function] = function(outline)
        value: _Value = outline.memo[function]
        return value

    return cached


def spans(first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Return every run of some half-open spans of runs: the number of its span, and the run.

    >>> [values.tolist() for values in spans(np.array([4, 9]), np.array([6, 10]))]
    [[0, 0, 1], [4, 5, 9]]
    """
    sizes = np.maximum(0, last - first)
    which = np.repeat(np.arange(len(first)), sizes)
    return which, np.arange(len(which)) + (first + sizes - np.cumsum(sizes))[which]


def is_quote(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return whether an element is for a quote of another post, by its classes or its tag.

    XenForo 1 has every post in a `blockquote.messageText`, which is no quote.

    >>> is_quote("blockquote", {}), is_quote("blockquote", {"class": "messageText"})
    (True, False)
    """
    name = attributes.get("class", "")
    words = name_words(name)
    if tag != "a" and words & QUOTE_WORDS and not _NO_QUOTE.search(name):
        return True
    return tag == "blockquote" and "body" not in markup_kinds(words)


def outline(page: Blocks) -> Outline:
    """Name a page's elements and find their text; linear in the page."""
    table = page.table
    names: list[str] = []
    for tag, attributes, parent in zip(
        table.tags, table.attributes, table.parent.tolist(), strict=True
    ):
        name = element_name(tag, attributes)
        if name == tag and parent >= 0:
            name = f"{names[parent]}>{tag}"[-_MAX_NAME:]
        names.append(name)
    before = np.concatenate(
        [[0], np.cumsum(np.bincount(table.run_node, minlength=len(table.parent)))]
    )
    first = np.searchsorted(table.run_after, np.arange(len(table.parent)), side="right")
    return Outline(page, tuple(names), first, first + before[table.end] - before[:-1])
