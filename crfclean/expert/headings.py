"""Find the main heading (steps 2 and 3 of the paper)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from crfclean.expert.comments import mentions_comments
from crfclean.page.tree import HEADINGS, Elements
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

MAX_COMPARED = 50  # headings of one rank that are compared with the title


class MainHeading(NamedTuple):
    """The element of the main heading (-1: there is none) and its blocks."""

    node: int = -1
    blocks: range = range(0)


NO_HEADING = MainHeading()


def of_element(page: Elements, node: int) -> MainHeading:
    """The main heading that is an element with all its blocks; none for -1."""
    if node < 0:
        return NO_HEADING
    nodes = page.blocks.nodes
    return MainHeading(node, range(int(nodes.first_block[node]), int(nodes.end_block[node])))


def of_block(page: Elements, block: int) -> MainHeading:
    """The main heading that is a block."""
    return MainHeading(int(page.blocks.node[block]), range(block, block + 1))


@dataclass(frozen=True)
class Titled:
    """Facts for the rules of headings: a page, its title, and the texts of candidates."""

    page: Elements
    text: Callable[[int], str]

    @property
    def title(self) -> str:
        """The page's title."""
        return self.page.blocks.title

    @cached_property
    def title_names_comments(self) -> bool:
        """True if the page's title mentions comments; read once, since a title may be long."""
        return mentions_comments(self.title)


def likeness(store: Store, item: int) -> float:
    """Length of the longest common substring of a candidate and the title."""
    if "compared" not in store.notes:
        store.notes["compared"] = frozenset(store.candidates[:MAX_COMPARED])
    if item not in store.notes["compared"]:
        return 0.0
    return float(common_substring(store.facts.title, store.facts.text(item)))


def _names_no_comments(facts: Titled, item: int) -> bool:
    return facts.title_names_comments or not mentions_comments(facts.text(item))


def agrees_with_title(page: Elements, node: int) -> bool:
    """Return whether an element's text agrees with the page's title."""
    return agrees(page.blocks.title, page.text(node))


def _unlike_the_title(store: Store) -> Removals:
    """Headings that do not agree with the title, if another one does."""
    compared = store.candidates[:MAX_COMPARED]
    alike = {node for node in compared if agrees_with_title(store.facts.page, node)}
    if not alike:
        return {}
    return {
        node: "it is not like the title, another is"
        for node in store.candidates
        if node not in alike
    }


HEADING_RULES = System(
    "main heading",
    (
        unless(
            "no text", some, lambda facts, node: bool(facts.page.all_held[node]), "it shows no text"
        ),
        unless(
            "comments", several, _names_no_comments, "it speaks of comments, the title does not"
        ),
        Rule("unlike the title", several, _unlike_the_title),
        Rule(
            "higher rank",
            several,
            best(
                lambda store, node: -float(store.facts.page.tag(node)[1]),
                lambda value, most: f"it is an h{-value:.0f}, another is an h{-most:.0f}",
            ),
        ),
        Rule(
            "like the title",
            several,
            best(
                likeness,
                lambda value, most: f"{value:.0f} characters of the title, another has {most:.0f}",
            ),
        ),
        Rule("first", several, first_only("it stands below another as good")),
    ),
)


def find_best_header(page: Elements) -> Conclusion:
    """Find the main heading: by rank, then by likeness to the title, then by position."""
    headings = np.flatnonzero(page.page.is_tag(*HEADINGS)).tolist()
    return HEADING_RULES.run(Titled(page, page.text), headings)


# the agreement of a text with the page's title, for the candidates of the main heading

_MAX_CHARS = 200  # of title and text in a comparison, whose time is quadratic
_MAX_READ = 2_000  # characters of a title or text that `plain` reads
_PLAIN = str.maketrans({**dict.fromkeys("‘’‚′`´", "'"), **dict.fromkeys("“”„«»″", '"'), "…": "..."})
_PLAIN |= str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
# "Ferry in the ice - Harbour News", "BBC NEWS | Technology | Ferry in the ice"
_PARTS = re.compile(r"\s+[-|:/>·]+\s+|:{2,}|\|+")
SHARE = 0.5  # of the longest part of a title; 0.35 and 0.65 are equal or worse (eval/segments)


def plain(text: str) -> str:
    r"""A text in lower case with single spaces and plain quotes and dashes.

    >>> plain("The  “Ferry” \u2013 back")
    'the "ferry" - back'
    """
    return " ".join(text[:_MAX_READ].translate(_PLAIN).lower().split())[:_MAX_CHARS]


def common_substring(title: str, text: str) -> int:
    """Length of the longest common substring of two texts in `plain` form.

    >>> common_substring("Ferry in the ice - News", "The ferry in  the Ice")
    16
    """
    whole, text, size = plain(title), plain(text), 0
    for start in range(len(text)):
        while start + size < len(text) and text[start : start + size + 1] in whole:
            size += 1
    return size


def longest_part(title: str) -> int:
    """Length of the longest part of a title between lines, dashes and the like.

    >>> longest_part("Ferry in the ice - Harbour News")
    16
    """
    return max(map(len, map(str.strip, _PARTS.split(plain(title)))))


def agrees(title: str, text: str) -> bool:
    """Return whether a text shares enough with a title to be the headline that the title repeats.

    Enough is at least half of the longest part of the title: the name of a site or of a section in
    it is less.

    >>> [agrees("Ferry in the ice - News", text) for text in ("The ferry in the ice", "News")]
    [True, False]
    """
    return bool(plain(title)) and common_substring(title, text) >= SHARE * longest_part(title)


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


def find_headline(page: Elements, article: int) -> Conclusion:
    """Find the block like the title above block `article`, where the article's text begins."""
    short = np.flatnonzero(page.page.chars[:article] <= MAX_CHARS)
    return HEADLINE_RULES.run(
        Titled(page, page.page.plain_texts.__getitem__), short[-MAX_NEAREST:].tolist()
    )
