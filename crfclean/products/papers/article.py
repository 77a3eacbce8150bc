"""Find the element that holds the main article."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.page.elements import PARAGRAPHS, Elements
from crfclean.rules import (
    Conclusion,
    Production,
    Removals,
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
    """Limits for running text, and for the text that an outer element must have to be preferred."""

    running_chars: int = option(40, "characters outside links from which stray text counts")
    growth: float = option(1.4, "how much longer the text of an element around must be")

    def __post_init__(self) -> None:
        check_bounds(self, {"growth": (1, float("inf"))})


@dataclass(frozen=True, repr=False, eq=False)
class Candidates:
    """Facts for the rules of the article.

    `comments` is the block that heads the comments (-1 if there is none), `tables` are the
    outermost text tables.
    """

    elements: Elements
    comments: int
    tables: tuple[int, ...]
    params: ArticleParams

    @cached_property
    def in_table(self) -> Bools:
        """Mark each block that is in a text table, (n,)."""
        table, inside = self.elements.blocks.table, np.zeros(len(self.elements.blocks), np.bool_)
        for node in self.tables:
            inside[table.blocks_in(node)] = True
        return inside

    @cached_property
    def part_of_table(self) -> Bools:
        """Mark each element that is inside a text table, (m,)."""
        table, inside = self.elements.blocks.table, np.zeros(len(self.length), np.bool_)
        for node in self.tables:
            inside[node + 1 : table.end[node]] = True
        return inside

    @cached_property
    def above_comments(self) -> Bools:
        """Mark each block that is above the comments' heading, (n,)."""
        blocks = np.arange(len(self.elements.blocks))
        above: Bools = blocks < (self.comments if self.comments >= 0 else len(blocks))
        return above

    @cached_property
    def counted(self) -> Floats:
        """Characters of each block that count as an article's text, (n,).

        Text of links, short text outside paragraphs, and text in navigation, asides or forms
        does not count.
        """
        page = self.elements
        tagged = page.paragraph_is(*PARAGRAPHS)
        long = page.own >= self.params.running_chars
        good = (tagged | long | self.in_table) & (page.linked < 0.5)
        counts = good & ~page.apart & ~page.blocks.table.in_heading & self.above_comments
        if not counts.any():  # a page of short texts only
            counts = (page.linked < 0.5) & self.above_comments
        return np.where(counts, page.own, 0.0)

    def text_begins(self, node: int) -> int:
        """The first block inside an element that counts as an article's text."""
        inside = self.elements.blocks.table.blocks_in(node)
        return inside.start + int((self.counted[inside] > 0).argmax())

    @cached_property
    def length(self) -> Floats:
        """Characters of text inside each element, tables included, (m,)."""
        return self.elements.held(self.counted)


def find_all_texts(candidates: Candidates) -> list[int]:
    """The elements that hold text, in page order.

    They directly hold a paragraph or an outermost text table. Elements around several of these
    count as well, since the paper defines an element with text by "directly or not directly".
    """
    elements, table = candidates.elements, candidates.elements.blocks.table
    direct = np.zeros(len(table.parent), np.bool_)
    direct[elements.holder[~candidates.in_table & (candidates.counted > 0)]] = True
    for node in candidates.tables:
        direct[max(0, int(table.parent[node]))] = True
    outer = elements.blocks.table.wider
    holders = set(np.flatnonzero(direct).tolist())
    for node in list(holders):
        above = int(outer[node])
        while above >= 0 and above not in holders:
            holders.add(above)
            above = int(outer[above])
    return sorted(holders)


def _inner(store: Store) -> Removals:
    """Remove outer candidates with little more text than a candidate inside them."""
    page: Candidates = store.facts
    end, length = page.elements.blocks.table.end, page.length
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
        unless(
            "no text", some, lambda page, node: page.length[node] > 0, "it has no text but links"
        ),
        unless(
            "in a text table",
            several,
            lambda page, node: not page.part_of_table[node],
            "it is a part of a text table",
        ),
        unless(
            "below the comments' heading",
            some,
            lambda page, node: bool(
                page.above_comments[page.elements.blocks.table.first_block[node]]
            ),
            "it stands below the comments' heading",
        ),
        Production("inner", several, _inner),
        Production(
            "longest text",
            several,
            best(
                lambda store, node: float(store.facts.length[node]),
                lambda value, most: f"{value:.0f} characters, another has {most:.0f}",
            ),
        ),
        Production("first", several, first_only("it stands below another as long")),
    ),
)


def find_max_text(candidates: Candidates) -> Conclusion:
    """The element with the main article."""
    return ARTICLE_RULES.run(candidates, find_all_texts(candidates))
