"""Identify the language of a text by the commonest words of each language."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import repeat

from crfclean.lexicon import lexicon

_MAX_WORDS = 400  # of a text that are read
_STEP = math.log(16.0)  # log odds of a language for a word that only this language has
_UNKNOWN = 0.5  # score of a language without a list, in such words
_MARKS = ".,;:!?…()[]\"'«»„“”‘’।،؟؛-–—"  # around words


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Map each language to its words with their weights, 1 / sqrt(languages with the word)."""
    languages = lexicon().function_words
    shared = Counter(word for words in languages.values() for word in set(words))
    return {
        name: {word: 1.0 / math.sqrt(shared[word]) for word in words}
        for name, words in languages.items()
    }


def by_words(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Map each of some languages to its probability by the words of a text; they sum to 1.

    Beyond eight words, the evidence grows only with the square root of their number, since the
    words of a text are not independent.

    >>> shares = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(shares, key=lambda name: shares[name])
    'cs'
    """
    words = Counter(map(str.strip, text.lower().split()[:_MAX_WORDS], repeat(_MARKS)))
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    scores = {name: _score(name, words) * scale for name in languages}
    best = max(scores.values(), default=0.0)
    factors = {name: math.exp(score - best) for name, score in scores.items()}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}


def _score(name: str, words: Mapping[str, int]) -> float:
    """Return the sum of the weights of a language's words in a text."""
    known = _weights().get(name)
    if known is None:
        return _UNKNOWN
    return sum(weight * words[word] for word, weight in known.items() if word in words)
