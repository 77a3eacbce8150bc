"""Write CSV files that every reader reads alike, and whose cells no spreadsheet runs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

_FORMULA = re.compile(r"'*(?:[\t\r\n]|[\s\x00-\x1f\x7f\ufeff]*[=+\-@])")
"""Beginnings of a formula, or of white space that hides a formula, as OWASP lists them.

Spreadsheets may drop control characters before a formula. A text that begins with an apostrophe and
a formula gets one more, so that `text_of` returns it.
"""
_GUARD = "'"


def cell(text: str) -> str:
    r"""Return a text with an apostrophe before a formula, which spreadsheets then do not run.

    >>> cell("=1+2"), cell("1+2"), cell("-"), cell(""), cell("\n=1"), cell("\0=1"), cell("'=1")
    ("'=1+2", '1+2', "'-", '', "'\n=1", "'\x00=1", "''=1")
    """
    return _GUARD + text if _FORMULA.match(text) else text


def text_of(value: str) -> str:
    """Return the text of a cell, without the apostrophe before a formula.

    >>> text_of("'=1+2"), text_of("'tis"), text_of("''=1")
    ('=1+2', "'tis", "'=1")
    """
    guarded = value.startswith(_GUARD) and _FORMULA.match(value, 1)
    return value[1:] if guarded else value


def csv_text(rows: Iterable[Iterable[str]]) -> str:
    r"""Return rows of texts as lines of CSV, which end with `\r\n` as RFC 4180 wants.

    With another end, `csv` does not quote a cell that has a `\r`, and readers end the row there.

    >>> csv_text([["a\rb", "=1", "x,y"]])
    '"a\rb",\'=1,"x,y"\r\n'
    """
    import csv  # slow, and one page needs none

    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(map(cell, row) for row in rows)
    return stream.getvalue()
