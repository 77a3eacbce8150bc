"""Score a text against its gold: words, word order, characters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import LCSseq, Levenshtein

from crfclean import door
from crfclean.page.align import tokens
from crfclean.types import CrfcleanError

__all__ = ["WordScores"]

# score a text against its gold: words, word order, characters

_WORD = re.compile(r"\w+")
MAX_TOKENS = 100_000  # of a text that are aligned, in seconds; later ones count as unmatched


@dataclass(frozen=True, slots=True)
class WordScores:
    """Precision, recall and F1, each in 0..1."""

    precision: float
    recall: float
    f1: float


NOTHING_FOUND = WordScores(0.0, 0.0, 0.0)


def _rates(common: int, words: int, gold_words: int) -> WordScores:
    """P = common / words, R = common / gold_words; two empty texts agree fully."""
    if not words and not gold_words:
        return WordScores(1.0, 1.0, 1.0)
    return WordScores(
        common / words if words else 0.0,
        common / gold_words if gold_words else 0.0,
        2 * common / (words + gold_words),
    )


def _lowered(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def word_scores(
    text: str, gold: str, optional: str = "", words_of: Callable[[str], list[str]] = _lowered
) -> WordScores:
    r"""Compare two texts as multisets of tokens, by default lower-cased `\w+` (WCXB's measure).

    With c tokens in common, P = c / |text|, R = c / |gold|, F1 = 2 c / (|text| + |gold|). Two
    empty texts score 1; if only one is empty, the scores are 0. Extra tokens of the text do not
    count against it if they are in `optional`, each as often as it occurs there.

    >>> word_scores("the cat sat", "The cat sat down.")
    WordScores(precision=1.0, recall=0.75, f1=0.8571428571428571)
    >>> word_scores("the cat sat", "the cat", "Sat!").precision
    1.0
    """
    words, gold_words, optional_words = (Counter(words_of(part)) for part in (text, gold, optional))
    excused = _excused(words, gold_words, optional_words)
    return _rates((words & gold_words).total(), words.total() - excused, gold_words.total())


def _excused(words: Counter[str], gold_words: Counter[str], optional_words: Counter[str]) -> int:
    return ((words - gold_words) & optional_words).total() if optional_words else 0


def alignment_scores(text: str, gold: str, optional: str = "") -> WordScores:
    """Compare two texts as sequences of tokens: c is their longest common subsequence (CLEANEVAL).

    Text in another order counts as wrong. Memory is linear in the texts; the first `MAX_TOKENS`
    tokens of each are aligned. Optional tokens count as in `word_scores`.

    >>> alignment_scores("down sat the cat", "the cat sat down")
    WordScores(precision=0.5, recall=0.5, f1=0.5)
    """
    words, gold_words = tokens(text), tokens(gold)
    common = LCSseq.similarity(words[:MAX_TOKENS], gold_words[:MAX_TOKENS])
    excused = _excused(Counter(words), Counter(gold_words), Counter(tokens(optional)))
    return _rates(common, len(words) - excused, len(gold_words))


def levenshtein(text: str, gold: str) -> tuple[int, float]:
    """Return the Levenshtein distance in characters, and its share of the longer text (0..1).

    White space is folded first, so that a line break counts no more than a space.

    >>> levenshtein("kitten", "sitting")
    (3, 0.42857142857142855)
    """
    folded, folded_gold = " ".join(text.split()), " ".join(gold.split())
    distance = Levenshtein.distance(folded, folded_gold)
    return distance, distance / max(1, len(folded), len(folded_gold))


def order_f1(text: str, gold: str) -> float:
    """Return the F1 of `alignment_scores`."""
    return alignment_scores(text, gold).f1


def distance_share(text: str, gold: str) -> float:
    """Return the share of `levenshtein`."""
    return levenshtein(text, gold)[1]


def metric_values(text: str, gold: str, names: Sequence[str]) -> dict[str, float]:
    """Return the values of named metrics of the door for a text.

    Raises `CrfcleanError` for an unknown one, and for a value that is no number.
    """
    values = {name: door.find("metrics", name)(text, gold) for name in names}
    for name, value in values.items():
        if not isinstance(value, int | float | np.number) or not np.isfinite(value):
            package = door.origin("metrics", name)
            raise CrfcleanError(f"the metric {name!r} of {package} gave {value!r}, no number")
    return {name: float(value) for name, value in values.items()}
