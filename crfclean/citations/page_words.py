"""The words of a page in order, as fragments and quotes compare them, and their lines."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np
import regex

from crfclean.page.chars import WITHOUT_WIDTH
from crfclean.types import Blocks, Ints

# divide blocks where a browser's search does not go on: at line breaks, pictures, inline boxes
#
# A block's text is one line for a reader, but a browser that looks for the words of a fragment
# takes what `<br>`, `<img>` or `display: inline-block` part for different texts.

_BREAKS = frozenset(
    "br hr img svg picture video audio canvas iframe embed object button input select textarea "
    "meter progress math wbr".split()
)
_BOX_STYLE = re.compile(r"display\s*:\s*(?:inline-|block|flex|grid|table)", re.IGNORECASE)
_BOXES = frozenset(["button", "rt", "rp", "math"])


@dataclass(frozen=True)
class Lines:
    """Texts in page order, each with its block and where in the block's text it begins."""

    texts: list[str]
    blocks: list[int]
    starts: list[int]

    @cached_property
    def first(self) -> dict[int, int]:
        """Index of a block -> its first line."""
        first: dict[int, int] = {}
        for line, block in enumerate(self.blocks):
            first.setdefault(block, line)
        return first

    def place(self, block: int, index: int) -> tuple[int, int]:
        """The line of a character of a block, and its index there."""
        line = self.first[block]
        last = bisect_right(self.blocks, block)
        line = bisect_right(self.starts, index, line, last) - 1
        return line, index - self.starts[line]


def lines_of(blocks: Blocks) -> Lines:
    """The lines of a page's blocks; linear in the page."""
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
    """Index of a block -> how many of its characters that are no white space precede each break."""
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
    """The nearest element at or around each that is a box of its own, -1 for none; shape (m,)."""
    nodes = blocks.nodes
    boxes: list[int] = []
    for node, (tag, parent) in enumerate(zip(nodes.tags, nodes.parent.tolist(), strict=True)):
        style = nodes.attributes[node].get("style", "")
        is_box = tag in _BOXES or bool(style and _BOX_STYLE.search(style))
        boxes.append(node if is_box else boxes[parent] if parent >= 0 else -1)
    return np.array(boxes, np.int64)


def _indices(text: str, sizes: list[int]) -> list[int]:
    """Indices of a text that have so many characters before them that are no white space."""
    solid = np.cumsum([not char.isspace() for char in text])
    indices = np.searchsorted(solid, np.array(sizes), "right")
    return sorted({int(index) for index in indices if 0 < index < len(text)})


# the words of a page in order, with their places in lines, as fragments and quotes compare them
#
# Two words are equal if browsers find one for the other: case, accents, and characters that show
# nothing do not count.

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
    """A word: how it is compared, its line, its characters there (half-open)."""

    key: str
    line: int
    start: int
    end: int


def key_of(word: str) -> str:
    """The form of a word in comparisons.

    >>> key_of("Čeština"), key_of("STRASSE") == key_of("straße")
    ('cestina', True)
    """
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.translate(_UNSEEN)).casefold()
    kept = (char for char in plain if not (unicodedata.combining(char) or char.isspace()))
    return "".join(kept)


def words_of(text: str, line: int = 0) -> list[Word]:
    """The words of a text, which is that of a line."""
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
        """Key of a word -> where it stands among the words, in page order."""
        positions: defaultdict[str, list[int]] = defaultdict(list)
        for index, key in enumerate(self.keys):
            positions[key].append(index)
        return dict(positions)

    def others(self, start: int, end: int, limit: int) -> list[int]:
        """The other places with the words `start` to `end` - 1: first words, in page order.

        If more than `limit` places would have to be compared, the first of them are returned.
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
    """The words of a page's lines; linear in the page."""
    words: list[Word] = []
    first = [0]
    for line, text in enumerate(texts):
        words += words_of(text, line)
        first.append(len(words))
    return PageWords(texts, words, first)
