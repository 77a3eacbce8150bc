"""Write cells of CSV files that spreadsheets show, and do not run as formulas."""

from __future__ import annotations

_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Beginnings of a formula, or of white space that hides a formula, as OWASP lists them."""
_GUARD = "'"


def cell(text: str) -> str:
    r"""Return a text with an apostrophe before a formula, which spreadsheets then do not run.

    >>> cell("=1+2"), cell("1+2"), cell("-"), cell(""), cell("\n=1")
    ("'=1+2", '1+2', "'-", '', "'\n=1")
    """
    return _GUARD + text if text.startswith(_BEGINS_FORMULA) else text


def text_of(value: str) -> str:
    """Return the text of a cell, without the apostrophe before a formula.

    >>> text_of("'=1+2"), text_of("'tis")
    ('=1+2', "'tis")
    """
    guarded = value.startswith(_GUARD) and value[1:].startswith(_BEGINS_FORMULA)
    return value[1:] if guarded else value
