"""Strings on which a pattern backtracks: its start, then a repeated part again and again."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

REPEATS = {kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT}
OFTEN = 20  # a part that may be repeated more often is attacked
SAMPLES = " a0.-/A_\n,|:é漢\xa0"
UNITS = (
    *(" ", "\n", "\t", "\xa0", "a", "A", "0", "漢", *"-./:()[]{}\"',;|_#*=<>&@\\"),
    *(
        "a ",
        "A ",
        "Ab ",
        "a.",
        "a-",
        "0.",
        "0 ",
        "0:",
        " -",
        " a",
        "a@",
        "@a.",
        "//",
        "a/",
        "{}",
        ".。",
    ),
)
"""Units that are repeated for every pattern."""

FLAGS = re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE
ENDS = ("", "\x00a")

Node = tuple[Any, Any]


def attacks(pattern: str, flags: int, most: int = 60) -> list[tuple[str, str]]:
    """Pairs of a start and a unit, for `start + unit * n + end`."""
    plain = re.sub(r"\\p\{[^}]*\}", "a", pattern)  # classes of the module `regex`
    with warnings.catch_warnings(action="ignore", category=FutureWarning):  # `[[` of `regex`
        try:
            tree = parser.parse(plain, flags & FLAGS).data
        except re.error:
            tree = []
    own = dict.fromkeys(_attacks(tree, [""]))
    return [*list(own)[:most], *(("", unit) for unit in UNITS)]


def _attacks(nodes: Sequence[Node], starts: list[str]) -> Iterator[tuple[str, str]]:
    for at, (kind, value) in enumerate(nodes):
        before = [start + text for start, text in product(starts, _samples(nodes[:at])[:2])][:2]
        if kind in REPEATS:
            if value[1] > OFTEN:
                yield from product(before, filter(None, _samples(value[2].data)))
                yield from product([""], filter(None, before))  # "<!--<!--<!--" of `<!--.*-->`
            yield from _attacks(value[2].data, before)
        elif kind is kinds.SUBPATTERN:
            yield from _attacks(value[3].data, before)
        elif kind is kinds.ATOMIC_GROUP:
            yield from _attacks(value.data, before)
        elif kind is kinds.BRANCH:
            for branch in value[1][:30]:
                yield from _attacks(branch.data, before)


def _samples(nodes: Sequence[Node]) -> list[str]:
    """A few strings that a sequence of parts may match."""
    texts = [""]
    for node in nodes:
        texts = ["".join(pair) for pair in product(texts, _of_node(*node))][:6]
    return list(dict.fromkeys(texts))


def _of_node(kind: Any, value: Any) -> list[str]:
    if kind in REPEATS:
        least, _, body = value
        texts = [text * max(least, 1) for text in _samples(body.data)[:3]]
        return texts if least else [*texts, ""]
    if kind is kinds.BRANCH:
        return [text for branch in value[1][:4] for text in _samples(branch.data)[:1]]
    if kind in {kinds.IN, kinds.ANY, kinds.NOT_LITERAL}:
        return [sign for sign in SAMPLES if _is_in(kind, value, sign)][:4] or ["?"]
    if kind in {kinds.SUBPATTERN, kinds.ATOMIC_GROUP}:
        return _samples((value[3] if kind is kinds.SUBPATTERN else value).data)
    return [chr(value)] if kind is kinds.LITERAL else [""]


def _is_in(kind: Any, value: Any, sign: str) -> bool:
    if kind is kinds.ANY:
        return sign != "\n"
    if kind is kinds.NOT_LITERAL:
        return bool(ord(sign) != value)
    is_negated = value[0][0] is kinds.NEGATE
    return is_negated != any(_fits(part, about, ord(sign)) for part, about in value[is_negated:])


_CATEGORIES = {
    kinds.CATEGORY_DIGIT: r"\d",
    kinds.CATEGORY_NOT_DIGIT: r"\D",
    kinds.CATEGORY_SPACE: r"\s",
    kinds.CATEGORY_NOT_SPACE: r"\S",
    kinds.CATEGORY_WORD: r"\w",
    kinds.CATEGORY_NOT_WORD: r"\W",
}


def _fits(kind: Any, value: Any, code: int) -> bool:
    if kind is kinds.RANGE:
        return bool(value[0] <= code <= value[1])
    if kind is kinds.CATEGORY:
        return re.match(_CATEGORIES[value], chr(code)) is not None
    return bool(kind is kinds.LITERAL and value == code)
