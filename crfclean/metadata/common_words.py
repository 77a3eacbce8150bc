"""Identify the language of a text by the commonest words of each language."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import repeat

from crfclean.lexicon import lexicon
from crfclean.metadata.scripts import LANGUAGE_TABLES

_MAX_WORDS = 400  # of a text that are read
_STEP = math.log(16.0)  # log odds of a language for a word that only this language has
_UNKNOWN = 0.5  # score of the first language without a list, in such words
_LETTERS = 120.0  # words that count against a language if all characters are foreign letters
_LETTER = re.compile(r"[^\W\d_a-zа-зик-ш]")  # in lower case, but those of all languages of a script
_LEAST_SHARES = {"en": 0.2}
"""Least share of a text's words that are the commonest of a language; fewer count against it. A
template's "en" is often left unchanged, so that a lack of English words has to weigh."""
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

    A word weighs 1 / sqrt(languages with the word). Letters that a language does not write count
    against it. Beyond eight words, the evidence grows only with the square root of their number,
    since the words of a text are not independent.

    >>> shares = by_words("Mladá paní se na to dívala jako by nebyla doma", ("en", "cs", "sk"))
    >>> max(shares, key=lambda name: shares[name])
    'cs'
    """
    lower = text.lower()
    words = Counter(map(str.strip, lower.split()[:_MAX_WORDS], repeat(_MARKS)))
    scale = _STEP / max(1.0, math.sqrt(words.total() / 8))
    scores = dict.fromkeys(lexicon().function_words, 0.0)
    for word in filter(_languages().__contains__, words):
        having = _languages()[word]
        for name in having:
            scores[name] += words[word] / math.sqrt(len(having))
    foreign = _foreign_letters(lower, languages)
    unlisted = (name for name in languages if name not in scores)
    scores |= {name: _UNKNOWN / place for place, name in enumerate(unlisted, 1)}
    scores = {name: scores[name] - _LETTERS * foreign[name] for name in languages}
    for name, share in _LEAST_SHARES.items():
        if name in scores and max(scores.values()) > scores[name] + 1.0:
            known = sum(words[word] for word in lexicon().function_words[name])
            scores[name] -= max(0.0, share * words.total() - known) / 2
    of_languages = [score * scale for score in scores.values()]
    best = max(of_languages, default=0.0)
    pairs = zip(languages, of_languages, strict=True)
    factors = {name: math.exp(score - best) for name, score in pairs}
    total = sum(factors.values())
    return {name: factor / total for name, factor in factors.items()}


@cache
def _alphabets() -> Mapping[str, frozenset[str]]:
    """Language -> its letters."""
    return {name: frozenset(letters) for name, letters in LANGUAGE_TABLES["letters"].items()}


def _foreign_letters(text: str, languages: Sequence[str]) -> Mapping[str, float]:
    """Language -> the share of letters that it does not write; 0 if its letters are not listed."""
    counts = Counter(_LETTER.findall(text))
    alphabets = {name: _alphabets().get(name, counts.keys()) for name in languages}
    return {
        name: sum(map(counts.__getitem__, counts.keys() - letters)) / max(1, len(text))
        for name, letters in alphabets.items()
    }
