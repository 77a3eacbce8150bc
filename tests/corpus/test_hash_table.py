"""Tests of `corpus/duplicates.py`: new and sorted entries, the key of zero."""

from __future__ import annotations

import random

import pytest

from crfclean.corpus import duplicates
from crfclean.corpus.duplicates import HashTable


@pytest.mark.parametrize("least", [1, 1_000, 2**16])
def test_it_is_a_dict_of_first_numbers(monkeypatch: pytest.MonkeyPatch, least: int) -> None:
    monkeypatch.setattr(duplicates, "_MIN_SORTED", least)
    generator, table, expected = random.Random(1), HashTable(), dict[int, int]()
    for number in range(20_000):
        key = generator.randrange(2**64) if number % 3 else generator.randrange(5_000)
        assert table.add(key, number) == (key not in expected)
        expected.setdefault(key, number)
    assert len(table) == len(expected)
    assert {key: table.get(key) for key in expected} == expected
    assert not [key for key in range(5_000, 9_000) if key not in expected and table.get(key)]
