"""Cite spans of one document: what all its citations share is computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.citations.fragments import Span, fragment, with_fragment
from crfclean.citations.page_words import Lines, PageWords, lines_of, page_words
from crfclean.citations.values import Citation, CitedBlock
from crfclean.page.offsets import Piece, places
from crfclean.structure.lines import shown_texts
from crfclean.types import Document, Ints


@dataclass(frozen=True)
class Citer:
    """A document whose spans are cited."""

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
        """Index of each kept block -> where it begins in the document's text."""
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
        """The kept blocks whose text has more than line feeds in place of spaces: most code."""
        texts, shown = self.document.blocks.texts, self.shown.items()
        return frozenset(at for at, text in shown if text.replace("\n", " ") != texts[at])

    def shown_span(self, index: int, start: int, end: int) -> tuple[int, int]:
        """Where characters of a kept block stand in its text with line breaks."""
        if index not in self.moved:
            return start, end
        if index not in self._shown_places:
            self._shown_places[index] = solid_places(self.shown[index])
        places, solid = self._shown_places[index], self._solid_of(index)
        first, last = int(solid[start]), int(solid[end])
        return (places[first], places[last - 1] + 1) if first < last else (0, 0)

    @cached_property
    def _places(self) -> dict[int, list[Piece]]:
        return places(self.document.blocks, range(len(self.document.blocks)))

    @cached_property
    def _solid(self) -> dict[int, Ints]:
        """Index of a block -> its characters without white space before each index; as needed."""
        return {}

    @cached_property
    def _shown_places(self) -> dict[int, list[int]]:
        """Index of a block -> the `solid_places` of its text with line breaks; as needed."""
        return {}

    def _solid_of(self, index: int) -> Ints:
        if index not in self._solid:
            sizes = [not char.isspace() for char in self.document.blocks.texts[index]]
            self._solid[index] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        return self._solid[index]

    def citation(self, spans: Sequence[tuple[int, int, int]], similarity: float = 1.0) -> Citation:
        """The citation of characters of blocks (index, start, end), which follow each other."""
        (first, start, _), (last, _, end) = spans[0], spans[-1]
        begin_line, begin_at = self.lines.place(first, start)
        end_line, end_at = self.lines.place(last, end - 1)
        is_kept = all(index in self.shown for index, _, _ in spans)
        url, is_unique = self._url(Span(begin_line, begin_at, end_line, end_at + 1))
        texts: Mapping[int, str] | Sequence[str] = self.document.blocks.texts
        shown = spans
        if is_kept:
            texts, shown = self.shown, [(span[0], *self.shown_span(*span)) for span in spans]
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
        """The address of a span, and whether it leads there alone; "" if the page hides it."""
        if self.document.blocks.source:
            return "", False
        part = fragment(self.words, span)
        if part is None:
            return "", False
        return with_fragment(self.document.url, part.directive), part.is_unique

    def _cited(self, index: int, start: int, end: int) -> CitedBlock:
        blocks, solid = self.document.blocks, self._solid_of(index)
        place = _cut(self._places[index], int(solid[start]), int(solid[end]))
        return CitedBlock(index, blocks.xpath(int(blocks.node[index])), start, end, place)


def solid_places(text: str) -> list[int]:
    """The indices of the characters of a text that are no white space."""
    return [at for at, char in enumerate(text) if not char.isspace()]


def _cut(pieces: Sequence[Piece], start: int, end: int) -> tuple[Piece, ...]:
    """The pieces of some of a block's characters without white space (half-open)."""
    cut, before = [], 0
    for piece in pieces:
        size = piece.end - piece.start
        first, last = max(start - before, 0), min(end - before, size)
        if first < last:
            cut.append(Piece(piece.path, piece.start + first, piece.start + last))
        before += size
    return tuple(cut)
