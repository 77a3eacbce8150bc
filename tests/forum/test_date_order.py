"""Tests of `forum/dates.py`."""

from __future__ import annotations

import pytest

from crfclean.forum import posts as forum_posts
from crfclean.forum.dates import DateReader, date_order, is_month_first
from tests.forum.test_faults import POST, entries, page_of


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
    ("texts", "language", "years", "wanted"),
    [
        (["24-5-13"], "de", (), "DMY"),
        (["24-5-13"], "de", (2013,), "DMY"),
        (["24-5-13"], "de", (2019, 2023), "YMD"),  # the year of an archive, and the last post's
        (["24-5-13"], "", (), "DMY"),
        (["24-05-13 10:02"], "sv-SE", (), "YMD"),
        (["24.05.13."], "hu", (), "YMD"),
        (["24-05-13"], "ja", (2013,), "DMY"),
        (["13-05-24", "24-05-32"], "sv", (), "DMY"),  # no month has 32 days
        (["98-05-13"], "en", (), "YMD"),
        (["24-05-13", "24-05-14", "24-06-02"], "de", (), "YMD"),  # three weeks, not eleven years
        (["24-05-13", "02-06-13", "11-06-13"], "hu", (), "DMY"),
        (["24-05-13", "24-05-14"], "de", (), "DMY"),
        (["5/24/13"], "en", (2024,), "MDY"),
        (["24-05-2013", "2024-05-13"], "sv", (), "DMY"),
        (["99-99-99"], "de", (), "DMY"),
        (["10.11.12.13"], "hu", (), "DMY"),
    ],
)
def test_two_digits_of_a_year(
    texts: list[str], language: str, years: tuple[int, ...], wanted: str
) -> None:
    assert date_order(texts, language, years) == wanted


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
    assert DateReader("en", order).read(text).iso == wanted


SHORT = ("24-5-13", "24-5-13", "24-5-14", "24-5-17")


@pytest.mark.parametrize(
    "beside",
    [
        "<div class=newest><a href=/t/9>Kettles</a> 2 May 2024, 10:20</div>",
        "<div class=newest><a href=/t/9>Kettles</a> 2024-05-02</div>",
    ],
)
def test_the_pages_other_dates_decide(beside: str) -> None:
    page = page_of(entries(POST, ("24-5-13", "24-5-13", "24-5-13", "24-5-13")) + beside)
    (thread,) = forum_posts([page])
    assert {post.published.iso for post in thread.posts} == {"2024-05-13"}


def test_posts_of_a_thread_are_near_to_each_other() -> None:
    (thread,) = forum_posts([page_of(entries(POST, SHORT))])
    assert [post.published.iso for post in thread.posts] == [
        "2024-05-13",
        "2024-05-13",
        "2024-05-14",
        "2024-05-17",
    ]
