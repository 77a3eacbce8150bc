"""The kinds of parts that elements of HTML become."""

from __future__ import annotations

from collections.abc import Mapping

from crfclean.page.tree import HEADINGS

MARK_KINDS: Mapping[str, str] = {
    **dict.fromkeys(["em", "i", "cite", "dfn", "var"], "emphasis"),
    **dict.fromkeys(["strong", "b"], "strong"),
    **dict.fromkeys(["code", "kbd", "samp", "tt"], "code"),
    **dict.fromkeys(["del", "s", "strike"], "deleted"),
    "ins": "inserted",
    "mark": "marked",
    "ruby": "ruby",
    "sub": "subscript",
    "sup": "superscript",
}
"""Inline element -> its kind; of all others only the text stays."""

FLOW_KINDS: Mapping[str, str] = {
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
"""Block-level element -> its kind; tables and code depend on more than the tag."""

TABLE_KINDS: Mapping[str, str] = {
    "table": "table",
    "caption": "caption",
    "tr": "row",
    "td": "cell",
    "th": "cell",
}
"""Element of a data table -> its kind."""

ROLE_KINDS: Mapping[str, str] = {"heading": "heading", "list": "list", "listitem": "item"}
"""Role of an element whose tag has no kind -> its kind."""

LINE_KINDS = frozenset(["heading", "caption", "term"])
"""Kinds that hold nothing but lines of text."""

WITH_BLOCKS = frozenset(["", "quote", "item", "definition", "cell", "figure"])
"""Kinds that hold paragraphs beside other parts; "" is the page."""

PARENT_KINDS: Mapping[str, str] = {
    "item": "list",
    "term": "definitions",
    "definition": "definitions",
    "row": "table",
    "cell": "row",
    "footnote": "footnotes",
}
"""Kind -> the kind of its parent part."""
