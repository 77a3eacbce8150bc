"""Identify the language of a text by the commonest words of languages, without a library."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import repeat
from typing import NamedTuple

from crfclean.lexicon import lexicon

_MAX_WORDS = 400  # of a text that are read
_STEP = math.log(16.0)  # log odds of a language for a word that only this language has
_UNKNOWN = 0.5  # score of a language without a list, in such words
_MARKS = ".,;:!?…()[]\"'«»„“”‘’।،؟؛-–—"  # around words


class _Entry(NamedTuple):
    """A word of a language: its place in the list, and its weight, 1 / sqrt(languages with it)."""

    language: str
    place: int
    weight: float


@cache
def _entries() -> Mapping[str, list[_Entry]]:
    """Word -> the languages that have it."""
    entries: dict[str, list[_Entry]] = {}
    languages = lexicon().function_words
    shared = Counter(word for words in languages.values() for word in set(words))
    for name, words in languages.items():
        for place, word in enumerate(dict.fromkeys(words)):
            entry = _Entry(name, place, 1.0 / math.sqrt(shared[word]))
            entries.setdefault(word, []).append(entry)
    return entries


def by_words(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Language -> its probability, by the commonest words in a text; they sum to 1.

    Beyond eight words the evidence grows with the square root of their number only, since the
    words of a text are not independent.

    >>> shares = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(shares, key=lambda name: shares[name])
    'cs'
    """
    words = Counter(map(str.strip, text.lower().split()[:_MAX_WORDS], repeat(_MARKS)))
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    known = lexicon().function_words
    sums = _sums(words)
    scores = {
        name: (sums.get(name, 0) if name in known else _UNKNOWN) * scale for name in languages
    }
    best = max(scores.values(), default=0.0)
    factors = {name: math.exp(score - best) for name, score in scores.items()}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}


def _sums(words: Mapping[str, int]) -> Mapping[str, float]:
    """Language -> the sum of the weights of its words in a text."""
    present: dict[str, list[tuple[int, float]]] = {}
    entries = _entries()
    for word in entries.keys() & words.keys():
        for name, place, weight in entries[word]:
            present.setdefault(name, []).append((place, weight * words[word]))
    # sums in another order would differ in their last digits
    return {name: sum(weight for _, weight in sorted(parts)) for name, parts in present.items()}
