"""Group alternatives of a regular expression by their letters, so that few of them are tried."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_SPECIAL = frozenset(r"\.^$*+?{}[]|()")
_REPEATED = ("?", "*", "+", "{")
_MAX_REST = 80  # characters behind a group whose alternatives are written out
_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]])*\]|[()|]", re.DOTALL)
_ODD = "İıſς\u1fbe\u212a\u212b\u2126\u00b5\u03d0\u03d1\u03d5\u03d6\u03f0\u03f1\u03f5" + "".join(
    map(chr, range(0x1C80, 0x1C87))
)
"""Characters that are equal to the letter of another character for `re.IGNORECASE`."""


def branched(alternatives: str) -> str:
    """Write alternatives so that they match the same faster, with `re.IGNORECASE`.

    Python tries alternatives one by one, which takes long for letters in any case. It passes over
    those that begin with a set of characters. What begins with a class or a repetition keeps its
    place, since the first alternative that matches wins.

    >>> branched("by|(?:ver|ge)fasst|begun|x?y|by|z")
    '(?-i:[Bb])(?:y|egun)|(?-i:[Vv])erfasst|(?-i:[Gg])efasst|x?y|(?-i:[Zz])'
    """
    return _grouped(dict.fromkeys(_written_out(alternatives)))


def _grouped(alternatives: Iterable[str]) -> str:
    """Write alternatives with one branch for those that begin with the same letter."""
    branches: list[tuple[str, list[str]]] = []
    by_head: dict[str, list[str]] = {}
    for text in alternatives:
        head = "" if text[:1] in _SPECIAL or text[1:2] in _REPEATED else text[:1].lower()
        if not head:
            by_head = {}
            branches.append(("", [text]))
        elif head in by_head:
            by_head[head].append(text[1:])
        else:
            by_head[head] = [text[1:]]
            branches.append((head, by_head[head]))
    is_alone = len(branches) == 1
    return "|".join(
        (head if is_alone else _any_case(head)) + _rest(rests) for head, rests in branches
    )


def _rest(rests: list[str]) -> str:
    return rests[0] if len(rests) == 1 else f"(?:{'|'.join(rests)})"


def _any_case(letter: str) -> str:
    """The pattern of a letter in any case, as a set."""
    capital = letter.upper()
    odd = (char for char in _ODD if capital == char.upper() or letter == char.lower()[:1])
    letters = sorted({letter, *odd, *((capital, capital.lower()) if len(capital) == 1 else ())})
    return f"(?-i:[{''.join(letters)}])" if len(letters) > 1 else letter


def _written_out(alternatives: str) -> Iterator[str]:
    """Yield alternatives in their order; those of a group at their start are written out."""
    for text in _split(alternatives):
        end = _end_of_group(text) if text.startswith("(?:") else 0
        rest = text[end:]
        is_optional = rest[:1] == "?" and rest[1:2] not in ("?", "+")
        rest = rest[1:] if is_optional else rest
        if not end or len(rest) > _MAX_REST or rest.startswith(_REPEATED):
            yield text
            continue
        for inner in (*_split(text[3 : end - 1]), *([""] if is_optional else [])):
            yield from _written_out(inner + rest)


def _split(alternatives: str) -> Iterator[str]:
    """Yield alternatives, which may have groups with others."""
    depth, start = 0, 0
    for token in _TOKENS.finditer(alternatives):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if token[0] == "|" and not depth:
            yield alternatives[start : token.start()]
            start = token.end()
    yield alternatives[start:]


def _end_of_group(text: str) -> int:
    """The end of the group that a text begins with."""
    depth = 0
    for token in _TOKENS.finditer(text):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if not depth and token[0] == ")":
            return token.end()
    return 0
