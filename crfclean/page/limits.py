"""Limits on how much of a page is read."""

from __future__ import annotations

MAX_DEPTH = 512  # browsers dissolve deeper elements as well; real pages stay below 50
MAX_NODES = 1_000_000  # 350 MB of tables; real pages stay below 10,000
MAX_BLOCKS = 50_000  # 200 MB with their columns; real pages stay below 5,000


class OverBlocksError(Exception):
    """The page has more blocks than the caller allows."""
