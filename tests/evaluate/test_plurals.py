"""Tests of `evaluate/plurals.py`."""

from __future__ import annotations

from crfclean.evaluate.plurals import plural


def test_plural() -> None:
    assert [plural(count, "page") for count in (0, 1, 2)] == ["0 pages", "1 page", "2 pages"]
