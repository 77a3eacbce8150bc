"""Set off raised numbers, which plain text would glue to what stands before them."""

from __future__ import annotations

import re

import numpy as np

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


def with_raised(blocks: Blocks, shown: dict[int, str]) -> None:
    """Set off the raised numbers in the shown texts of blocks, by index."""
    table = blocks.table
    if "sup" not in table.tag_names:
        return
    links = np.cumsum(np.append([0], table.is_tag("a")))
    in_link = table.within("a")
    for node in np.flatnonzero(table.is_tag("sup")).tolist()[::-1]:  # the last first: marks move
        end = int(table.end[node])
        first, last = table.run_after.searchsorted([node + 1, end + 1]).tolist()
        inside = [run for run in range(first, last) if node <= table.run_node[run] < end]
        block = int(table.run_block[inside[0]]) if inside else -1
        if block not in shown or int(table.run_block[inside[-1]]) != block:
            continue
        is_link = bool(links[end] > links[node] or in_link[node])
        begin = int(table.run_block.searchsorted(block))
        before = "".join(table.run_texts[begin : inside[0]])
        text = "".join(table.run_texts[run] for run in inside)
        opening, closing = set_off(before, text.strip(), is_link=is_link)
        if opening:
            start = len("".join(before.split()))
            stop = start + len("".join(text.split()))
            shown[block] = _marked(shown[block], start, stop, opening, closing)


def _marked(text: str, start: int, stop: int, opening: str, closing: str) -> str:
    """Return a text with marks around some of its characters other than white space."""
    solid = [at for at, char in enumerate(text) if not char.isspace()]
    if stop > len(solid):
        return text
    first, last = solid[start], solid[stop - 1] + 1
    return text[:first] + opening + text[first:last] + closing + text[last:]
