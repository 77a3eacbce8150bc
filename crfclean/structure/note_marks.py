"""Read the marks of footnotes: what a reference shows, and its repetition where a note begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from crfclean.page.tree import nearest
from crfclean.structure.selection import Selection
from crfclean.types import Ints

_MAX_RUNS = 6  # of a mark: `[`, `<a>1</a>`, `]`, and white space between them
_MAX_CHARS = 40  # of those runs, with the white space of the source
_BARE = r"\d{1,4}|[a-zA-Z]|[ivxl]{2,5}|[*†‡§¶]{1,3}"
_SHOWN = re.compile(rf"[\[(]?\s*({_BARE})\s*[\])]?")
_WHOLE = re.compile(rf"\s*(?:\^?\s*({_BARE})[.:)]?|\^?\s*[\[(]\s*({_BARE})\s*[\])][.:]?)\s*")
_SET_OFF = re.compile(rf"\s*(?:({_BARE})[.:)]|[\[(]\s*({_BARE})\s*[\])][.:]?)\s+")
_CLOSING = re.compile(r"[.:)]\s+")


def bare_mark(text: str) -> str:
    """Return what a reference shows without brackets, "" for a text that is no mark.

    >>> bare_mark("[12]"), bare_mark("*"), bare_mark("see there")
    ('12', '*', '')
    """
    match = _SHOWN.fullmatch(text.strip())
    return match[1] if match else ""


@dataclass(frozen=True, repr=False, eq=False)
class NoteMarks:
    """The text runs of a page, as far as marks of footnotes need them."""

    selection: Selection

    @cached_property
    def solid(self) -> Ints:
        """The text runs that are not white space."""
        texts = self.selection.page.runs.texts
        return np.array([at for at, text in enumerate(texts) if not text.isspace()], np.int64)

    @cached_property
    def first_runs(self) -> Ints:
        """The first solid run of each block, shape (n,); -1 for none."""
        blocks = self.selection.page
        first = np.full(len(blocks), -1, np.int64)
        first[blocks.runs.block[self.solid[::-1]]] = self.solid[::-1]
        return first

    def texts(self, nodes: Iterable[int]) -> dict[int, str]:
        """Return the texts of elements that show any; text belongs to the innermost of them."""
        blocks = self.selection.page
        chosen = np.zeros(len(blocks.nodes), np.bool_)
        chosen[list(nodes)] = True
        owners = nearest(self.selection.page, chosen)[blocks.runs.node]
        texts: dict[int, list[str]] = {}
        for run in np.flatnonzero(owners >= 0).tolist():
            texts.setdefault(int(owners[run]), []).append(blocks.runs.texts[run])
        return {node: "".join(parts).strip() for node, parts in texts.items()}

    @cached_property
    def _afters(self) -> Ints:
        """How many elements begin before each solid run."""
        return self.selection.page.runs.after[self.solid]

    def _run_at(self, node: int) -> int:
        """The first solid run in or behind the begin of an element, -1 for none."""
        at = int(np.searchsorted(self._afters, node + 1))
        return int(self.solid[at]) if at < len(self.solid) else -1

    def block_at(self, node: int) -> int:
        """Return the block of the first text in an element or behind its begin, -1 for none."""
        run = self._run_at(node)
        return -1 if run < 0 else int(self.selection.page.runs.block[run])

    def follows_text(self, node: int) -> bool:
        """Return whether text stands before an element in the block that it begins in."""
        block = self.block_at(node)
        return block >= 0 and int(self.first_runs[block]) < self._run_at(node)

    def block_begun_by(self, node: int) -> int:
        """Return the block that begins with the text in or behind an element, -1 for none."""
        block = self.block_at(node)
        return -1 if block < 0 or self.follows_text(node) else block

    def leaves_text(self, taken: Mapping[int, int], end: int) -> bool:
        """Return whether the first blocks of a note keep text without some characters of runs.

        `end` is the block behind the note's last.
        """
        runs, last = self.selection.page.runs, max(taken)
        if runs.texts[last][taken[last] :].strip():
            return True
        at = int(np.searchsorted(self.solid, last, "right"))
        block = int(runs.block[self.solid[at]]) if at < len(self.solid) else end
        return block < end and bool(self.selection.kept[block])

    def at_start(self, block: int) -> tuple[str, dict[int, int]]:
        """Return the mark that a block begins with, and how many characters of runs it takes.

        A mark is set off by brackets, a full stop and a space, or the end of an element:
        `<sup>1</sup> text` and `1. text` have one, `1 of them` has not.
        """
        first, runs = int(self.first_runs[block]), self.selection.page.runs
        parts = [text[:_MAX_CHARS] for text in runs.texts[first : first + _MAX_RUNS]]
        if first < 0 or any(first + at in runs.formulas for at in range(len(parts))):
            return "", {}
        text = "".join(parts)
        for end in accumulate(map(len, parts)):
            match = _WHOLE.fullmatch(text, 0, end)
            if match and self._is_set_off(first):
                closing = _CLOSING.match(text, end)
                return match[1] or match[2], _taken(first, parts, closing.end() if closing else end)
        match = _SET_OFF.match(text)
        if not match:
            return "", {}
        return match[1] or match[2], _taken(first, parts, match.end())

    def _is_set_off(self, run: int) -> bool:
        """Whether a run stands in an inline element or fills its block."""
        blocks = self.selection.page
        node, block = int(blocks.runs.node[run]), int(blocks.runs.block[run])
        is_alone = run + 1 < len(blocks.runs.texts) and blocks.runs.block[run + 1] != block
        return bool(blocks.nodes.inline[node]) or is_alone


def _taken(first: int, parts: Iterable[str], end: int) -> dict[int, int]:
    """How many characters each of the runs from the `first` on has of the text before an end."""
    taken, begin = {}, 0
    for run, part in enumerate(parts, first):
        if begin < end:
            taken[run] = min(len(part), end - begin)
        begin += len(part)
    return taken
