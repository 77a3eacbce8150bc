"""`Measures` -> columns of repetition: blocks of the same path, elements with like siblings.

Lists of teasers, cards, comments and posts are made by one template over and over; what tells
them apart is how many there are, how much text each holds, and how much of it is links.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crfclean.features.tree import containers, first_around, held, is_long, link_words, sizes
from crfclean.measures import Measures, once, share
from crfclean.types import Bools, Floats, Ints

MIN_SIBLINGS = 3  # elements of one kind under one parent that make a list


@once
def kinds(page: Measures) -> Ints:
    """A number for each element's tag and class, shape (m,)."""
    seen: dict[tuple[str, str], int] = {}
    nodes = page.page.nodes
    keys = zip(nodes.tags, (one.get("class", "") for one in nodes.attributes), strict=True)
    return np.array([seen.setdefault(key, len(seen)) for key in keys], np.int64)


def _numbered(pairs: Ints) -> Ints:
    """A number for each distinct value, in order of values."""
    return np.unique(pairs, return_inverse=True)[1].reshape(pairs.shape)


def _paths(page: Measures, codes: Ints) -> Ints:
    """A number for the way from the root to each element, by its elements' codes; shape (m,)."""
    seen: dict[tuple[int, int], int] = {}
    found: list[int] = []
    for parent, code in zip(page.page.nodes.parent.tolist(), codes.tolist(), strict=True):
        key = (found[parent] if parent >= 0 else -1, code)
        found.append(seen.setdefault(key, len(seen)))
    return np.array(found, np.int64)


@dataclass(frozen=True)
class Groups:
    """Blocks that are alike: figures of each block's group, all of shape (n,).

    `count` blocks, `words` the share of the page's words in them (0..1), `mean` words a block,
    `links` the share of their words in links (0..1), `running` that of running text (0..1).
    """

    count: Floats
    words: Floats
    mean: Floats
    links: Floats
    running: Floats


def _groups(page: Measures, keys: Ints) -> Groups:
    group = _numbered(keys)
    values = (None, page.words, link_words(page), np.where(is_long(page), page.words, 0.0))
    count, words, links, running = (np.bincount(group, value)[group] for value in values)
    total = page.words.sum()
    return Groups(
        count.astype(np.float64),
        share(words, total),
        share(words, count.astype(np.float64)),
        share(links, words),
        share(running, words),
    )


@once
def by_tag_path(page: Measures) -> Groups:
    """Blocks whose containers have the same tags around them."""
    return _groups(page, _paths(page, page.tag_codes)[page.page.node])


@once
def path_keys(page: Measures) -> Ints:
    """A number for each block's tags and classes from the root down, shape (n,)."""
    return _numbered(_paths(page, kinds(page))[page.page.node])


@once
def parent_keys(page: Measures) -> Ints:
    """A number for the kinds of each block's container and of the next wider element, (n,)."""
    kind = kinds(page)
    above = kind[containers(page)[0]]
    return _numbered(above * (int(kind.max(initial=0)) + 1) + kind[page.page.node])


@once
def by_path(page: Measures) -> Groups:
    """Blocks whose containers have the same tags and classes around them."""
    return _groups(page, path_keys(page))


@once
def by_parent(page: Measures) -> Groups:
    """Blocks with containers of the same kind in wider elements of the same kind, anywhere."""
    return _groups(page, parent_keys(page))


@dataclass(frozen=True)
class Items:
    """The repeated element around each element, -1 for none, and its list's figures; (m,) each.

    `count` items, `words` a share of the page's words in the list (0..1), `mean` words an item,
    `links` and `running` shares of the list's words (0..1), `blocks` an item, `spread` the
    standard deviation of the items' words over their mean.
    """

    node: Ints
    count: Floats
    words: Floats
    mean: Floats
    links: Floats
    running: Floats
    blocks: Floats
    spread: Floats


def _items(page: Measures, wanted: Bools, family: Ints) -> Items:
    values = np.column_stack(
        [page.words, link_words(page), np.where(is_long(page), page.words, 0.0), page.words**0]
    )
    own = held(page, values)
    total = np.zeros((int(family.max(initial=0)) + 1, own.shape[1]))
    for column in range(own.shape[1]):
        total[:, column] = np.bincount(family, own[:, column], minlength=len(total))
    count = np.bincount(family, minlength=len(total)).astype(np.float64)
    squares = np.bincount(family, own[:, 0] ** 2, minlength=len(total))
    mean = share(total[:, 0], count)
    spread = share(np.sqrt(np.maximum(0.0, share(squares, count) - mean**2)), mean)
    node = first_around(page, wanted)
    f = family
    return Items(
        node,
        count[f],
        share(total[:, 0], page.words.sum())[f],
        mean[f],
        share(total[:, 1], total[:, 0])[f],
        share(total[:, 2], total[:, 0])[f],
        share(total[:, 3], count)[f],
        spread[f],
    )


@once
def _families(page: Measures) -> tuple[Ints, Bools]:
    """A number for elements of one kind under one parent, and which are repeated; (m,), (m,)."""
    kind, filled = kinds(page), sizes(page) > 0
    family = _numbered((page.page.nodes.parent + 1) * (int(kind.max(initial=0)) + 1) + kind)
    count = np.bincount(family, filled)[family]
    return family, (count >= MIN_SIBLINGS) & filled


@once
def cells(page: Measures) -> Items:
    """The nearest repeated element: mostly a list item, a paragraph or a part of a card."""
    family, repeated = _families(page)
    return _items(page, repeated, family)


@once
def cards(page: Measures) -> Items:
    """The nearest repeated element of two blocks or more: a card, a comment, a post."""
    family, repeated = _families(page)
    several = sizes(page) >= 2
    largest = np.zeros(int(family.max(initial=0)) + 1, np.bool_)
    largest[family[several & repeated]] = True
    return _items(page, repeated & largest[family], family)


@once
def card_keys(page: Measures) -> Ints:
    """A number for the list of cards that each block is in, -1 for none; shape (n,)."""
    node = cards(page).node[page.page.node]
    return np.where(node < 0, -1, _families(page)[0][node])


Lists = Callable[[Measures], Items]


def _of_item(which: Lists, name: str) -> Callable[[Measures], Floats]:
    def column(page: Measures) -> Floats:
        items = which(page)
        node = items.node[page.page.node]
        values: Floats = getattr(items, name)
        return np.where(node < 0, 0.0, values[node])

    return column


def _place_in(which: Lists) -> Callable[[Measures], Floats]:
    """Relative position of the block inside its item (0..1), 0 outside of one."""

    def column(page: Measures) -> Floats:
        node = which(page).node[page.page.node]
        first = page.page.nodes.first_block[node]
        place = share(np.arange(len(page)) - first, sizes(page)[node].astype(np.float64))
        return np.where(node < 0, 0.0, place)

    return column


def _of_group(which: Callable[[Measures], Groups], name: str) -> Callable[[Measures], Floats]:
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
