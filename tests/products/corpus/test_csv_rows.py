"""Tests of `corpus/rows.py`: columns, formulas, and the way back."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.csv as pacsv
import pytest

from crfclean.document.columns import ROW_NAMES
from crfclean.io import cell_text
from crfclean.products.corpus.rows import PACKERS, csv_head, csv_lines

Command = Callable[..., Any]
ROW = {
    "id": "=cmd|' /C calc'!A0",
    "url": "https://example.org/1",
    "crawled": "2026-05-01",
    "title": "+ice",
    "status": "ok",
    "message": "",
    "score": 0.91,
    "text": '-1 degrees,\nsaid "Ann";\r\nice',
    "model": "abc",
    "authors": ["@Ann Lee", "Bo Orr"],
    "published": "2024-05-07",
    "language": "en",
    "page_type": "article",
    "encoding_guessed": False,
    "duplicate_of": "p0",
}
LOST: dict[str, Any] = dict.fromkeys(ROW) | {"id": "p2", "status": "crashed", "score": 0.0}


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    lines = "\n".join(map(json.dumps, rows)).encode()
    (folder / "out.csv").write_bytes(csv_head() + PACKERS["csv"](lines))
    return folder / "out.csv"


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_columns(tmp_path: Path) -> None:
    row, lost = cells(written(tmp_path, ROW, LOST))
    assert tuple(row) == ROW_NAMES
    assert row["id"] == "'=cmd|' /C calc'!A0"
    assert row["title"] == "'+ice"
    assert row["authors"] == "'@Ann Lee|Bo Orr"
    assert row["text"] == "'" + str(ROW["text"])
    named = {name: row[name] for name in ("published", "language", "site", "page_type", "score")}
    assert named == {
        "published": "2024-05-07",
        "language": "en",
        "site": "",
        "page_type": "article",
        "score": "0.9100",
    }
    assert row["duplicate_of"] == "p0"
    assert (lost["status"], lost["text"], lost["authors"]) == ("crashed", "", "")


HOSTILE = [
    *(f"a{chr(code)}b" for code in (*range(32), 127, 133, 0x2028)),
    *(f"{chr(code)}=1" for code in (*range(33), 0xFEFF)),
    *(
        "=1",
        "'=1",
        "''=1",
        "+1",
        "-1",
        "@x",
        '"',
        '",',
        "a\r\nb",
        ",",
        ";",
        "\\",
        "'tis",
        "#",
        "NULL",
    ),
]
"""Texts that break rows, or that a spreadsheet runs."""


def test_every_reader_reads_every_row_of_a_hostile_corpus(tmp_path: Path) -> None:
    """pandas and DuckDB read these rows, too; here are the readers that the tests have."""
    rows = [
        dict.fromkeys(("id", "url", "crawled", "text", "message", "truncated"), text)
        | {"status": "ok", "title": text, "authors": [text]}
        for text in HOSTILE
    ]
    path = written(tmp_path, *rows)
    with path.open(encoding="utf-8", newline="") as stream:
        assert {len(row) for row in csv.reader(stream, strict=True)} == {len(ROW_NAMES)}
    table = pacsv.read_csv(path, parse_options=pacsv.ParseOptions(newlines_in_values=True))
    assert table.shape == (len(HOSTILE), len(ROW_NAMES))
    assert [row["url"] for row in cells(path)] == table["url"].to_pylist()
    assert not [
        cell
        for row in cells(path)
        for cell in row.values()
        if cell.strip("\0").startswith(("=", "+", "-", "@"))
    ]
    again = list(map(json.loads, csv_lines(path)))
    assert [row["id"] for row in again] == [row["text"] for row in again] == HOSTILE


def test_rows_come_back_as_the_texts_of_their_cells(tmp_path: Path) -> None:
    written(tmp_path, ROW, LOST)
    again = list(map(json.loads, csv_lines(tmp_path / "out.csv")))
    assert [row["score"] for row in again] == [0.91, 0.0]
    texts = [row | {"score": f"{row['score']:.4f}"} for row in again]
    assert texts == [
        {name: cell_text(value) for name, value in row.items()}
        for row in cells(tmp_path / "out.csv")
    ]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"a,b\n1,2\n",
        b"\xff\xfe",
        ",".join(ROW_NAMES).encode() + b"\n1,2\n",
        ",".join(ROW_NAMES).encode() + b"\n" + b"1," * 30,
    ],
)
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "out.csv").write_bytes(data)
    with pytest.raises(OSError, match="damaged CSV data"):
        list(csv_lines(tmp_path / "out.csv"))


def test_a_corpus(tmp_path: Path, crfclean: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = "<html lang=en><title>Ice</title><article><h1>Ice</h1><p>=SUM(1) is what it says here."
    rows = [{"id": f"p{number}", "html": page} for number in range(3)]
    (tmp_path / "in.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    done = crfclean("clean", "in.jsonl", "out.csv", "--deduplicate", "exact")
    assert done.code == 0, done.err
    statuses = [(row["id"], row["status"], row["duplicate_of"]) for row in cells(Path("out.csv"))]
    assert statuses == [("p0", "ok", ""), ("p1", "duplicate", "p0"), ("p2", "duplicate", "p0")]
    assert crfclean("clean", "in.jsonl", "-", "--format", "csv").code == 2
    assert crfclean("metadata", "in.jsonl", "out2.csv").code == 2
