"""Write text fragments, links by which browsers scroll to a span of a page and highlight it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise
from urllib.parse import quote

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
    table = blocks.table
    is_break = np.array([tag in _BREAKS for tag in table.tags], np.bool_)
    breaks_before = np.concatenate([[0], np.cumsum(is_break)])
    boxes = _boxes(blocks)[table.run_node]
    after = breaks_before[table.run_after]
    breaks: defaultdict[int, list[int]] = defaultdict(list)
    last, size = -1, 0
    for run, block in enumerate(table.run_block.tolist()):
        if block < 0:
            continue
        if block != last:
            size = 0
        elif after[run] != after[run - 1] or boxes[run] != boxes[run - 1]:
            breaks[block].append(size)
        size += len("".join(table.run_texts[run].split()))
        last = block
    return dict(breaks)


def _boxes(blocks: Blocks) -> Ints:
    """Return for each element the nearest box at or around it, -1 for none; shape (m,)."""
    table = blocks.table
    boxes: list[int] = []
    for node, (tag, parent) in enumerate(zip(table.tags, table.parent.tolist(), strict=True)):
        style = table.attributes[node].get("style", "")
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


# write text fragments, by which browsers scroll to a span of a page and highlight it
#
# A fragment is `#:~:text=prefix-,start,end,-suffix`, where `prefix`, `end` and `suffix` are
# optional. The browser looks for the first `start` behind `prefix`, then for the first `end`
# before `suffix` (https://wicg.github.io/scroll-to-text-fragment/). Each of the four lies within
# one line (see `Lines`), and begins and ends with a word. They grow until they match
# no other words.

MARK = ":~:text="
MAX_EXACT = 300  # characters of a span that is written out; a longer one is given by its ends
_END_WORDS = (4, 8, 16)  # words of each end of a long span
_CONTEXT_WORDS = (3, 6, 12)  # words of the prefix or suffix
_CONTEXTS = ((0, 0), *((a * n, b * n) for n in _CONTEXT_WORDS for a, b in ((1, 0), (0, 1), (1, 1))))
"""Words of the prefix and of the suffix, from none to the most."""
_MAX_OTHERS = 200  # places that are compared; words at more places count as ambiguous
_MAX_SNAP = 64  # characters to the end of a word, or of a clause in scripts without spaces
_INSIDE = frozenset("'’.,:;·_")  # marks inside a word, as in "3.14"


@dataclass(frozen=True, slots=True)
class Span:
    """Characters of a page: from `start` in line `first` to `end` (half-open) in line `last`."""

    first: int
    start: int
    last: int
    end: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """The fragment of an address, from `:~:` on; `is_unique` if it matches no other words."""

    directive: str
    is_unique: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """Characters `start` to `end` of a line, and words `first_word` to `end_word` of the page."""

    line: int
    start: int
    end: int
    first_word: int
    end_word: int

    @property
    def words(self) -> int:
        """The number of words."""
        return self.end_word - self.first_word


def fragment(page_words: PageWords, span: Span) -> Fragment | None:
    """Return the fragment of a span, None for a span without words; its cost is bounded."""
    span = _with_words(page_words, span)
    head = _part(page_words, span.first, span.start, None if span.last > span.first else span.end)
    tail = head if span.last == span.first else _part(page_words, span.last, 0, span.end)
    if not head.words or not tail.words:
        return None
    if head is tail and head.end - head.start <= MAX_EXACT:
        return _exact_fragment(page_words, head)
    half = (head.words + 1) // 2 if head is tail else max(_END_WORDS)
    start, prefix, is_first_unique = _told_apart(page_words, head, half, at_start=True)
    end, suffix, is_last_unique = _told_apart(page_words, tail, half, at_start=False)
    directive = _directive(page_words, prefix, (start, end), suffix)
    return Fragment(directive, is_first_unique and is_last_unique)


def _with_words(page_words: PageWords, span: Span) -> Span:
    """Return a span without leading and trailing lines that have no word."""
    first, start, last, end = span.first, span.start, span.last, span.end
    while first < last and not _part(page_words, first, start, None).words:
        first, start = first + 1, 0
    while first < last and not _part(page_words, last, 0, end).words:
        last, end = last - 1, len(page_words.texts[last - 1])
    return Span(first, start, last, end)


def with_fragment(url: str | None, directive: str) -> str:
    """Return an address with a text fragment, which replaces another text fragment.

    >>> with_fragment("https://example.org/1#top", ":~:text=rain")
    'https://example.org/1#top:~:text=rain'
    """
    address = (url or "").partition(":~:")[0]
    return f"{address}{'' if '#' in address else '#'}{directive}"


def _part(page_words: PageWords, line: int, start: int, end: int | None) -> _Part:
    """Return characters of a line, extended to whole words and over marks at the line's ends.

    An `end` of None is the end of the line.
    """
    text = page_words.texts[line]
    start = _snapped(text, start, -1)
    end = len(text) if end is None else _snapped(text, end, 1)
    first, last = page_words.first[line], page_words.first[line + 1]
    first_word = bisect_left(page_words.words, start, first, last, key=lambda word: word.start)
    end_word = bisect_left(page_words.words, end, first_word, last, key=lambda word: word.start)
    start = 0 if first_word == first else start
    end = len(text) if end_word == last else end
    return _Part(line, start, end, first_word, end_word)


def _snapped(text: str, index: int, step: int) -> int:
    """Return the nearest boundary of words from an index on, to the left (-1) or right (1)."""
    for _ in range(_MAX_SNAP):
        if not _is_inside(text, index):
            break
        index += step
    return index


def _is_inside(text: str, index: int) -> bool:
    """Return whether an index is inside a word; marks between two letters belong to the word."""
    if not 0 < index < len(text):
        return False
    before, behind = text[index - 1], text[index]
    if behind in _INSIDE:
        return before.isalnum() and text[index + 1 : index + 2].isalnum()
    if before in _INSIDE:
        return behind.isalnum() and text[max(0, index - 2) : index - 1].isalnum()
    return before.isalnum() and behind.isalnum()


def _exact_fragment(page_words: PageWords, part: _Part) -> Fragment:
    """Return the fragment of a short span in one line, with as little context as it needs."""
    longest = Fragment("", is_unique=False)
    for before, behind in _CONTEXTS:
        prefix, suffix = _prefix(page_words, part, before), _suffix(page_words, part, behind)
        start = prefix.first_word if prefix else part.first_word
        end = suffix.end_word if suffix else part.end_word
        is_unique = not page_words.others(start, end, _MAX_OTHERS)
        longest = Fragment(_directive(page_words, prefix, (part,), suffix), is_unique)
        if is_unique:
            break
    return longest


def _told_apart(
    page_words: PageWords, part: _Part, most: int, *, at_start: bool
) -> tuple[_Part, _Part | None, bool]:
    """Return the words at one end of a part, their context, and whether they occur only once."""
    chosen, context = part, None
    sizes = [(words, 0) for words in _END_WORDS]
    sizes += [(_END_WORDS[-1], words) for words in _CONTEXT_WORDS]
    for words, around in sizes:
        chosen = _end_of(page_words, part, min(words, most), at_start=at_start)
        beside = _prefix if at_start else _suffix
        context = beside(page_words, chosen, around)
        ends = [each for each in (chosen, context) if each]
        first, end = min(each.first_word for each in ends), max(each.end_word for each in ends)
        if not page_words.others(first, end, _MAX_OTHERS):
            return chosen, context, True
    return chosen, context, False


def _end_of(page_words: PageWords, part: _Part, words: int, *, at_start: bool) -> _Part:
    text = page_words.texts[part.line]
    if at_start:
        end_word = min(part.end_word, part.first_word + words)
        end = min(part.end, _snapped(text, page_words.words[end_word - 1].end, 1))
        return _Part(part.line, part.start, end, part.first_word, end_word)
    first_word = max(part.first_word, part.end_word - words)
    start = max(part.start, _snapped(text, page_words.words[first_word].start, -1))
    return _Part(part.line, start, part.end, first_word, part.end_word)


def _prefix(page_words: PageWords, part: _Part, words: int) -> _Part | None:
    """Return the words before a part, in its line or else in the line before."""
    line, end, at = part.line, part.start, part.first_word
    if at == page_words.first[line]:
        line, end = line - 1, -1
    if not words or line < 0 or at == page_words.first[line]:
        return None
    end = len(page_words.texts[line]) if end < 0 else end
    first_word = max(page_words.first[line], at - words)
    start = _snapped(page_words.texts[line], page_words.words[first_word].start, -1)
    return _Part(line, start, end, first_word, at)


def _suffix(page_words: PageWords, part: _Part, words: int) -> _Part | None:
    """Return the words after a part, in its line or else in the next line."""
    line, start, at = part.line, part.end, part.end_word
    if at == page_words.first[line + 1]:
        line, start = line + 1, 0
    if not words or line >= len(page_words.texts) or at == page_words.first[line + 1]:
        return None
    end_word = min(page_words.first[line + 1], at + words)
    end = _snapped(page_words.texts[line], page_words.words[end_word - 1].end, 1)
    return _Part(line, start, end, at, end_word)


def _directive(
    page_words: PageWords, prefix: _Part | None, ends: tuple[_Part, ...], suffix: _Part | None
) -> str:
    parts = [f"{_encoded(page_words, prefix)}-"] if prefix else []
    parts += [_encoded(page_words, end) for end in ends]
    parts += [f"-{_encoded(page_words, suffix)}"] if suffix else []
    return MARK + ",".join(parts)


def _encoded(page_words: PageWords, part: _Part) -> str:
    """Return the characters of a part, quoted: `-`, `,` and `&` have a meaning in a fragment."""
    text = page_words.texts[part.line][part.start : part.end].strip()
    return quote(text.encode("utf-8", "replace"), safe="").replace("-", "%2D")
