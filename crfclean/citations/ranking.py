"""Rank passages by a question, by the words that they share: Okapi BM25.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from crfclean.gold.align import tokens
from crfclean.types import Passage

_K1 = 1.2  # how much a further occurrence of a word counts
_B = 0.75  # how much the length of a passage counts, 0..1


def rank(query: str, passages: Sequence[Passage], others: Iterable[Passage] = ()) -> list[Passage]:
    """Return the passages that share words with a question, the best first, with `relevance`.

    A passage has the words of its text and of its headings. Words that are rare in the passages
    and in `others`, such as those of other pages, count more.

    >>> rain = Passage("It rained.", ("Weather",), "paragraph", 2, None, None, "", 1.0)
    >>> [passage.text for passage in rank("Which weather?", [rain])]
    ['It rained.']
    """
    counts = [_words(passage) for passage in passages]
    all_counts = [*counts, *map(_words, others)]
    size = sum(each.total() for each in all_counts) / max(1, len(all_counts)) or 1.0
    weights = {
        word: _rarity(sum(word in each for each in all_counts), len(all_counts))
        for word in set(tokens(query))
    }
    sums = [
        sum(_gain(words, word, size) * weight for word, weight in weights.items())
        for words in counts
    ]
    order = sorted(range(len(passages)), key=lambda at: -sums[at])
    return [replace(passages[at], relevance=round(sums[at], 4)) for at in order if sums[at] > 0]


def _words(passage: Passage) -> Counter[str]:
    return Counter(tokens("\n".join((*passage.headings, passage.text))))


def _rarity(holding: int, count: int) -> float:
    """Return the weight of a word that `holding` of `count` passages have; it is above 0."""
    return math.log(1.0 + (count - holding + 0.5) / (holding + 0.5))


def _gain(words: Counter[str], word: str, size: float) -> float:
    """Return what a word adds to a passage; `size` is the mean number of words of passages."""
    often = words[word]
    return often * (_K1 + 1.0) / (often + _K1 * (1.0 - _B + _B * words.total() / size))
