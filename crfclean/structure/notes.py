"""The footnotes of a page, as values that travel from their search to the tree of parts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from crfclean.structure.parts import Part

_MARK = re.compile(r"\w{1,8}")
LIST_TAGS = ("ul", "ol")
MAX_BLOCKS = 30  # of a footnote; a longer target is a section of the text


@dataclass(frozen=True, slots=True)
class Notes:
    """Footnotes of a page; elements are given by their index.

    `references` are links or superscripts and `bodies` footnotes, each with the footnote's id;
    `lists` hold footnotes. `spans` are footnotes that share their element with other text: their
    first block, their id and the block behind their last. `superscripts` are those around
    references, which they repeat; `back_links` lead from a footnote to its reference. `marks` are
    the text runs at the start of a footnote that repeat its reference, with the number of
    characters that do.
    """

    references: Mapping[int, str] = field(default_factory=dict)
    bodies: Mapping[int, str] = field(default_factory=dict)
    lists: frozenset[int] = frozenset()
    spans: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    superscripts: frozenset[int] = frozenset()
    back_links: frozenset[int] = frozenset()
    marks: Mapping[int, int] = field(default_factory=dict)


class Target(NamedTuple):
    """Where a footnote may be: its blocks, and the element that holds them alone, -1 for none."""

    first: int
    end: int
    element: int


def choose_ids(targets: Mapping[int, Target], texts: Mapping[int, str]) -> dict[Target, str]:
    """Return the ids of footnotes: the text of their first reference if it is free, or a number."""
    ids: dict[Target, str] = {}
    used: set[str] = set()
    number = 0
    for link, target in targets.items():
        if target in ids:
            continue
        shown = texts[link].strip("[]() \u00a0")
        if not _MARK.fullmatch(shown) or shown in used:
            number += 1
            while (shown := f"n{number}") in used:
                number += 1
        used.add(shown)
        ids[target] = shown
    return ids


def join_spans(parts: list[Part], spans: Mapping[int, tuple[str, int]]) -> list[Part]:
    """Return sibling parts, with those of a footnote's blocks inside a part of its own.

    Rules and pictures between two footnotes stay outside.
    """
    if not spans:
        return parts
    starts, joined = sorted(spans), list[Part]()
    inside, without_blocks = list[Part](), list[Part]()
    start = -1
    for part in parts:
        block = _first_block(part)
        if block < 0 and start >= 0:
            without_blocks.append(part)
            continue
        at = bisect_right(starts, block) - 1
        found = starts[at] if at >= 0 and block < spans[starts[at]][1] else -1
        if found != start:
            joined += [*_footnote(spans.get(start, _NONE)[0], inside), *without_blocks]
            inside, start = [], found
        else:
            inside += without_blocks
        without_blocks = []
        (joined if start < 0 else inside).append(part)
    return [*joined, *_footnote(spans.get(start, _NONE)[0], inside), *without_blocks]


_NONE = ("", -1)


def _footnote(name: str, inside: list[Part]) -> list[Part]:
    """A footnote of some parts; its only line stands in it directly."""
    if not inside:
        return []
    first = inside[0]
    if len(inside) == 1 and first.kind == "paragraph":
        return [Part("footnote", first.children, {"id": name}, first.node, first.blocks)]
    return [Part("footnote", tuple(inside), {"id": name}, first.node)]


def _first_block(part: Part) -> int:
    """The first block of a part or of the first part in it that has one, -1 for none."""
    stack = [part]
    while stack:
        current = stack.pop()
        if current.blocks:
            return current.blocks[0]
        stack += [child for child in reversed(current.children) if isinstance(child, Part)]
    return -1
