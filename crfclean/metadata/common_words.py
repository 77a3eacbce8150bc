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
def _languages() -> Mapping[str, Sequence[str]]:
    """Map each word to the languages that have it."""
    languages: dict[str, list[str]] = {}
    for name, words in lexicon().function_words.items():
        for word in dict.fromkeys(words):
            languages.setdefault(word, []).append(name)
    return languages


def by_words(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Map each of some languages to its probability by the words of a text; they sum to 1.

    A word weighs 1 / sqrt(languages with the word). Beyond eight words, the evidence grows only
    with the square root of their number, since the words of a text are not independent.

    >>> shares = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(shares, key=lambda name: shares[name])
    'cs'
    """
    words = Counter(map(str.strip, text.lower().split()[:_MAX_WORDS], repeat(_MARKS)))
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    scores = dict.fromkeys(lexicon().function_words, 0.0)
    for word in filter(_languages().__contains__, words):
        having = _languages()[word]
        for name in having:
            scores[name] += words[word] / math.sqrt(len(having))
    of_languages = [scores.get(name, _UNKNOWN) * scale for name in languages]
    best = max(of_languages, default=0.0)
    pairs = zip(languages, of_languages, strict=True)
    factors = {name: math.exp(score - best) for name, score in pairs}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}
