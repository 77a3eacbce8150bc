"""Limits of a page: how much of it is read, and what it may consume."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.corpus.tasks import TASK_BOUNDS, TaskLimits
from crfclean.page.decode import MAX_BYTES
from crfclean.page.limits import MAX_BLOCKS, MAX_DEPTH, MAX_NODES
from crfclean.types import check_bounds, option

TRUNCATIONS = {
    "bytes": "only its first bytes were read (--max-bytes)",
    "gzip": "damaged gzip data: only what stands before the damage was read",
    "depth": f"elements below {MAX_DEPTH} levels were dissolved; their text is kept",
    "nodes": f"only the first {MAX_NODES:,} elements were read",
}
"""What cut a page short -> the message about it."""


@dataclass(frozen=True, slots=True)
class PageLimits(TaskLimits):
    """What a page may consume and contain. Raises `CrfcleanError` for a limit out of bounds."""

    max_bytes: int = option(MAX_BYTES, "bytes of a page that are read; the rest is cut off")
    max_blocks: int = option(MAX_BLOCKS, "blocks of text that a page may have")

    def __post_init__(self) -> None:
        bounds: dict[str, tuple[float, float]] = {
            "max_bytes": (1, 2**31),
            "max_blocks": (1, MAX_NODES),
        }
        check_bounds(self, TASK_BOUNDS | bounds)

    @property
    def over_blocks(self) -> str:
        """The message about a page with more blocks."""
        return f"more than {self.max_blocks:,} blocks of text"
