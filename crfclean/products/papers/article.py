"""Find the main heading and the main article of a page, by the rules of an expert system."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.metadata.heading import Titled, agrees
from crfclean.model.zones import is_caption, kinds_of
from crfclean.page.elements import HEADINGS, LISTS, PARAGRAPHS, Elements
from crfclean.page.head import MEDIA, media_source
from crfclean.page.pictures import is_among_kept, is_tiny
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
from crfclean.types import Bools, Floats, Ints, Kind, check_bounds, option


class MainHeading(NamedTuple):
    """The element of the main heading (-1: there is none) and its blocks."""

    node: int = -1
    blocks: range = range(0)


NO_HEADING = MainHeading()


def of_element(elements: Elements, node: int) -> MainHeading:
    """The main heading that is an element with all its blocks; none for -1."""
    if node < 0:
        return NO_HEADING
    return MainHeading(node, elements.blocks.table.blocks_in(node))


def of_block(elements: Elements, block: int) -> MainHeading:
    """The main heading that is a block."""
    return MainHeading(int(elements.blocks.node[block]), range(block, block + 1))


# find the main heading where no heading element agrees with the page's title
#
# The paper postpones a question that it cannot answer yet ("least risk", section 3). Here the block
# above the article is chosen once the article is known.

MAX_CHARS = 200  # of a block that may be a heading
MAX_NEAREST = 50  # blocks that are compared with the title, the nearest to the article


HEADLINE_RULES = System(
    "headline above the article",
    (
        unless(
            "unlike the title",
            some,
            lambda facts, block: agrees(facts.title, facts.text(block)),
            "it is not like the title",
        ),
        Rule(
            "nearest",
            several,
            best(
                lambda _, block: float(block),
                lambda *_: "another as good stands nearer to the article",
            ),
        ),
    ),
)


def find_headline(elements: Elements, article: int) -> Conclusion:
    """Find the block like the title above block `article`, where the article's text begins."""
    short = np.flatnonzero(elements.blocks.chars[:article] <= MAX_CHARS)
    return HEADLINE_RULES.run(
        Titled(elements, elements.blocks.table.plain_texts.__getitem__),
        short[-MAX_NEAREST:].tolist(),
    )


# find the element that holds the main article
#
# Steps 4, 5 and 9 to 11 of the paper: the element with the longest text, tables included, among
# elements that directly hold text and are not inside text tables or below the comments' heading.


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


def find_max_text(candidates: Candidates) -> Conclusion:
    """The element with the main article."""
    return ARTICLE_RULES.run(candidates, find_all_texts(candidates))


# find the blocks and pictures of the main article (steps 12, 14 and 15 of the paper)
#
# Necessary parts are paragraphs, lists and headings inside the article's element. All other parts
# (loose text, pictures, layout tables) are doubtful: they stay only if no rule removes them.

_BESIDE = (Kind.NOTICE, Kind.PROMO, Kind.TEASER)
_MOST_BESIDE = 0.2  # share of an article's words; with more, the article is a list of teasers


@dataclass(frozen=True, repr=False, eq=False)
class Inside:
    """Facts for the rules of an article's parts: the page, the article's element, the heading."""

    page: Candidates
    article: int
    heading: MainHeading = NO_HEADING

    @cached_property
    def blocks(self) -> list[int]:
        """The blocks inside the article, in page order."""
        return list(self.page.elements.blocks.table.blocks_in(self.article))

    @cached_property
    def necessary(self) -> Bools:
        """Mark each block that is a paragraph, heading, list, text table or caption, (n,)."""
        elements = self.page.elements
        parts = elements.paragraph_is(*PARAGRAPHS, *LISTS, *HEADINGS) | self.page.in_table
        return parts | is_caption(elements.blocks)

    @cached_property
    def beside(self) -> Bools:
        """Mark each block that is promotion, a notice or a teaser inside the article, (n,).

        Promotion or teasers that are a large part of the article are its subject, as in a list of
        offers or of other pages.
        """
        page = self.page.elements.blocks
        kinds, inside = kinds_of(page), np.zeros(len(page), np.bool_)
        inside[self.blocks] = True
        words, beside = np.where(inside, page.words, 0.0), np.zeros(len(page), np.bool_)
        for kind in _BESIDE:
            of_kind = kinds == kind
            few = words[of_kind].sum() <= _MOST_BESIDE * words.sum()
            beside |= of_kind & (few | (kind == Kind.NOTICE))
        return beside

    @cached_property
    def rank(self) -> Ints:
        """1 to 6 for blocks in `h1` to `h6`, 0 for others, (n,)."""
        elements = self.page.elements
        is_heading = elements.blocks.table.is_tag(*HEADINGS)
        headings = elements.blocks.table.nearest(is_heading)[elements.blocks.node]
        tags = elements.blocks.table.tags
        ranks = [int(tags[node][1]) if node >= 0 else 0 for node in headings.tolist()]
        return np.array(ranks, np.int64)

    @cached_property
    def list_links(self) -> Bools:
        """Mark each block that is in a list that is mostly links, (n,)."""
        elements = self.page.elements
        in_links = elements.held(elements.blocks.chars - elements.own)
        holder = np.maximum(elements.paragraph, 0)
        mostly_links = in_links[holder] > 0.5 * np.maximum(elements.all_held[holder], 1.0)
        in_list = elements.blocks.table.within(*LISTS)[elements.blocks.node] > 0
        listed: Bools = mostly_links & in_list & (elements.paragraph >= 0)
        return listed


def _empty_headings(store: Store) -> Removals:
    """Remove headings without text before the next heading of the same or a higher rank."""
    inside: Inside = store.facts
    removed: dict[int, str] = {}
    followed = [False] * 7  # by rank: does text follow a heading of this rank here?
    for block in reversed(store.candidates):
        rank = int(inside.rank[block])
        if not rank:
            followed = [True] * 7
            continue
        if not followed[rank] and block not in inside.heading.blocks:
            removed[block] = "no text follows it"
        else:
            followed[:rank] = [True] * rank
        followed[rank:] = [False] * (7 - rank)
    return removed


def _doubtful(inside: Inside, block: int) -> bool:
    short = inside.page.elements.own[block] < inside.page.params.running_chars
    return bool(short and not inside.necessary[block])


def _any_sure(store: Store) -> bool:
    """Return whether any part is not doubtful; on a page of short loose texts all are."""
    return any(not _doubtful(store.facts, block) for block in store.candidates)


def _any_text(store: Store) -> bool:
    """Return whether at least one part is not promotion, a notice or a teaser."""
    return any(not store.facts.beside[block] for block in store.candidates)


PART_RULES = System(
    "parts of the article",
    (
        unless(
            "below the comments' heading",
            some,
            lambda page, block: bool(page.page.above_comments[block]),
            "it belongs to the comments",
        ),
        unless(
            "apart",
            some,
            lambda page, block: not page.page.elements.apart[block],
            "it stands in navigation, an aside, a form or the like",
        ),
        unless(
            "beside the text",
            _any_text,
            lambda page, block: not page.beside[block],
            "promotion, a notice or a teaser",
        ),
        unless(
            "list of links", some, lambda page, block: not page.list_links[block], "a list of links"
        ),
        unless(
            "links",
            some,
            lambda page, block: (
                page.page.elements.linked[block] <= 0.5
                or page.page.in_table[block]
                or bool(page.rank[block])
            ),
            "it is a link",
        ),
        unless(
            "doubtful",
            _any_sure,
            lambda page, block: not _doubtful(page, block),
            "neither paragraph, list, heading nor table, and short",
        ),
        Rule("heading of nothing", some, _empty_headings),
    ),
)


# pictures


@dataclass(frozen=True, repr=False, eq=False)
class Pictures:
    """Facts for the rules of pictures: an article, and which blocks of the page are kept."""

    inside: Inside
    kept: Bools

    @property
    def table(self) -> Table:
        """The page's elements."""
        return self.inside.page.elements.blocks.table

    @cached_property
    def among_kept(self) -> Bools:
        """Mark each element around which most of the text is kept, (m,)."""
        return is_among_kept(self.inside.page.elements.blocks, self.kept)

    def above_comments(self, node: int) -> bool:
        """Return whether a picture stands above the comments' heading, or there is none."""
        page = self.inside.page
        blocks = page.elements.blocks
        before = page.comments < 0 or blocks.table.first_block[node] < page.comments
        return bool(before or node < blocks.node[page.comments])


PICTURE_RULES = System(
    "pictures",
    (
        unless(
            "no address",
            some,
            lambda page, node: bool(media_source(page.table, node)),
            "it has no address",
        ),
        unless("tiny", some, lambda page, node: not is_tiny(page.table, node), "a few pixels"),
        unless(
            "below the comments' heading",
            some,
            lambda page, node: page.above_comments(node),
            "it belongs to the comments",
        ),
        unless(
            "beside what was removed",
            some,
            lambda page, node: bool(page.among_kept[node]),
            "most of the text around it was removed",
        ),
    ),
)


def find_pictures(inside: Inside, kept: Bools) -> Conclusion:
    """Find the pictures of the article and those between the main heading and it.

    `kept` marks the page's kept blocks, (n,).
    """
    end = int(inside.page.elements.blocks.table.end[inside.article])
    heading = inside.heading.node
    first = heading if 0 <= heading < inside.article else inside.article
    media = np.flatnonzero(inside.page.elements.blocks.table.is_tag(*MEDIA)).tolist()
    return PICTURE_RULES.run(Pictures(inside, kept), [node for node in media if first < node < end])
