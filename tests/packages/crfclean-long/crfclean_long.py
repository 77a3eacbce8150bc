"""A tagger: keep the blocks that have many words."""

import numpy as np

from crfclean.types import Label, Reason, Tags

LEAST = 10  # words


class LongBlocks:
    """Keeps every block of at least ten words."""

    name = "long"

    def tag(self, blocks):
        """Label the blocks; the probabilities are in the order of `Label`."""
        is_long = np.array([len(text.split()) >= LEAST for text in blocks.texts], bool)
        labels = np.where(is_long, Label.TEXT, Label.OTHER).astype(np.int32)
        return Tags(labels, np.eye(len(Label))[labels], score=0.5)

    def explain(self, blocks, most=5):
        """Say why each block was kept: by its number of words. `crfclean explain` shows it."""
        counts = [len(text.split()) for text in blocks.texts]
        return [[Reason("words", count, count - LEAST)][:most] for count in counts]
