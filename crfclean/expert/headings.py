"""`Elements` -> the main heading: headings, and the best of them (blocks 2 and 3)."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np

from crfclean.expert.comments import mentions_comments
from crfclean.page.paragraphs import Elements
from crfclean.page.tree import HEADINGS
from crfclean.rules import (
    Conclusion,
    Rule,
    Store,
    System,
    best,
    first_only,
    several,
    some,
    unless,
)

_MAX_CHARS = 200  # of a title and a heading that are compared
MAX_COMPARED = 50  # headings of one rank that are compared with the title


def common_substring(one: str, other: str) -> int:
    """Length of the longest common substring, letter case and white space aside.

    >>> common_substring("Ferry in the ice - News", "The ferry in  the Ice")
    16
    """
    a, b = (" ".join(text.lower().split())[:_MAX_CHARS] for text in (one, other))
    return SequenceMatcher(None, a, b, autojunk=False).find_longest_match().size


def find_headers(page: Elements) -> list[int]:
    """All headings `h1` to `h6`, in page order: candidates for the main heading."""
    found: list[int] = np.flatnonzero(page.page.is_tag(HEADINGS)).tolist()
    return found


def rank(page: Elements, node: int) -> int:
    """1 for `h1` to 6 for `h6`."""
    return int(page.tag(node)[1])


def likeness(store: Store, node: int) -> float:
    """Characters that a heading has in common with the title, in a row."""
    page: Elements = store.facts
    if "compared" not in store.notes:
        store.notes["compared"] = frozenset(store.candidates[:MAX_COMPARED])
    if node not in store.notes["compared"]:
        return 0.0
    return float(common_substring(page.blocks.title, page.text(node)))


def _has_text(store: Store, node: int) -> bool:
    return bool(store.facts.all_held[node])


def _names_no_comments(store: Store, node: int) -> bool:
    page: Elements = store.facts
    return mentions_comments(page.blocks.title) or not mentions_comments(page.text(node))


HEADING_RULES = System(
    "main heading",
    (
        Rule("no text", some, unless(_has_text, "it shows no text")),
        Rule(
            "comments",
            several,
            unless(_names_no_comments, "it speaks of comments, the title does not"),
        ),
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
    """The main heading: `h1` first, then what is most like the title, then what stands first."""
    return HEADING_RULES.run(page, find_headers(page))
