"""Find the elements of a page that CSS selectors name, and the blocks inside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from crfclean.page.arrays import around, sums_inside
from crfclean.types import Blocks, Bools, CrfcleanError, Ints

_PLACE = re.compile(r"<(?:EOF|\w+ '(.*)') at (\d+)>$", re.DOTALL)
_ATTRIBUTE = re.compile(r"@([\w-]+)")
_INVALID = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@lru_cache(maxsize=64)
def parsed(selectors: str) -> Mapping[str, etree.XPath]:
    """Parse a list of selectors, as in ".post, h1"; return each as an XPath, by its words.

    Raises `CrfcleanError`, which shows the place of an error.

    >>> list(parsed(".post > p,h1"))
    ['.post > p', 'h1']
    >>> parsed("p..post")
    Traceback (most recent call last):
    crfclean.types.choices.CrfcleanError: no CSS selector: expected ident, got '.'
      p..post
        ^
    """
    from cssselect import HTMLTranslator, SelectorError, parse  # few calls have selectors

    to_xpath = HTMLTranslator().selector_to_xpath
    try:
        return {
            each.canonical(): etree.XPath(to_xpath(each, translate_pseudo_elements=True))
            for each in parse(selectors)
        }
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


def _tree(blocks: Blocks, paths: str) -> list[Any]:
    """Build a tree of a page's elements, in page order, with what some XPaths ask for.

    The parser lets through what lxml refuses: `<p"a>`, and control characters in attributes.
    """
    nodes, make = blocks.nodes, etree.HTMLParser().makeelement
    asked, elements = frozenset(_ATTRIBUTE.findall(paths)), list[Any]()
    for tag, attributes, parent in zip(
        nodes.tags, nodes.attributes, nodes.parent.tolist(), strict=True
    ):
        own = {name: attributes[name] for name in asked & attributes.keys()}
        try:
            element = make(tag, own)
        except ValueError:
            element = make("unknown", {name: _INVALID.sub("", own[name]) for name in own})
        if parent >= 0:
            elements[parent].append(element)
        elements.append(element)
    if "(." in paths or "string-length" in paths:  # :contains and :empty
        for node, text in zip(blocks.runs.node.tolist(), blocks.runs.texts, strict=True):
            elements[node].text = (elements[node].text or "") + _INVALID.sub("", text)
    return elements


def matches(blocks: Blocks, *lists: str) -> list[dict[str, Bools]]:
    """Mark the elements (m,) of a page that each selector of some lists names, by its words."""
    paths = "\n".join(path.path for each in lists for path in parsed(each).values())
    tree = _tree(blocks, paths)
    numbers = {element: number for number, element in enumerate(tree)}

    def mask(path: etree.XPath) -> Bools:
        named = np.zeros(len(tree), np.bool_)
        found: Any = path(tree[0]) if tree else ()
        named[[numbers[element] for element in found]] = True
        return named

    return [{words: mask(path) for words, path in parsed(each).items()} for each in lists]


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
    let_in = np.ones(len(blocks.nodes), np.bool_)
    outside, unmatched = np.zeros(len(blocks), np.bool_), list[str]()
    lists = {is_drop: each for is_drop, each in ((False, within), (True, drop)) if each}
    for is_drop, masks in zip(lists, matches(blocks, *lists.values()), strict=True):
        unmatched += [words for words, mask in masks.items() if not mask.any()]
        elements = _inside(blocks, masks) ^ is_drop
        let_in &= elements
        runs = elements[blocks.runs.node]
        outside |= np.bincount(blocks.runs.block[runs], minlength=len(blocks)) == 0
    return Chosen(let_in, outside, tuple(unmatched))


def pieces(blocks: Blocks, drop: str) -> Ints:
    """Return the elements of `drop` with a part of a block's text, as in `<p>Rain<b>New</b>`."""
    nodes, block = blocks.nodes, blocks.runs.block
    masks = matches(blocks, drop)[0]
    runs = _inside(blocks, masks)[blocks.runs.node]
    parts = runs & (np.bincount(block[~runs], minlength=len(blocks)) > 0)[block]
    held = sums_inside(np.bincount(blocks.runs.node[parts], minlength=len(nodes)), nodes.end)
    return np.flatnonzero(np.logical_or.reduce(list(masks.values())) & (held > 0))


def _inside(blocks: Blocks, masks: Mapping[str, Bools]) -> Bools:
    """Mark the elements (m,) at and inside those of any mask (m,)."""
    inside: Bools = around(np.logical_or.reduce(list(masks.values())), blocks.nodes.end) > 0
    return inside
