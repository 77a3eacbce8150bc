"""Tests of `forum/dates.py`."""

from __future__ import annotations

import pytest

from crfclean.forum.dates import DateReader, is_month_first


@pytest.mark.parametrize(
    ("texts", "language", "wanted"),
    [
        (["3/13/2014"], "de", True),
        (["13/3/2014"], "en", False),
        (["3/4/2014"], "en", True),
        (["3.4.2014"], "en", False),
        (["3/4/2014"], "fr", False),
        ([], "en", False),
    ],
)
def test_month_or_day_first(texts: list[str], language: str, *, wanted: bool) -> None:
    assert is_month_first(texts, language) is wanted


@pytest.mark.parametrize(
    ("text", "month_first", "wanted"),
    [
        ("24-5-13", False, "2013-05-24"),
        ("5/24/13", True, "2013-05-24"),
        ("2013-05-24", False, "2013-05-24"),
    ],
)
def test_dates_are_read_in_their_order(text: str, *, month_first: bool, wanted: str) -> None:
    assert DateReader("en", month_first).read(text).iso == wanted
