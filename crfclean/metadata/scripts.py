"""Identify the script of a text, and list the languages written in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.io import read_toml
from crfclean.page.chars import code_points

LANGUAGE_TABLES: Mapping[str, Any] = read_toml(Path(__file__).with_name("languages.toml"))

SCRIPTS: Mapping[str, tuple[str, Sequence[tuple[int, int]]]] = LANGUAGE_TABLES["scripts"]
"""Script -> its languages, the commonest on the web first, and its ranges of code points."""

_END = 0x32000
_LEAST_KANA = 0.05  # share of kana that makes a text Japanese; Chinese texts have hardly any


@cache
def _scripts() -> npt.NDArray[np.uint8]:
    """The script of each code point, as its place in `SCRIPTS` from 1; 0 if it is no letter."""
    table = np.zeros(_END + 1, np.uint8)
    for number, (_, spans) in enumerate(SCRIPTS.values(), 1):
        for start, end in spans:
            table[start:end] = number
    basic = np.flatnonzero(table[:0x10000])  # beyond the basic plane all are ideographs
    letters = np.fromiter(map(str.isalpha, map(chr, basic.tolist())), np.bool_, len(basic))
    table[basic[~letters]] = 0
    return table


def script_of(text: str) -> str:
    """The script of most letters of a text, "" for a text without letters.

    An ideograph counts twice, since it carries as much as two letters of an alphabet.

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
