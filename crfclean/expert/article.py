"""Find the element that holds the main article.

Steps 4, 5 and 9 to 11 of the paper: of all elements that directly hold text, except those inside
text tables and below the comments' heading, the one with the longest text, tables included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.page.paragraphs import Elements
from crfclean.page.tree import wider
from crfclean.rules import (
    Conclusion,
    Removals,
    Rule,
    Store,
    System,
    best,
    first_only,
    several,
    some,
    unless,
)
from crfclean.types import Bools, Floats, check_bounds, option


@dataclass(frozen=True, slots=True)
class ArticleParams:
    """What counts as running text, and when an outer element has enough more of it."""

    running_chars: int = option(40, "characters outside links from which stray text counts")
    growth: float = option(1.4, "how much longer the text of an element around must be")

    def __post_init__(self) -> None:
        check_bounds(self, {"growth": (1, float("inf"))})


@dataclass(frozen=True, repr=False, eq=False)
class Candidates:
    """What the rules of the article read.

    `comments` is the block that heads the comments (-1 if there is none), `tables` are the
    outermost text tables.
    """

    elements: Elements
    comments: int
    tables: tuple[int, ...]
    params: ArticleParams

    @cached_property
    def in_table(self) -> Bools:
        """Whether each block is in a text table, (n,)."""
        nodes, inside = self.elements.blocks.nodes, np.zeros(len(self.elements.page), np.bool_)
        for node in self.tables:
            inside[nodes.first_block[node] : nodes.end_block[node]] = True
        return inside

    @cached_property
    def part_of_table(self) -> Bools:
        """Whether each element is inside a text table, (m,)."""
        nodes, inside = self.elements.blocks.nodes, np.zeros(len(self.length), np.bool_)
        for node in self.tables:
            inside[node + 1 : nodes.end[node]] = True
        return inside

    @cached_property
    def above_comments(self) -> Bools:
        """Whether each block is above the comments' heading, (n,)."""
        blocks = np.arange(len(self.elements.page))
        above: Bools = blocks < (self.comments if self.comments >= 0 else len(blocks))
        return above

    @cached_property
    def counted(self) -> Floats:
        """Characters of each block that count as an article's text, (n,).

        Text of links, short text outside paragraphs, and text in navigation, asides or forms
        does not count.
        """
        page = self.elements
        tagged = page.page.is_tag(["p", "pre", "blockquote"])[np.maximum(page.paragraph, 0)]
        tagged &= page.paragraph >= 0
        long = page.own >= self.params.running_chars
        good = (tagged | long | self.in_table) & (page.linked < 0.5)
        counts = good & ~page.apart & ~page.in_heading & self.above_comments
        if not counts.any():  # a page of short texts only
            counts = (page.linked < 0.5) & self.above_comments
        return np.where(counts, page.own, 0.0)

    def text_begins(self, node: int) -> int:
        """The first block inside an element that counts as an article's text."""
        nodes = self.elements.blocks.nodes
        first, end = int(nodes.first_block[node]), int(nodes.end_block[node])
        return first + int((self.counted[first:end] > 0).argmax())

    @cached_property
    def length(self) -> Floats:
        """Characters of text inside each element, tables included, (m,)."""
        return self.elements.held(self.counted)


def find_all_texts(page: Candidates) -> list[int]:
    """The elements that hold text, in page order.

    They directly hold a paragraph or an outermost text table; since the paper's definition of an
    element with text says "directly or not directly", those that hold several of these count too.
    """
    elements, nodes = page.elements, page.elements.blocks.nodes
    direct = np.zeros(len(nodes), np.bool_)
    direct[elements.holder[~page.in_table & (page.counted > 0)]] = True
    for node in page.tables:
        direct[max(0, int(nodes.parent[node]))] = True
    outer = wider(elements.page)
    holders = set(np.flatnonzero(direct).tolist())
    for node in list(holders):
        above = int(outer[node])
        while above >= 0 and above not in holders:
            holders.add(above)
            above = int(outer[above])
    return sorted(holders)


def _inner(store: Store) -> Removals:
    """Outer candidates that have little more text than a candidate inside them."""
    page: Candidates = store.facts
    end, length = page.elements.blocks.nodes.end, page.length
    removed: dict[int, str] = {}
    stack: list[tuple[int, float]] = []  # visited elements with the longest kept text in each
    for node in reversed(store.candidates):
        most = 0.0
        while stack and stack[-1][0] < end[node]:
            most = max(most, stack.pop()[1])
        if most and length[node] < page.params.growth * most:
            removed[node] = (
                f"{length[node]:.0f} characters, {most:.0f} of them in one element inside"
            )
        else:
            most = float(length[node])
        stack.append((node, most))
    return removed


ARTICLE_RULES = System(
    "main article",
    (
        Rule(
            "no text",
            some,
            unless(lambda store, node: store.facts.length[node] > 0, "it has no text but links"),
        ),
        Rule(
            "in a text table",
            several,
            unless(
                lambda store, node: not store.facts.part_of_table[node],
                "it is a part of a text table",
            ),
        ),
        Rule(
            "below the comments' heading",
            some,
            unless(
                lambda store, node: bool(
                    store.facts.above_comments[store.facts.elements.blocks.nodes.first_block[node]]
                ),
                "it stands below the comments' heading",
            ),
        ),
        Rule("inner", several, _inner),
        Rule(
            "longest text",
            several,
            best(
                lambda store, node: float(store.facts.length[node]),
                lambda value, most: f"{value:.0f} characters, another has {most:.0f}",
            ),
        ),
        Rule("first", several, first_only("it stands below another as long")),
    ),
)


def find_max_text(page: Candidates) -> Conclusion:
    """The element with the main article."""
    return ARTICLE_RULES.run(page, find_all_texts(page))
