"""Set off raised numbers, which plain text would glue to what stands before them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from crfclean.core.table import Table
from crfclean.types import Blocks

# `10<sup>5</sup>` is 10^5, `many<sup>1,2</sup>` many[1,2]; `1<sup>st</sup>` stays 1st, and so do
# prices and times: `$9<sup>99</sup>`, `10<sup>30</sup> Uhr`
_NUMBERS = re.compile(r"\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*")
_SIGNED = re.compile(r"[-−–+]\d{1,3}")
_BASE = re.compile(r"(?<![\d.,])(?:10|2)\Z|(?<![^\W_])[^\W\d_]{1,2}\Z")  # 10, 2, m, km, x
_SMALL = re.compile(r"(?<![\d.,])\d{1,3}\Z")
_LONG = re.compile(r"(?:\d{4}|[.,]\d{3})\Z")  # a year, 100,000
_PRICE = re.compile(r"[$€£¥]\s?[\d.,]*\Z")
MAX_BEFORE = 24  # characters that are read before a raised number


def set_off(before: str, text: str, *, is_link: bool) -> tuple[str, str]:
    """Return the marks before and after a raised text, "" for none; `before` is on its line.

    >>> set_off("is 10", "5", is_link=False), set_off("many", "1,2", is_link=True)
    (('^', ''), ('[', ']'))
    >>> set_off("the 1", "st", is_link=False), set_off("for $9", "99", is_link=False)
    (('', ''), ('', ''))
    """
    before = before[-MAX_BEFORE:]
    if not before or before[-1].isspace() or before[-1] in "[(/":
        return "", ""
    if is_link:
        return ("[", "]") if _NUMBERS.fullmatch(text) else ("", "")
    if _SIGNED.fullmatch(text):
        return "^", ""
    if not _NUMBERS.fullmatch(text) or _PRICE.search(before):
        return "", ""
    if text.isdecimal() and (_BASE.search(before) or (text in "23" and _SMALL.search(before))):
        return "^", ""
    is_note = not before[-1].isdecimal() or _LONG.search(before)
    return ("[", "]") if is_note else ("", "")


class _Mark(NamedTuple):
    """Marks around the characters `start` to `stop` of a block, without its white space."""

    start: int
    stop: int
    opening: str
    closing: str


def with_raised(blocks: Blocks, shown: dict[int, str]) -> None:
    """Set off the raised numbers in the shown texts of blocks, by index."""
    if "sup" not in blocks.table.tag_names:
        return
    marks = dict[int, list[_Mark]]()
    for block, mark in _marks(blocks.table):
        if block in shown:
            marks.setdefault(block, []).append(mark)
    shown |= {block: _marked(shown[block], found) for block, found in marks.items()}


def _marks(table: Table) -> Iterator[tuple[int, _Mark]]:
    """Yield the marks of raised numbers with their blocks, in page order."""
    texts, links, in_link = table.run_texts, table.is_tag("a"), table.within("a")
    current, at, behind, before, chars = -1, 0, 0, "", 0
    for node in np.flatnonzero(table.is_tag("sup")).tolist():
        end = int(table.end[node])
        inside = _runs_in(table, node)
        if node < behind or not inside or table.run_block[inside[0]] != table.run_block[inside[-1]]:
            continue
        block, behind = int(table.run_block[inside[0]]), end
        if block != current:
            current, at, before, chars = block, int(table.run_block.searchsorted(block)), "", 0
        for text in texts[at : inside[0]]:
            before, chars = (before + text)[-MAX_BEFORE:], chars + len("".join(text.split()))
        at, text = inside[0], "".join(texts[run] for run in inside)
        is_link = bool(links[node:end].any() or in_link[node])
        opening, closing = set_off(before, text.strip(), is_link=is_link)
        if opening:
            yield block, _Mark(chars, chars + len("".join(text.split())), opening, closing)


def _runs_in(table: Table, node: int) -> list[int]:
    """The text runs at or inside an element."""
    end = int(table.end[node])
    first, last = table.run_after.searchsorted([node + 1, end + 1]).tolist()
    return [run for run in range(first, last) if node <= table.run_node[run] < end]


def _marked(text: str, marks: Sequence[_Mark]) -> str:
    """Return a text with marks around some of its characters, each behind the last."""
    solid = [at for at, char in enumerate(text) if not char.isspace()]
    parts, end = [], 0
    for start, stop, opening, closing in marks:
        if stop <= len(solid):
            first, last = solid[start], solid[stop - 1] + 1
            parts += [text[end:first], opening, text[first:last], closing]
            end = last
    return "".join([*parts, text[end:]])
