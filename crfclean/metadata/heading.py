"""The heading element that is the title of its page, by rules of an expert system."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.decision.comments import mentions_comments
from crfclean.page.elements import HEADINGS, Elements
from crfclean.page.measures import once
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
from crfclean.types import Blocks

MAX_COMPARED = 50  # headings of one rank that are compared with the title


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


def agrees_with_title(elements: Elements, node: int) -> bool:
    """Return whether an element's text agrees with the page's title."""
    return agrees(elements.blocks.title, elements.text(node))


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
        Production("unlike the title", several, _unlike_the_title),
        Production(
            "higher rank",
            several,
            best(
                lambda store, node: -float(store.facts.page.tag(node)[1]),
                lambda value, most: f"it is an h{-value:.0f}, another is an h{-most:.0f}",
            ),
        ),
        Production(
            "like the title",
            several,
            best(
                likeness,
                lambda value, most: f"{value:.0f} characters of the title, another has {most:.0f}",
            ),
        ),
        Production("first", several, first_only("it stands below another as good")),
    ),
)


@once
def find_best_header(page: Blocks) -> Conclusion:
    """Find the main heading: by rank, then by likeness to the title, then by position."""
    elements = Elements(page)
    headings = np.flatnonzero(page.table.is_tag(*HEADINGS)).tolist()
    return HEADING_RULES.run(Titled(elements, elements.text), headings)


# the agreement of a text with the page's title, for the candidates of the main heading

_MAX_COMPARED_CHARS = 200  # of title and text in a comparison, whose time is quadratic
_MAX_READ = 2_000  # characters of a title or text that `plain` reads
_PLAIN = str.maketrans({**dict.fromkeys("‘’‚′`´", "'"), **dict.fromkeys("“”„«»″", '"'), "…": "..."})
_PLAIN |= str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))
# "Ferry in the ice - Harbour News", "BBC NEWS | Technology | Ferry in the ice"
_PARTS = re.compile(r"(?<!\s)\s++[-|:/>·]++\s+|:{2,}|\|+")
SHARE = 0.5  # of the longest part of a title; 0.35 and 0.65 are equal or worse (eval/segments)


def plain(text: str) -> str:
    r"""A text in lower case with single spaces and plain quotes and dashes.

    >>> plain("The  “Ferry” \u2013 back")
    'the "ferry" - back'
    """
    return " ".join(text[:_MAX_READ].translate(_PLAIN).lower().split())[:_MAX_COMPARED_CHARS]


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
