"""A text + its gold -> scores on words, word order, characters and snippets: pure functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq, Levenshtein

from crfclean.gold.align import spelled, tokens

_WORD = re.compile(r"\w+")
MAX_TOKENS = 100_000  # of each text that are aligned: a few seconds; the rest counts as unmatched


@dataclass(frozen=True, slots=True)
class WordScores:
    """Precision, recall and F1, each in 0..1."""

    precision: float
    recall: float
    f1: float


NOTHING_FOUND = WordScores(0.0, 0.0, 0.0)


def _rates(common: int, taken: int, wanted: int) -> WordScores:
    """P = common / taken, R = common / wanted; nothing taken and nothing wanted agree wholly."""
    if not taken and not wanted:
        return WordScores(1.0, 1.0, 1.0)
    return WordScores(
        common / taken if taken else 0.0,
        common / wanted if wanted else 0.0,
        2 * common / (taken + wanted),
    )


def word_scores(text: str, gold: str, optional: str = "") -> WordScores:
    r"""Compare two texts as multisets of lower-cased `\w+` tokens (WCXB's measure).

    With c tokens in common, P = c / |text|, R = c / |gold|, F1 = 2 c / (|text| + |gold|). Two
    empty texts agree wholly; an empty one and another not at all. Tokens of the text beyond the
    gold's that are in `optional` are taken out first, each as often as it is there.

    >>> word_scores("the cat sat", "The cat sat down.")
    WordScores(precision=1.0, recall=0.75, f1=0.8571428571428571)
    >>> word_scores("the cat sat", "the cat", "Sat!").precision
    1.0
    """
    ours, theirs, free = (Counter(_WORD.findall(one.lower())) for one in (text, gold, optional))
    excused = _excused(ours, theirs, free)
    return _rates((ours & theirs).total(), ours.total() - excused, theirs.total())


def _excused(ours: Counter[str], theirs: Counter[str], free: Counter[str]) -> int:
    """How many tokens of a text are beyond the gold and optional."""
    return ((ours - theirs) & free).total() if free else 0


def alignment_scores(text: str, gold: str, optional: str = "") -> WordScores:
    """Compare two texts as sequences of tokens: c is their longest common subsequence (CLEANEVAL).

    Text in another order is wrong here. Memory is linear in the texts; of each the first
    `MAX_TOKENS` tokens are aligned. Optional tokens as in `word_scores`.

    >>> alignment_scores("down sat the cat", "the cat sat down")
    WordScores(precision=0.5, recall=0.5, f1=0.5)
    """
    ours, theirs = tokens(text), tokens(gold)
    common = LCSseq.similarity(ours[:MAX_TOKENS], theirs[:MAX_TOKENS])
    excused = _excused(Counter(ours), Counter(theirs), Counter(tokens(optional)))
    return _rates(common, len(ours) - excused, len(theirs))


def levenshtein(text: str, gold: str) -> tuple[int, float]:
    """Levenshtein distance in characters, and divided by the longer text's length (0..1).

    White space is folded first, so that line breaks weigh no more than blanks. The similarity
    is 1 less the second figure.

    >>> levenshtein("kitten", "sitting")
    (3, 0.42857142857142855)
    """
    ours, theirs = " ".join(text.split()), " ".join(gold.split())
    distance = Levenshtein.distance(ours, theirs)
    return distance, distance / max(1, len(ours), len(theirs))


@dataclass(frozen=True, slots=True)
class Snippets:
    """How many snippets must be in the text and how many are; how many must not, and are not."""

    wanted: int = 0
    found: int = 0
    unwanted: int = 0
    kept_out: int = 0


NO_SNIPPETS = Snippets()


def snippet_scores(text: str, wanted: Sequence[str], unwanted: Sequence[str]) -> Snippets:
    """Look for snippets: one is in a text whose words, as spelled, have its words in a row.

    >>> snippet_scores("It sails again, “daily”.", ["sails again"], ["Daily", "ails"])
    Snippets(wanted=1, found=1, unwanted=2, kept_out=2)
    """
    if not wanted and not unwanted:
        return NO_SNIPPETS
    whole = _joined(text)
    found = sum(_joined(one) in whole for one in wanted)
    let_in = sum(_joined(one) in whole for one in unwanted)
    return Snippets(len(wanted), found, len(unwanted), len(unwanted) - let_in)


def _joined(text: str) -> str:
    return f" {' '.join(spelled(text))} "
