"""What a text of a page is worth by the measure of its set: word F1, lines kept, or snippets."""

from __future__ import annotations

from collections.abc import Sequence

from crfclean.evaluate.metrics import word_scores
from crfclean.gold.align import tokens
from crfclean.gold.pages import GoldPage

LINES = ("recipes-dev", "courts-dev")
"""Sets whose gold is lines that must be in the text; of all else nothing is known."""
SNIPPETS = "trafilatura-dev"
"""A set without whole texts: snippets that must and must not be in the text."""


def value(name: str, gold: GoldPage, text: str) -> float | None:
    """The worth of a text of a page of a set, 0..1; None where the page has no gold.

    Word F1; of `LINES` the share of lines whose words stand together in the text, whatever their
    case; of `SNIPPETS` the F1 of the snippets found, wanted and unwanted.
    """
    if name not in (*LINES, SNIPPETS):
        return word_scores(text, gold.text).f1 if gold.text.strip() else None
    if not gold.expected_snippets:
        return None
    words = _joined(text)
    hits, wrong = (
        _count(words, snippets) for snippets in (gold.expected_snippets, gold.forbidden_snippets)
    )
    if name in LINES:
        return hits / len(gold.expected_snippets)
    return 2 * hits / (hits + wrong + len(gold.expected_snippets))


def _count(words: str, snippets: Sequence[str]) -> int:
    return sum(_joined(snippet) in words for snippet in snippets)


def _joined(text: str) -> str:
    return f" {' '.join(tokens(text))} "
