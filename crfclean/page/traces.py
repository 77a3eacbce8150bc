"""Look for what few pages have and the cut must know: controls, formulas, `</br>`.

One pass over a page's bytes finds the places of rare ones, and what stands beside them is read
there: searches for every string took a third of the time of the cut. A trace of a formula may be
seen where there is none; the class `math` between two others of a picture is not seen.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from crfclean.core import native
from crfclean.page.controls import has_controls
from crfclean.types import Bools, Ints
from crfclean.types.light_tuple import NamedTuple

_PAD = b" " * 16
_DIGITS = 7  # of a reference that are read; longer ones have leading zeros
_NO_DIGIT = 99

_C2, _EF = "\xc2", "\xef"  # first bytes of U+0080 to U+00BF and of U+F000 to U+FFFF
_CONTROLS = bytes([*range(9), 11, 12, *range(14, 32), 127])
_MARKS = bytes(byte in _CONTROLS + b"&xmq/\\\xc2\xef" for byte in range(256))
_MAX_COMMAND = 16  # letters of a command of TeX

_Bytes = npt.NDArray[np.uint8]


def _table(chars: bytes) -> Bools:
    """Which bytes are among some, shape (256,)."""
    table = np.zeros(256, np.bool_)
    table[list(chars)] = True
    return table


def _values(digits: str, base: int) -> Ints:
    """The value of each byte as a digit, shape (256,)."""
    table = np.full(256, _NO_DIGIT, np.int32)
    for digit in digits:
        table[ord(digit)] = int(digit, base)
    return table


_LETTERS = _table(b"abcdefghijklmnopqrstuvwxyz")
_BEFORE_NAMES, _AFTER_NAMES = _table(b"<='\""), _table(b"'\">")
_DECIMAL, _HEX = _values("0123456789", 10), _values("0123456789abcdefABCDEF", 16)


class Traces(NamedTuple):
    """Whether a page has control characters, end tags of `br`, and may have formulas."""

    controls: bool
    formulas: bool
    break_ends: bool


class _Source(NamedTuple):
    """A page's bytes, and the places of the marked ones among them."""

    page: _Bytes
    places: Ints
    chars: _Bytes

    def of(self, char: str) -> Ints:
        """Where a marked byte stands."""
        places: Ints = self.places[self.chars == ord(char)]
        return places

    def reads(self, places: Ints, text: str, offset: int) -> Bools:
        """Whether a text stands at an offset from each place."""
        reads: Bools = self.page[places + offset] == ord(text[0])
        for step, char in enumerate(text[1:], offset + 1):
            reads &= self.page[places + step] == ord(char)
        return reads


def traces(html: str, source: bytes) -> Traces:
    """What a page has; `source` is its UTF-8."""
    if native.CORE is not None:
        bits = native.CORE.traces(source)
        return Traces(bool(bits & 1) and has_controls(html), bool(bits & 2), bool(bits & 4))
    padded = _PAD + source + _PAD
    places = np.flatnonzero(np.frombuffer(padded.translate(_MARKS), np.bool_))
    array = np.frombuffer(padded, np.uint8)
    page = _Source(array, places, array[places])
    return Traces(
        (_has_controls(page) or _has_references(page)) and has_controls(html),
        _has_tex(page) or _has_math(page) or _has_commands(page),
        _has_break_ends(page),
    )


def _has_controls(page: _Source) -> bool:
    """Whether bytes of a control, of U+0080 to U+009F, or of U+FFFE and U+FFFF are there."""
    if ((page.chars < 32) | (page.chars == 127)).any():
        return True
    second, third = page.of(_C2), page.of(_EF)
    beyond = (page.page[third + 1] == 0xBF) & (page.page[third + 2] >= 0xBE)
    return bool((page.page[second + 1] < 0xA0).any() or beyond.any())


def _has_references(page: _Source) -> bool:
    """Whether a numeric reference may name a control, or a code whose meaning is not plain."""
    places = page.of("&")
    places = places[page.reads(places, "#", 1)]
    hexadecimal = (page.page[places + 2] | 32) == ord("x")
    return _names_control(page.page, places[~hexadecimal] + 2, _DECIMAL, 10) or _names_control(
        page.page, places[hexadecimal] + 3, _HEX, 16
    )


def _names_control(page: _Bytes, places: Ints, table: Ints, base: int) -> bool:
    if not len(places):
        return False
    codes = np.zeros(len(places), np.int64)
    goes_on = np.ones(len(places), np.bool_)
    for step in range(_DIGITS):
        if not goes_on.any():
            break
        digits = table[page[places + step]]
        goes_on &= digits < _NO_DIGIT
        codes = np.where(goes_on, codes * base + digits, codes)
    plain = ~goes_on & (
        np.isin(codes, [0, 9, 10, 13])
        | ((codes >= 32) & (codes < 127))
        | ((codes >= 160) & (codes < 0xD800))
        | ((codes > 0xDFFF) & (codes != 0xFFFE) & (codes != 0xFFFF))
    )
    return not plain.all()


def _has_tex(page: _Source) -> bool:
    """Whether a name with TeX or MathJax is there, or the address of a service that draws TeX.

    Those are `tex`, `katex` or `latex` at the end of a part, `MathJax`, `mjx`; `mathtex.cgi`,
    `mimetex.cgi`, `cht=tx`.
    """
    places = page.of("x")
    if any(page.reads(places, *text).any() for text in (("Ja", -2), ("mj", -2), ("cht=t", -5))):
        return True
    places = places[page.reads(places, "te", -2)]
    before, after = page.page[places - 3], page.page[places + 1]
    begins = (before == ord("a")) | ~_LETTERS[before] | page.reads(places, ".cgi", 1)
    return bool((begins & ~_LETTERS[after]).any())


def _has_commands(page: _Source) -> bool:
    """Whether a command of TeX with an argument is there, in the text for a picture perhaps."""
    places = page.of("\\") + 1
    for _ in range(_MAX_COMMAND):
        places = places[_LETTERS[page.page[places]]] + 1
        if (page.page[places] == ord("{")).any():
            return True
    return False


def _has_math(page: _Source) -> bool:
    """Whether `math` is a name or a part of one, or `hurmet`, `equation` or a service is there."""
    places, middles = page.of("m"), page.of("q")
    words = places[page.reads(places, "ath", 1)]
    before, after = page.page[words - 1], page.page[words + 4]
    named = _BEFORE_NAMES[before] | (before == ord(" ")) & _AFTER_NAMES[after]
    is_part = page.reads(words, "mwe-", -4) | page.reads(words, "data-", -5)
    is_part |= page.reads(words, "-inline", 4) | page.reads(words, "-block", 4)
    is_part |= page.reads(words, ".now.sh", 4) | page.reads(words, ".me/", 4)
    return bool(
        (named | is_part).any()
        or page.reads(places, "hur", -3).any()
        or (page.reads(middles, "e", -1) & page.reads(middles, "uation", 1)).any()
    )


def _has_break_ends(page: _Source) -> bool:
    """Whether an end tag of `br` is there."""
    places = page.of("/")
    places = places[page.reads(places, "<", -1)]
    places = places[(page.page[places + 1] | 32) == ord("b")]
    return bool(((page.page[places + 2] | 32) == ord("r")).any())
