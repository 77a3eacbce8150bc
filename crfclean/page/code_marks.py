"""What marks code on a page: elements, classes of highlighters, editors and code hosts; prose."""

from __future__ import annotations

import re

LINE_END = "\u2028"
"""The run of white space that stands in a unit where an element ends a line."""

CODE_TAGS = frozenset(["pre", "listing", "xmp"])
# `linenos`, `linenodiv` (Pygments), `lnt`, `lntd` (Chroma), `blob-num` (GitHub): columns of numbers
GUTTER = re.compile(
    r"\b(?:line-?numbers?|line-?nos?|linenodiv|lntd?|ln|gutter|hljs-ln-numbers|blob-num|"
    r"CodeMirror-linenumber|crayon-nums?)\b",
    re.IGNORECASE,
)
# `token-line` (prism-react-renderer), `view-line` (Monaco): an element for each line
LINE = re.compile(
    r"\b(?:line|token-line|code-line|view-line|cm-line|CodeMirror-line|ace_line|crayon-line|"
    r"react-file-line|blob-code)\b",
    re.IGNORECASE,
)
NOT_SELECTED = re.compile(r"user-select\s*:\s*none", re.IGNORECASE)
_EDITORS = "CodeMirror-code", "cm-content", "view-lines", "ace_text-layer"
"""Classes of the elements of editors that hold the lines, and nothing of the frame."""

CONTAINERS = (
    *_EDITORS,
    *("js-file-line-container", "react-code-lines", "code-table", "hljs-ln", "hljs", "shiki"),
    *("syntaxhighlighter", "crayon-main", "crayon-pre", "dp-highlighter", "dp-c", "prism-code"),
    *("code-block", "codeblock", "react-syntax-highlighter"),
)
EDITOR = re.compile(rf"(?:^|\s)(?:{'|'.join(_EDITORS)})(?:\s|$)")
CONTAINER = re.compile(rf"(?:^|\s)(?:{'|'.join(CONTAINERS)})(?:\s|$)")
BAR = re.compile(r"(?:^|[\s_-])(?:header|toolbar|copy|lang-label|filename)(?:[\s_-]|$)")
BREAKS = frozenset(
    "h1 h2 h3 h4 h5 h6 article section nav aside main form footer figure blockquote dl".split()
)
"""Elements with text that no code holds."""

_PROSE = re.compile(r"[^\W\d_]|[\"“„«'(]")  # what a paragraph begins with; comments do not
_PROSE_END = re.compile(r"[.!?:…。！？][\"'”’»)]*\Z|[.!?] [A-Z]")
_SYMBOLS = re.compile(r"[{}\[\]=<>\\|$#@*~^_;/]")
_SYMBOL_SHARE = 0.02  # of the characters of prose
_MIN_PROSE_CHARS = 60
NUMBERS = re.compile(r"[\d\s]*")


def is_prose(text: str) -> bool:
    """Whether a text reads like a paragraph and not like code or a line of a listing.

    >>> is_prose("The generator yields one number after the other, and never keeps the list.")
    True
    >>> is_prose("# Return the name of the user, or None if nobody has logged in so far today.")
    False
    """
    if len(text) < _MIN_PROSE_CHARS or not _PROSE.match(text):
        return False
    symbols = len(_SYMBOLS.findall(text))
    return symbols <= _SYMBOL_SHARE * len(text) and bool(_PROSE_END.search(text))
