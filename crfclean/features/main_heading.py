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
    MAX_TITLE_CHARS,
    MAX_TITLE_WORDS,
    MAX_TITLES,
    SPLIT_TITLE,
    tokens_of,
)
from crfclean.features.markup import elements_for, elements_named, elements_typed
from crfclean.page.chars import spelled_out
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.page.tree import HEADINGS, held, is_long, linked, nearest, running_words
from crfclean.types import Bools, Floats

_LEVELS = {"h1": 0.5, "h2": 0.25, "h3": 0.25}
_EARLY = 0.1  # for a place before the running text
_APART = 0.6  # against a block in a menu, a form or a box of links
_SITE = 0.6  # the weight of a title's last part, which is the site's name as a rule
_LEAST = 0.5  # the score of a likely main heading
_TOKEN = 0.4  # the likeness of a single word that is a title's part: sections are named so, too
_APART_GROUPS = ("for_navigation", "for_promo", "for_notice", "for_teaser", "for_site")
_MAX_HREF_CHARS = 100  # of an address of a site's first page
_LINKED = 0.5  # of a block's characters: a block with more is a link
_MAX_APART_WORDS = 150  # of running text: an element with more is no menu, whatever its name is
_HOME_ADDRESS = re.compile(r"(?:https?:)?(?://[^/?#]+)?/?(?:\./|index\.\w{2,5})?")


@once
def main_heading(page: Measures) -> int:
    """The index of the block that is most likely the main heading, -1 if none is likely.

    Similarity to a title counts most, then a heading element, then a place before the running text;
    menus, promotion and links to the site's first page are less likely.
    """
    if not len(page):
        return -1
    early = np.cumsum(is_long(page)) <= 1
    level = sum(page.is_tag([tag])[page.blocks.node] * worth for tag, worth in _LEVELS.items())
    score = _likeness(page) + level + _EARLY * early - _APART * _apart(page)
    index = int(score.argmax())
    return index if score[index] >= _LEAST else -1


def _weighted_titles(titles: tuple[str, ...]) -> dict[frozenset[str], float]:
    """Tokens of the titles and of their parts -> how much likeness with them counts (0..1)."""
    weights: dict[str, float] = {}
    for title in [title[:MAX_TITLE_CHARS] for title in titles[:MAX_TITLES]]:
        parts = [part for part in SPLIT_TITLE.split(title) if part.strip()]
        for part in (title, *parts):
            worth = _SITE if len(parts) > 1 and part == parts[-1] else 1.0
            weights[part] = max(worth, weights.get(part, 0.0))
    tokens = tokens_of(spelled_out(tuple(weights)))
    by_tokens: dict[frozenset[str], float] = {}
    for part, worth in zip(map(frozenset, tokens), weights.values(), strict=True):
        by_tokens[part] = max(worth, by_tokens.get(part, 0.0))
    by_tokens.pop(frozenset(), None)
    return dict(list(by_tokens.items())[:MAX_TITLES])


def _likeness(page: Measures) -> Floats:
    """The largest Dice coefficient of each block's tokens with a title's, times its weight; (n,).

    A single token counts in an `h1` alone, if a title or a part of one has no other.
    """
    likeness, in_h1 = np.zeros(len(page)), page.is_tag(["h1"])[page.blocks.node]
    titles = _weighted_titles(head_metadata(page).titles)
    title_words = frozenset[str]().union(*titles)
    short = np.flatnonzero(page.words <= MAX_TITLE_WORDS).tolist()
    for index, tokens in zip(short, tokens_of([page.texts[index] for index in short]), strict=True):
        block = frozenset(tokens)
        if title_words.isdisjoint(block):
            continue
        if len(block) > 1:
            likeness[index] = _largest(block, titles)
        elif in_h1[index]:
            likeness[index] = _TOKEN * titles.get(block, 0.0)
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


def _apart(page: Measures) -> Bools:
    """Whether each block stands in a menu, promotion or the like, or is a link home; (n,)."""
    named = np.any([elements_for(page, group) for group in _APART_GROUPS], axis=0)
    named |= elements_named(page, "comment") & page.is_tag(HEADINGS)
    typed = elements_typed(page, "in_nav") | elements_typed(page, "in_dialog")
    typed |= page.is_tag(["footer", "aside"])
    small = held(page, running_words(page)) <= _MAX_APART_WORDS
    elements = (named | typed) & small & ~page.blocks.nodes.inline & ~page.is_tag(["html", "body"])
    apart: Bools = (nearest(page, elements)[page.blocks.node] >= 0) | _links_home(page)
    return apart


def _links_home(page: Measures) -> Bools:
    """Whether each block is a link to the first page of the site, shape (n,)."""
    nodes = page.blocks.nodes
    home = np.zeros(len(page), np.bool_)
    for link in np.flatnonzero(page.is_tag(["a"]) & (nodes.first_block < len(page))).tolist():
        href = nodes.attributes[link].get("href", "").strip()
        if 0 < len(href) <= _MAX_HREF_CHARS and _HOME_ADDRESS.fullmatch(href):
            home[nodes.first_block[link]] = True
    linked_home: Bools = home & (linked(page) > _LINKED)
    return linked_home
