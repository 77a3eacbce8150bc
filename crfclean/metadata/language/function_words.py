"""Identify the language of a text by the commonest words of languages, without a library."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from crfclean.lexicon import lexicon

_MAX_WORDS = 400  # of a text that are read
_STEP = math.log(16.0)  # log odds of a language for a word that only this language has
_UNKNOWN = 0.5  # score of a language without a list, in such words
_MARKS = ".,;:!?…()[]\"'«»„“”‘’।،؟؛-–—"  # around words


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Language -> word -> weight, 1 / sqrt(languages that have the word)."""
    languages = lexicon().function_words
    shared = Counter(word for words in languages.values() for word in set(words))
    return {
        name: {word: 1.0 / math.sqrt(shared[word]) for word in words}
        for name, words in languages.items()
    }


@cache
def _ranks(name: str) -> Mapping[str, int]:
    """Word of a language -> its place: sums in another order would differ in their last digits."""
    return {word: place for place, word in enumerate(_weights()[name])}


def by_words(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Language -> its probability, by the commonest words in a text; they sum to 1.

    Beyond eight words the evidence grows with the square root of their number only, since the
    words of a text are not independent.

    >>> shares = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(shares, key=lambda name: shares[name])
    'cs'
    """
    words = Counter(word.strip(_MARKS) for word in text.lower().split()[:_MAX_WORDS])
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    scores = {name: _score(words, name) * scale for name in languages}
    best = max(scores.values(), default=0.0)
    factors = {name: math.exp(score - best) for name, score in scores.items()}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}


def _score(words: Counter[str], name: str) -> float:
    """The sum of the weights of a language's words in a text."""
    weights = _weights().get(name)
    if weights is None:
        return _UNKNOWN
    present = sorted(weights.keys() & words.keys(), key=_ranks(name).__getitem__)
    return sum(weights[word] * words[word] for word in present)
