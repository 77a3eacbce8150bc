"""Turn packed JSON lines into a Parquet file and back, by pyarrow (extra `parquet`)."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.json as pajson
import pyarrow.parquet as pq

from crfclean.structure.parts import FACT_TYPES

_GROUP_ROWS = 1_000
_GROUP_BYTES = 32 * 2**20  # of JSON: a group is built in memory
_READ_ROWS = 64  # of a file that is read, in memory at once

_TYPES: dict[str, pa.DataType] = {
    "text": pa.string(),
    "number": pa.float32(),
    "index": pa.int32(),
    "flag": pa.bool_(),
    "count": pa.int64(),
}
"""Name of a type -> the type; `[name]` is a list of them."""


def _fields(names: str) -> list[pa.Field]:
    """`text: title id; index: size` -> the fields, of each type those behind its name."""
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
    "probabilities": "number: article forum product listing collection documentation service",
    "page_type": "text: name; probabilities: probabilities",
    "presence": "text: where reason; number: probability",
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


def write_parquet(lines: Path, target: Path) -> None:
    """Turn gzipped JSON lines into Parquet, a group of rows at a time; raises `OSError`."""
    with gzip.open(lines) as rows, pq.ParquetWriter(target, SCHEMA, compression="zstd") as writer:
        for group in _groups(rows):
            writer.write_table(_table(group))
    with target.open("rb+") as written:  # before the part is removed that it was made of
        os.fsync(written.fileno())


def parquet_lines(path: Path) -> Iterator[bytes]:
    """The rows of a Parquet file as lines of JSON; raises `OSError`."""
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(_READ_ROWS):
                for row in batch.to_pylist():
                    yield json.dumps(row, ensure_ascii=False).encode() + b"\n"
    except pa.ArrowInvalid as error:
        raise OSError(errno.EINVAL, f"damaged Parquet data: {error}") from error


def _table(lines: bytes) -> pa.Table:
    """The rows of some lines of JSON, as one block: Arrow would cut a line that is longer."""
    reading = pajson.ReadOptions(use_threads=False, block_size=len(lines) + 1)
    parsing = pajson.ParseOptions(explicit_schema=SCHEMA, unexpected_field_behavior="ignore")
    table = pajson.read_json(io.BytesIO(lines), reading, parsing)
    return table.select(SCHEMA.names)


def _groups(lines: Iterable[bytes]) -> Iterator[bytes]:
    group: list[bytes] = []
    size = 0
    for line in lines:
        group.append(line)
        size += len(line)
        if len(group) >= _GROUP_ROWS or size >= _GROUP_BYTES:
            yield b"".join(group)
            group, size = [], 0
    if group:
        yield b"".join(group)
