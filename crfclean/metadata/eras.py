"""Write years of other eras as years of the common era: 令和8年 and, in Thai, 2569 are 2026."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata.dates import YEARS

_FIRST = "元"  # the first year of an era


@cache
def _eras() -> Mapping[str, Mapping[str, int]]:
    """Language -> its eras, see `DateWords`; only languages that have any."""
    return {
        language.code: language.dates.eras
        for language in lexicon().languages
        if language.dates.eras
    }


def in_common_era(text: str, language: str) -> str:
    """Replace the years of the eras that a language, given by its code, counts by.

    >>> [in_common_era(text, "ja") for text in ("令和8年3月4日", "R8.3.4", "H. R8")]
    ['2026年3月4日', '2026.3.4', 'H. R8']
    >>> in_common_era("12/03/2569", "th"), in_common_era("12/03/2569", "en")
    ('12/03/2026', '12/03/2569')
    """
    eras = _eras().get(language)
    if eras is None:
        return text

    def common(match: re.Match[str]) -> str:
        written = match["year"] or match["bare"]
        year = eras[match["era"] or ""] + (1 if written == _FIRST else int(written))
        return str(year) if year in YEARS else match[0]

    return _pattern(language).sub(common, text)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    """A year behind the name of an era, or in four digits if years need no name."""
    eras = _eras()[language]
    names = "|".join(map(re.escape, filter(None, eras)))
    named = rf"(?P<era>{names}) ?(?P<year>\d{{1,4}}|{_FIRST})(?= ?年|[./-]\d|(?<=\d{{4}}))"
    bare = r"(?P<bare>\d{4})(?!\d)" if "" in eras else "(?P<bare>(?!))"
    return re.compile(rf"(?<![A-Za-z\d])(?:{named}|{bare})")
