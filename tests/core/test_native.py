"""Counts of the compiled core."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.core import native
from crfclean.page.chars import CLOSERS, COMMAS, char_bits, core_tables


def test_marks_and_characters_are_counted() -> None:
    texts = ("a, é; “b”\uff0c", "\U0001f600\uffff", "", "سبعة، ثمانية؛ تسعة", "3.5: no")
    runs = ("a b\u2003 \U0001f600", "")
    sets = (COMMAS, CLOSERS, "é", "\uffff")
    given = (texts, runs, *core_tables(), char_bits(sets))
    *_, marks, solid = native.CORE.counts(*given, len(sets))
    narrow = [[min(char, "\uffff") for char in text] for text in texts]
    assert np.frombuffer(marks, np.float64).reshape(4, -1).tolist() == [
        [sum(char in chars for char in text) for text in narrow] for chars in sets
    ]
    assert np.frombuffer(solid, np.float64).tolist() == [3, 0]
    for count in (0, 9):
        with pytest.raises(ValueError, match="sets"):
            native.CORE.counts(*given, count)
