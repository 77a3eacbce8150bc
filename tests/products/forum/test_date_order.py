"""Tests of `forum/dates.py`."""

from __future__ import annotations

import pytest

from crfclean.products.forum.dates import DateReader, date_order, is_month_first


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
    ("texts", "language", "wanted"),
    [
        (["24-5-13"], "de", "DMY"),
        (["24-5-13"], "", "DMY"),
        (["24-05-13 10:02"], "sv-SE", "YMD"),
        (["24.05.13."], "hu", "YMD"),
        (["13-05-24", "24-05-32"], "sv", "DMY"),  # no month has 32 days
        (["98-05-13"], "en", "YMD"),
        (["24-05-13", "24-05-14"], "de", "DMY"),
        (["5/24/13"], "en", "MDY"),
        (["24-05-2013", "2024-05-13"], "sv", "DMY"),
        (["99-99-99"], "de", "DMY"),
        (["10.11.12.13"], "hu", "DMY"),
    ],
)
def test_two_digits_of_a_year(texts: list[str], language: str, wanted: str) -> None:
    assert date_order(texts, language) == wanted


@pytest.mark.parametrize(
    ("text", "order", "wanted"),
    [
        ("24-5-13", "YMD", "2024-05-13"),
        ("24/05/13 10:02", "YMD", "2024-05-13T10:02:00"),
        ("24-5-13", "DMY", "2013-05-24"),
        ("5/24/13", "MDY", "2013-05-24"),
        ("2013-05-24", "YMD", "2013-05-24"),
        ("4 May 2013", "YMD", "2013-05-04"),
    ],
)
def test_dates_are_read_in_their_order(text: str, order: str, wanted: str) -> None:
    assert DateReader(order).read(text).iso == wanted
