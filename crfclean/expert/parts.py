"""The main article's element -> the blocks and pictures that belong to it (blocks 12, 14 and 15).

Necessary parts are paragraphs, lists and headings inside the element; all else in it is doubtful
(stray text, pictures, tables that arrange the page), and stays only where no rule removes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.expert.article import Candidates
from crfclean.features.kinds import is_caption
from crfclean.page.elements import PICTURE_ADDRESSES
from crfclean.page.tree import HEADINGS, nearest
from crfclean.rules import Conclusion, Removals, Rule, Store, System, some, unless
from crfclean.types import Bools, Floats, Ints

_TINY_PIXELS = 32  # pixels: smaller pictures are marks and counters
_NUMBER = re.compile(r"\s*(\d{1,5})")


@dataclass(frozen=True)
class Inside:
    """What the rules of an article's parts look at: the page's candidates and the article."""

    page: Candidates
    article: int

    @cached_property
    def blocks(self) -> list[int]:
        """The blocks inside the article, in page order."""
        nodes = self.page.elements.blocks.nodes
        return list(range(int(nodes.first_block[self.article]), int(nodes.end_block[self.article])))

    @cached_property
    def necessary(self) -> Bools:
        """Whether each block is a paragraph, heading, list or caption by its element, (n,)."""
        elements = self.page.elements
        wanted = elements.page.is_tag(["p", "pre", "blockquote", "ul", "ol", "dl", *HEADINGS])[
            np.maximum(elements.paragraph, 0)
        ]
        found: Bools = (wanted & (elements.paragraph >= 0)) | self.page.in_table
        return found | is_caption(elements.page)

    @cached_property
    def rank(self) -> Ints:
        """1 to 6 for blocks in `h1` to `h6`, 0 for others, (n,)."""
        elements = self.page.elements
        at = nearest(elements.page, elements.page.is_tag(HEADINGS))[elements.blocks.node]
        tags = elements.blocks.nodes.tags
        return np.array([int(tags[node][1]) if node >= 0 else 0 for node in at.tolist()], np.int64)

    @cached_property
    def list_links(self) -> Bools:
        """Whether each block stands in a list, and most of that list is links, (n,)."""
        elements = self.page.elements
        in_links = elements.held(elements.page.chars - elements.own)
        place = np.maximum(elements.paragraph, 0)
        mostly = in_links[place] > 0.5 * np.maximum(elements.all_held[place], 1.0)
        found: Bools = mostly & elements.in_list & (elements.paragraph >= 0)
        return found


def _empty_headings(store: Store) -> Removals:
    """Headings that nothing follows before the next of the same or a higher rank."""
    inside: Inside = store.facts
    removed: dict[int, str] = {}
    followed = [False] * 7  # by text, for a heading of each rank
    for block in reversed(store.candidates):
        rank = int(inside.rank[block])
        if not rank:
            followed = [True] * 7
            continue
        if not followed[rank] and block not in _of_main_heading(inside):
            removed[block] = "no text follows it"
        else:
            followed[:rank] = [True] * rank
        followed[rank:] = [False] * (7 - rank)
    return removed


def _of_main_heading(inside: Inside) -> range:
    """The blocks of the main heading."""
    nodes, heading = inside.page.elements.blocks.nodes, inside.page.heading
    if heading < 0:
        return range(0)
    return range(int(nodes.first_block[heading]), int(nodes.end_block[heading]))


def _doubtful(store: Store, block: int) -> bool:
    inside: Inside = store.facts
    short = inside.page.elements.own[block] < inside.page.params.running_chars
    return bool(short and not inside.necessary[block])


def _any_sure(store: Store) -> bool:
    """Whether some part is not doubtful: a page of stray short texts has nothing better."""
    return any(not _doubtful(store, block) for block in store.candidates)


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
    """The blocks of the article."""
    return PART_RULES.run(inside, inside.blocks)


# pictures


@dataclass(frozen=True)
class Pictures:
    """What the rules of pictures look at: an article, and which blocks of the page are kept."""

    inside: Inside
    kept: Bools

    def attribute(self, node: int, name: str) -> str:
        """An attribute of an element, "" where it has none."""
        known = self.inside.page.elements.blocks.nodes.attributes[node]
        return (known.get(name) or "").strip()

    @cached_property
    def around(self) -> Ints:
        """The nearest element around each that holds more text than a caption, else -1; (m,)."""
        elements = self.inside.page.elements
        captions = elements.page.is_tag(["figure", "figcaption", "picture"])
        return nearest(elements.page, (elements.all_held > 0) & ~captions)

    @cached_property
    def kept_share(self) -> Floats:
        """Share of each element's characters that is kept, (m,)."""
        elements = self.inside.page.elements
        chars = elements.page.chars
        kept = elements.held(np.where(self.kept, chars, 0.0))
        shares: Floats = kept / np.maximum(elements.all_held, 1.0)
        return shares

    def tiny(self, node: int) -> bool:
        """Whether a picture says that it is only a few pixels wide or high."""
        found = [_NUMBER.match(self.attribute(node, name)) for name in ("width", "height")]
        return any(one is not None and int(one[1]) < _TINY_PIXELS for one in found)


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
    """The pictures of the article, and between the main heading and it.

    `kept` are the blocks of the page that stay, (n,).
    """
    end = int(inside.page.elements.blocks.nodes.end[inside.article])
    heading = inside.page.heading
    first = heading if 0 <= heading < inside.article else inside.article
    images = np.flatnonzero(inside.page.elements.page.is_tag(["img"])).tolist()
    candidates = [node for node in images if first < node < end]
    return PICTURE_RULES.run(Pictures(inside, kept), candidates)
