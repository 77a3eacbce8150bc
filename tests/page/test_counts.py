"""Tests of `page/measures.py`."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.page import measures as measures_module
from crfclean.page.blocks import split
from crfclean.page.measures import Measures, dates, times, urls
from crfclean.types import Floats, Page

Pattern = Callable[[Measures], Floats]


def measure_text(*texts: str) -> Measures:
    """A page whose blocks have these texts."""
    escaped = (text.replace("&", "&amp;").replace("<", "&lt;") for text in texts)
    return split(Page("".join(f"<p>{text}</p>" for text in escaped)))


COUNTS = [
    (urls, "see http://example.org and https://x.org/a", 2),
    (urls, "www.example.org or jane@example.org", 2),
    (urls, "http:// www. @home a@b", 0),
    (dates, "on 12.5.2020 and 2020-05-12", 2),
    (dates, "12/05/20 or 1. 5. 2020", 2),
    (dates, "1-2-03", 1),
    (dates, "5 May 2020, 1st April 1999, 3. ledna 2001", 3),
    (dates, "May 5, 2020 and Jan. 12th 1999", 2),
    (dates, "2020年5月12日", 1),
    (dates, "٥ مايو ٢٠٢٠", 0),  # years are written in the digits of Europe
    (dates, "in 2020, version 1.2.3, 12.5, May 5", 0),
    (dates, "2020-5-1 and 2020.5.1", 2),
    (dates, "192.168.100.200", 0),
    (dates, "123.4.2003, May 123, 2020", 0),
    (dates, "1.2-2003, 1.2.20031", 0),
    (dates, "𝟏𝟐.𝟓.𝟐𝟎𝟐𝟎", 1),  # digits beyond the basic plane
    (times, "at 9:30, 21.45 and 7h05", 3),
    (times, "10:20:30", 1),
    (times, "𝟗:𝟑𝟎", 0),
    (times, "1:2 or 45:90 or 123:45 or 35:10", 0),
    (times, "no digits: h.", 0),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), COUNTS)
def test_counts_of_a_block(pattern: Pattern, text: str, expected: float) -> None:
    assert pattern(measure_text(text)).tolist() == [expected]
    assert pattern(measure_text("First", text, "last")).tolist() == [0, expected, 0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("on 5 May", "2020 was"),
        ("12. 5.", "2020"),
        ("May", "5 2020"),
        ("3.", "4. 2001"),
        ("x@", "y.z"),
        ("9:", "30"),
    ],
)
def test_no_pattern_spans_two_blocks(first: str, second: str) -> None:
    measures = measure_text(first, second)
    for pattern in (urls, dates, times):
        assert pattern(measures).tolist() == [0, 0]


PIECES = ["12", "5", ".", "/", "-", ":", "h", " ", "2020", "May", "th", ",", "年", "月", "٣", "𝟏"]
PIECES += ["://", "www.", "@", "a", "x.y", "_", "th", " 2024", "1st May 2024", "3. 4. 24", "\uffff"]
PIECES += [
    "2024/1/2",
    "12-31-99",
    "2024年1月",
    "٣ May 2024",
    "May 3rd, 1999",
    "Jan.",
    "0",
    "\ud800",
]
EVERY = settings(max_examples=1_000, deadline=None, database=None, derandomize=True)


@EVERY
@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), max_size=4))
def test_blocks_left_out_have_no_match(texts: list[str]) -> None:
    measures = measure_text(*texts)
    sources = {
        urls: measures_module._URL,
        dates: measures_module._date(),
        times: measures_module._TIME,
    }
    for pattern, source in sources.items():
        expected = [len(list(source.finditer(text))) for text in measures.texts]
        assert pattern(measures).tolist() == expected
