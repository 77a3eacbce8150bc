"""Text -> probabilities of languages by script and the commonest words alone: no library needed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from crfclean.lexicon import lexicon

MAX_WORDS = 400  # of a text that are looked at
_STEP = math.log(16.0)  # what a word that no other language has says for its language
_UNKNOWN = 0.5  # as many such words say that it is a language without a list
_MARKS = ".,;:!?…()[]\"'«»„“”‘’।،؟؛-–—"  # around words


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Language -> its words -> what each says: less if other languages have it too."""
    languages = lexicon().function_words
    shared = Counter(word for words in languages.values() for word in set(words))
    return {
        name: {word: 1.0 / math.sqrt(shared[word]) for word in words}
        for name, words in languages.items()
    }


def by_words(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Probabilities of these languages, by their commonest words in a text; they sum to 1.

    Words that many texts have count by the square root of all: texts are no lists of lots.

    >>> found = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(found, key=lambda name: found[name])
    'cs'
    """
    words = Counter(word.strip(_MARKS) for word in text.lower().split()[:MAX_WORDS])
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    scores = {name: _said(words, name) * scale for name in languages}
    best = max(scores.values(), default=0.0)
    factors = {name: math.exp(score - best) for name, score in scores.items()}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}


def _said(words: Counter[str], name: str) -> float:
    """How many words say that a text is of this language; one of several languages says less."""
    weights = _weights().get(name)
    if weights is None:
        return _UNKNOWN
    return sum(weight * words[word] for word, weight in weights.items())
