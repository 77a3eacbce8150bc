"""Turn JSON lines into a Parquet file and back, by pyarrow (extra `parquet`)."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.json as pajson
import pyarrow.parquet as pq

from crfclean.corpus.footers import MAGIC, joined_end, split_file
from crfclean.corpus.rows import RowGroup
from crfclean.structure.parts import FACT_TYPES
from crfclean.types.choices import PAGE_TYPES

_GROUP_ROWS = 1_000
_GROUP_BYTES = 32 * 2**20  # of batches in Arrow's form: a group is built in memory
_READ_ROWS = 64  # rows of a file that are in memory at once

_TYPES: dict[str, pa.DataType] = {
    "text": pa.string(),
    "number": pa.float32(),
    "index": pa.int32(),
    "flag": pa.bool_(),
    "count": pa.int64(),
}
"""Name of a type -> the type; `[name]` in a schema is a list of this type."""


def _fields(names: str) -> list[pa.Field]:
    """Return the fields that a text lists by type, as in `text: title id; index: size`."""
    groups = (group.split(":") for group in names.split(";"))
    return [pa.field(name, _type(kind.strip())) for kind, many in groups for name in many.split()]


def _type(name: str) -> pa.DataType:
    return pa.list_(_type(name[1:-1])) if name.startswith("[") else _TYPES[name]


_FACTS = {int: "count", bool: "flag", str: "text"}
_STRUCTS = {
    "facts": ";".join(f"{_FACTS[kind]}: {name}" for name, kind in FACT_TYPES.items()),
    "span": "text: path; index: start end",
    "block": "index: index; text: label; number: probability; text: tag xpath text; [index]: span; "
    "text: kind; number: kind_probability; text: likely_kind; number: likely_kind_probability; "
    "text: type; facts: facts; [span]: place",
    "end": "index: block; number: probability; index: words; flag: is_cut",
    "rule": "text: rule; index: left_out added",
    "left_out": "index: index; number: probability; text: kind text",
    "level": "text: text; number: precision recall",
    "levels": "level: strict balanced generous",
    "value": "text: text source; number: probability; text: xpath",
    "repeated": "index: line; text: page",
    "probabilities": f"number: {' '.join(PAGE_TYPES)}",
    "page_type": "text: name; probabilities: probabilities",
    "presence": "text: where reason; number: probability; text: frame",
    "text_place": "text: path; index: words kept",
    "site_places": "text: site; [text_place]: places",
    "metadata": "value: title; [value]: authors; value: published modified language site address "
    "description; [value]: tags categories; value: image licence; page_type: page_type",
}
for _name, _names in _STRUCTS.items():
    _TYPES[_name] = pa.struct(_fields(_names))

SCHEMA = pa.schema(
    _fields(
        "text: id url date title status message truncated encoding; flag: encoding_guessed; "
        "number: score; presence: presence; text: source text; [block]: blocks comments; "
        "number: thread; end: end; [rule]: rules; levels: levels; [left_out]: left_out; "
        "site_places: site_places; metadata: metadata; text: duplicate_of; "
        "[repeated]: duplicate_paragraphs; text: model"
    )
)
"""The columns, as the keys of the JSON lines; null where a line lacks a key."""


def _repeated() -> list[str]:
    """Return the columns whose values repeat: those of blocks except their text.

    Only they have a dictionary. The dictionary of a column of texts becomes too large and ends
    inside a row group; fastparquet (2026.9) then reads the rows behind its end as null.
    """
    file = io.BytesIO()
    pq.write_table(SCHEMA.empty_table(), file)
    columns = (column.path for column in pq.ParquetFile(file).schema)
    return [path for path in columns if re.fullmatch(r"blocks\..*(?<!\.text)", path)]


WRITING = {"compression": "zstd", "use_dictionary": _repeated(), "write_page_index": False}
"""How row groups are written; without an index of pages, whose places `footers` would not move."""


# a part
#
# While a shard is written, its part has members: packed batches of rows, as Arrow has them in
# memory. At the end workers make row groups of several members, each as a Parquet file of its own,
# and the parent joins these files. A row group for each slice would be too small for fast reading.

_HEAD = struct.Struct("<QQQ")  # packed bytes of a member, its bytes, its rows
_PACKING = pa.Codec("zstd", 3)
_POOL = pa.system_memory_pool()  # Arrow's own pool reserves a GB, which would count for the page


def packed_rows(lines: bytes) -> bytes:
    """Return the member for some lines of JSON, b"" without lines."""
    if not lines:
        return b""
    (batch,) = _table(lines).to_batches()
    data = batch.serialize(memory_pool=_POOL)
    packed: bytes = _PACKING.compress(data, asbytes=True)
    return _HEAD.pack(len(packed), data.size, batch.num_rows) + packed


def part_lines(part: Path) -> Iterator[bytes]:
    """Yield the rows of a part as lines of JSON; raises `OSError`."""
    for batch in _batches(part, 0, part.stat().st_size):
        yield from _json_lines(batch)


def row_groups(part: Path) -> Iterator[RowGroup]:
    """Yield the row groups of a part, for a part without rows an empty one; raises `OSError`."""
    with part.open("rb") as file:
        start = stop = rows = size = 0
        while head := file.read(_HEAD.size):
            packed, unpacked, count = _HEAD.unpack(head)
            stop = file.seek(packed, os.SEEK_CUR)
            rows, size = rows + count, size + unpacked
            if rows >= _GROUP_ROWS or size >= _GROUP_BYTES:
                yield RowGroup(part, start, stop, rows)
                start, rows, size = stop, 0, 0
        if rows or not stop:
            yield RowGroup(part, start, stop, rows)


def packed_group(group: RowGroup) -> bytes:
    """Return a Parquet file with a single row group; raises `OSError`."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, SCHEMA, **WRITING) as writer:
        if group.rows:
            batches = _batches(group.part, group.start, group.stop)
            writer.write_table(pa.Table.from_batches(batches))
    return sink.getvalue()


class ParquetJoiner:
    """Joins Parquet files with the same columns to one; raises `OSError`."""

    def __init__(self, target: Path) -> None:
        self._file = target.open("wb")
        self._file.write(MAGIC)
        self._footers = list[tuple[bytes, int]]()

    def add(self, packed: bytes) -> None:
        """Append the row groups of a file."""
        groups, footer = split_file(packed)
        self._footers.append((footer, self._file.tell() - len(MAGIC)))
        self._file.write(groups)

    def close(self) -> None:
        """End the file and wait until it is on disk; then its part can be removed."""
        with self._file:
            self._file.write(joined_end(self._footers))
            self._file.flush()
            os.fsync(self._file.fileno())


def parquet_lines(path: Path) -> Iterator[bytes]:
    """Yield the rows of a Parquet file as lines of JSON; raises `OSError`."""
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_READ_ROWS):
                yield from _json_lines(batch)
    except pa.ArrowInvalid as error:
        raise OSError(errno.EINVAL, f"damaged Parquet data: {error}") from error


def _table(lines: bytes) -> pa.Table:
    """Return a table of some lines of JSON, read in one block: Arrow cuts lines at block ends."""
    reading = pajson.ReadOptions(use_threads=False, block_size=len(lines) + 1)
    parsing = pajson.ParseOptions(explicit_schema=SCHEMA, unexpected_field_behavior="ignore")
    table = pajson.read_json(io.BytesIO(lines), reading, parsing, memory_pool=_POOL)
    return table.select(SCHEMA.names)


def _json_lines(batch: pa.RecordBatch) -> Iterator[bytes]:
    for row in batch.to_pylist():
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _batches(part: Path, start: int, stop: int) -> Iterator[pa.RecordBatch]:
    """Yield the batches of the members between two bytes of a part."""
    with part.open("rb") as file:
        file.seek(start)
        while file.tell() < stop:
            packed, unpacked, _ = _HEAD.unpack(file.read(_HEAD.size))
            data = _PACKING.decompress(file.read(packed), unpacked)
            yield pa.ipc.read_record_batch(data, SCHEMA)
