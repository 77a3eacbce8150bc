"""Tests of `corpus/signatures.py`: what equal hashes estimate, order of updates, long texts."""

from __future__ import annotations

import random

import numpy as np
import pytest

from crfclean.corpus import signatures as module
from crfclean.corpus.signatures import HASHES, WORDS, minhash


def words(count: int, seed: int) -> list[str]:
    generator = random.Random(seed)
    return [f"w{generator.randrange(10**6)}" for _ in range(count)]


def shingles(text: list[str]) -> set[tuple[str, ...]]:
    return {tuple(text[place : place + WORDS]) for place in range(len(text) - WORDS + 1)}


@pytest.mark.parametrize("changed", [0, 5, 20, 100, 400])
def test_the_share_of_equal_hashes_estimates_the_jaccard_index(changed: int) -> None:
    text = words(800, 1)
    other = words(changed, 2) + text[changed:]
    union = shingles(text) | shingles(other)
    jaccard = len(shingles(text) & shingles(other)) / len(union)
    share = float(np.mean(minhash(text) == minhash(other)))
    assert abs(share - jaccard) < 4 * (0.25 / HASHES) ** 0.5


def test_a_signature_is_the_same_whatever_is_in_memory_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = words(100, 3)
    whole = minhash(text)
    monkeypatch.setattr(module, "_STEP", 7)
    assert minhash(text).tolist() == whole.tolist()
    assert whole.shape == (HASHES,)
    assert whole.dtype == np.uint32
