"""Tests of `page/measures.py`."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from htmlpages import measures_of

from crfclean.model.markup import with_markup
from crfclean.page.blocks import split
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
    share,
)
from crfclean.types import Blocks, Page

CLASS_NAMES = ["lower", "upper", "uncased", "digit", "punct", "space", "other", "ideograph"]


def measure_text(*texts: str) -> Blocks:
    """A page whose blocks have these texts."""
    escaped = (text.replace("&", "&amp;").replace("<", "&lt;") for text in texts)
    made = measures_of("".join(f"<p>{text}</p>" for text in escaped))
    assert made.texts == texts
    return made


# Classes of characters


@pytest.mark.parametrize(
    ("chars", "expected"),
    [
        ("azßéжπ", LOWER),
        ("AZÉЖΠǅ", UPPER),
        ("ªʰאبहक्한가\u0301", UNCASED),
        ("019²½Ⅳ٣", DIGIT),
        (".,!?-–—_()[]{}«»“”¿…。、·•", PUNCT),
        (" \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u00a0\u2003\u2028\u2029\u3000", SPACE),
        ("$€+=<>|~^`©™°→■\u200b\u00ad\x00\x1b\ud800\ue000\uffff", OTHER),
        ("漢字かなカナ日本ไทยລາວབོད\u4db6\u9fa5", IDEOGRAPH),
        ("𠀀𪜀", IDEOGRAPH),
        ("😀𝐀𝟘", OTHER),
    ],
)
def test_classes(chars: str, expected: int) -> None:
    found = {char: CLASS_NAMES[code] for char, code in zip(chars, classify(chars), strict=True)}
    assert found == dict.fromkeys(chars, CLASS_NAMES[expected])


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        ([1.0, 2.0], [2.0, 2.0], [0.5, 1.0]),
        ([1.0, 0.0], [0.0, 0.0], [0.0, 0.0]),
        ([1.0, 3.0], 4.0, [0.25, 0.75]),
        ([1.0, 3.0], 0.0, [0.0, 0.0]),
        ([], [], []),
        ([], 3.0, []),
    ],
)
def test_share(part: list[float], whole: list[float] | float, expected: list[float]) -> None:
    divisor = np.array(whole) if isinstance(whole, list) else whole
    assert share(np.array(part), divisor).tolist() == expected


# Counts in the text of one block

COUNTS = [
    ("chars", "one two", 6),
    ("chars", "a\u200b b", 2),
    ("chars", "😀 x", 2),
    ("sizes", "abc", 4),
    ("sizes", "😀", 2),
    ("capitalised", "One two Three", 2),
    ("capitalised", '"Quoted" 1A ÉLAN éa', 1),
    ("sentence_ends", "No end", 0),
    ("sentence_ends", "One. Two! Three?", 3),
    ("sentence_ends", "Wait...", 1),
    ("sentence_ends", "Wait… what?!", 2),
    ("sentence_ends", "What?!", 1),
    ("sentence_ends", "Version 3.14 at example.org/a?b=c", 0),
    ("sentence_ends", "The U.S.A and e.g.this", 0),
    ("sentence_ends", 'He said "yes." (Then no.) Done', 2),
    ("sentence_ends", "„Ja.“ «Oui.» “Yes.”", 3),
    ("sentence_ends", "这是第一句。这是第二句！第三句？", 3),
    ("sentence_ends", "هل هذا؟ نعم", 1),
    ("sentence_ends", "यह है। वह है।", 2),
    ("sentence_ends", ". . .", 3),
    ("sentence_ends", ".hidden", 0),
    ("words", "one two three", 3),
    ("words", "one - two * 3", 3),
    ("words", "— * !", 0),
    ("words", "don't e-mail a@b.c", 3),
    ("words", "Привет мир", 2),
    ("words", "한국어 문서", 2),
]


@pytest.mark.parametrize(("name", "text", "expected"), COUNTS)
def test_counts_of_a_block(name: str, text: str, expected: float) -> None:
    alone = getattr(measure_text(text).table, name)
    assert alone.tolist() == [expected]
    among = getattr(measure_text("First", text, "last").table, name)
    assert among[1] == expected


# Against a plain reference, which does not part an amount and its unit ("3.14Word")


def test_classes_are_those_of_unicode() -> None:
    """Ranges of one category are filled without asking; no character stands in a wrong one."""
    expected = {"N": {DIGIT}, "P": {PUNCT}, "Z": {SPACE}, "S": {OTHER}, "C": {OTHER, SPACE}}
    letters = {LOWER, UPPER, UNCASED, IDEOGRAPH}
    plane = "".join(map(chr, range(0x10000)))
    for char, code in zip(plane, classify(plane).tolist(), strict=True):
        category = unicodedata.category(char)
        assert code in expected.get(category[0], letters), ascii(char)
        assert (code == LOWER) == (category == "Ll"), ascii(char)


# Addresses, dates and times


def measure_any(*texts: str) -> Blocks:
    """A page whose blocks have these texts."""
    escaped = (text.replace("&", "&amp;").replace("<", "&lt;") for text in texts)
    return split(Page("".join(f"<p>{text}</p>" for text in escaped)))


MATCHES = [
    ("urls", "see http://example.org and https://x.org/a", 2),
    ("urls", "www.example.org or jane@example.org", 2),
    ("urls", "http:// www. @home a@b", 0),
    ("dates", "on 12.5.2020 and 2020-05-12", 2),
    ("dates", "12/05/20 or 1. 5. 2020", 2),
    ("dates", "1-2-03", 1),
    ("dates", "5 May 2020, 1st April 1999, 3. ledna 2001", 3),
    ("dates", "May 5, 2020 and Jan. 12th 1999", 2),
    ("dates", "2020年5月12日", 1),
    ("dates", "٥ مايو ٢٠٢٠", 0),  # years are written in the digits of Europe
    ("dates", "in 2020, version 1.2.3, 12.5, May 5", 0),
    ("dates", "2020-5-1 and 2020.5.1", 2),
    ("dates", "192.168.100.200", 0),
    ("dates", "123.4.2003, May 123, 2020", 0),
    ("dates", "1.2-2003, 1.2.20031", 0),
    ("dates", "𝟏𝟐.𝟓.𝟐𝟎𝟐𝟎", 1),  # digits beyond the basic plane
    ("times", "at 9:30, 21.45 and 7h05", 3),
    ("times", "10:20:30", 1),
    ("times", "𝟗:𝟑𝟎", 0),
    ("times", "1:2 or 45:90 or 123:45 or 35:10", 0),
    ("times", "no digits: h.", 0),
]


@pytest.mark.parametrize(("name", "text", "expected"), MATCHES)
def test_matches_of_a_block(name: str, text: str, expected: float) -> None:
    assert getattr(with_markup(measure_any(text)), name).tolist() == [expected]
    among = with_markup(measure_any("First", text, "last"))
    assert getattr(among, name).tolist() == [0, expected, 0]


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
    table = with_markup(measure_any(first, second))
    for counts in (table.urls, table.dates, table.times):
        assert counts.tolist() == [0, 0]
