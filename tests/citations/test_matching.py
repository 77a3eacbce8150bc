"""Tests of `citations/cite.py`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfclean.citations.cite import Match, best_match

PAGE = "at noon the ferry sails again from monday on and the ferry returns at night".split()


@pytest.mark.parametrize(
    ("quote", "match"),
    [
        ("the ferry sails again", Match(2, 6, 1.0)),
        ("the ferry", Match(2, 4, 1.0)),
        ("the ferry returns", Match(10, 13, 1.0)),
        ("the bus sails again", None),
    ],
)
def test_equal_words_come_first(quote: str, match: Match | None) -> None:
    assert best_match(PAGE, quote.split(), 0.9) == match


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("the ferry runs again from monday on", "the ferry sails again from monday on"),
        ("the old ferry returns at night", "the ferry returns at night"),
        ("ferry sails from monday on", "ferry sails again from monday on"),
    ],
)
def test_some_words_may_differ(quote: str, words: str) -> None:
    match = best_match(PAGE, quote.split(), 0.7)
    assert match is not None
    assert PAGE[match.start : match.end] == words.split()
    assert 0.7 <= match.similarity < 1.0


@pytest.mark.parametrize("quote", ["monday at noon", "snow on the ferry quay of the town", ""])
def test_other_words_are_not_found(quote: str) -> None:
    assert best_match(PAGE, quote.split(), 0.7) is None


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60),
    st.data(),
)
def test_every_part_of_a_page_is_found(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    match = best_match(words, words[start:end], 0.7)
    assert match is not None
    assert match.similarity == 1.0
    assert match.start <= start
    assert words[match.start : match.end] == words[start:end]


@given(
    st.lists(st.sampled_from("abcd"), max_size=40),
    st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12),
)
def test_similarities_are_shares(words: list[str], quote: list[str]) -> None:
    match = best_match(words, quote, 0.3)
    if match is not None:
        assert 0.3 <= match.similarity <= 1.0
        assert 0 <= match.start < match.end <= len(words)
        assert match.end - match.start <= 2 * len(quote) + 2
