"""Tests of `corpus/parquet.py`: the rows of a file are those of its lines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

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


def rows_of(tmp_path: Path, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (tmp_path / "part").write_bytes(gzip.compress(lines.encode()))
    parquet.write_parquet(tmp_path / "part", tmp_path / "rows.parquet")
    return [json.loads(line) for line in parquet.parquet_lines(tmp_path / "rows.parquet")]


def test_columns_are_the_keys_of_lines(tmp_path: Path) -> None:
    import pyarrow as pa

    expected = pa.Table.from_pylist(ROWS, parquet.SCHEMA).to_pylist()
    assert rows_of(tmp_path, ROWS) == expected


def test_damaged_files_are_errors_of_reading(tmp_path: Path) -> None:
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(OSError, match="damaged Parquet data"):
        list(parquet.parquet_lines(tmp_path / "rows.parquet"))
