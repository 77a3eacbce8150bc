"""The endings of shards, and how each of them is packed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from crfclean.corpus.streams import zstd_module
from crfclean.types import CrfcleanError


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, 6, mtime=0)


def _quick_gzip(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, 1, mtime=0)


def _xz(data: bytes) -> bytes:
    import lzma

    return lzma.compress(data, preset=3)


def _zst(data: bytes) -> bytes:
    packed: bytes = zstd_module().pack(data)
    return packed


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "jsonl": bytes,
    "jsonl.gz": _gzip,
    "jsonl.xz": _xz,
    "jsonl.zst": _zst,
    "csv": _quick_gzip,  # of the part, which becomes a table at the end
    "parquet": _quick_gzip,
}
"""Ending of a shard -> the function that packs its members."""

TABLES = ("csv", "parquet")
"""Endings of shards with fixed columns."""

ROW_ENDINGS = tuple(ending for ending in PACKERS if ending not in TABLES)
"""Endings of shards that hold rows of any shape."""


def parquet_module() -> Any:
    """The module for Parquet (extra `parquet`); raises `CrfcleanError` without it."""
    try:
        return import_module("crfclean.corpus.parquet")
    except ImportError as error:
        raise CrfcleanError("Parquet needs its extra: pip install 'crfclean[parquet]'") from error


def check_ending(ending: str) -> None:
    """Raise `CrfcleanError` early if a shard's ending needs an extra that is not installed."""
    if ending == "parquet":
        parquet_module()
    PACKERS[ending](b"")
