"""Give each block of a document its kind, with a probability; comments of threads are posts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crfclean.model.block_kinds import kinds_of
from crfclean.model.kind_model import kind_probabilities
from crfclean.page.head import THREAD_TYPES, head_metadata
from crfclean.types import Blocks, Document, Ints, Kind, LikelyKind

_BY_VALUE = {kind.value: kind for kind in Kind}  # faster than `Kind(value)`


@dataclass(frozen=True, eq=False)
class BlockKinds(Sequence[Kind]):
    """The `Kind` of each of n blocks, computed on first use, since few users need them.

    `thread` is the probability that the page is a thread. If it is None, the page is a thread if it
    declares so.
    """

    blocks: Blocks
    thread: float | None = None

    @cached_property
    def values(self) -> tuple[Kind, ...]:
        """The kinds of all blocks, by evidence."""
        return self._named(kinds_of(self.blocks))

    @cached_property
    def likely(self) -> tuple[LikelyKind, ...]:
        """Probabilities of each block's kinds by the model; posts have those of comments."""
        page = self.blocks
        probabilities = kind_probabilities(page)
        likeliest = probabilities.argmax(1).astype(np.int32)
        of_kind, of_likeliest = (
            probabilities[np.arange(len(page)), kinds].tolist()
            for kinds in (kinds_of(page), likeliest)
        )
        rows = zip(of_kind, self._named(likeliest), of_likeliest, strict=True)
        return tuple(LikelyKind(*row) for row in rows)

    def _named(self, kinds: Ints) -> tuple[Kind, ...]:
        """Convert kinds (n,) to `Kind`; comments of a thread become posts."""
        is_thread = not THREAD_TYPES.isdisjoint(head_metadata(self.blocks).types)
        if self.thread is not None:
            is_thread = self.thread >= 0.5
        posted = np.where((kinds == Kind.COMMENT) & is_thread, Kind.POST, kinds)
        return tuple(map(_BY_VALUE.__getitem__, posted.tolist()))

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]


@dataclass(frozen=True, eq=False)
class LikelyKinds(Sequence[LikelyKind]):
    """Probabilities of each block's kinds by the model, computed on first use."""

    kinds: BlockKinds

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, index: Any) -> Any:
        return self.kinds.likely[index]


def document_kinds(document: Document) -> BlockKinds:
    """Return the `Kind` of each block of a document, computed on first use."""
    return BlockKinds(document.blocks, document.tags.thread)
