"""Read pages from the rows of a Parquet file, by pyarrow (extra `parquet`).

A file may be larger than memory, and each of its row groups, too: a page of a column is unpacked at
a time. So one row may take 2 GB, the most that the format allows for a page of a column.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.records import MissingColumnError, Record, record_of_row
from crfclean.types import CrfcleanError

MAX_UNPACKED = 1_000  # of a large row group to its file: 100 if all pages are much alike
_LARGE = 2**30  # bytes of a row group
_BUFFER = 2**18  # bytes read at once; without a buffer, all of a column of a row group
_MAX_NAMED = 20  # columns in a message
_FACTS = ("crawled", "date", "truncated")
"""Columns that are read if they are there, as of JSONL."""

_MOMENT = re.compile(r"(-\d\d) (\d\d:\d\d:\d\d)(?:\.0+(?=Z?\Z))?")
"""A time as pyarrow writes it, as in `2024-05-07 10:30:00.000Z`; ISO 8601 has a T in it."""

_BROKEN = (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError)
"""What pyarrow raises for data that it cannot read; encrypted columns are an `OSError`."""


def page_column(path: Path, fields: Fields) -> str:
    """Return the name of a file's column of pages: that of `fields`, or one named like `raw_html`.

    Raises `MissingColumnError` for a file without one, and `CrfcleanError` for one that has neither
    text nor bytes and for a file that cannot be read.
    """
    try:
        with _opened(path) as file:
            return _page_column(file.schema_arrow, fields)
    except OSError as error:
        raise CrfcleanError(error.strerror or str(error)) from error


def carried_types(path: Path) -> dict[str, str]:
    """Return the type of each column as a `RowColumn` has it, "" for one that is null throughout.

    Dates, lists and all else that is neither number nor flag are texts. Raises `OSError`.
    """
    with _opened(path) as file:
        return {each.name: _type_name(each.type) for each in file.schema_arrow}


def _type_name(kind: pa.DataType) -> str:
    if pa.types.is_null(kind):
        return ""
    if pa.types.is_boolean(kind):
        return "flag"
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return "count"
    return "real" if pa.types.is_floating(kind) else "text"


def read_parquet(path: Path, fields: Fields, max_bytes: int) -> Iterator[Record]:
    """Yield the record of each row; a row without an id gets its number, from 1.

    Rows that cannot be read are one record with a `problem`, up to the end of their row group.
    Raises `OSError`, also for a file that is no Parquet.
    """
    with _opened(path) as file:
        fields = fields._replace(html_field=_page_column(file.schema_arrow, fields))
        wanted = (*fields[:-1], *fields.carry, *_FACTS)
        columns = [name for name in file.schema_arrow.names if name in wanted]
        number, packed = 0, path.stat().st_size
        for group in range(file.num_row_groups):
            end = number + file.metadata.row_group(group).num_rows
            try:
                for row in _rows(file, group, columns, packed):
                    number += 1
                    yield _record(row, number, fields, max_bytes)
            except _BROKEN as error:
                if isinstance(error, OSError) and error.errno:
                    raise
                why = f"rows {number + 1:,} to {end:,} cannot be read: {error}"
                yield Record("", problem=" ".join(why.split())[:200])
            number = end


def _opened(path: Path) -> pq.ParquetFile:
    with path.open("rb") as file:
        magic = file.read(4)
    if magic == b"PARE":
        raise OSError(errno.EINVAL, "encrypted Parquet: decrypt it first")
    if magic != b"PAR1":
        raise OSError(errno.EINVAL, "packed Parquet: unpack it first, as with gunzip")
    try:
        return pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise OSError(errno.EINVAL, f"damaged or incomplete Parquet: {error}"[:200]) from error


def _page_column(schema: pa.Schema, fields: Fields) -> str:
    name = fields.html_field
    if name not in schema.names and name == Fields().html_field:
        close = [each.name for each in schema if name in each.name.lower() and _is_text(each.type)]
        name = close[0] if len(close) == 1 else name
    if name not in schema.names:
        named = ", ".join(json.dumps(each[:40]) for each in schema.names[:_MAX_NAMED])
        more = ", …" if len(schema.names) > _MAX_NAMED else ""
        raise MissingColumnError(
            f"it has no column {json.dumps(name)}, but {named or 'none'}{more}: name the columns "
            "of the page, its URL and its id, as in --fields content,url,id"
        )
    if not _is_text(kind := schema.types[schema.names.index(name)]):
        raise CrfcleanError(f"its column {json.dumps(name)} has neither text nor bytes, but {kind}")
    return name


def _is_text(kind: pa.DataType) -> bool:
    """Return whether values of a type are texts or bytes, themselves or by a dictionary."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return _is_bytes(kind) or any(test(kind) for test in tests)


def _is_bytes(kind: pa.DataType) -> bool:
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view)
    return any(test(kind) for test in tests)


def _rows(
    file: pq.ParquetFile, group: int, columns: list[str], packed: int
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a row group, one by one: a dictionary may repeat a long page.

    `packed` are the bytes of the file.
    """
    size = file.metadata.row_group(group).total_byte_size  # asked for a column, pyarrow may abort
    if size > max(_LARGE, MAX_UNPACKED * packed):
        raise ValueError(f"they unpack to {size:,} bytes, of a file of {packed:,}")
    for batch in file.iter_batches(1, [group], columns, use_threads=False):
        values = map(_value, batch.columns)
        yield dict(zip(batch.schema.names, values, strict=True))  # of equal names the last counts


def _value(column: pa.Array) -> Any:
    """Return the value of a column of one row; a text that is not UTF-8 is bytes."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if _is_text(kind):
        data: bytes | None = column.cast(pa.large_binary())[0].as_py()
        with suppress(UnicodeDecodeError):
            return data if data is None or _is_bytes(kind) else data.decode()
        return data
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):  # of any year and size
        if pa.types.is_timestamp(kind) and kind.tz:
            column = column.cast(pa.timestamp(kind.unit, "UTC"))
        return _MOMENT.sub(r"\1T\2", column.cast(pa.string())[0].as_py() or "") or None
    return column[0].as_py()


def _record(row: Mapping[str, Any], number: int, fields: Fields, max_bytes: int) -> Record:
    values, html = {name: _plain(value) for name, value in row.items()}, row[fields.html_field]
    if html is not None:
        html = html[: max_bytes + 1]  # one more shows that it is cut
    return record_of_row({**values, fields.html_field: html}, number, fields, "row")


def _plain(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value
