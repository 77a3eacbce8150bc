"""Cite spans, sentences and blocks of a document: where they stand on the page, with a link."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from crfclean.citations.fragments import Span, fragment, with_fragment
from crfclean.citations.page_words import Lines, PageWords, lines_of, page_words
from crfclean.page.blocks import Piece, places
from crfclean.structure.lines import shown_texts
from crfclean.structure.sentences import sentence_spans
from crfclean.types import CrfcleanError, Document

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
        kept = self.document.kept
        return dict(zip(kept, shown_texts(self.document.blocks, kept), strict=True))

    @cached_property
    def moved(self) -> frozenset[int]:
        """The kept blocks whose shown text differs by more than line feeds for spaces: code."""
        texts, shown = self.document.blocks.texts, self.shown.items()
        return frozenset(at for at, text in shown if text.replace("\n", " ") != texts[at])

    def moved_span(self, index: int, start: int, end: int, *, to_shown: bool) -> tuple[int, int]:
        """Return the span in a kept block's shown text of characters of its plain text, or back."""
        texts = self.document.blocks.texts[index], self.shown[index]
        text, other = texts if to_shown else reversed(texts)
        return _same_span(text, start, end, other) if index in self.moved else (start, end)

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


def _same_span(text: str, start: int, end: int, other: str) -> tuple[int, int]:
    """Return the span of characters of a text in another text that differs only in white space."""
    places, others = solid_places(text), solid_places(other)
    first, last = bisect_left(places, start), bisect_left(places, end)
    return (others[first], others[last - 1] + 1) if first < last else (0, 0)


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
