"""Tests of `corpus/parquet.py`: the rows of a file are those of its lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crfclean.document.columns import AddedColumns, added_columns
from crfclean.document.json import to_row
from crfclean.document.parts import Show
from crfclean.pipeline import clean
from crfclean.products.corpus.parts import RowFile

parquet = pytest.importorskip(
    "crfclean.products.corpus.parquet", reason="pip install 'crfclean[parquet]'"
)

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
ROWS: list[dict[str, Any]] = [
    {"id": "1", "url": None, "score": 1, "text": "plain", "blocks": None},
    {"id": "2", "score": 0.1234, "text": "långer \U0001f600", "blocks": [BLOCK], "unknown": [1]},
    {"id": "4", "site_places": {"site": "a.example", "places": [{"path": "main p", "words": 7}]}},
    {"id": "3", "text": "x" * 3 * 2**20, "blocks": [], "levels": {"strict": {"precision": 0.5}}},
]


SHOW = Show(blocks=True, evidence=True, levels=True, left_out=True, site_places=True)
NESTED = AddedColumns(added_columns(SHOW))


def written(target: Path, rows: list[dict[str, Any]]) -> Path:
    """A Parquet file of rows."""
    with RowFile(target, "parquet", columns=NESTED) as file:
        for row in rows:
            file.add(json.dumps(row, ensure_ascii=False).encode() + b"\n")
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
    row = json.loads(to_row(clean(html, "https://e.org/"), SHOW, id="1", model="m"))
    (line,) = parquet.parquet_lines(written(tmp_path / "rows.parquet", [row]))
    assert keys(row) <= keys(json.loads(line))
    assert not list(parquet.parquet_lines(written(tmp_path / "empty.parquet", [])))


def test_columns_are_the_keys_of_lines(tmp_path: Path) -> None:
    import pyarrow as pa

    expected = pa.Table.from_pylist(ROWS, parquet.schema_of(NESTED)).to_pylist()
    path = written(tmp_path / "rows.parquet", ROWS)
    assert list(map(json.loads, parquet.parquet_lines(path))) == expected


def test_files_that_are_joined_have_the_rows_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small parts share a row group; fastparquet can read its columns."""
    import pyarrow.parquet as pq

    monkeypatch.setattr(parquet, "_GROUP_ROWS", 7)
    rows = [ROWS[number % 3] | {"id": str(number), "score": number} for number in range(40)]
    parts = [written(tmp_path / f"{n}.parquet", rows[n * 4 : n * 4 + 4]) for n in range(10)]
    with RowFile(tmp_path / "joined.parquet", "parquet", columns=NESTED) as file:
        for part in parts:
            file.append(part)
    joined = pq.ParquetFile(tmp_path / "joined.parquet")
    whole = pq.ParquetFile(written(tmp_path / "whole.parquet", rows))
    assert joined.read().to_pylist() == whole.read().to_pylist()
    assert [joined.metadata.row_group(n).num_rows for n in range(joined.num_row_groups)] == [8] * 5
    group = joined.metadata.row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    dictionaries = {column.path_in_schema for column in columns if column.has_dictionary_page}
    assert "blocks.list.element.xpath" in dictionaries
    assert {"status", "language"} <= dictionaries
    assert not dictionaries & {"text", "url", "blocks.list.element.text"}, "fastparquet"


def test_damaged_files_are_errors_of_reading(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(OSError, match="damaged Parquet data"):
        list(parquet.parquet_lines(tmp_path / "rows.parquet"))
