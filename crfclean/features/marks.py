"""`Measures` -> columns of what the markup says of itself: tags, roles, words of class and id.

The idea of weighing class and id words is Readability's (Arc90, 2009) and that of the perceptron
system Texttractor (2014); here every group of words is a column of its own, and nearer elements
weigh more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crfclean.features.lexicon import MARKUP, TAGS, word_groups
from crfclean.features.tree import depths, levels, start_nodes
from crfclean.measures import Measures, once, share
from crfclean.types import Bools, Floats

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
FAR = 31  # distances are counted up to here
MAX_NAME = 400  # characters of class and id that are read; generated names can be endless


def name_bits(name: str) -> int:
    """Bits of the groups whose words stand in a class or id; camel case parts words."""
    known = word_groups()
    words = [word.lower() for word in _WORD.findall(name[:MAX_NAME])]
    bits = 0
    for word in words:
        bits |= known.get(word, 0)
    for first, second in pairwise(words):
        bits |= known.get(first + second, 0)
    return bits


@once
def _named(page: Measures) -> Bools:
    """Whether each element's class or id has a word of each group, shape (m, groups)."""
    seen: dict[str, int] = {"": 0}
    codes = np.zeros(len(page.page.nodes), np.int64)
    for place, attributes in enumerate(page.page.nodes.attributes):
        if "class" in attributes or "id" in attributes:
            name = f"{attributes.get('class', '')} {attributes.get('id', '')}"
            if name not in seen:
                seen[name] = name_bits(name)
            codes[place] = seen[name]
    shifts = np.arange(len(MARKUP))
    found: Bools = (codes[:, None] >> shifts & 1).astype(np.bool_)
    return found


_SAID = ("role", "itemprop", "itemtype", "rel")
_PLACES = {word: place for place, words in enumerate(TAGS.values()) for word in words}


def _said(attributes: Mapping[str, str]) -> list[int]:
    """Places in `TAGS` of what an element's attributes say."""
    places = []
    for key in _SAID:
        for word in attributes.get(key, "").lower().split()[:8]:
            place = _PLACES.get(f"{key}={word.rsplit('/', 1)[-1]}")
            if place is not None:
                places.append(place)
    return places


@once
def _told(page: Measures) -> Bools:
    """Whether each element's tag or role is of each group, shape (m, groups)."""
    nodes = page.page.nodes
    by_tag = np.zeros((len(page.tag_names), len(TAGS)), np.bool_)
    for code, tag in enumerate(page.tag_names):
        for place, words in enumerate(TAGS.values()):
            by_tag[code, place] = tag in words
    told = by_tag[page.tag_codes]
    for place, attributes in enumerate(nodes.attributes):
        if attributes and not attributes.keys().isdisjoint(_SAID):
            told[place, _said(attributes)] = True
    return told


def _nearness(page: Measures, marked: Bools) -> Floats:
    """1 / (1 + steps up to the nearest marked element), 0 for none; shape (n, groups)."""
    steps: npt.NDArray[np.uint8] = np.where(marked, 0, FAR).astype(np.uint8)
    for nodes, above in levels(page):
        steps[nodes] = np.minimum(steps[nodes], steps[above] + 1)
    np.minimum(steps, FAR, out=steps)
    values: Floats = np.append(1.0 / np.arange(1.0, FAR + 1.0), 0.0)
    return values[steps[start_nodes(page)]]


@once
def markup_nearness(page: Measures) -> Floats:
    """`_nearness` of the groups of `MARKUP`, shape (n, groups)."""
    return _nearness(page, _named(page))


@once
def tag_nearness(page: Measures) -> Floats:
    """`_nearness` of the groups of `TAGS`, shape (n, groups)."""
    return _nearness(page, _told(page))


@once
def page_marks(page: Measures) -> Floats:
    """Share of the page's elements that each group of `MARKUP` marks (0..1), shape (groups,)."""
    return share(_named(page).sum(0), float(len(page.page.nodes)))


@once
def body_marks(page: Measures) -> Bools:
    """Whether `html` or `body` is marked by each group: they tell the page's type; (groups,)."""
    top = page.is_tag(["html", "body"])
    return np.asarray(_named(page)[top].any(0), np.bool_)


def _column_of(which: Callable[[Measures], Floats], place: int) -> Callable[[Measures], Floats]:
    return lambda page: which(page)[:, place]


def depth(page: Measures) -> Floats:
    """Elements around the block's container."""
    return depths(page)[page.page.node].astype(np.float64)


MARKS = (
    {name: _column_of(tag_nearness, place) for place, name in enumerate(TAGS)}
    | {f"named_{name}": _column_of(markup_nearness, place) for place, name in enumerate(MARKUP)}
    | {"depth": depth}
)
