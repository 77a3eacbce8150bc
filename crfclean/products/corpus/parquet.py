"""Turn JSON lines into a Parquet file and back, by pyarrow (extra `parquet`)."""

from __future__ import annotations

import errno
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import pyarrow as pa
import pyarrow.json as pajson
import pyarrow.parquet as pq

from crfclean.document.block_types import FACT_TYPES
from crfclean.document.columns import ROW_COLUMNS, AddedColumns
from crfclean.products.corpus.rows import plain_cell
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
    "real": pa.float64(),
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
    "probabilities": f"number: {' '.join(PAGE_TYPES)}",
    "page_type": "text: name; probabilities: probabilities",
    "presence": "text: where reason; number: probability; text: frame",
    "text_place": "text: path; index: words kept",
    "site_places": "text: site; [text_place]: places",
    "evidence": "value: title; [value]: authors; value: published modified language site address "
    "description; [value]: tags categories; value: image licence; page_type: page_type; "
    "presence: presence",
}
for _name, _names in _STRUCTS.items():
    _TYPES[_name] = pa.struct(_fields(_names))

_TYPES |= {"texts": _type("[text]")}

SCHEMA = pa.schema([pa.field(column.name, _TYPES[column.type]) for column in ROW_COLUMNS])
"""The columns of `columns.ROW_COLUMNS`; null where a line lacks a key."""

_NESTED = {
    each.name: each
    for each in _fields(
        "[block]: blocks comment_blocks; number: thread; end: end; [rule]: rules; "
        "evidence: evidence; levels: levels; [left_out]: left_out; site_places: site_places"
    )
}
"""Nested column -> its field; trees of parts are only in JSON."""


def schema_of(columns: AddedColumns = AddedColumns()) -> pa.Schema:
    """Return the schema of rows with some columns besides those of `columns.ROW_COLUMNS`."""
    nested = (_NESTED[name] for name in columns.nested if name in _NESTED)
    carried = (pa.field(column.name, _TYPES[column.type]) for column in columns.carried)
    return pa.schema([*SCHEMA, *nested, *carried])


_FEW = frozenset(
    "url_from language page_type presence presence_reason status truncated encoding source input "
    "model".split()
)
"""Columns with few different values."""


def _repeated(schema: pa.Schema) -> list[str]:
    """Return the columns whose values repeat: those with few values, and of blocks but their text.

    Only they have a dictionary. The dictionary of a column of texts becomes too large and ends
    inside a row group; fastparquet (2026.9) then reads the rows behind its end as null.
    """
    file = io.BytesIO()
    pq.write_table(schema.empty_table(), file)
    columns = (column.path for column in pq.ParquetFile(file).schema)
    return [path for path in columns if path in _FEW or re.fullmatch(_OF_BLOCKS, path)]


_OF_BLOCKS = re.compile(r"(?:comment_)?blocks\..*(?<!\.text)")


_POOL = pa.system_memory_pool()  # Arrow's own pool reserves a GB, which would count for the page


class TableWriter:
    """Writes rows to a Parquet file in groups of at least `_GROUP_ROWS` or `_GROUP_BYTES`."""

    def __init__(self, file: IO[bytes], columns: AddedColumns = AddedColumns()) -> None:
        self._schema = schema_of(columns)
        self._texts = [column.name for column in columns.carried if column.type == "text"]
        self._writer = pq.ParquetWriter(
            file,
            self._schema,
            compression="zstd",
            use_dictionary=_repeated(self._schema),
            write_page_index=False,
        )
        self._waiting = list[pa.Table]()

    def add(self, lines: bytes) -> None:
        """Add some lines of JSON."""
        if self._texts:
            lines = b"".join(_with_texts(line, self._texts) for line in lines.splitlines())
        self._add(_table(lines, self._schema) if lines else self._schema.empty_table())

    def append(self, path: Path) -> None:
        """Add the rows of another such file; raises `OSError`."""
        with pq.ParquetFile(path, memory_map=True) as file:
            for number in range(file.num_row_groups):
                self._add(file.read_row_group(number))

    def close(self) -> None:
        """End the file."""
        self._end_group()
        self._writer.close()

    def _add(self, table: pa.Table) -> None:
        self._waiting.append(table)
        rows = sum(each.num_rows for each in self._waiting)
        if rows >= _GROUP_ROWS or sum(each.nbytes for each in self._waiting) >= _GROUP_BYTES:
            self._end_group()

    def _end_group(self) -> None:
        tables, self._waiting = self._waiting, []
        if any(table.num_rows for table in tables):
            self._writer.write_table(pa.concat_tables(tables))


def parquet_lines(path: Path) -> Iterator[bytes]:
    """Yield the rows of a Parquet file as lines of JSON; raises `OSError`."""
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_READ_ROWS):
                yield from _json_lines(batch)
    except pa.ArrowInvalid as error:
        raise OSError(errno.EINVAL, f"damaged Parquet data: {error}") from error


def _table(lines: bytes, schema: pa.Schema) -> pa.Table:
    """Return a table of some lines of JSON, read in one block: Arrow cuts lines at block ends."""
    reading = pajson.ReadOptions(use_threads=False, block_size=len(lines) + 1)
    parsing = pajson.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    table = pajson.read_json(io.BytesIO(lines), reading, parsing, memory_pool=_POOL)
    return table.select(schema.names)


def _with_texts(line: bytes, names: Sequence[str]) -> bytes:
    """Return a line in which carried values of any type are texts."""
    row = json.loads(line)
    row |= {name: plain_cell(row[name]) for name in names if row.get(name) is not None}
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _json_lines(batch: pa.RecordBatch) -> Iterator[bytes]:
    for row in batch.to_pylist():
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
