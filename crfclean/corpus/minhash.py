"""MinHash signatures of texts, by rensa (extra `deduplicate`)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from importlib.metadata import version

import numpy as np
import rensa

from crfclean.corpus.signatures import BANDS, KEY_BYTES
from crfclean.types.page import Ints

HASHES = 128
WORDS = 5
"""Words of a shingle, as in the usual pipelines for training data."""
LIBRARY = f"rensa {version('rensa')}"

_SEED = 1
_STEP = 10_000  # shingles that are in memory at once


def minhash(words: Sequence[str]) -> Ints:
    """The MinHash of the shingles of a text, shape (`HASHES`,), as 32-bit numbers.

    Of two texts the share of equal numbers estimates the Jaccard index of their shingles. A text of
    fewer words is a shingle itself.
    """
    sketch = rensa.RMinHash(num_perm=HASHES, seed=_SEED)
    last = max(len(words) - WORDS, 0)
    for begin in range(0, last + 1, _STEP):
        end = min(begin + _STEP, last + 1)
        sketch.update([" ".join(words[place : place + WORDS]) for place in range(begin, end)])
    return np.array(sketch.digest(), np.uint32)


def bands(words: Sequence[str]) -> bytes:
    """The keys of the bands of a text, and the lowest byte of each hash."""
    hashes = minhash(words)
    keys = (
        blake2b(band.tobytes(), digest_size=KEY_BYTES, salt=bytes([number])).digest()
        for number, band in enumerate(hashes.astype("<u4").reshape(BANDS, -1))
    )
    return b"".join(keys) + hashes.astype(np.uint8).tobytes()
