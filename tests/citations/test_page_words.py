"""Tests of `citations/fragments.py`."""

from __future__ import annotations

import pytest

from crfclean.citations.fragments import key_of, page_words, words_of


@pytest.mark.parametrize(
    ("one", "other"),
    [("Ferry", "FERRY"), ("naïve", "naive"), ("Donau\u00addampf", "Donaudampf"), ("ﬁsh", "fish")],
)
def test_words_are_equal_as_browsers_have_it(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


def test_words_stand_where_they_are_said_to() -> None:
    text = "Rain, 3.14 and 雨水 don’t mix."
    words = words_of(text, 7)
    assert [text[word.start : word.end] for word in words] == (
        "Rain 3 14 and 雨 水 don t mix".split()
    )
    assert {word.line for word in words} == {7}


def test_others_are_the_other_places_of_some_words() -> None:
    page = page_words(["the cat and the dog", "the cat", "cat the"])
    assert page.others(0, 2, 10) == [5]
    assert page.others(5, 7, 10) == [0]
    assert page.others(3, 5, 10) == []


def test_too_many_places_are_not_compared() -> None:
    page = page_words(["a b " * 50])
    assert page.others(0, 2, 5) == [2, 4, 6, 8, 10]
    assert len(page.others(0, 2, 1_000)) == 49
