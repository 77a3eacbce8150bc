"""Drop the characters that browsers show nothing for, and that terminals obey.

`ESC ]0;name BEL` in a page renames the window of whoever prints its text, other sequences move the
cursor over lines that are above. Marks of direction stay: they are part of how text is shown.
"""

from __future__ import annotations

import re
from dataclasses import replace

from crfclean.types import Formula

_BLANK = "\v\f\x1c\x1d\x1e\x1f\x85"  # white space, too: words on both sides stay apart
_CONTROL = re.compile(f"[\0-\x08{_BLANK}\x0e-\x1b\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_UNPRINTED = re.compile(rf"[\t\n\r]|{_CONTROL.pattern}")
# `&#27` needs no semicolon; the parser makes windows-1252 characters of 128 to 159
_REFERENCE = re.compile(
    r"&#(?:0*(?:[1-8]|1[124-9]|2[0-9]|3[01]|12[7-9]|1[345][0-9]|6553[45])(?![0-9])"
    r"|x0*(?:[1-8bcef]|1[0-9a-f]|7f|[89][0-9a-f]|fff[ef])(?![0-9a-f]))",
    re.IGNORECASE,
)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<control>[bf]|u(?:00(?:0[0-8bcefBCEF]|[189][0-9a-fA-F]|7[fF])"
    r"|[dD][89a-fA-F][0-9a-fA-F]{2}|[fF]{3}[efEF]))|.)",
    re.DOTALL,
)


def has_controls(markup: str) -> bool:
    """Whether a page's markup has such characters, as they are or as references."""
    return bool(_CONTROL.search(markup) or _REFERENCE.search(markup))


def visible(text: str) -> str:
    r"""A text without control characters, halves of surrogate pairs and U+FFFE, U+FFFF.

    Tabs and line ends stay; rarer white space becomes a space.

    >>> visible("a\x1b]0;b\x07\tc\x0cd")
    'a]0;b\tc d'
    """
    return _CONTROL.sub(lambda match: " " if match[0] in _BLANK else "", text)


def visible_formula(formula: Formula) -> Formula:
    """A formula without such characters."""
    tex, mathml, text = map(visible, (formula.tex, formula.mathml, formula.text))
    return replace(formula, tex=tex, mathml=mathml, text=text)


def visible_json(source: str) -> str:
    r"""A JSON text with a space for each escape of such a character; broken escapes stay broken.

    >>> visible_json(r'"a\u001bb\\u001b\n\ud83d\ude00"')
    '"a b\\\\u001b\\n\\ud83d\\ude00"'
    """
    return _ESCAPE.sub(lambda match: " " if match["control"] else match[0], source)


def escaped(text: str) -> str:
    r"""A text on one line, whose control characters are spelled out as in Python.

    Messages name files and records by it: a name must stay one that can be recognised.

    >>> escaped("a\x1b.html\n")
    'a\\x1b.html\\n'
    """
    return _UNPRINTED.sub(lambda match: ascii(match[0])[1:-1], text)
