"""Find the main heading (steps 2 and 3 of the paper)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crfclean.expert.comments import mentions_comments
from crfclean.page.paragraphs import Elements
from crfclean.page.tree import HEADINGS
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


def find_headers(page: Elements) -> list[int]:
    """All elements `h1` to `h6` in page order, the candidates for the main heading."""
    headings: list[int] = np.flatnonzero(page.page.is_tag(HEADINGS)).tolist()
    return headings


def rank(page: Elements, node: int) -> int:
    """From 1 for `h1` to 6 for `h6`."""
    return int(page.tag(node)[1])


def likeness(store: Store, node: int) -> float:
    """Length of the longest common substring of a heading and the title."""
    page: Elements = store.facts
    if "compared" not in store.notes:
        store.notes["compared"] = frozenset(store.candidates[:MAX_COMPARED])
    if node not in store.notes["compared"]:
        return 0.0
    from crfclean.expert.agreement import common_substring  # a search for pictures needs none

    return float(common_substring(page.blocks.title, page.text(node)))


def _has_text(store: Store, node: int) -> bool:
    return bool(store.facts.all_held[node])


def _names_no_comments(store: Store, node: int) -> bool:
    page: Elements = store.facts
    return mentions_comments(page.blocks.title) or not mentions_comments(page.text(node))


def agrees_with_title(page: Elements, node: int) -> bool:
    """Whether an element's text agrees with the page's title."""
    from crfclean.expert.agreement import agrees

    return agrees(page.blocks.title, page.text(node))


def _unlike_the_title(store: Store) -> Removals:
    """Headings that do not agree with the title, if another one does."""
    page: Elements = store.facts
    compared = store.candidates[:MAX_COMPARED]
    alike = {node for node in compared if agrees_with_title(page, node)}
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
        Rule("no text", some, unless(_has_text, "it shows no text")),
        Rule(
            "comments",
            several,
            unless(_names_no_comments, "it speaks of comments, the title does not"),
        ),
        Rule("unlike the title", several, _unlike_the_title),
        Rule(
            "higher rank",
            several,
            best(
                lambda store, node: -float(rank(store.facts, node)),
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
    return HEADING_RULES.run(page, find_headers(page))
