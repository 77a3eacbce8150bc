"""Cite spans and sentences of a document, and find quotes on a page again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq

from crfclean.citations.fragments import Span, fragment, with_fragment
from crfclean.citations.page_words import PageWords, Word, page_words, words_of
from crfclean.citations.text_lines import Lines, lines_of
from crfclean.document.lines import line_texts
from crfclean.document.sentences import sentence_spans
from crfclean.page.places import Piece, places
from crfclean.types import CrfcleanError, Document, Ints

# the place of a span of text on its page


@dataclass(frozen=True, slots=True)
class CitedBlock:
    """The characters `start` to `end` (half-open) of a block's text, in a cited span.

    `place` has their position in the elements of the page. `xpath` and `place` are empty for text
    from structured data.
    """

    index: int
    xpath: str
    start: int
    end: int
    place: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of text with its place on the page.

    `start` and `end` (half-open) are characters of `Document.text`; None if a block of the span is
    not part of the text. `url` is the address of the page with a text fragment, which browsers
    highlight. Without an address it is only the fragment; it is "" if the page does not show the
    text. `is_unique` is True if the fragment fits no other words of the page. `similarity` (0..1)
    compares the text with the quote that `find` looked for.
    """

    text: str
    start: int | None
    end: int | None
    blocks: tuple[CitedBlock, ...]
    url: str
    is_unique: bool
    similarity: float = 1.0

    def to_dict(self) -> Mapping[str, Any]:
        """Return the citation as JSON values."""
        blocks = [
            {
                "index": block.index,
                "xpath": block.xpath,
                "span": [block.start, block.end],
                "place": [piece._asdict() for piece in block.place],
            }
            for block in self.blocks
        ]
        return {
            "text": self.text,
            "span": None if self.start is None else [self.start, self.end],
            "url": self.url,
            "is_unique": self.is_unique,
            "similarity": round(self.similarity, 4),
            "blocks": blocks,
        }


# cite spans of one document


@dataclass(frozen=True)
class Citer:
    """A document whose spans are cited, with the values that all its citations share."""

    document: Document

    @cached_property
    def lines(self) -> Lines:
        """The lines of all blocks."""
        return lines_of(self.document.blocks)

    @cached_property
    def words(self) -> PageWords:
        """The words of all lines."""
        return page_words(self.lines.texts)

    @cached_property
    def starts(self) -> dict[int, int]:
        """Index of each kept block -> its first character in the document's text."""
        starts, start = {}, 0
        for index, text in self.shown.items():
            starts[index] = start
            start += len(text) + 1
        return starts

    @cached_property
    def shown(self) -> dict[int, str]:
        """Index of each kept block -> its text with line breaks, as in the document's text."""
        return line_texts(self.document.blocks, self.document.kept)

    @cached_property
    def moved(self) -> frozenset[int]:
        """The kept blocks whose shown text differs by more than line feeds for spaces: code."""
        texts, shown = self.document.blocks.texts, self.shown.items()
        return frozenset(at for at, text in shown if text.replace("\n", " ") != texts[at])

    def moved_span(self, index: int, start: int, end: int, *, to_shown: bool) -> tuple[int, int]:
        """Return the span in a kept block's shown text of characters of its plain text, or back."""
        if index not in self.moved:
            return start, end
        text, shown = self.document.blocks.texts[index], self.shown[index]
        pairs = _same_places(text, shown)
        if not to_shown:
            pairs = [(at, place) for place, at in pairs]
        inside = [there for here, there in pairs if start <= here < end]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    @cached_property
    def _places(self) -> dict[int, list[Piece]]:
        return places(self.document.blocks, range(len(self.document.blocks)))

    def citation(self, spans: Sequence[tuple[int, int, int]], similarity: float = 1.0) -> Citation:
        """Return the citation of characters of successive blocks (index, start, end)."""
        (first, start, _), (last, _, end) = spans[0], spans[-1]
        begin_line, begin_at = self.lines.place(first, start)
        end_line, end_at = self.lines.place(last, end - 1)
        is_kept = all(index in self.shown for index, _, _ in spans)
        url, is_unique = self._url(Span(begin_line, begin_at, end_line, end_at + 1))
        texts: Mapping[int, str] | Sequence[str] = self.document.blocks.texts
        shown = spans
        if is_kept:
            texts = self.shown
            shown = [(span[0], *self.moved_span(*span, to_shown=True)) for span in spans]
        return Citation(
            "\n".join(texts[index][begin:stop] for index, begin, stop in shown),
            self.starts[first] + shown[0][1] if is_kept else None,
            self.starts[last] + shown[-1][2] if is_kept else None,
            tuple(self._cited(*span) for span in spans),
            url,
            is_unique,
            similarity,
        )

    def _url(self, span: Span) -> tuple[str, bool]:
        """Return the address of a span, "" if the page hides it, and whether it is unique."""
        if self.document.blocks.source:
            return "", False
        part = fragment(self.words, span)
        if part is None:
            return "", False
        return with_fragment(self.document.url, part.directive), part.is_unique

    def _cited(self, index: int, start: int, end: int) -> CitedBlock:
        blocks = self.document.blocks
        solid = solid_places(blocks.texts[index])
        place = _cut(self._places[index], bisect_left(solid, start), bisect_left(solid, end))
        return CitedBlock(index, blocks.xpath(int(blocks.node[index])), start, end, place)


@lru_cache(maxsize=4)
def solid_places(text: str) -> list[int]:
    """Return the indices of all characters of a text except white space."""
    return [at for at, char in enumerate(text) if not char.isspace()]


def _same_places(text: str, shown: str) -> list[tuple[int, int]]:
    """Return the places of the characters of a text in it, and in the text as it is shown.

    White space differs, and the shown text has marks around raised numbers.
    """
    pairs, at = list[tuple[int, int]](), 0
    for place in solid_places(text):
        at = shown.index(text[place], at)
        pairs.append((place, at))
        at += 1
    return pairs


def _cut(pieces: Sequence[Piece], start: int, end: int) -> tuple[Piece, ...]:
    """Return the pieces of some of a block's characters, counted without white space."""
    cut, before = [], 0
    for piece in pieces:
        size = piece.end - piece.start
        first, last = max(start - before, 0), min(end - before, size)
        if first < last:
            cut.append(Piece(piece.path, piece.start + first, piece.start + last))
        before += size
    return tuple(cut)


# cite spans of a document's text: any characters, blocks, sentences


def cite(document: Document, start: int, end: int) -> Citation:
    """Return the citation of the characters `start` to `end` (half-open) of the document's text.

    Raises `CrfcleanError` for a span that is empty or not in the text.
    """
    text = document.text
    size = len(text)
    if not 0 <= start < end <= size or not text[start:end].strip():
        raise CrfcleanError(f"no characters {start} to {end} in a text of {size} characters")
    citer = Citer(document)
    kept, begins = list(citer.starts), list(citer.starts.values())
    first, last = bisect_right(begins, start) - 1, bisect_right(begins, end - 1) - 1
    spans = []
    for index, begin in zip(kept[first : last + 1], begins[first : last + 1], strict=True):
        here = max(0, start - begin), min(len(citer.shown[index]), end - begin)
        spans.append((index, *citer.moved_span(index, *here, to_shown=False)))
    return citer.citation([span for span in spans if span[1] < span[2]])


def blocks(document: Document) -> list[Citation]:
    """Return a citation of each block of the document's text."""
    citer, texts = Citer(document), document.blocks.texts
    return [citer.citation([(index, 0, len(texts[index]))]) for index in document.kept]


def sentences(document: Document) -> list[Citation]:
    """Return a citation of each sentence of the document's text; sentences end with their block."""
    citer, texts = Citer(document), document.blocks.texts
    return [
        citer.citation([(index, start, end)])
        for index in document.kept
        for start, end in sentence_spans(texts[index])
    ]


# find a sequence of words in a longer sequence, also if some words differ
#
# A place with exactly the words of the quote wins. Otherwise windows as long as the quote are
# ranked by the words that they share with it, in any order, and only the best are aligned: so the
# time is linear in the page. Words count by their characters, because long words say more.

MAX_QUOTE = 2_000  # words; the time of an alignment is quadratic in them
_MAX_WINDOWS = 8  # windows that are aligned
_MIN_COMMON = 3  # words in common, unless all are equal: any page has two of them


@dataclass(frozen=True, slots=True)
class Match:
    """Words `start` to `end` (half-open) of a page, and their similarity to the quote (0..1).

    The similarity is twice the characters of common words, divided by the characters of both.
    """

    start: int
    end: int
    similarity: float


def best_match(words: Sequence[str], quote: Sequence[str], least: float) -> Match | None:
    """Return the first of the most similar words; None if their similarity is below `least`.

    >>> page = "the ferry sails again from monday on".split()
    >>> best_match(page, "the ferry runs again from monday".split(), 0.7)
    Match(start=0, end=6, similarity=0.8363636363636363)
    """
    if not quote or not words:
        return None
    exact = _exact(words, quote)
    if exact is not None:
        return exact
    best = None
    for start in _windows(words, quote, least):
        match = _aligned(words, quote, start)
        if match.similarity >= least and (best is None or match.similarity > best.similarity):
            best = match
    return best


def _exact(words: Sequence[str], quote: Sequence[str]) -> Match | None:
    """Return the first place with all words of the quote in a row; words have no spaces."""
    joined, wanted = f" {' '.join(words)} ", f" {' '.join(quote)} "
    at = joined.find(wanted)
    if at < 0:
        return None
    start = joined.count(" ", 0, at)
    return Match(start, start + len(quote), 1.0)


def _windows(words: Sequence[str], quote: Sequence[str], least: float) -> Iterator[int]:
    """Yield the starts of the windows that share the most characters with the quote, best first."""
    shared = _shared(words, quote)
    for _ in range(_MAX_WINDOWS):
        best = int(shared.argmax())
        if shared[best] < least * sum(map(len, quote)) / 2:  # similarity `least` needs more
            return
        yield best
        shared[max(0, best - len(quote) // 2) : best + len(quote) // 2 + 1] = -1


def _shared(words: Sequence[str], quote: Sequence[str]) -> Ints:
    """Return the characters that each window as long as the quote shares with it, shape (n,).

    Value i belongs to the window that begins at word i; value 0 also counts shorter windows.
    """
    free = Counter(quote)
    shared, count, size = np.zeros(len(words), np.int64), 0, len(quote)
    for index, word in enumerate(words):
        if word in free:
            count += len(word) * (free[word] > 0)
            free[word] -= 1
        if index >= size and (left := words[index - size]) in free:
            free[left] += 1
            count -= len(left) * (free[left] > 0)
        begin = max(0, index - size + 1)
        shared[begin] = max(int(shared[begin]), count)
    return shared


def _aligned(words: Sequence[str], quote: Sequence[str], window: int) -> Match:
    """Return the words in and around a window that are most similar to the quote."""
    reach = len(quote) // 2 + 1
    start = max(0, window - reach)
    part = words[start : window + len(quote) + reach]
    runs = [
        (code.src_start, code.src_end)
        for code in LCSseq.opcodes(part, quote)
        if code.tag == "equal"
    ]
    if sum(end - begin for begin, end in runs) < _MIN_COMMON:
        return Match(start, start, 0.0)
    before = np.concatenate([[0], np.cumsum([len(word) for word in part])])
    first, last, similarity = _densest(runs, before.tolist(), sum(map(len, quote)))
    return Match(start + runs[first][0], start + runs[last][1], similarity)


def _densest(
    runs: Sequence[tuple[int, int]], before: Sequence[int], size: int
) -> tuple[int, int, float]:
    """Return the first and last run of the most similar words, without stray runs at both ends.

    `before` counts the characters before each word, `size` the characters of the quote.
    """
    first, last = 0, len(runs) - 1
    sizes = [before[end] - before[start] for start, end in runs]
    common = sum(sizes)

    def similarity(first: int, last: int, common: int) -> float:
        return 2 * common / (size + before[runs[last][1]] - before[runs[first][0]])

    best = similarity(first, last, common)
    while first < last:
        without_first = similarity(first + 1, last, common - sizes[first])
        without_last = similarity(first, last - 1, common - sizes[last])
        if max(without_first, without_last) <= best:
            break
        best = max(without_first, without_last)
        at_start = without_first > without_last
        common -= sizes[first if at_start else last]
        first, last = first + at_start, last - (not at_start)
    return first, last, best


MIN_SIMILARITY = 0.7
_LEAD = 0.1  # similarity by which words outside the text must be better than words of the text


def find(document: Document, quote: str, min_similarity: float = MIN_SIMILARITY) -> Citation | None:
    """Find the words of a page that are most similar to a quote; None if none are similar enough.

    `find` prefers words of the text to words elsewhere on the page, unless the latter are clearly
    more similar: a teaser may still quote a sentence that has changed. For the similarity (0..1)
    see `Match`. Raises `CrfcleanError` for a quote without words, or with more than `MAX_QUOTE`.

    >>> from crfclean import clean
    >>> citation = find(clean("<p>It rained in the north of it.</p>"), "rained in the North")
    >>> citation.text, citation.start, citation.url
    ('rained in the north', 3, '#:~:text=rained%20in%20the%20north')
    """
    return find_by(Citer(document), quote, min_similarity)


def find_by(citer: Citer, quote: str, min_similarity: float = MIN_SIMILARITY) -> Citation | None:
    """Find a quote as `find` does; for several quotes of one document."""
    quoted = words_of(quote)
    if not 0 < len(quoted) <= MAX_QUOTE:
        raise CrfcleanError(f"a quote of {len(quoted)} words: it needs 1 to {MAX_QUOTE:,}")
    keys = [word.key for word in quoted]
    everywhere = citer.words.words
    kept = [word for word in everywhere if citer.lines.blocks[word.line] in citer.starts]
    best: tuple[Match, Sequence[Word]] | None = None
    for words in (kept, everywhere):
        match = best_match([word.key for word in words], keys, min_similarity)
        if match is not None and (best is None or match.similarity > best[0].similarity + _LEAD):
            best = match, words
        if match is not None and match.similarity == 1.0:
            break
    if best is None:
        return None
    match, words = best
    spans = _spans(citer, words[match.start : match.end])
    return citer.citation(_with_marks(citer, spans, quote, quoted), match.similarity)


def _spans(citer: Citer, words: Sequence[Word]) -> list[tuple[int, int, int]]:
    """Return the characters of blocks (index, start, end) from the first word to the last."""
    texts, lines = citer.document.blocks.texts, citer.lines
    indices = list(dict.fromkeys(lines.blocks[word.line] for word in words))
    spans = [(index, 0, len(texts[index])) for index in indices]
    first, last = words[0], words[-1]
    spans[0] = (indices[0], lines.starts[first.line] + first.start, spans[0][2])
    spans[-1] = (indices[-1], spans[-1][1], lines.starts[last.line] + last.end)
    return spans


def _with_marks(
    citer: Citer, spans: list[tuple[int, int, int]], quote: str, quoted: Sequence[Word]
) -> list[tuple[int, int, int]]:
    """Return spans with the marks around the quote, such as its full stop, if the page has them."""
    texts = citer.document.blocks.texts
    opening, closing = quote[: quoted[0].start].lstrip(), quote[quoted[-1].end :].rstrip()
    index, start, end = spans[0]
    if texts[index].endswith(opening, 0, start):
        spans[0] = (index, start - len(opening), end)
    index, start, end = spans[-1]
    if texts[index].startswith(closing, end):
        spans[-1] = (index, start, end + len(closing))
    return spans
