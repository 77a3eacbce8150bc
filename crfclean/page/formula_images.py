"""Tell pictures of formulas, and find their TeX: in the alternative text, or in the address.

Services draw a formula that stands in the address of its picture: CodeCogs, Google's charts,
WordPress, MathTeX, Zhihu and others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qs, unquote

MAX_ADDRESS_CHARS = 8_000
MAX_PARAMETERS = 100
_CLASS = re.compile(r"(?:^|\s)(?:mwe-math-fallback-image\S*|latex|tex|math|equation)(?:\s|$)")
_ALT = re.compile(r"\\[a-z]+\{")
"""What an alternative text has only if it is TeX; a page without it is read without formulas."""

_ADDRESS = re.compile(r"(?:https?:)?//(?P<place>[^?#]+)(?:\?(?P<query>[^#]*))?", re.IGNORECASE)
_SERVICES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(place, re.IGNORECASE), parameter)
    for place, parameter in (
        (r"latex\.codecogs\.com/[a-z]+\.(?:image|latex|download)", ""),
        (r"chart(?:\.apis)?\.google(?:apis)?\.com/chart", "chl"),
        (r"[^/]+/(?:[^/]+/){0,9}latex\.php", "latex"),
        (r"[^/]+/(?:[^/]+/){0,9}(?:mathtex|mimetex)\.cgi", ""),
        (r"(?:www\.)?zhihu\.com/equation", "tex"),
        (r"render\.githubusercontent\.com/render/math", "math"),
        (r"math\.now\.sh/?", "from"),
    )
)
"""Where services draw formulas -> the parameter with the TeX; "": the whole query."""

_IN_PATH = re.compile(r"(?:latex\.codecogs\.com/(?:gif|png|svg)|i\.upmath\.me/(?:svg|png))/(.+)")
_LAYOUT = re.compile(
    r"(?:\s*(?:\\(?:dpi|fn|bg|fg)(?:\{[^{}]*\}|_\w+)|\\(?:bg|fn)_\w+|\\inline\b"
    r"|\\(?:tiny|small|normalsize|large|Large|LARGE|huge)\b(?=\s|\\|\{)))+"
)
"""How a service is to draw the formula, before its TeX."""


def is_formula_image(attributes: Mapping[str, str]) -> bool:
    r"""Whether an `img` shows a formula, by its class, its alternative text or its address.

    >>> [is_formula_image({"src": "f.png", "alt": alt}) for alt in (r"\frac{a}{b}", r"C:\x_1")]
    [True, False]
    """
    alt = attributes.get("alt", "")
    if alt and (_CLASS.search(attributes.get("class", "")) or _ALT.search(alt)):
        return True
    return bool(tex_of_address(attributes.get("src", "")))


def tex_of_address(address: str) -> str:
    r"""The TeX in the address of a service's picture, "" if it is none.

    >>> tex_of_address("https://latex.codecogs.com/svg.image?%5Cinline%20%5Cfrac%7Ba%7D%7Bb%7D")
    '\\frac{a}{b}'
    >>> tex_of_address("https://example.org/equation.png?tex=x")
    ''
    """
    if len(address) > MAX_ADDRESS_CHARS or (match := _ADDRESS.match(address)) is None:
        return ""
    place, query = match["place"], match["query"] or ""
    if in_path := _IN_PATH.fullmatch(place):
        return _formula_of(unquote(in_path[1]))
    for pattern, parameter in _SERVICES if query else ():
        if pattern.fullmatch(place):
            if not parameter:
                return _formula_of(unquote(query))
            return _formula_of(_value(query, parameter))
    return ""


def _value(query: str, parameter: str) -> str:
    """The first value of a parameter, "" without one or for far too many parameters."""
    try:
        return parse_qs(query, max_num_fields=MAX_PARAMETERS).get(parameter, [""])[0]
    except ValueError:
        return ""


def _formula_of(tex: str) -> str:
    """TeX without what tells a service how to draw it."""
    spaced = tex.replace("&space;", " ").strip()
    layout = _LAYOUT.match(spaced)
    return spaced[layout.end() :].strip() if layout else spaced
