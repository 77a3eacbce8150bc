"""Features of repetition: blocks of the same path, elements with similar siblings.

Teasers, cards, comments and posts are lists of items from one template. They differ in the number
of items, in how much text each holds, and in how much of it is links.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crfclean.features.feature import Feature
from crfclean.page.arrays import share
from crfclean.page.measures import Measures, once, once_a_group
from crfclean.page.tree import containers, held, link_words, nearest, running_words, sizes
from crfclean.types import Bools, Floats, Ints

MIN_SIBLINGS = 3  # of one kind under one parent make a list


@once
def element_kinds(page: Measures) -> Ints:
    """A number for each element's tag and class, below the number of elements; shape (m,)."""
    return _numbered(page.attribute("class")[0] * len(page.tag_names) + page.tag_codes)


def _numbered(values: Ints) -> Ints:
    """A number for each distinct value, in order of values."""
    return np.unique(values, return_inverse=True)[1]


@once
def _paths(page: Measures) -> tuple[Ints, Ints]:
    """The number of each element's path, (m,), and the first element of each path, (paths,).

    A path is the tags and classes from the root down; paths are numbered in order of occurrence.
    """
    numbers: defaultdict[int, int] = defaultdict(itertools.count().__next__)
    kind = element_kinds(page)
    path = [-1] * (len(kind) + 1)  # the last is the path of the root's parent, -1
    above, size = page.blocks.nodes.parent.tolist(), int(kind.max(initial=0)) + 1
    for node, (parent, code) in enumerate(zip(above, kind.tolist(), strict=True)):
        path[node] = numbers[path[parent] * size + code]
    paths = np.array(path[:-1], np.int64)
    first = np.diff(np.maximum.accumulate(paths), prepend=-1) > 0
    return paths, np.flatnonzero(first)


def _tag_paths(page: Measures) -> Ints:
    """The number of the tags from the root to each element, in order of occurrence; shape (m,)."""
    paths, first = _paths(page)
    numbers: defaultdict[int, int] = defaultdict(itertools.count().__next__)
    tag_path = [-1] * (len(first) + 1)
    above = np.append(paths, -1)[page.blocks.nodes.parent[first]].tolist()
    codes, size = page.tag_codes[first].tolist(), len(page.tag_names)
    for path, (parent, code) in enumerate(zip(above, codes, strict=True)):
        tag_path[path] = numbers[tag_path[parent] * size + code]
    return np.array(tag_path[:-1], np.int64)[paths]


@dataclass(frozen=True)
class BlockGroups:
    """Figures of the group of similar blocks that each block is in, all of shape (n,).

    `count` of blocks, `words` the share of the page's words in them (0..1), `mean` words a block,
    `links` the share of their words in links (0..1), `running` that of running text (0..1).
    """

    count: Floats
    words: Floats
    mean: Floats
    links: Floats
    running: Floats


def _groups(page: Measures, group: Ints) -> BlockGroups:
    """Figures of each block's group from the groups' numbers, shape (n,)."""
    values = (page.words, link_words(page), running_words(page))
    words, links, running = (np.bincount(group, value)[group] for value in values)
    count = np.bincount(group)[group].astype(np.float64)
    return BlockGroups(
        count,
        share(words, page.words.sum()),
        share(words, count),
        share(links, words),
        share(running, words),
    )


@once_a_group
def by_tag_path(page: Measures) -> BlockGroups:
    """Blocks whose containers have the same tags around them."""
    return _groups(page, _tag_paths(page)[page.blocks.node])


@once
def path_keys(page: Measures) -> Ints:
    """A number for each block's tags and classes from the root down, shape (n,)."""
    return _numbered(_paths(page)[0][page.blocks.node])


@once
def parent_keys(page: Measures) -> Ints:
    """A number for the kinds of each block's container and of the next wider element, (n,)."""
    kind = element_kinds(page)
    above = kind[containers(page)[0]]
    return _numbered(above * (int(kind.max(initial=0)) + 1) + kind[page.blocks.node])


@once_a_group
def by_path(page: Measures) -> BlockGroups:
    """Blocks whose containers have the same tags and classes around them."""
    return _groups(page, path_keys(page))


@once_a_group
def by_parent(page: Measures) -> BlockGroups:
    """Blocks with containers of the same kind in wider elements of the same kind, anywhere."""
    return _groups(page, parent_keys(page))


@dataclass(frozen=True)
class Items:
    """The repeated element around each element, -1 for none, and its list's number, (m,) each.

    The other figures are those of lists, (lists,): `count` of items, `words` the share of the
    page's words in the list (0..1), `mean` words and `blocks` an item, `links` and `running`
    shares of the list's words (0..1), `spread` the standard deviation of the items' words over
    their mean.
    """

    node: Ints
    family: Ints
    count: Floats
    words: Floats
    mean: Floats
    links: Floats
    running: Floats
    blocks: Floats
    spread: Floats


@once
def _families(page: Measures) -> tuple[Ints, Bools]:
    """A number for elements of one kind under one parent, and which are repeated; (m,), (m,)."""
    kind, filled = element_kinds(page), sizes(page) > 0
    parent = page.blocks.nodes.parent.astype(np.int64) + 1
    family = _numbered(parent * (int(kind.max(initial=0)) + 1) + kind)
    count = np.bincount(family, filled)[family]
    return family, (count >= MIN_SIBLINGS) & filled


@once
def _lists(page: Measures) -> Floats:
    """Figures of the list of each family of elements, in the order of `Items`, (7, families)."""
    family = _families(page)[0]
    values = np.column_stack([page.words, link_words(page), running_words(page)])
    sums = held(page, values).T
    count = np.bincount(family).astype(np.float64)
    words, links, running = (np.bincount(family, row) for row in sums)
    mean = share(words, count)
    variance = share(np.bincount(family, sums[0] ** 2), count) - mean**2
    figures = (
        count,
        share(words, page.words.sum()),
        mean,
        share(links, words),
        share(running, words),
        share(np.bincount(family, sizes(page)), count),
        share(np.sqrt(np.maximum(0.0, variance)), mean),
    )
    return np.array(figures)


def _items(page: Measures, repeated: Bools) -> Items:
    return Items(nearest(page, repeated), _families(page)[0], *_lists(page))


@once_a_group
def cells(page: Measures) -> Items:
    """The nearest repeated element: usually a list item, a paragraph or part of a card."""
    return _items(page, _families(page)[1])


@once
def cards(page: Measures) -> Items:
    """The nearest repeated element of two blocks or more: a card, a comment, a post."""
    family, repeated = _families(page)
    several = sizes(page) >= 2
    largest = np.zeros(int(family.max(initial=0)) + 1, np.bool_)
    largest[family[several & repeated]] = True
    return _items(page, repeated & largest[family])


@once
def card_keys(page: Measures) -> Ints:
    """A number for the list of cards that each block is in, -1 for none; shape (n,)."""
    node = cards(page).node[page.blocks.node]
    return np.where(node < 0, -1, _families(page)[0][node])


_Lists = Callable[[Measures], Items]


def _of_item(which: _Lists, name: str) -> Feature:
    """A figure of the list that the block is in, 0 outside lists; see `Items`."""

    def column(page: Measures) -> Floats:
        items = which(page)
        node = items.node[page.blocks.node]
        values: Floats = getattr(items, name)
        return np.where(node < 0, 0.0, values[items.family[node]])

    return column


def _place_in(which: _Lists) -> Feature:
    """Relative position of the block inside its item (0..1), 0 outside lists."""

    def column(page: Measures) -> Floats:
        node = which(page).node[page.blocks.node]
        first = page.blocks.nodes.first_block[node]
        position = share(np.arange(len(page)) - first, sizes(page)[node])
        return np.where(node < 0, 0.0, position)

    return column


def _of_group(which: Callable[[Measures], BlockGroups], name: str) -> Feature:
    """A figure of the group that the block is in; see `BlockGroups`."""

    def column(page: Measures) -> Floats:
        values: Floats = getattr(which(page), name)
        return values

    return column


_GROUPS = {"path": by_path, "tag_path": by_tag_path, "parent": by_parent}
_LISTS = {"cell": cells, "card": cards}

REPETITION = (
    {
        f"{group}_{name}": _of_group(which, name)
        for group, which in _GROUPS.items()
        for name in ("count", "words", "mean", "links", "running")
    }
    | {
        f"{group}_{name}": _of_item(which, name)
        for group, which in _LISTS.items()
        for name in ("count", "words", "mean", "links", "running", "blocks", "spread")
    }
    | {f"{group}_place_in": _place_in(which) for group, which in _LISTS.items()}
)
