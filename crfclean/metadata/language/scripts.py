"""Identify the script of a text, and list the languages written in it."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

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

_BOUNDS = sorted((edge, name) for name, (_, spans) in SCRIPTS.items() for edge in spans)
_STARTS = [span[0] for span, _ in _BOUNDS]
_LEAST_KANA = 0.05  # share of kana that makes a text Japanese; Chinese has hardly any


def languages_of(script: str) -> tuple[str, ...]:
    """The languages of a script, the commonest first; none for ""."""
    return tuple(SCRIPTS[script][0].split()) if script else ()


def script_of(text: str) -> str:
    """The script of most letters of a text, "" for a text without letters.

    An ideograph counts twice, since it says as much as two letters of an alphabet.

    >>> script_of("Ελλάδα is Greek: ελληνικά"), script_of("日本語のテキスト"), script_of("12")
    ('Greek', 'Kana', '')
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    counts: dict[str, int] = {}
    chars, times = np.unique(codes, return_counts=True)
    for code, count in zip(chars.tolist(), times.tolist(), strict=True):
        place = bisect_right(_STARTS, code) - 1
        if place >= 0 and code < _BOUNDS[place][0][1] and chr(code).isalpha():
            name = _BOUNDS[place][1]
            counts[name] = counts.get(name, 0) + count * (2 if name == "Han" else 1)
    if counts.get("Kana", 0) > _LEAST_KANA * counts.get("Han", 0) / 2:
        counts["Kana"] += counts.pop("Han", 0)
    return max(counts, key=lambda name: (counts[name], name), default="")
