"""Limits on how much of a page is read."""

MAX_DEPTH = 512  # browsers dissolve deeper elements as well; real pages stay below 50
MAX_NODES = 1_000_000  # 350 MB of tables; real pages stay below 10,000
MAX_BLOCKS = 50_000  # 200 MB with their columns; real pages stay below 5,000
MAX_JSON_LD_CHARS = 1_000_000  # more structured data than this is left out


class FullError(Exception):
    """The page has more elements than `MAX_NODES`."""


class OverBlocksError(Exception):
    """The page has more blocks than the caller allows."""
