"""Join the runs of a line so that neighbours in different elements stay apart.

Browsers set "<b>By</b><a>Ann Lee</a><i>Staff Writer</i>" apart by style, so that their text alone
reads "ByAnn LeeStaff Writer".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from crfclean.metadata.names import is_label, is_unspaced_label

APART = " | "  # what ends a name for `names_of`
LISTED = ", "  # what stands between names

# a full name, or initials and a name
_FULL_NAME = re.compile(r"(?:[^\W\d_a-z][\w'’.-]{0,20} ){1,3}[^\W\d_a-z][\w'’.-]{0,20}")
_WORD = re.compile(r"[\w'’.-]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text; `place` is equal for runs that no tag parts, `kind` in items of a list."""

    text: str
    place: tuple[int, int]
    kind: str


def parted(runs: Sequence[Piece]) -> str:
    """The texts of runs with a mark between those that elements set apart.

    >>> runs = ("By", "span"), ("Ann Lee", "a"), ("Bob Roe", "a"), ("CEO", "i")
    >>> parted([Piece(text, (n, n), kind) for n, (text, kind) in enumerate(runs)])
    'By Ann Lee, Bob Roe | CEO'
    """
    pieces = _whole(runs)
    text = pieces[0].text if pieces else ""
    for left, right in pairwise(pieces):
        mark = _between(left, right)
        text = f"{text.rstrip()}{mark}{right.text.lstrip()}" if mark else text + right.text
    return text


def _whole(runs: Sequence[Piece]) -> list[Piece]:
    """Runs joined where no tag is between them; white space alone goes to the piece before it."""
    pieces: list[Piece] = []
    for run in runs:
        last = pieces[-1] if pieces else None
        if last and (last.place == run.place or not run.text.strip()):
            pieces[-1] = Piece(last.text + run.text, last.place, last.kind)
        elif run.text.strip():
            pieces.append(run)
    return pieces


def _between(left: Piece, right: Piece) -> str:
    """What to put between two pieces: "" where they belong together."""
    before, after = left.text.strip(), right.text.strip()
    has_space = left.text[-1:].isspace() or right.text[:1].isspace()
    plain = "" if has_space else " "
    if is_unspaced_label(before):
        return "："
    if is_label(before) or (before[-1:].isalnum() and after[:1].isdigit()):
        return plain  # "By"; "Ann Lee" and "7 May 2024"; "28.09.19" and "12:44"
    if not (before[-1:].isalnum() and after[:1].isalpha()) or after[:1].islower():
        return ""
    words = _WORD.findall(before[-200:])
    if words and words[-1].islower() and after[:1].isupper():
        return plain  # "posted by", "und"
    return _mark(left, right) if _is_apart(words, after, has_space=has_space) else ""


def _is_apart(words: Sequence[str], after: str, *, has_space: bool) -> bool:
    """Whether a text after these words is no part of the same name.

    With a space between them a single word may be a first name or a surname; without one a single
    letter is an initial in large letters.
    """
    if has_space:
        return len(words) > 1 and len(_WORD.findall(after[:200])) > 1
    return len(words) > 1 or len("".join(words)) > 1


def _mark(left: Piece, right: Piece) -> str:
    is_list = left.kind == right.kind and bool(_FULL_NAME.fullmatch(right.text.strip()))
    return LISTED if is_list else APART
