"""Find the elements of a page that CSS selectors name, and the blocks inside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.page.chars import around, ordinals_of, sums_inside
from crfclean.types import Blocks, Bools, CrfcleanError, Ints

_PLACE = re.compile(r"<(?:EOF|\w+ '(.*)') at (\d+)>$", re.DOTALL)


@lru_cache(maxsize=64)
def parsed(selectors: str) -> Mapping[str, Any]:
    """Parse a list of selectors, as in ".post, h1"; return each parsed, by its words.

    Raises `CrfcleanError`, which shows the place of an error.

    >>> list(parsed(".post > p,h1"))
    ['.post > p', 'h1']
    >>> parsed("p..post")
    Traceback (most recent call last):
    crfclean.types.errors.CrfcleanError: no CSS selector: expected ident, got '.'
      p..post
        ^
    """
    from cssselect import HTMLTranslator, SelectorError, parse  # few calls have selectors

    check = partial(HTMLTranslator().selector_to_xpath, translate_pseudo_elements=True)
    try:
        return {each.canonical(): each.parsed_tree for each in parse(selectors) if check(each)}
    except SelectorError as error:
        raise CrfcleanError(f"no CSS selector: {_shown(str(error), selectors)}") from None


def check_selectors(name: str, selectors: str) -> None:
    """Raise `CrfcleanError` if a parameter of this name is no list of selectors, nor empty."""
    try:
        parsed(selectors) if selectors else None
    except CrfcleanError as error:
        raise CrfcleanError(f"{name}: {error}") from None


def _shown(reason: str, selectors: str) -> str:
    """Return the reason of an error, and below it the selectors with a mark at the place."""
    reason, place = reason[:1].lower() + reason[1:], _PLACE.search(reason)
    if place is None:
        return f"{reason}\n  {selectors}"
    token = repr(place[1]) if place[1] else "the end"
    return f"{reason[: place.start()]}{token}\n  {selectors}\n  {'^':>{int(place[2]) + 1}}"


def matches(blocks: Blocks, *lists: str) -> list[dict[str, Bools]]:
    """Mark the elements (m,) of a page that each selector of some lists names, by its words."""
    seen = _Seen(blocks.table)
    return [{words: seen.named(tree) for words, tree in parsed(each).items()} for each in lists]


class _Seen(NamedTuple):
    """The elements of a page as CSS sees them; each step is linear in their number."""

    table: Table

    def named(self, tree: Any) -> Bools:
        """Mark the elements (m,) that a parsed selector names."""
        kind = type(tree).__name__
        if kind == "Element":
            tag = (tree.element or "").lower()
            return np.array([tag in ("", each) for each in self.table.tags], np.bool_)
        base = self.named(tree.selector)
        if kind == "CombinedSelector":
            return self.named(tree.subselector) & self.behind(base, tree.combinator)
        mask: Bools = _CHECKS[kind](self, tree)
        return base & mask

    def valued(self, name: str, fits: Callable[[str], bool]) -> Bools:
        """Mark the elements with an attribute whose value fits."""
        values = (attributes.get(name) for attributes in self.table.attributes)
        return np.array([value is not None and fits(value) for value in values], np.bool_)

    def behind(self, marked: Bools, combinator: str) -> Bools:
        """Mark the elements inside marked elements (m,), or after marked siblings."""
        parent = self.table.parent
        if combinator == " ":
            return around(marked, self.table.end) > marked
        if combinator == ">":
            return marked[parent] & (parent >= 0)
        return _behind(marked, parent, combinator)

    def before(self, marked: Bools, combinator: str) -> Bools:
        """Mark the elements that hold marked ones, or stand before them: ":has(> p)"."""
        if combinator == " ":
            return sums_inside(marked.astype(np.int64), self.table.end) > marked
        before = np.zeros(len(marked), np.bool_)
        if combinator == ">":
            above = self.table.parent[marked]
            before[above[above >= 0]] = True
            return before
        return _behind(marked[::-1], self.table.parent[::-1], combinator)[::-1]

    def places(self, *, of_type: bool, last: bool) -> Ints:
        """Number the elements among their siblings, from 1."""
        keys = self.table.parent.astype(np.int64)
        if of_type:
            keys = keys * len(keys) + self.table.tag
        return 1 + (ordinals_of(keys[::-1])[::-1] if last else ordinals_of(keys))


def _behind(marked: Bools, parent: Ints, combinator: str) -> Bools:
    """Mark the elements behind marked siblings (m,), or next to one for "+"."""
    order = np.argsort(parent, kind="stable")
    counts = np.concatenate([[0], np.cumsum(marked[order])])
    at = np.arange(len(order))
    first = np.searchsorted(parent[order], parent[order])
    first = np.maximum(first, at - 1) if combinator == "+" else first
    behind = np.zeros(len(order), np.bool_)
    behind[order] = counts[at] > counts[first]
    return behind


def _attribute(seen: _Seen, tree: Any) -> Bools:
    value, operator = str(tree.value.value) if tree.value else "", tree.operator
    name = tree.attrib.lower()
    if operator == "!=":
        return ~seen.valued(name, value.__eq__)
    tests: Mapping[str, Callable[[str], bool]] = {
        "exists": lambda _: True,
        "=": lambda own: own == value,
        "~=": lambda own: value in own.split(),
        "|=": lambda own: own == value or own.startswith(f"{value}-"),
        "^=": lambda own: bool(value) and own.startswith(value),
        "$=": lambda own: bool(value) and own.endswith(value),
        "*=": lambda own: bool(value) and value in own,
    }
    return seen.valued(name, tests[operator])


def _pseudo(seen: _Seen, tree: Any) -> Bools:
    """Mark elements by a pseudo-class; one of what users do, such as ":hover", marks none."""
    name = tree.ident
    if name == "root":
        root: Bools = seen.table.parent < 0
        return root
    if name == "empty":
        holds = seen.before(np.ones(len(seen.table.parent), np.bool_), " ")
        empty: Bools = ~holds & (np.bincount(seen.table.run_node, minlength=len(holds)) == 0)
        return empty
    if name == "link":
        return seen.valued("href", lambda _: True)
    which, _, kind = name.partition("-")
    if kind not in ("child", "of-type"):
        return np.zeros(len(seen.table.parent), np.bool_)
    sides = {"first": (False,), "last": (True,)}.get(which, (False, True))
    firsts = [seen.places(of_type=kind == "of-type", last=side) == 1 for side in sides]
    both: Bools = np.logical_and.reduce(firsts)
    return both


def _function(seen: _Seen, tree: Any) -> Bools:
    from cssselect.parser import parse_series

    if tree.name == "contains":
        own = np.array([tree.arguments[0].value in text for text in seen.table.run_texts], np.bool_)
        counts = np.bincount(seen.table.run_node[own], minlength=len(seen.table.parent))
        return sums_inside(counts, seen.table.end) > 0
    if not tree.name.startswith("nth-"):
        return np.zeros(len(seen.table.parent), np.bool_)
    step, start = parse_series(tree.arguments)
    place = seen.places(of_type=tree.name.endswith("type"), last="last" in tree.name) - start
    at: Bools = place == 0 if not step else (place % step == 0) & (place // step >= 0)
    return at


def _any(seen: _Seen, tree: Any) -> Bools:
    return _one_of(seen.named(each) for each in tree.selector_list)


def _arguments(tree: Any) -> Iterable[tuple[Any, Any]]:
    """Return the arguments of ":has()"; before 1.6, as peers need it, cssselect gives one."""
    one = getattr(tree, "combinator", None), getattr(tree, "subselector", None)
    return getattr(tree, "arguments", (one,))


def _one_of(masks: Iterable[Bools]) -> Bools:
    one: Bools = np.logical_or.reduce(list(masks))
    return one


_CHECKS: Mapping[str, Callable[[_Seen, Any], Bools]] = {
    "Class": lambda seen, tree: seen.valued("class", lambda own: tree.class_name in own.split()),
    "Hash": lambda seen, tree: seen.valued("id", tree.id.__eq__),
    "Attrib": _attribute,
    "Pseudo": _pseudo,
    "Function": _function,
    "Negation": lambda seen, tree: ~seen.named(tree.subselector),
    "Relation": lambda seen, tree: _one_of(
        seen.before(seen.named(each.parsed_tree), str(combinator.value))
        for combinator, each in _arguments(tree)
    ),
    "Matching": _any,
    "SpecificityAdjustment": _any,
}
"""Kind of a condition, as cssselect parses it -> what marks the elements that fulfil it."""


class Chosen(NamedTuple):
    """The result of selectors on a page: what they let in, and those that name nothing.

    `elements` (m,) are the elements that they let in, `outside` (n,) the blocks that they leave
    out.
    """

    elements: Bools
    outside: Bools
    unmatched: tuple[str, ...]


def chosen(blocks: Blocks, within: str, drop: str) -> Chosen:
    """Leave out the blocks without text in elements of `within`, and those wholly in `drop`."""
    let_in = np.ones(len(blocks.table.parent), np.bool_)
    outside, unmatched = np.zeros(len(blocks), np.bool_), list[str]()
    lists = {is_drop: each for is_drop, each in ((False, within), (True, drop)) if each}
    for is_drop, masks in zip(lists, matches(blocks, *lists.values()), strict=True):
        unmatched += [words for words, mask in masks.items() if not mask.any()]
        elements = _inside(blocks, masks) ^ is_drop
        let_in &= elements
        runs = elements[blocks.table.run_node]
        outside |= np.bincount(blocks.table.run_block[runs], minlength=len(blocks)) == 0
    return Chosen(let_in, outside, tuple(unmatched))


def pieces(blocks: Blocks, drop: str) -> Ints:
    """Return the elements of `drop` with a part of a block's text, as in `<p>Rain<b>New</b>`."""
    table, block = blocks.table, blocks.table.run_block
    masks = matches(blocks, drop)[0]
    runs = _inside(blocks, masks)[blocks.table.run_node]
    parts = runs & (np.bincount(block[~runs], minlength=len(blocks)) > 0)[block]
    held = sums_inside(
        np.bincount(blocks.table.run_node[parts], minlength=len(table.parent)), table.end
    )
    return np.flatnonzero(_one_of(masks.values()) & (held > 0))


def _inside(blocks: Blocks, masks: Mapping[str, Bools]) -> Bools:
    """Mark the elements (m,) at and inside those of any mask (m,)."""
    inside: Bools = around(_one_of(masks.values()), blocks.table.end) > 0
    return inside
