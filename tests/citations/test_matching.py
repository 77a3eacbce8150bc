"""Tests of `citations/cite.py`."""

from __future__ import annotations

import pytest

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
