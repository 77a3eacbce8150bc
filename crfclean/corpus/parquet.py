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

_TEXT = pa.string()
_COLUMNS = {int: pa.int64(), bool: pa.bool_(), str: _TEXT}
_SPAN = pa.struct([("path", _TEXT), ("start", pa.int32()), ("end", pa.int32())])
_BLOCK = pa.struct(
    [
        ("index", pa.int32()),
        ("label", _TEXT),
        ("probability", pa.float32()),
        ("tag", _TEXT),
        ("xpath", _TEXT),
        ("text", _TEXT),
        ("span", pa.list_(pa.int32())),
        ("kind", _TEXT),
        ("kind_probability", pa.float32()),
        ("likely_kind", _TEXT),
        ("likely_kind_probability", pa.float32()),
        ("type", _TEXT),
        ("facts", pa.struct([(name, _COLUMNS[kind]) for name, kind in FACT_TYPES.items()])),
        ("place", pa.list_(_SPAN)),
    ]
)
_RULE = pa.struct([("rule", _TEXT), ("left_out", pa.int32()), ("added", pa.int32())])
_LEFT_OUT_BLOCK = pa.struct(
    [("index", pa.int32()), ("probability", pa.float32()), ("kind", _TEXT), ("text", _TEXT)]
)
_LEVEL = pa.struct([("text", _TEXT), ("precision", pa.float32()), ("recall", pa.float32())])
_LEVELS = pa.struct([(name, _LEVEL) for name in ("strict", "balanced", "generous")])
_VALUE = pa.struct(
    [("text", _TEXT), ("source", _TEXT), ("probability", pa.float32()), ("xpath", _TEXT)]
)
_REPEATED = pa.struct([("line", pa.int32()), ("page", _TEXT)])
_TYPES = "article forum product listing collection documentation service".split()
_PAGE_TYPE = pa.struct(
    [("name", _TEXT), ("probabilities", pa.struct([(name, pa.float32()) for name in _TYPES]))]
)
_PRESENCE = pa.struct([("where", _TEXT), ("reason", _TEXT), ("probability", pa.float32())])
_TEXT_PLACE = pa.struct([("path", _TEXT), ("words", pa.int32()), ("kept", pa.int32())])
_SITE_PLACES = pa.struct([("site", _TEXT), ("places", pa.list_(_TEXT_PLACE))])
_METADATA = pa.struct(
    [
        ("title", _VALUE),
        ("authors", pa.list_(_VALUE)),
        ("published", _VALUE),
        ("modified", _VALUE),
        ("language", _VALUE),
        ("site", _VALUE),
        ("address", _VALUE),
        ("description", _VALUE),
        ("tags", pa.list_(_VALUE)),
        ("categories", pa.list_(_VALUE)),
        ("image", _VALUE),
        ("licence", _VALUE),
        ("page_type", _PAGE_TYPE),
    ]
)
SCHEMA = pa.schema(
    [
        ("id", _TEXT),
        ("url", _TEXT),
        ("date", _TEXT),
        ("title", _TEXT),
        ("status", _TEXT),
        ("message", _TEXT),
        ("truncated", _TEXT),
        ("encoding", _TEXT),
        ("encoding_guessed", pa.bool_()),
        ("score", pa.float32()),
        ("presence", _PRESENCE),
        ("source", _TEXT),
        ("text", _TEXT),
        ("blocks", pa.list_(_BLOCK)),
        ("comments", pa.list_(_BLOCK)),
        ("thread", pa.float32()),
        ("rules", pa.list_(_RULE)),
        ("levels", _LEVELS),
        ("left_out", pa.list_(_LEFT_OUT_BLOCK)),
        ("site_places", _SITE_PLACES),
        ("metadata", _METADATA),
        ("duplicate_of", _TEXT),
        ("duplicate_paragraphs", pa.list_(_REPEATED)),
        ("model", _TEXT),
        ("with", pa.list_(_TEXT)),
    ]
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
