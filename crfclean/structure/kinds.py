"""Elements of HTML -> the kinds of parts that they become."""

from __future__ import annotations

import re
from collections.abc import Mapping

from crfclean.page.tree import HEADINGS

MARKS: Mapping[str, str] = {
    **dict.fromkeys(["em", "i", "cite", "dfn", "var"], "emphasis"),
    **dict.fromkeys(["strong", "b"], "strong"),
    **dict.fromkeys(["code", "kbd", "samp", "tt"], "code"),
    **dict.fromkeys(["del", "s", "strike"], "deleted"),
    "ins": "inserted",
    "mark": "marked",
    "sub": "subscript",
    "sup": "superscript",
}
"""Inline element -> its kind; all others are their text."""

FLOW: Mapping[str, str] = {
    **dict.fromkeys(HEADINGS, "heading"),
    **dict.fromkeys(["ul", "ol", "menu", "dir"], "list"),
    "li": "item",
    "dl": "definitions",
    "dt": "term",
    "dd": "definition",
    "blockquote": "quote",
    "figure": "figure",
    "figcaption": "caption",
}
"""Block-level element -> its kind; those of tables and code depend on more."""

TABLES: Mapping[str, str] = {
    "table": "table",
    "caption": "caption",
    "tr": "row",
    "td": "cell",
    "th": "cell",
}
"""Element of a table of data -> its kind."""

ROLES: Mapping[str, str] = {"heading": "heading", "list": "list", "listitem": "item"}
"""Role of an element without a kind -> its kind."""

OF_LINES = frozenset(["heading", "caption", "term"])
"""Kinds that hold lines of text and nothing else."""

HOLDERS: Mapping[str, str] = {
    "item": "list",
    "term": "definitions",
    "definition": "definitions",
    "row": "table",
    "cell": "row",
    "footnote": "footnotes",
}
"""Kind -> the kind of part that holds it."""

_WHOLE = re.compile(r"\s*([+-]?\d{1,9})(?!\d)")


def whole_number(text: str | None, least: int, most: int) -> int | None:
    """The number that an attribute begins with, within bounds; None where there is none.

    >>> whole_number("3px", 1, 2)
    2
    """
    found = _WHOLE.match(text or "")
    return max(least, min(most, int(found[1]))) if found else None
