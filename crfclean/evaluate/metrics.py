"""Score a text against its gold: words, word order, characters, snippets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq, Levenshtein

from crfclean.gold.align import spelled, tokens

_WORD = re.compile(r"\w+")
MAX_TOKENS = 100_000  # aligned per text, which takes seconds; later ones count as unmatched


@dataclass(frozen=True, slots=True)
class WordScores:
    """Precision, recall and F1, each in 0..1."""

    precision: float
    recall: float
    f1: float


NOTHING_FOUND = WordScores(0.0, 0.0, 0.0)


def _rates(common: int, words: int, gold_words: int) -> WordScores:
    """P = common / words, R = common / gold_words; two empty texts agree wholly."""
    if not words and not gold_words:
        return WordScores(1.0, 1.0, 1.0)
    return WordScores(
        common / words if words else 0.0,
        common / gold_words if gold_words else 0.0,
        2 * common / (words + gold_words),
    )


def word_scores(text: str, gold: str, optional: str = "") -> WordScores:
    r"""Compare two texts as multisets of lower-cased `\w+` tokens (WCXB's measure).

    With c tokens in common, P = c / |text|, R = c / |gold|, F1 = 2 c / (|text| + |gold|). Two
    empty texts score 1; if only one is empty, the scores are 0. Tokens that the text has beyond
    the gold are not counted where `optional` has them, each as often as it is there.

    >>> word_scores("the cat sat", "The cat sat down.")
    WordScores(precision=1.0, recall=0.75, f1=0.8571428571428571)
    >>> word_scores("the cat sat", "the cat", "Sat!").precision
    1.0
    """
    words, gold_words, optional_words = (
        Counter(_WORD.findall(part.lower())) for part in (text, gold, optional)
    )
    excused = _excused(words, gold_words, optional_words)
    return _rates((words & gold_words).total(), words.total() - excused, gold_words.total())


def _excused(words: Counter[str], gold_words: Counter[str], optional_words: Counter[str]) -> int:
    """Number of tokens that the text has beyond the gold and that are optional."""
    return ((words - gold_words) & optional_words).total() if optional_words else 0


def alignment_scores(text: str, gold: str, optional: str = "") -> WordScores:
    """Compare two texts as sequences of tokens: c is their longest common subsequence (CLEANEVAL).

    Text in another order counts as wrong. Memory is linear in the texts; the first `MAX_TOKENS`
    tokens of each are aligned. Optional tokens as in `word_scores`.

    >>> alignment_scores("down sat the cat", "the cat sat down")
    WordScores(precision=0.5, recall=0.5, f1=0.5)
    """
    words, gold_words = tokens(text), tokens(gold)
    common = LCSseq.similarity(words[:MAX_TOKENS], gold_words[:MAX_TOKENS])
    excused = _excused(Counter(words), Counter(gold_words), Counter(tokens(optional)))
    return _rates(common, len(words) - excused, len(gold_words))


def levenshtein(text: str, gold: str) -> tuple[int, float]:
    """Levenshtein distance in characters, and divided by the longer text's length (0..1).

    White space is folded first, so that line breaks weigh no more than blanks.

    >>> levenshtein("kitten", "sitting")
    (3, 0.42857142857142855)
    """
    folded, folded_gold = " ".join(text.split()), " ".join(gold.split())
    distance = Levenshtein.distance(folded, folded_gold)
    return distance, distance / max(1, len(folded), len(folded_gold))


@dataclass(frozen=True, slots=True)
class Snippets:
    """Counts of snippets: wanted, `found` of those; unwanted, `kept_out` of those."""

    wanted: int = 0
    found: int = 0
    unwanted: int = 0
    kept_out: int = 0


NO_SNIPPETS = Snippets()


def snippet_scores(text: str, expected: Sequence[str], forbidden: Sequence[str]) -> Snippets:
    """Count snippets whose words, as spelled, stand in a row in the text.

    >>> snippet_scores("It sails again, “daily”.", ["sails again"], ["Daily", "ails"])
    Snippets(wanted=1, found=1, unwanted=2, kept_out=2)
    """
    if not expected and not forbidden:
        return NO_SNIPPETS
    words = _joined(text)
    present = sum(_joined(snippet) in words for snippet in expected)
    leaked = sum(_joined(snippet) in words for snippet in forbidden)
    return Snippets(len(expected), present, len(forbidden), len(forbidden) - leaked)


def _joined(text: str) -> str:
    return f" {' '.join(spelled(text))} "
