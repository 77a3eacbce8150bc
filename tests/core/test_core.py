"""Tests of `core/native.py`: a missing core, one of other sources, and counts."""

from __future__ import annotations

import importlib
import sys

import numpy as np
import pytest

from crfclean.core import native
from crfclean.page.chars import CLOSERS, COMMAS, char_bits, core_tables
from crfclean.types import CrfcleanError


def reload_error() -> native.CoreError:
    """The error of opening the core; the module has an `CoreError` of its own each time."""
    try:
        with pytest.raises(ImportError) as caught:
            native._opened()
    finally:
        importlib.invalidate_caches()
    assert isinstance(caught.value, CrfcleanError)
    return caught.value


def test_a_missing_core_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crfclean.core._core", None)  # as if it were not there
    message = str(reload_error())
    assert message.startswith("the compiled part of crfclean cannot be loaded (")
    assert "pip install --force-reinstall" in message
    assert "\n" not in message


def test_a_core_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native.CORE, "VERSION", native.VERSION + 1)
    assert "built from other sources" in str(reload_error())


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
