"""Classify, drop and mask characters, and compute arrays over the characters of texts."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import accumulate, count
from operator import add
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.core import read
from crfclean.core.table import Table
from crfclean.types import Bools, Floats, Formula, Ints

_Key = TypeVar("_Key", bound=Hashable)
_Column = TypeVar("_Column", Ints, Floats)


def numbered(values: Iterable[_Key]) -> tuple[Ints, list[_Key]]:
    """Number values in order of occurrence; also return the distinct values.

    >>> numbered("abac")[0].tolist()
    [0, 1, 0, 2]
    """
    keys = tuple(values)
    places = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array(list(map(places.__getitem__, keys)), np.int64), list(places)


def having_part(names: Sequence[str], parts: Iterable[str]) -> list[int]:
    """Find the names that have one of some parts, which are in lower case, in any case.

    >>> having_part(["Post-Date", "menu", "date"], ["date", "time"])
    [0, 2]
    """
    lower = list(map(str.lower, names))
    text, found = "\n".join(lower), set[int]()
    ends = [*map(add, accumulate(map(len, lower)), count(1))]  # behind each line
    for part in parts:
        at = text.find(part)
        while at >= 0:
            place = bisect_right(ends, at)
            found.add(place)
            at = text.find(part, ends[place])
    return sorted(found)


def in_classes(table: Table, pattern: re.Pattern[str], parts: Iterable[str]) -> Bools:
    """Mark the elements whose class matches a pattern, (m,); each match has one of the `parts`."""
    classes = table.classes
    marked = np.zeros(len(classes), np.bool_)
    places = having_part(classes, parts)  # patterns are slow, and few classes match one
    marked[[at for at in places if pattern.search(classes[at])]] = True
    chosen: Bools = marked[table.class_number]
    return chosen


def among(values: Ints, chosen: Sequence[int]) -> Bools:
    """Mark the values that are among a few members, in the same shape; faster than numpy's `isin`.

    >>> among(np.array([1, 2, 3, -9, 99]), [3, 1]).tolist()
    [True, False, True, False, False]
    """
    lowest, mask = _membership(tuple(chosen))
    return mask.take(values - lowest, mode="clip")


@lru_cache(maxsize=64)
def _membership(chosen: tuple[int, ...]) -> tuple[int, Bools]:
    """Return a number below some numbers, and a mask of them from there on.

    The first and last places of the mask are False: they stand for all numbers below and above.
    """
    lowest = min(chosen) - 1
    mask = np.zeros(max(chosen) - lowest + 2, np.bool_)
    mask[[number - lowest for number in chosen]] = True
    return lowest, mask


def bits_by_member(sets: Iterable[Iterable[_Key]]) -> dict[_Key, int]:
    """Return the bits of the sets that each member is in; the bit of the first set is 1.

    >>> bits_by_member(["ab", "b"])
    {'a': 1, 'b': 3}
    """
    bits: dict[_Key, int] = {}
    for place, members in enumerate(sets):
        for member in members:
            bits[member] = bits.get(member, 0) | 1 << place
    return bits


def around(mask: Bools, end: Ints) -> Ints:
    """Count the elements of the mask at or around each element, given each one's end, (m,)."""
    steps = np.bincount(np.flatnonzero(mask), minlength=len(mask) + 1)
    steps -= np.bincount(end[mask], minlength=len(mask) + 1)
    return np.cumsum(steps)[:-1]


def sums_inside(values: _Column, end: Ints) -> _Column:
    """Sum a column over each element and all elements inside it, given each one's end, (m,)."""
    total = np.concatenate([[0], np.cumsum(values)])
    sums: _Column = total[end] - total[:-1]
    return sums


def share(part: Floats | Ints, total: Floats | Ints | float) -> Floats:
    """Divide part by total; 0 where the total is 0."""
    return np.divide(part, total, out=np.zeros(part.shape), where=np.greater(total, 0))


def ordinals_of(values: Ints) -> Ints:
    """Count the earlier values that equal each value, shape (n,).

    >>> ordinals_of(np.array([7, 5, 7, 7, 5])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    ordinals = np.empty_like(values)
    ordinals[order] = np.arange(len(values)) - np.searchsorted(ordered, ordered)
    return ordinals


# classify the characters of a text: letters, digits, punctuation, white space

LOWER, UPPER, UNCASED, DIGIT = read.LOWER, read.UPPER, read.UNCASED, read.DIGIT
PUNCT, SPACE, OTHER, IDEOGRAPH = read.PUNCT, read.SPACE, read.OTHER, read.IDEOGRAPH
"""Classes of characters. `IDEOGRAPH`: letters of scripts that do not separate words by spaces."""

TERMINATORS = ".!?…。！？؟।"
IDEOGRAPHIC_ENDS = "。！？"
"""Terminators that end a sentence before any character."""
CLOSERS = "\"'’”“»«)]】」』"
BULLETS = "•·‣▪▫●○◦■□►▸»›–—-*✓✔➤→"
WITHOUT_WIDTH = (
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
"""Invisible characters that are no part of a word: soft hyphens, marks of direction, the BOM.

The joiners U+200C and U+200D are not among them: they change the letters beside them.
"""
_SHOWN_BY_OTHERS = "\u034f\u115f\u1160\u180e\u200c\u200d\u2800\u3164\uffa0"
_BLANK = f" {WITHOUT_WIDTH}{_SHOWN_BY_OTHERS}" + "".join(map(chr, range(0xFE00, 0xFE10)))
"""`WITHOUT_WIDTH`, joiners, fillers of Hangul, the blank of Braille, selectors of variants."""
COMMAS = ",;\uff0c\u3001\uff1b\u060c\u061b"
QUOTES = '"\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f'
QUESTIONS = "?\uff1f\u061f"
BARS = "|/\u00b7\u2022\u00bb\u203a>"
MONEY = "$\u20ac\u00a3\u00a5\u20bd%"
COPYRIGHT = "\u00a9\u00ae\u2122"
MARKS = (COMMAS, QUOTES, QUESTIONS, BARS, MONEY, COPYRIGHT)
"""Sets of characters that are counted in each block."""


_CATEGORIES = {
    **dict.fromkeys(["Ll"], LOWER),
    **dict.fromkeys(["Lu", "Lt"], UPPER),
    **dict.fromkeys(["Lm", "Lo", "Mn", "Mc", "Me"], UNCASED),
    **dict.fromkeys(["Nd", "Nl", "No"], DIGIT),
    **dict.fromkeys(["Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"], PUNCT),
    **dict.fromkeys(["Zs", "Zl", "Zp"], SPACE),
    **dict.fromkeys(["Sm", "Sc", "Sk", "So", "Cc", "Cf", "Cs", "Co", "Cn"], OTHER),
}
"""Unicode's categories -> their classes."""


@cache
def _classes() -> npt.NDArray[np.uint8]:
    """Class of every character of the basic plane, shape (65536,)."""
    table = np.full(65536, UNCASED, np.uint8)  # CJK and Hangul; to ask for each takes 6 ms
    table[0xD800:0xF900] = OTHER  # surrogates, private use
    others = np.r_[0:0x3400, 0x4DC0:0x4E00, 0xA000:0xAC00, 0xD7A4:0xD800, 0xF900:0x10000]
    categories = map(unicodedata.category, map(chr, others.tolist()))
    table[others] = bytearray(map(_CATEGORIES.__getitem__, categories))
    table[[ord(char) for char in "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85"]] = SPACE
    # Thai and Lao, Khmer, kana, CJK
    for start, end in [(0x0E00, 0x1000), (0x1780, 0x1800), (0x3040, 0x3100), (0x3400, 0xA000)]:
        script = table[start:end]
        script[script == UNCASED] = IDEOGRAPH
    return table


def code_points(text: str) -> npt.NDArray[np.uint32]:
    """Code point of each character, shape (len(text),)."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def classify(text: str) -> npt.NDArray[np.uint8]:
    """Return the class of each character, (len(text),); beyond the basic plane two classes."""
    codes = code_points(text)
    classes: npt.NDArray[np.uint8] = _classes()[np.minimum(codes, 0xFFFF)]
    astral = codes > 0xFFFF
    if astral.any():
        classes[astral] = np.where((codes[astral] >> 16) == 2, IDEOGRAPH, OTHER)
    return classes


@lru_cache(maxsize=64)
def char_table(chars: str) -> Bools:
    """Return whether each character of the basic plane is one of `chars`, shape (65536,)."""
    table = np.zeros(65536, np.bool_)
    table[[ord(char) for char in chars]] = True
    return table


@cache
def characters() -> read.Characters:
    """Return what the core knows of characters."""
    return read.Characters(
        classes=_classes().tobytes(),
        terminators=TERMINATORS,
        closers=CLOSERS,
        ideographic_ends=IDEOGRAPHIC_ENDS,
        blanks=_BLANK,
        without_width=WITHOUT_WIDTH,
        sets=MARKS,
    )


@cache
def char_bits(sets: tuple[str, ...]) -> bytes:
    """Return the bits of up to eight sets for each character of the basic plane."""
    tables = [char_table(chars) * np.uint8(1 << number) for number, chars in enumerate(sets)]
    return bytes(np.bitwise_or.reduce(tables).astype(np.uint8))


def spelled_out(texts: tuple[str, ...]) -> tuple[str, ...]:
    r"""Return texts without invisible characters; fold the white space around them.

    >>> spelled_out(("\u200fDonau\u00addampf \u200b 1",))
    ('Donaudampf 1',)
    """
    if not read.any_marks(texts, characters()):
        return texts
    units = np.frombuffer("".join(texts).encode("utf-16-le", "surrogatepass"), np.uint16)
    for code in sorted(set(units[char_table(WITHOUT_WIDTH)[units]].tolist())):
        char = chr(code)
        texts = tuple(
            " ".join(text.replace(char, "").split()) if char in text else text for text in texts
        )
    return texts


# drop control characters, which browsers do not show and terminals obey
#
# `ESC ]0;name BEL` in a page renames the window of a terminal that prints its text; other sequences
# move the cursor over earlier lines. Marks of direction stay: they belong to the display of text.

_UNPRINTED = re.compile("[\0-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_ESCAPE = (
    r"(?s)\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<control>[bf]|u(?:00(?:0[0-8bcefBCEF]|[189][0-9a-fA-F]|7[fF])"
    r"|[dD][89a-fA-F][0-9a-fA-F]{2}|[fF]{3}[efEF]))|.)"
)


def visible(text: str) -> str:
    r"""Return a text without control characters, halves of surrogate pairs, U+FFFE and U+FFFF.

    Tabs and line ends stay; rarer white space becomes a space.

    >>> visible("a\x1b]0;b\x07\tc\x0cd")
    'a]0;b\tc d'
    """
    return read.visible(text)


def visible_formula(formula: Formula) -> Formula:
    """Return a formula without the characters that `visible` drops."""
    tex, mathml, text = map(visible, (formula.tex, formula.mathml, formula.text))
    return formula._replace(tex=tex, mathml=mathml, text=text)


def visible_json(source: str) -> str:
    r"""Replace each escape of such a character in a JSON text by a space.

    >>> visible_json(r'"a\u001bb\\u001b\n\ud83d\ude00"')
    '"a b\\\\u001b\\n\\ud83d\\ude00"'
    """
    return re.sub(_ESCAPE, lambda match: " " if match["control"] else match[0], source)


def escaped(text: str) -> str:
    r"""Return a text on one line, with control characters as Python escapes.

    Messages use it for names of files and records, which must stay recognisable.

    >>> escaped("a\x1b.html\n")
    'a\\x1b.html\\n'
    """
    return _UNPRINTED.sub(lambda match: ascii(match[0])[1:-1], text)


def plural(count: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
