"""Tests of `page/chars.py`; `test_measures.py` has those of what is counted by it."""

from __future__ import annotations

import unicodedata

from crfclean.page.chars import (
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


def test_classes_of_characters() -> None:
    text = "aA\u05d07.\u00a0\u4e2d\ue000\uac00\u4db6\u9fa5\U00020000\U0001f600"
    cjk = IDEOGRAPH if unicodedata.category("\u4db6") == "Lo" else OTHER  # since Unicode 13
    expected = [LOWER, UPPER, UNCASED, DIGIT, PUNCT, SPACE, IDEOGRAPH, OTHER, UNCASED, cjk]
    assert classify(text).tolist() == [*expected, IDEOGRAPH, IDEOGRAPH, OTHER]
