"""A feature: how much of a block is in capital letters."""

import numpy as np

from crfclean.types import Blocks


def shouting(page: Blocks) -> np.ndarray:
    """The share of each block's characters that are capital letters, (n,)."""
    counts = [sum(map(str.isupper, text)) for text in page.texts]
    return np.array(counts) / np.maximum(page.chars, 1)
