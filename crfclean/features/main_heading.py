"""Find the main heading of a page's text, where `headline` may point at the site's name or a menu.

Models are trained with `headline`, a column of theirs; kinds and the decision go by this one. What
`headline` took for main headings: "Debian User Forums" in the banner of a thread, "Get our news in
your inbox" in a form, a programming language's name above every chapter of its book.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from crfclean.features.headline import (
    MAX_TITLE_WORDS,
    title_likeness,
    title_sets,
    tokens_of,
)
from crfclean.features.markup import elements_for, elements_named, elements_typed
from crfclean.features.wording import MAX_HOME_CHARS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import HEADINGS, held, is_long, linked, nearest, running_words
from crfclean.types import Bools, Floats, Ints

LEVELS = {"h1": 0.5, "h2": 0.25, "h3": 0.25}
PAGE_TAGS = ("html", "body")
ASIDE_TAGS = ("footer", "aside")
_EARLY = 0.1  # for a place before the running text
_APART = 0.6  # against a block in a menu, a form or a box of links
_FIRST = 4  # blocks that are looked at before the others
_ROUNDING = 1e-9
_LEAST = 0.5  # the score of a likely main heading
_TOKEN = 0.4  # the likeness of a single word that is a title's part: sections are named so, too
APART_GROUPS = ("for_navigation", "for_promo", "for_notice", "for_teaser", "for_site")
_LINKED = 0.5  # of a block's characters: a block with more is a link
_MAX_APART_WORDS = 150  # of running text: an element with more is no menu, whatever its name is
HEADING_BOUNDS = (_EARLY, _APART, _LEAST, _TOKEN, _MAX_APART_WORDS)
"""What the compiled core needs, in its order; `_LINKED` is the same as of zones."""

_HOME_ADDRESS = re.compile(r"(?:https?:)?(?://[^/?#]+)?/?(?:\./|index\.\w{2,5})?")


@once
def main_heading(page: Measures) -> int:
    """The index of the block that is most likely the main heading, -1 if none is likely.

    Similarity to a title counts most, then a heading element, then a place before the running text;
    menus, promotion and links to the site's first page are less likely.
    """
    if not len(page):
        return -1
    early = np.where(np.cumsum(is_long(page)) <= 1, _EARLY, 0.0)
    worth = np.array([LEVELS.get(tag, 0.0) for tag in page.tag_names])
    level = worth[page.tag_codes[page.blocks.node]]
    most = title_likeness(page) + level + early
    likely = np.flatnonzero(most >= _LEAST)  # for other blocks the rest is not worth its cost
    if not len(likely):
        return -1
    by_most = likely[np.argsort(-most[likely], kind="stable")]
    first, others = np.sort(by_most[:_FIRST]), by_most[_FIRST:]
    scores = _scores(page, first, level, early)
    bounds = most[others] + np.where(level[others] >= LEVELS["h1"], _TOKEN, 0.0)
    others = others[bounds >= scores.max() - _ROUNDING]
    if len(others):  # they may have as much
        first = np.sort(np.concatenate([first, others]))
        scores = _scores(page, first, level, early)
    best = int(scores.argmax())
    return int(first[best]) if scores[best] >= _LEAST else -1


def _scores(page: Measures, blocks: Ints, level: Floats, early: Floats) -> Floats:
    """The scores of some blocks (k,) as the main heading, (k,), by those of all places (n,)."""
    scores: Floats = _likeness(page, blocks) + level[blocks] + early[blocks]
    return scores - _APART * _apart(page, blocks)


def _likeness(page: Measures, blocks: Ints) -> Floats:
    """The largest Dice coefficient of some blocks' tokens (k,) with a title's, times its weight.

    A single token counts in an `h1` alone, if a title or a part of one has no other. No value is
    above `title_likeness`, that of such a token aside. Shape (k,).
    """
    likeness, in_h1 = np.zeros(len(blocks)), page.is_tag(["h1"])[page.blocks.node[blocks]]
    titles = title_sets(page).weights
    short = np.flatnonzero(page.words[blocks] <= MAX_TITLE_WORDS).tolist()
    texts = [page.texts[index] for index in blocks[short].tolist()]
    for place, tokens in zip(short, tokens_of(texts), strict=True):
        block = frozenset(tokens)
        if len(block) > 1:
            likeness[place] = _largest(block, titles)
        elif in_h1[place]:
            likeness[place] = _TOKEN * titles.get(block, 0.0)
    return likeness


def _largest(block: frozenset[str], titles: Mapping[frozenset[str], float]) -> float:
    """The largest weighted Dice coefficient with a title of several tokens, 0 without any."""
    return max(
        (
            worth * 2 * len(block & title) / (len(block) + len(title))
            for title, worth in titles.items()
            if len(title) > 1
        ),
        default=0.0,
    )


def _apart(page: Measures, blocks: Ints) -> Bools:
    """Whether some blocks (k,) stand in a menu, promotion or the like, or are links home; (k,)."""
    around = nearest(page, _apart_elements(page))[page.blocks.node[blocks]]
    apart: Bools = (around >= 0) | _links_home(page, blocks)
    return apart


@once
def _apart_elements(page: Measures) -> Bools:
    """Whether each element is a menu, promotion or the like, shape (m,)."""
    named = elements_for(page, *APART_GROUPS)
    named |= elements_named(page, "comment") & page.is_tag(HEADINGS)
    typed = elements_typed(page, "in_nav", "in_dialog") | page.is_tag(ASIDE_TAGS)
    small = held(page, running_words(page)) <= _MAX_APART_WORDS
    block_level = ~page.blocks.nodes.inline & ~page.is_tag(PAGE_TAGS)
    elements: Bools = (named | typed) & small & block_level
    return elements


def _links_home(page: Measures, blocks: Ints) -> Bools:
    """Whether some blocks (k,) are links to the first page of the site, shape (k,)."""
    nodes, is_asked = page.blocks.nodes, np.zeros(len(page) + 1, np.bool_)
    is_asked[blocks] = linked(page)[blocks] > _LINKED
    home = np.zeros(len(page), np.bool_)
    first = np.minimum(nodes.first_block, len(page))
    for link in np.flatnonzero(page.is_tag(["a"]) & is_asked[first]).tolist():
        href = nodes.attributes[link].get("href", "").strip()
        if 0 < len(href) <= MAX_HOME_CHARS and _HOME_ADDRESS.fullmatch(href):
            home[first[link]] = True
    return home[blocks]
