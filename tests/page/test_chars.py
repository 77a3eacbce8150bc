"""Tests of `page/chars.py`; `test_measures.py` has those of what is counted by it."""

from __future__ import annotations

import unicodedata

import pytest

from crfclean.page import chars
from crfclean.page.chars import (
    ALIKE,
    DIGIT,
    IDEOGRAPH,
    LOWER,
    OTHER,
    PUNCT,
    SPACE,
    UNCASED,
    UPPER,
    classify,
)


@pytest.mark.parametrize(("start", "end", "category"), ALIKE)
def test_long_runs_are_of_one_category(start: int, end: int, category: str) -> None:
    assert {unicodedata.category(chr(code)) for code in range(start, end)} == {category}


def test_every_character_has_a_category_that_is_known() -> None:
    """One of another category would count as a mark, whatever it is."""
    assert {unicodedata.category(chr(code)) for code in range(65536)} <= {*chars._CATEGORIES}
    assert chars._classes_of(range(65, 67)).tolist() == [UPPER, UPPER]


def test_classes_of_characters() -> None:
    text = "aA\u05d07.\u00a0\u4e2d\ue000\uac00\u4db6\u9fa5\U00020000\U0001f600"
    cjk = IDEOGRAPH if unicodedata.category("\u4db6") == "Lo" else OTHER  # since Unicode 13
    expected = [LOWER, UPPER, UNCASED, DIGIT, PUNCT, SPACE, IDEOGRAPH, OTHER, UNCASED, cjk]
    assert classify(text).tolist() == [*expected, IDEOGRAPH, IDEOGRAPH, OTHER]
