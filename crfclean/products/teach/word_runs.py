"""Compare a text with its gold as runs of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

_MAX_COMPARED_WORDS = 4_000  # of each text; `word_diff` counts the others
CONTEXT_WORDS = 12  # words shown at both ends of a long run of equal ones
PILCROW = "¶"
SAME_WORDS, MISSING_WORDS, ADDED_WORDS = " ", "-", "+"


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words, `sign` one of `SAME_WORDS`, `MISSING_WORDS` (in the gold), `ADDED_WORDS`.

    `skipped` is the number of words left out in the middle. `PILCROW` stands for a line end.
    """

    sign: str
    words: tuple[str, ...]
    skipped: int = 0


def word_diff(gold: str, text: str) -> tuple[list[Run], int]:
    """Return runs of words from gold to text, and the number of words that were not compared.

    >>> [(run.sign, " ".join(run.words)) for run in word_diff("it sails again", "it sails")[0]]
    [(' ', 'it sails'), ('-', 'again')]
    """
    gold_words, words = _words(gold), _words(text)
    left_out = sum(max(0, len(part) - _MAX_COMPARED_WORDS) for part in (gold_words, words))
    return list(_runs(gold_words[:_MAX_COMPARED_WORDS], words[:_MAX_COMPARED_WORDS])), left_out


def _words(text: str) -> list[str]:
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return [word for line in lines for word in (*line, PILCROW)][:-1]


def _runs(gold_words: Sequence[str], words: Sequence[str]) -> Iterator[Run]:
    gold_place, place = 0, 0  # up to which both texts are yielded
    for block in LCSseq.editops(gold_words, words).as_matching_blocks():
        if gold_place < block.a:
            yield Run(MISSING_WORDS, tuple(gold_words[gold_place : block.a]))
        if place < block.b:
            yield Run(ADDED_WORDS, tuple(words[place : block.b]))
        gold_place, place = block.a + block.size, block.b + block.size
        if block.size:
            yield _shortened(tuple(gold_words[block.a : gold_place]))


def _shortened(words: tuple[str, ...]) -> Run:
    if len(words) <= 3 * CONTEXT_WORDS:
        return Run(SAME_WORDS, words)
    ends = words[:CONTEXT_WORDS] + words[-CONTEXT_WORDS:]
    return Run(SAME_WORDS, ends, len(words) - 2 * CONTEXT_WORDS)
