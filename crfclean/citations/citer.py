"""Cite spans of one document: what all its citations share is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crfclean.citations.fragments import Span, fragment, with_fragment
from crfclean.citations.lines import Lines, lines_of
from crfclean.citations.page_words import PageWords, page_words
from crfclean.citations.values import Citation, CitedBlock
from crfclean.page.offsets import Piece, places
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
        for index in self.document.kept:
            starts[index] = start
            start += len(self.document.blocks.texts[index]) + 1
        return starts

    @cached_property
    def _places(self) -> dict[int, list[Piece]]:
        return places(self.document.blocks, range(len(self.document.blocks)))

    @cached_property
    def _solid(self) -> dict[int, Ints]:
        """Index of a block -> its characters without white space before each index; as needed."""
        return {}

    def citation(self, spans: Sequence[tuple[int, int, int]], similarity: float = 1.0) -> Citation:
        """The citation of characters of blocks (index, start, end), which follow each other."""
        texts = self.document.blocks.texts
        (first, start, _), (last, _, end) = spans[0], spans[-1]
        begin_line, begin_at = self.lines.place(first, start)
        end_line, end_at = self.lines.place(last, end - 1)
        begins = [self.starts.get(index) for index, _, _ in spans]
        is_kept = None not in begins
        url, is_unique = self._url(Span(begin_line, begin_at, end_line, end_at + 1))
        return Citation(
            "\n".join(texts[index][begin:stop] for index, begin, stop in spans),
            self.starts[first] + start if is_kept else None,
            self.starts[last] + end if is_kept else None,
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
        blocks = self.document.blocks
        if index not in self._solid:
            sizes = [not char.isspace() for char in blocks.texts[index]]
            self._solid[index] = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
        solid = self._solid[index]
        place = _cut(self._places[index], int(solid[start]), int(solid[end]))
        return CitedBlock(index, blocks.xpath(int(blocks.node[index])), start, end, place)


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
