"""Identify the script of a text, and list the languages written in it."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from crfclean.page.chars import code_points

_LATIN = "af az bs ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it la lb lt lv ms mt"
_LATIN += " nl no pl pt ro sk sl sq sr sv sw tl tr uz vi"

SCRIPTS: dict[str, tuple[str, tuple[tuple[int, int], ...]]] = {
    "Latin": (_LATIN, ((0x41, 0x5B), (0x61, 0x7B), (0xC0, 0x250), (0x1E00, 0x1F00))),
    "Greek": ("el", ((0x370, 0x400), (0x1F00, 0x2000))),
    "Cyrillic": ("ru uk be bg sr mk kk ky mn tg tt", ((0x400, 0x530),)),
    "Armenian": ("hy", ((0x530, 0x590),)),
    "Hebrew": ("he yi", ((0x590, 0x600),)),
    "Arabic": ("ar fa ur ps ku ug", ((0x600, 0x700), (0x750, 0x780), (0xFB50, 0xFE00))),
    "Devanagari": ("hi mr ne sa", ((0x900, 0x980),)),
    "Bengali": ("bn as", ((0x980, 0xA00),)),
    "Gurmukhi": ("pa", ((0xA00, 0xA80),)),
    "Gujarati": ("gu", ((0xA80, 0xB00),)),
    "Oriya": ("or", ((0xB00, 0xB80),)),
    "Tamil": ("ta", ((0xB80, 0xC00),)),
    "Telugu": ("te", ((0xC00, 0xC80),)),
    "Kannada": ("kn", ((0xC80, 0xD00),)),
    "Malayalam": ("ml", ((0xD00, 0xD80),)),
    "Sinhala": ("si", ((0xD80, 0xE00),)),
    "Thai": ("th", ((0xE00, 0xE80),)),
    "Lao": ("lo", ((0xE80, 0xF00),)),
    "Tibetan": ("bo dz", ((0xF00, 0x1000),)),
    "Myanmar": ("my", ((0x1000, 0x10A0),)),
    "Georgian": ("ka", ((0x10A0, 0x1100),)),
    "Hangul": ("ko", ((0x1100, 0x1200), (0xAC00, 0xD7B0))),
    "Ethiopic": ("am ti", ((0x1200, 0x1380),)),
    "Khmer": ("km", ((0x1780, 0x1800),)),
    "Kana": ("ja", ((0x3040, 0x3100),)),
    "Han": ("zh", ((0x3400, 0xA000), (0x20000, 0x32000))),
}
"""Script -> its languages, the commonest on the web first, and its ranges of code points."""

_END = 0x32000
_LEAST_KANA = 0.05  # share of kana that makes a text Japanese; Chinese has hardly any


@cache
def _scripts() -> npt.NDArray[np.uint8]:
    """The script of each letter, as its place in `SCRIPTS` from 1; 0 for what is no letter."""
    table = np.zeros(_END + 1, np.uint8)
    for number, (_, spans) in enumerate(SCRIPTS.values(), 1):
        for start, end in spans:
            table[start:end] = number
    basic = np.flatnonzero(table[:0x10000])  # beyond the basic plane all are ideographs
    letters = np.fromiter(map(str.isalpha, map(chr, basic.tolist())), np.bool_, len(basic))
    table[basic[~letters]] = 0
    return table


def languages_of(script: str) -> tuple[str, ...]:
    """The languages of a script, the commonest first; none for ""."""
    return tuple(SCRIPTS[script][0].split()) if script else ()


def script_of(text: str) -> str:
    """The script of most letters of a text, "" for a text without letters.

    An ideograph counts twice, since it says as much as two letters of an alphabet.

    >>> script_of("Ελλάδα is Greek: ελληνικά"), script_of("日本語のテキスト"), script_of("12")
    ('Greek', 'Kana', '')
    """
    scripts = _scripts()[np.minimum(code_points(text), _END)]
    numbers = np.bincount(scripts, minlength=len(SCRIPTS) + 1).tolist()
    counts = {name: number for name, number in zip(SCRIPTS, numbers[1:], strict=True) if number}
    if "Han" in counts:
        counts["Han"] *= 2
    if counts.get("Kana", 0) > _LEAST_KANA * counts.get("Han", 0) / 2:
        counts["Kana"] += counts.pop("Han", 0)
    return max(counts, key=lambda name: (counts[name], name), default="")
