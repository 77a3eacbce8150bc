"""Pack the rows of shards by the ending of the file, and read them again."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from crfclean.document.columns import ROW_COLUMNS, ROW_NAMES, RowColumn
from crfclean.document.text import SEPARATOR
from crfclean.io import cell_text, csv_text, needing_extra
from crfclean.products.corpus.unpacked import packed_lines, zstd_module
from crfclean.types import CrfcleanError


def _gzip(data: bytes, level: int = 6) -> bytes:
    import gzip

    return gzip.compress(data, level, mtime=0)


def _xz(data: bytes) -> bytes:
    import lzma

    return lzma.compress(data, preset=3)


def _zst(data: bytes) -> bytes:
    """Pack data as one frame with its checksum; equal data give equal frames."""
    packed: bytes = zstd_module().ZstdCompressor(level=9, write_checksum=True).compress(data)
    return packed


def csv_rows(data: bytes, carried: Sequence[RowColumn] = ()) -> bytes:
    """Pack lines of JSON as the rows of a table of `ROW_COLUMNS` and carried ones."""
    return csv_text(_cells(json.loads(line), carried) for line in data.splitlines()).encode()


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "jsonl": bytes,
    "jsonl.gz": _gzip,
    "jsonl.xz": _xz,
    "jsonl.zst": _zst,
    "csv": csv_rows,
    "parquet": lambda data: parquet_module() and data,
}
"""Ending of a shard -> the function that packs its members; tables are written by `TableWriter`."""


def parquet_module() -> Any:
    """Import the module for Parquet (extra `parquet`); raises `CrfcleanError` without it."""
    with needing_extra("parquet", "Parquet needs its extra"):
        return import_module("crfclean.products.corpus.parquet")


def check_ending(ending: str) -> None:
    """Raise `CrfcleanError` early if a shard's ending needs an extra that is not installed."""
    PACKERS[ending](b"")


def row_lines(target: Path, ending: str) -> Iterator[bytes]:
    """Return the rows of a shard as lines of JSON; raises `OSError`."""
    if ending == "csv":
        return csv_lines(target)
    return parquet_module().parquet_lines(target) if ending == "parquet" else packed_lines(target)


def read_rows(target: Path, ending: str) -> Generator[bytes]:
    """Yield the rows of a shard as lines of JSON; raises `CrfcleanError`."""
    try:
        yield from row_lines(target, ending)
    except OSError as error:
        raise CrfcleanError(f"{target} cannot be read: {error.strerror or error}") from error


# CSV, for spreadsheets


def csv_head(carried: Sequence[RowColumn] = ()) -> bytes:
    """Return the bytes before the first row."""
    return csv_text([[*ROW_NAMES, *(column.name for column in carried)]]).encode()


def csv_lines(path: Path) -> Iterator[bytes]:
    """Yield the rows of a CSV file as lines of JSON, texts and the score by their columns.

    Columns of the input may follow those of rows. Raises `OSError` for any other file.
    """
    import csv

    csv.field_size_limit(2**31 - 1)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream, restkey="", restval="", strict=True)
            if tuple(reader.fieldnames or ())[: len(ROW_NAMES)] != ROW_NAMES:
                raise OSError(errno.EINVAL, "damaged CSV data: other columns")
            for row in reader:
                if "" in row:
                    raise OSError(errno.EINVAL, "damaged CSV data: more cells than columns")
                cells = {name: cell_text(value) for name, value in row.items()}
                made = cells | {"score": float(cells["score"])}
                yield json.dumps(made, ensure_ascii=False).encode() + b"\n"
    except (csv.Error, UnicodeDecodeError, ValueError, TypeError) as error:
        raise OSError(errno.EINVAL, f"damaged CSV data: {error}") from error


def _cells(row: Mapping[str, Any], carried: Sequence[RowColumn]) -> list[str]:
    return [_cell(row.get(column.name), column.type) for column in (*ROW_COLUMNS, *carried)]


def _cell(value: Any, type_name: str) -> str:
    if type_name == "number":
        return f"{value or 0.0:.4f}"
    return SEPARATOR.join(value or ()) if type_name == "texts" else plain_cell(value)


def plain_cell(value: object) -> str:
    """Return a value in a cell, or an attribute; null is "".

    >>> plain_cell(True), plain_cell(3), plain_cell(None)
    ('true', '3', '')
    """
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def shard_ending(path: Path) -> str:
    """Return the shard ending of a path, "" for none.

    >>> shard_ending(Path("x.jsonl.gz")), shard_ending(Path("x.html.gz"))
    ('jsonl.gz', '')
    """
    return next((ending for ending in PACKERS if path.name.lower().endswith("." + ending)), "")
