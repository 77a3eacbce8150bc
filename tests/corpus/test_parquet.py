"""Tests of `corpus/parquet.py`: the rows of a file are those of its lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.shards import Shard
from crfclean.pipeline import clean
from crfclean.structure.parts import Show
from crfclean.writers.json import to_row

parquet = pytest.importorskip("crfclean.corpus.parquet", reason="pip install 'crfclean[parquet]'")

BLOCK = {
    "index": 3,
    "label": "TEXT",
    "probability": 0.9871,
    "xpath": "/html/body/p[2]",
    "text": 'With "quotes", \\ and \u0000',
    "span": [0, 20],
    "facts": {},
    "place": [{"path": "/html/body/p[2]/text()", "start": 0, "end": 20}],
}
ROWS = [
    {"id": "1", "url": None, "score": 1, "text": "plain", "blocks": None},
    {"id": "2", "score": 0.1234, "text": "långer \U0001f600", "blocks": [BLOCK], "unknown": [1]},
    {"id": "4", "site_places": {"site": "a.example", "places": [{"path": "main p", "words": 7}]}},
    {"id": "3", "text": "x" * 3 * 2**20, "blocks": [], "levels": {"strict": {"precision": 0.5}}},
]


def written(target: Path, rows: list[dict[str, Any]], member: int = 100) -> Path:
    """A Parquet file of rows, so many in a member of its part."""
    lines = [json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows]
    shard = Shard(target, "parquet", {}, ResumeParams(overwrite=True))
    for start in range(0, len(rows), member):
        shard.add(parquet.packed_rows(b"".join(lines[start : start + member])), {})
    for group in shard.seal():
        shard.join(group.packed())
    shard.publish()
    return target


def keys(value: Any, path: str = "") -> set[str]:
    """The paths of all keys of a JSON value."""
    if isinstance(value, list):
        return set().union(*(keys(item, path) for item in value))
    pairs = value.items() if isinstance(value, dict) else ()
    inner = (keys(item, f"{path}.{name}") for name, item in pairs)
    return {f"{path}.{name}" for name, _ in pairs}.union(*inner)


def test_every_field_of_a_row_has_a_column(tmp_path: Path) -> None:
    html = "<title>Ice</title><h1>Ice</h1><ul><li>The ferry stays in its harbour, says Ann.</ul>"
    show = Show(levels=True, left_out=True, site_places=True)
    row = json.loads(to_row(clean(html, "https://e.org/"), show, id="1", model="m", date=""))
    (line,) = parquet.parquet_lines(written(tmp_path / "rows.parquet", [row]))
    assert keys(row) <= keys(json.loads(line))
    assert not list(parquet.parquet_lines(written(tmp_path / "empty.parquet", [])))


def test_columns_are_the_keys_of_lines(tmp_path: Path) -> None:
    import pyarrow as pa

    expected = pa.Table.from_pylist(ROWS, parquet.SCHEMA).to_pylist()
    path = written(tmp_path / "rows.parquet", ROWS, 2)
    assert list(map(json.loads, parquet.parquet_lines(path))) == expected


def test_row_groups_that_are_joined_are_those_of_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page of a column is where the footer says, with its own statistics."""
    import pyarrow.parquet as pq

    monkeypatch.setattr(parquet, "_GROUP_ROWS", 7)
    rows = [ROWS[number % 3] | {"id": str(number), "score": number} for number in range(7 * 20)]
    joined = pq.ParquetFile(written(tmp_path / "joined.parquet", rows, 7))
    with pq.ParquetWriter(tmp_path / "whole.parquet", parquet.SCHEMA, **parquet.WRITING) as writer:
        for group in range(20):
            writer.write_table(joined.read_row_group(group), 7)
    whole = pq.ParquetFile(tmp_path / "whole.parquet")
    assert joined.metadata.to_dict() == whole.metadata.to_dict()
    assert joined.read().to_pylist() == whole.read().to_pylist()
    assert [row["id"] for row in joined.read(["id"]).to_pylist()] == [row["id"] for row in rows]
    group = joined.metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    dictionaries = {column.path_in_schema for column in columns if column.has_dictionary_page}
    assert "blocks.list.element.xpath" in dictionaries
    assert not dictionaries & {"text", "url", "blocks.list.element.text"}, "fastparquet"


def test_damaged_files_are_errors_of_reading(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(OSError, match="damaged Parquet data"):
        list(parquet.parquet_lines(tmp_path / "rows.parquet"))
