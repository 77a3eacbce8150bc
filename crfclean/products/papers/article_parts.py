"""Find the blocks and pictures of the main article (steps 12, 14 and 15 of the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.core.table import Table
from crfclean.model.block_kinds import kinds_of
from crfclean.model.coarse_kinds import is_caption
from crfclean.page.elements import HEADINGS, LISTS, PARAGRAPHS
from crfclean.page.head import MEDIA, media_source
from crfclean.page.pictures import is_among_kept, is_tiny
from crfclean.products.papers.article import Candidates
from crfclean.products.papers.headline import NO_HEADING, MainHeading
from crfclean.rules import (
    Conclusion,
    Production,
    Removals,
    Store,
    System,
    some,
    unless,
)
from crfclean.types import Bools, Ints, Kind

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
        Production("heading of nothing", some, _empty_headings),
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
