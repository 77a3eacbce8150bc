"""What a text of a page is worth by the measure of its set: word F1, lines kept, or snippets."""

from __future__ import annotations

from collections.abc import Sequence

from crfclean.page.align import tokens
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import word_scores

LINES = ("recipes-dev", "courts-dev", "govmeet-dev")
"""Sets whose gold is lines that must be in the text; of all else nothing is known."""
SNIPPETS = "trafilatura-dev"
"""A set without whole texts: snippets that must and must not be in the text."""
EMPTY = "various-dev"
"""A set with pages that have no text: forms, errors and shells, which must be left empty."""

NO_TEXT = "no text"
"""The type of pages with an empty gold."""
_TYPES = {
    "magic-html-forum": "forum",
    "web-forum-52-dev": "forum",
    "recipes-dev": "recipe",
    "courts-dev": "court decisions",
    "govmeet-dev": "meetings",
    "ota-dev": "policy",
    "mdsites-dev": "documentation",
    "sphinxdocs-dev": "documentation",
    "srcgold-dev": "static site",
}
_ARTICLE = "article"


def type_of(gold: GoldPage, name: str) -> str:
    """The type of a page of a set: its own, or that of all pages of the set."""
    if name == EMPTY and not gold.text.strip():
        return NO_TEXT
    return _TYPES.get(name) or gold.kind or _ARTICLE


def value(name: str, gold: GoldPage, text: str) -> float | None:
    """The worth of a text of a page of a set, 0..1; None where the page has no gold.

    Word F1; of `LINES` the share of lines whose words stand together in the text, whatever their
    case; of `SNIPPETS` the F1 of the snippets found, wanted and unwanted.
    """
    if name not in (*LINES, SNIPPETS):
        has_gold = name == EMPTY or gold.text.strip()
        return word_scores(text, gold.text, gold.optional).f1 if has_gold else None
    wanted = gold.expected_snippets
    if name in LINES and not wanted:
        wanted = tuple(filter(None, map(str.strip, gold.text.splitlines())))
    if not wanted:
        return None
    words = _joined(text)
    hits, wrong = (_count(words, snippets) for snippets in (wanted, gold.forbidden_snippets))
    if name in LINES:
        return hits / len(wanted)
    return 2 * hits / (hits + wrong + len(wanted))


def _count(words: str, snippets: Sequence[str]) -> int:
    return sum(_joined(snippet) in words for snippet in snippets)


def _joined(text: str) -> str:
    return f" {' '.join(tokens(text))} "
