"""Tests of `teach/audit.py`: draws in proportion to words."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.teach.audit import WordReservoir


def drawn(words: list[float], size: int, seed: str = "1") -> WordReservoir[int]:
    reservoir = WordReservoir[int](size, seed)
    for item, count in enumerate(words):
        reservoir.add(item, count)
    return reservoir


@pytest.mark.parametrize(
    "words", [[1.0, 2.0, 3.0, 4.0], [4.0, 3.0, 2.0, 1.0], [0.5, 90.0, 0.5, 9.0]]
)
def test_blocks_are_drawn_by_their_words(words: list[float]) -> None:
    size = 20_000
    counts = np.bincount(np.array(drawn(words, size).items, np.int64), minlength=4)
    expected = np.array(words) / sum(words)
    errors = np.sqrt(expected * (1 - expected) / size)
    assert np.all(np.abs(counts / size - expected) < 4.5 * errors)


def test_all_words_are_counted_and_no_draw_is_empty() -> None:
    reservoir = drawn([0.5, 3.0, 1.5], 7)
    assert reservoir.words == 5.0
    assert None not in reservoir.items


def test_the_seed_alone_decides() -> None:
    words = [float(1 + number % 7) for number in range(500)]
    assert drawn(words, 50, "a").items == drawn(words, 50, "a").items
    assert drawn(words, 50, "a").items != drawn(words, 50, "b").items


def test_long_streams_replace_few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work beyond counting grows with the logarithm of the stream, not with its length."""
    reservoir, calls = WordReservoir[int](10, "1"), 0
    uniform = reservoir._random.random

    def counting() -> float:
        nonlocal calls
        calls += 1
        return uniform()

    monkeypatch.setattr(reservoir._random, "random", counting)
    for item in range(100_000):
        reservoir.add(item, 1.0)
    assert 10 * 8 < calls < 10 * 18  # ln(100,000) is 11.5
