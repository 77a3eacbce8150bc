"""A tagger: keep the blocks that have many words, and say why."""

import numpy as np

from crfclean.decision.rules import expected_f1
from crfclean.types import Blocks, Label, Reason, Tags

LEAST = 10  # words


class LongBlocks:
    """Keeps every block of at least ten words."""

    name = "long"

    def tag(self, blocks: Blocks) -> Tags:
        """Label the blocks of a page; probabilities are in the order of `Label`."""
        words = np.array([len(text.split()) for text in blocks.texts], float)
        chance = np.minimum(words / LEAST / 2, 1.0)
        marginals = np.column_stack([0.0 * chance, chance, 1.0 - chance])
        labels = np.where(chance >= 0.5, Label.TEXT, Label.OTHER).astype(np.int32)
        return Tags(labels, marginals, expected_f1(chance, words, labels != Label.OTHER))

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """Return the reasons for each block: a name, a value, and how much it speaks for text."""
        counts = [len(text.split()) for text in blocks.texts]
        return [[Reason("words", count, count / LEAST - 1.0)][:most] for count in counts]
