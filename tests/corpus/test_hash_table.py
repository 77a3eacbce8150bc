"""Tests of `corpus/duplicates.py`: growth, equal slots, the key of zero, its size."""

from __future__ import annotations

import random

import pytest

from crfclean.corpus.duplicates import HashTable


def test_it_is_a_dict_of_first_numbers() -> None:
    generator, table, expected = random.Random(1), HashTable(), dict[int, int]()
    for number in range(20_000):
        key = generator.randrange(1, 2**64) if number % 3 else generator.randrange(1, 5_000)
        assert table.add(key, number) == (key not in expected)
        expected.setdefault(key, number)
    assert len(table) == len(expected)
    assert {key: table.get(key) for key in expected} == expected
    assert not [key for key in range(5_000, 9_000) if key not in expected and table.get(key)]


@pytest.mark.parametrize("step", [1_024, 2**20, 2**40])
def test_keys_that_share_their_slot_are_kept_apart(step: int) -> None:
    table = HashTable()
    assert all(table.add(step * number, number) for number in range(1, 2_000))
    assert [table.get(step * number) for number in range(1, 2_000)] == list(range(1, 2_000))
