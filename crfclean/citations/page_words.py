"""Divide a page into the lines and words that text fragments and quotes are compared with."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
import regex

from crfclean.page.chars import WITHOUT_WIDTH
from crfclean.types import Blocks, Ints

# divide blocks at line breaks, pictures and inline boxes
#
# A browser that looks for the words of a fragment does not search across `<br>`, `<img>` or
# elements with `display: inline-block`, although a block's text is one line for a reader.

_BREAKS = frozenset(
    "br hr img svg picture video audio canvas iframe embed object button input select textarea "
    "meter progress math wbr".split()
)
_BOX_STYLE = re.compile(r"(?<![\w-])display\s*:\s*(?:inline-|block|flex|grid|table)", re.IGNORECASE)
_BOXES = frozenset(["button", "rt", "rp", "math"])


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines in page order, each with its block and its first character in the block's text."""

    texts: list[str]
    blocks: list[int]
    starts: list[int]

    def place(self, block: int, index: int) -> tuple[int, int]:
        """Return the line of a character of a block, and its index in the line."""
        first, last = bisect_left(self.blocks, block), bisect_right(self.blocks, block)
        line = bisect_right(self.starts, index, first, last) - 1
        return line, index - self.starts[line]


def lines_of(blocks: Blocks) -> Lines:
    """Return the lines of a page's blocks, in linear time."""
    breaks = _breaks(blocks)
    texts, owners, starts = [], [], []
    for block, text in enumerate(blocks.texts):
        edges = (
            [0, *_indices(text, breaks[block]), len(text)] if block in breaks else [0, len(text)]
        )
        for start, end in pairwise(edges):
            if start < end or not text:
                texts.append(text[start:end])
                owners.append(block)
                starts.append(start)
    return Lines(texts, owners, starts)


def _breaks(blocks: Blocks) -> dict[int, list[int]]:
    """Return for each divided block the characters before each break, without white space."""
    nodes, runs = blocks.nodes, blocks.runs
    is_break = np.array([tag in _BREAKS for tag in nodes.tags], np.bool_)
    breaks_before = np.concatenate([[0], np.cumsum(is_break)])
    boxes = _boxes(blocks)[runs.node]
    after = breaks_before[runs.after]
    breaks: defaultdict[int, list[int]] = defaultdict(list)
    last, size = -1, 0
    for run, block in enumerate(runs.block.tolist()):
        if block < 0:
            continue
        if block != last:
            size = 0
        elif after[run] != after[run - 1] or boxes[run] != boxes[run - 1]:
            breaks[block].append(size)
        size += len("".join(runs.texts[run].split()))
        last = block
    return dict(breaks)


def _boxes(blocks: Blocks) -> Ints:
    """Return for each element the nearest box at or around it, -1 for none; shape (m,)."""
    nodes = blocks.nodes
    boxes: list[int] = []
    for node, (tag, parent) in enumerate(zip(nodes.tags, nodes.parent.tolist(), strict=True)):
        style = nodes.attributes[node].get("style", "")
        is_box = tag in _BOXES or bool(style and _BOX_STYLE.search(style))
        boxes.append(node if is_box else boxes[parent] if parent >= 0 else -1)
    return np.array(boxes, np.int64)


def _indices(text: str, sizes: list[int]) -> list[int]:
    """Return the indices of a text before which it has these sizes, without white space."""
    solid = np.cumsum([not char.isspace() for char in text])
    indices = np.searchsorted(solid, np.array(sizes), "right")
    return sorted({int(index) for index in indices if 0 < index < len(text)})


# the words of a page in order, with their places in lines
#
# Two words are equal if a browser's search takes them for equal: case, accents and invisible
# characters do not count.

# a word with its accents and soft hyphens; one character in scripts without spaces
_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]|"
    rf"[[\w\p{{M}}{WITHOUT_WIDTH}]--"
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]]+",
    regex.V1,
)
_UNSEEN = str.maketrans("", "", WITHOUT_WIDTH)


@dataclass(frozen=True, slots=True)
class Word:
    """A word: its form in comparisons, its line, and its characters in the line (half-open)."""

    key: str
    line: int
    start: int
    end: int


def key_of(word: str) -> str:
    """Return the form of a word in comparisons.

    >>> key_of("Čeština"), key_of("STRASSE") == key_of("straße")
    ('cestina', True)
    """
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.translate(_UNSEEN)).casefold()
    kept = (char for char in plain if not (unicodedata.combining(char) or char.isspace()))
    return "".join(kept)


def words_of(text: str, line: int = 0) -> list[Word]:
    """Return the words of the text of a line."""
    words = (
        Word(key_of(match[0]), line, match.start(), match.end()) for match in _WORD.finditer(text)
    )
    return [word for word in words if word.key]


@dataclass(frozen=True)
class PageWords:
    """All words of a page's lines; those of line i are `first[i]` to `first[i + 1]` - 1."""

    texts: Sequence[str]
    words: Sequence[Word]
    first: Sequence[int]

    @cached_property
    def keys(self) -> list[str]:
        """The form of each word in comparisons (see `key_of`)."""
        return [word.key for word in self.words]

    @cached_property
    def positions(self) -> dict[str, list[int]]:
        """Key of a word -> its positions among the words, in page order."""
        positions: defaultdict[str, list[int]] = defaultdict(list)
        for index, key in enumerate(self.keys):
            positions[key].append(index)
        return dict(positions)

    def others(self, start: int, end: int, limit: int) -> list[int]:
        """Return the other places of the words `start` to `end` - 1 by their first words.

        If more than `limit` places would have to be compared, the first `limit` are returned.
        """
        keys = self.keys
        rarest = min(range(start, end), key=lambda index: len(self.positions[keys[index]]))
        before, wanted = rarest - start, keys[start:end]
        alike = self.positions[keys[rarest]]
        others = (place - before for place in alike if place != rarest)
        if len(alike) > limit + 1:
            return list(islice(others, limit))
        return [
            place for place in others if place >= 0 and keys[place : place + len(wanted)] == wanted
        ]


def page_words(texts: Sequence[str]) -> PageWords:
    """Return the words of a page's lines, in linear time."""
    words: list[Word] = []
    first = [0]
    for line, text in enumerate(texts):
        words += words_of(text, line)
        first.append(len(words))
    return PageWords(texts, words, first)
