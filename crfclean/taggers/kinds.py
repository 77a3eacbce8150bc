"""Tell what each block of a document is, and how probably, comments of threads being posts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import overload

import numpy as np

from crfclean.features.block_kinds import with_posts
from crfclean.page.head import head_metadata
from crfclean.page.latest import measured
from crfclean.taggers.learned_kinds import kind_probabilities, learned_kinds
from crfclean.taggers.threads import THREAD_TYPES
from crfclean.types import Blocks, Document, Kind

_BY_VALUE = {kind.value: kind for kind in Kind}  # faster than `Kind(value)`


@dataclass(frozen=True)
class BlockKinds(Sequence[Kind]):
    """The `Kind` of each of n blocks, found when one is first asked for: few users need them.

    `thread` is the probability that the page is a thread, None if the tagger was not asked: the
    page is one if it declares so.
    """

    blocks: Blocks
    thread: float | None = None

    @cached_property
    def values(self) -> tuple[Kind, ...]:
        """The kinds of all blocks."""
        page = measured(self.blocks)
        is_thread = not THREAD_TYPES.isdisjoint(head_metadata(page).types)
        if self.thread is not None:
            is_thread = self.thread >= 0.5
        kinds = with_posts(learned_kinds(page), is_thread=is_thread).tolist()
        return tuple(map(_BY_VALUE.__getitem__, kinds))

    @cached_property
    def probabilities(self) -> tuple[float, ...]:
        """The probability of each block's kind, 0..1; a post's is that of a comment."""
        page = measured(self.blocks)
        chosen = kind_probabilities(page)[np.arange(len(page)), learned_kinds(page)]
        return tuple(chosen.tolist())

    def __len__(self) -> int:
        return len(self.blocks)

    @overload
    def __getitem__(self, index: int) -> Kind: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Kind]: ...
    def __getitem__(self, index: int | slice) -> Kind | Sequence[Kind]:
        return self.values[index]

    def __iter__(self) -> Iterator[Kind]:
        return iter(self.values)


@dataclass(frozen=True)
class KindProbabilities(Sequence[float]):
    """The probability of each block's kind, computed when one is first asked for."""

    kinds: BlockKinds

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, index: int) -> float: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[float]: ...
    def __getitem__(self, index: int | slice) -> float | Sequence[float]:
        return self.kinds.probabilities[index]


def document_kinds(document: Document) -> BlockKinds:
    """The `Kind` of each block of a document, found when one is first asked for."""
    return BlockKinds(document.blocks, document.tags.thread)


def with_kinds(document: Document) -> Document:
    """The document with the kinds of its blocks, and their probabilities."""
    kinds = document_kinds(document)
    return replace(document, kinds=kinds, kind_probabilities=KindProbabilities(kinds))
