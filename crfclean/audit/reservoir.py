"""Draw random words from a stream of blocks of unknown length, in bounded memory."""

from __future__ import annotations

import heapq
from random import Random
from typing import Generic, TypeVar

_Item = TypeVar("_Item")


class WordReservoir(Generic[_Item]):
    """A number of independent draws, each of a random word; what is kept is the word's block.

    So a block is drawn with a probability in proportion to its words, with replacement: the draws
    are independent, and the share of draws whose block belongs to the text is the share of words.

    Each draw is a reservoir of one word (Vitter 1985, "Random Sampling with a Reservoir") over
    words as a continuous measure: a draw made when W words were seen is replaced at the word W / u
    with u uniform in 0..1. A heap has the next replacement of all draws: the work is linear in the
    blocks, and grows with the logarithm of the words for each draw.
    """

    def __init__(self, size: int, seed: str) -> None:
        self.words = 0.0
        self.items: list[_Item | None] = [None] * size
        self._random = Random(seed)  # noqa: S311 - a sample, no secret
        self._next = [(0.0, draw) for draw in range(size)]

    def add(self, item: _Item, words: float) -> None:
        """Offer a block with its words, more than 0."""
        self.words += words
        while self._next and self._next[0][0] < self.words:
            at, draw = self._next[0]
            self.items[draw] = item
            replaced = (at or self.words) / (1.0 - self._random.random())
            heapq.heapreplace(self._next, (replaced, draw))
