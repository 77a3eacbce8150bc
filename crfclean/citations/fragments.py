"""Write text fragments, by which browsers scroll to a span of a page and highlight it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from urllib.parse import quote

from crfclean.citations.page_words import PageWords

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
