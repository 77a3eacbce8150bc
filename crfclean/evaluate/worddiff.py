"""A text + its gold -> their words as one row, each the same, missing or added."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

_MAX_COMPARED_WORDS = 4_000  # of each text: the rest is left out, and told
CONTEXT_WORDS = 12  # words shown at both ends of a long run that is the same
LINE_END = "¶"
SAME_WORDS, MISSING_WORDS, ADDED_WORDS = " ", "-", "+"


@dataclass(frozen=True, slots=True)
class Run:
    """Words in a row: `SAME_WORDS` in both texts, `MISSING_WORDS` (of the gold), `ADDED_WORDS`.

    `skipped` words between its ends are left out. `LINE_END` stands for the end of a line.
    """

    sign: str
    words: tuple[str, ...]
    skipped: int = 0


def word_diff(gold: str, text: str) -> tuple[list[Run], int]:
    """Runs of words from gold to text, and how many words were left out of the comparison.

    >>> [(run.sign, " ".join(run.words)) for run in word_diff("it sails again", "it sails")[0]]
    [(' ', 'it sails'), ('-', 'again')]
    """
    wanted, found = _words(gold), _words(text)
    left_out = max(0, len(wanted) - _MAX_COMPARED_WORDS) + max(0, len(found) - _MAX_COMPARED_WORDS)
    return list(_runs(wanted[:_MAX_COMPARED_WORDS], found[:_MAX_COMPARED_WORDS])), left_out


def _words(text: str) -> list[str]:
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return [word for line in lines for word in (*line, LINE_END)][:-1]


def _runs(wanted: Sequence[str], found: Sequence[str]) -> Iterator[Run]:
    old, new = 0, 0  # places up to which both texts are told
    for block in LCSseq.editops(wanted, found).as_matching_blocks():
        if old < block.a:
            yield Run(MISSING_WORDS, tuple(wanted[old : block.a]))
        if new < block.b:
            yield Run(ADDED_WORDS, tuple(found[new : block.b]))
        old, new = block.a + block.size, block.b + block.size
        if block.size:
            yield _shortened(tuple(wanted[block.a : old]))


def _shortened(words: tuple[str, ...]) -> Run:
    if len(words) <= 3 * CONTEXT_WORDS:
        return Run(SAME_WORDS, words)
    ends = words[:CONTEXT_WORDS] + words[-CONTEXT_WORDS:]
    return Run(SAME_WORDS, ends, len(words) - 2 * CONTEXT_WORDS)
