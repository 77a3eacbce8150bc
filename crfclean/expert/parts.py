"""Find the blocks and pictures of the main article (steps 12, 14 and 15 of the paper).

Necessary parts are paragraphs, lists and headings inside its element; all else is doubtful (text
outside of them, pictures, layout tables) and stays only if no rule removes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.expert.article import Candidates
from crfclean.expert.headings import NO_HEADING, MainHeading
from crfclean.features.block_kinds import kinds_of
from crfclean.features.kinds import is_caption
from crfclean.page.elements import PICTURE_ADDRESSES
from crfclean.page.tree import HEADINGS, nearest
from crfclean.rules import Conclusion, Removals, Rule, Store, System, some, unless
from crfclean.types import Bools, Floats, Ints, Kind

_TINY_PIXELS = 32  # smaller pictures are icons and tracking pixels
_BESIDE = (Kind.NOTICE, Kind.PROMO, Kind.TEASER)
_MOST_BESIDE = 0.2  # of an article's words: with more promotion or teasers it is a list of these
_NUMBER = re.compile(r"\s*(\d{1,5})")


@dataclass(frozen=True, repr=False, eq=False)
class Inside:
    """What the rules of an article's parts read: the page, the article's element, the heading."""

    page: Candidates
    article: int
    heading: MainHeading = NO_HEADING

    @cached_property
    def blocks(self) -> list[int]:
        """The blocks inside the article, in page order."""
        nodes = self.page.elements.blocks.nodes
        return list(range(int(nodes.first_block[self.article]), int(nodes.end_block[self.article])))

    @cached_property
    def necessary(self) -> Bools:
        """Whether each block is a paragraph, heading, list, text table or caption, (n,)."""
        elements = self.page.elements
        tagged = elements.page.is_tag(["p", "pre", "blockquote", "ul", "ol", "dl", *HEADINGS])[
            np.maximum(elements.paragraph, 0)
        ]
        parts: Bools = (tagged & (elements.paragraph >= 0)) | self.page.in_table
        return parts | is_caption(elements.page)

    @cached_property
    def beside(self) -> Bools:
        """Whether each block is promotion, a notice or a teaser inside the article, (n,).

        Promotion or teasers that are much of the article are what it is about: a list of offers, or
        of other pages.
        """
        page = self.page.elements.page
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
        headings = nearest(elements.page, elements.page.is_tag(HEADINGS))[elements.blocks.node]
        tags = elements.blocks.nodes.tags
        ranks = [int(tags[node][1]) if node >= 0 else 0 for node in headings.tolist()]
        return np.array(ranks, np.int64)

    @cached_property
    def list_links(self) -> Bools:
        """Whether each block is in a list that is mostly links, (n,)."""
        elements = self.page.elements
        in_links = elements.held(elements.page.chars - elements.own)
        holder = np.maximum(elements.paragraph, 0)
        mostly_links = in_links[holder] > 0.5 * np.maximum(elements.all_held[holder], 1.0)
        listed: Bools = mostly_links & elements.in_list & (elements.paragraph >= 0)
        return listed


def _empty_headings(store: Store) -> Removals:
    """Headings without text before the next heading of the same or a higher rank."""
    inside: Inside = store.facts
    removed: dict[int, str] = {}
    followed = [False] * 7  # by rank: whether text follows a heading of it here
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


def _doubtful(store: Store, block: int) -> bool:
    inside: Inside = store.facts
    short = inside.page.elements.own[block] < inside.page.params.running_chars
    return bool(short and not inside.necessary[block])


def _any_sure(store: Store) -> bool:
    """Whether some part is not doubtful: a page of short loose texts has nothing better."""
    return any(not _doubtful(store, block) for block in store.candidates)


def _any_text(store: Store) -> bool:
    """Whether any part is no promotion, notice or teaser."""
    return any(not store.facts.beside[block] for block in store.candidates)


PART_RULES = System(
    "parts of the article",
    (
        Rule(
            "below the comments' heading",
            some,
            unless(
                lambda store, block: bool(store.facts.page.above_comments[block]),
                "it belongs to the comments",
            ),
        ),
        Rule(
            "apart",
            some,
            unless(
                lambda store, block: not store.facts.page.elements.apart[block],
                "it stands in navigation, an aside, a form or the like",
            ),
        ),
        Rule(
            "beside the text",
            _any_text,
            unless(
                lambda store, block: not store.facts.beside[block],
                "promotion, a notice or a teaser",
            ),
        ),
        Rule(
            "list of links",
            some,
            unless(lambda store, block: not store.facts.list_links[block], "a list of links"),
        ),
        Rule(
            "links",
            some,
            unless(
                lambda store, block: (
                    store.facts.page.elements.linked[block] <= 0.5
                    or store.facts.page.in_table[block]
                    or bool(store.facts.rank[block])
                ),
                "it is a link",
            ),
        ),
        Rule(
            "doubtful",
            _any_sure,
            unless(
                lambda store, block: not _doubtful(store, block),
                "neither paragraph, list, heading nor table, and short",
            ),
        ),
        Rule("heading of nothing", some, _empty_headings),
    ),
)


def find_parts(inside: Inside) -> Conclusion:
    """Find the blocks of the article."""
    return PART_RULES.run(inside, inside.blocks)


# pictures


@dataclass(frozen=True, repr=False, eq=False)
class Pictures:
    """What the rules of pictures read: an article, and which blocks of the page are kept."""

    inside: Inside
    kept: Bools

    def attribute(self, node: int, name: str) -> str:
        """An attribute of an element, "" if it has none."""
        attributes = self.inside.page.elements.blocks.nodes.attributes[node]
        return (attributes.get(name) or "").strip()

    @cached_property
    def around(self) -> Ints:
        """The nearest element around each that holds text and is no figure, -1 if none; (m,)."""
        elements = self.inside.page.elements
        captions = elements.page.is_tag(["figure", "figcaption", "picture"])
        return nearest(elements.page, (elements.all_held > 0) & ~captions)

    @cached_property
    def kept_share(self) -> Floats:
        """Share of each element's characters that are kept, (m,)."""
        elements = self.inside.page.elements
        chars = elements.page.chars
        kept = elements.held(np.where(self.kept, chars, 0.0))
        shares: Floats = kept / np.maximum(elements.all_held, 1.0)
        return shares

    def tiny(self, node: int) -> bool:
        """Whether a picture's attributes make it only a few pixels wide or high."""
        sizes = [_NUMBER.match(self.attribute(node, name)) for name in ("width", "height")]
        return any(size is not None and int(size[1]) < _TINY_PIXELS for size in sizes)


PICTURE_RULES = System(
    "pictures",
    (
        Rule(
            "no address",
            some,
            unless(
                lambda store, node: any(
                    store.facts.attribute(node, name) for name in PICTURE_ADDRESSES
                ),
                "it has no address",
            ),
        ),
        Rule("tiny", some, unless(lambda store, node: not store.facts.tiny(node), "a few pixels")),
        Rule(
            "below the comments' heading",
            some,
            unless(
                lambda store, node: _above_comments(store.facts, node),
                "it belongs to the comments",
            ),
        ),
        Rule(
            "beside what was removed",
            some,
            unless(
                lambda store, node: store.facts.kept_share[store.facts.around[node]] >= 0.5,
                "most of the text around it was removed",
            ),
        ),
    ),
)


def _above_comments(pictures: Pictures, node: int) -> bool:
    page = pictures.inside.page
    if page.comments < 0:
        return True
    blocks = page.elements.blocks
    before = blocks.nodes.first_block[node] < page.comments
    return bool(before or node < blocks.node[page.comments])


def find_pictures(inside: Inside, kept: Bools) -> Conclusion:
    """Find the pictures of the article and those between the main heading and it.

    `kept` marks the page's kept blocks, (n,).
    """
    end = int(inside.page.elements.blocks.nodes.end[inside.article])
    heading = inside.heading.node
    first = heading if 0 <= heading < inside.article else inside.article
    images = np.flatnonzero(inside.page.elements.page.is_tag(["img"])).tolist()
    candidates = [node for node in images if first < node < end]
    return PICTURE_RULES.run(Pictures(inside, kept), candidates)
