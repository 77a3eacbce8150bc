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

from crfclean.core import native
from crfclean.features.feature import Family, Feature, rows_of
from crfclean.page.arrays import occurring, share
from crfclean.page.measures import Measures, once, once_a_group
from crfclean.page.tree import containers, held, link_words, nearest, running_words, sizes
from crfclean.types import Bools, Floats, Ints

MIN_SIBLINGS = 3  # of one kind under one parent make a list


@once
def element_kinds(page: Measures) -> Ints:
    """A number for each element's tag and class, below the number of elements; shape (m,)."""
    return occurring(page.attribute("class")[0] * len(page.tag_names) + page.tag_codes)[0]


def number_paths(parent: Ints, codes: Ints) -> Ints:
    """The number of each node's codes from the root down, in order of occurrence, shape (m,).

    A parent, -1 for none, stands before its children.
    """
    if native.CORE is not None:
        places = parent.astype(np.int32).tobytes(), codes.astype(np.int64).tobytes()
        return np.frombuffer(native.CORE.paths(*places), np.int64)
    numbers: defaultdict[int, int] = defaultdict(itertools.count().__next__)
    path = [-1] * (len(codes) + 1)  # the last is the path of the root's parent, -1
    size = int(codes.max(initial=0)) + 1
    for node, (above, code) in enumerate(zip(parent.tolist(), codes.tolist(), strict=True)):
        path[node] = numbers[path[above] * size + code]
    return np.array(path[:-1], np.int64)


@once
def _paths(page: Measures) -> tuple[Ints, Ints]:
    """The number of each element's path, (m,), and the first element of each path, (paths,).

    A path is the tags and classes from the root down; paths are numbered in order of occurrence.
    """
    paths = number_paths(page.blocks.nodes.parent, element_kinds(page))
    first = np.diff(np.maximum.accumulate(paths), prepend=-1) > 0
    return paths, np.flatnonzero(first)


def _tag_paths(page: Measures) -> Ints:
    """The number of the tags from the root to each element, in order of occurrence; shape (m,)."""
    paths, first = _paths(page)
    above = np.append(paths, -1)[page.blocks.nodes.parent[first]]
    return number_paths(above, page.tag_codes[first])[paths]


@dataclass(frozen=True, repr=False, eq=False)
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
        share(words, page.all_words),
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
    return occurring(_paths(page)[0][page.blocks.node])[0]


@once
def parent_keys(page: Measures) -> Ints:
    """A number for the kinds of each block's container and of the next wider element, (n,)."""
    kind = element_kinds(page)
    above = kind[containers(page)[0]]
    return occurring(above * (int(kind.max(initial=0)) + 1) + kind[page.blocks.node])[0]


@once_a_group
def by_path(page: Measures) -> BlockGroups:
    """Blocks whose containers have the same tags and classes around them."""
    return _groups(page, path_keys(page))


@once_a_group
def by_parent(page: Measures) -> BlockGroups:
    """Blocks with containers of the same kind in wider elements of the same kind, anywhere."""
    return _groups(page, parent_keys(page))


@dataclass(frozen=True, repr=False, eq=False)
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
    family = occurring(parent * (int(kind.max(initial=0)) + 1) + kind)[0]
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
        share(words, page.all_words),
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


_ITEM_FIGURES = ("count", "words", "mean", "links", "running", "blocks", "spread")
_GROUP_FIGURES = ("count", "words", "mean", "links", "running")


def _of_items(which: _Lists) -> Family:
    """The figures of the list that each block is in, 0 outside lists; see `Items`; (7, n)."""

    def rows(page: Measures) -> Floats:
        items = which(page)
        node = items.node[page.blocks.node]
        return np.where(node < 0, 0.0, _lists(page).take(items.family[node], 1))

    return rows


def _place_in(which: _Lists) -> Feature:
    """Relative position of the block inside its item (0..1), 0 outside lists."""

    def column(page: Measures) -> Floats:
        node = which(page).node[page.blocks.node]
        first = page.blocks.nodes.first_block[node]
        position = share(np.arange(len(page)) - first, sizes(page)[node])
        return np.where(node < 0, 0.0, position)

    return column


def _of_group(which: Callable[[Measures], BlockGroups]) -> Family:
    """The figures of the group that each block is in; see `BlockGroups`; (5, n)."""

    def rows(page: Measures) -> Floats:
        groups = which(page)
        return np.array([getattr(groups, name) for name in _GROUP_FIGURES])

    return rows


_GROUPS = {"path": by_path, "tag_path": by_tag_path, "parent": by_parent}
_LISTS = {"cell": cells, "card": cards}

REPETITION: dict[str, Feature] = {}
for _name, _group in _GROUPS.items():
    REPETITION |= rows_of((f"{_name}_{figure}" for figure in _GROUP_FIGURES), _of_group(_group))
for _name, _list in _LISTS.items():
    REPETITION |= rows_of((f"{_name}_{figure}" for figure in _ITEM_FIGURES), _of_items(_list))
REPETITION |= {f"{name}_place_in": _place_in(which) for name, which in _LISTS.items()}
