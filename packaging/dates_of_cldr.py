"""Write months and weekdays of CLDR to the word lists that have none.

Run it in a checkout with Babel: `python packaging/dates_of_cldr.py`. Users need no Babel.
"""

from __future__ import annotations

import textwrap
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

LEXICON = Path(__file__).parents[1] / "crfclean" / "lexicon"
FURTHER = {"ar": ("ar_SY", "ar_DZ", "ar_MA"), "sr": ("sr_Latn",)}
"""Language -> further locales, which have other names."""
ENDINGS = {"eu": "ren"}
"""Language -> the ending that CLDR has in its pattern of a date, not in its names."""
BY_NUMBER = frozenset(["ja", "ko", "vi", "zh"])
"""Languages whose months are numbers."""
_WRAP: Any = {"initial_indent": "    ", "subsequent_indent": "    ", "break_on_hyphens": False}
_LEAST = 2  # letters of a word; in Latin script 3


def words_of(names: Iterable[str], code: str) -> str:
    """Return names and abbreviations as words in lower case, without "de" and full stops."""
    words: dict[str, None] = {}
    for name in names:
        word = name.lower().removeprefix("de ").removeprefix("d’").strip(".׳॰")
        least = 3 if word.isascii() else _LEAST
        if len(word) >= least and " " not in word and not any(map(str.isdigit, word)):
            words |= dict.fromkeys([word, word + ENDINGS.get(code, "")])
    return " ".join(words)


def taken_words() -> dict[str, int]:
    """Map the names of months in all files to their numbers."""
    words: dict[str, int] = {}
    for path in LEXICON.glob("??.toml"):
        months = tomllib.loads(path.read_text("utf-8")).get("dates", {}).get("months", ())
        words |= {word: at for at, names in enumerate(months, 1) for word in names.split()}
    return words


def of_cldr(code: str, field: str, taken: Mapping[str, int]) -> list[str]:
    """Return the words of each month or day of the week, without those that are `taken`."""
    from babel import Locale

    tables: list[Any] = [
        getattr(Locale.parse(name), field)[use][width]
        for name in (code, *FURTHER.get(code, ()))
        for use in ("format", "stand-alone")
        for width in ("wide", "abbreviated")
        if field == "months" or width == "wide"
    ]
    keys = range(1, 13) if field == "months" else range(7)
    rows = [words_of((table[key] for table in tables), code).split() for key in keys]
    # "listopad" is October in Croatian, November in Czech
    is_free = [
        {word for word in row if taken.get(word, at) == at} for at, row in enumerate(rows, 1)
    ]
    return [
        " ".join(filter(free.__contains__, row)) for row, free in zip(rows, is_free, strict=True)
    ]


def _joined(months: Iterable[str]) -> str:
    """Return the items of a list, with underscores for the spaces inside them."""
    return " ".join(f'"{words.replace(" ", "_")}",' for words in months)


def main() -> None:
    """Write the words to the files."""
    for path in sorted(LEXICON.glob("??.toml")):
        text = path.read_text("utf-8")
        dates = tomllib.loads(text).get("dates", {})
        if "months" in dates or path.stem in BY_NUMBER:
            continue
        lines = ["months = ["]
        lines += textwrap.wrap(_joined(of_cldr(path.stem, "months", taken_words())), 96, **_WRAP)
        lines += ["]"]
        days = " ".join(filter(None, of_cldr(path.stem, "days", {})))
        if days and "weekdays" not in dates:
            lines += ['weekdays = """\\', " \\\n".join(textwrap.wrap(days, 94)) + '"""']
        if "[dates]\n" not in text:
            text = text.rstrip("\n") + "\n\n[dates]\n"
        words = "\n".join(lines).replace("_", " ")
        path.write_text(text.replace("[dates]\n", f"[dates]\n{words}\n", 1), "utf-8")


if __name__ == "__main__":
    main()
