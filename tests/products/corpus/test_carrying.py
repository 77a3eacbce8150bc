"""Tests of `corpus/carrying.py`, and of what becomes of the columns in every format."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batchpages import PARAMS, RESUME
from jobplans import jobs_of, small_parts
from killing import killed_before
from lxml import etree
from tei_schemas import simple_print, subset
from warcs import record

from crfclean.document.columns import RowColumn
from crfclean.document.page_text import TextWriter
from crfclean.products.corpus import carrying
from crfclean.products.corpus.carrying import carried, carried_names
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.duplicates import Signer
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.jobs import DONE
from crfclean.products.corpus.params import Fields, ResumeParams
from crfclean.products.corpus.records import records_of
from crfclean.types import CrfcleanError

FRESH = ResumeParams()
NAMES = ("n", "share", "is_new", "day", "labels")
ROWS: list[dict[str, Any]] = [
    {"n": 3, "share": 0.5, "is_new": True, "day": "2024-05-07", "labels": ["a", "b"]},
    {"n": None, "share": None, "is_new": None, "day": None, "labels": None},
]
CARRIED = [row | {"labels": row["labels"] and '["a", "b"]'} for row in ROWS]


def page(number: int) -> str:
    return f"<p>Home</p><p>The ferry number {number} sails again.</p>"


def jsonl(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    lines = (json.dumps({"html": page(n)} | row) + "\n" for n, row in enumerate(rows))
    path.write_text("".join(lines))
    return path


def parquet(path: Path, rows: list[dict[str, Any]] = ROWS) -> Path:
    pa = pytest.importorskip("pyarrow", reason="pip install 'crfclean[parquet]'")
    import pyarrow.parquet as pq

    table = pa.Table.from_pylist([{"html": page(n)} | row for n, row in enumerate(rows)])
    pq.write_table(table, path, row_group_size=3)
    return path


def clean(
    source: Path,
    target: Path | str,
    names: tuple[str, ...] = NAMES,
    *,
    operation: BatchParams = PARAMS,
    params: ResumeParams = FRESH,
    workers: int = 0,
) -> list[str]:
    """Clean a corpus with columns of its own; returns the statuses."""
    form = operation.writer.format
    jobs = jobs_of(str(source), str(target), None if form == "txt" else form)
    columns = carried(names, jobs, operation.fields, 10**6)
    fields = operation.fields._replace(carry=tuple(column.name for column in columns))
    operation = replace(operation, fields=fields, carried=columns)
    results = clean_batch(jobs, operation, workers, params=params)
    return [result.status for result in results]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def values(made: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in NAMES} for row in made]


# names


def test_what_a_row_has_from_the_same_field_is_not_carried() -> None:
    assert carried_names(["n", "url", "n", "id", "crawled"], Fields(), "csv") == ("n",)
    assert carried_names(["uri", "id"], Fields("html", "uri"), "vert") == ("uri",)


REFUSED = {
    "another column of rows": ("title", "jsonl", "title: jsonl has its own title: rename"),
    "a nested column": ("blocks", "parquet", "blocks: parquet has its own blocks"),
    "the URL of another field": ("url", "csv", "url: csv has its own url"),
    "an attribute": ("date", "vert", "date: vert has its own date"),
    "a date of the crawl without an attribute": ("Crawled", "vertical", "Crawled: a name in vert"),
    "capital letters": ("WARC-Date", "vert", "WARC-Date: a name in vert has only a-z, 0-9 and _"),
    "no name of XML": ("a b", "tei", "a b: a name in tei has only letters without accents"),
    "a format without a place": ("n", "txt", "txt has no place for other columns: choose from js"),
    "a file of JSON for each page": ("n", "jsonl/", "jsonl/ has no place for other columns"),
}


@pytest.mark.parametrize(("name", "form", "message"), REFUSED.values(), ids=REFUSED)
def test_other_names_are_refused(name: str, form: str, message: str) -> None:
    with pytest.raises(CrfcleanError, match=f"^--carry:? {message}"):
        carried_names([name], Fields("html", "uri"), form)


@pytest.mark.parametrize("made", [jsonl, parquet])
def test_a_name_that_no_input_has_is_an_error(tmp_path: Path, made: Any) -> None:
    made(tmp_path / "x")
    with pytest.raises(CrfcleanError, match=r"^--carry m: no input has such a column or field$"):
        clean(tmp_path / "x", tmp_path / "out.jsonl", ("n", "m"))
    assert not (tmp_path / "out.jsonl").exists()


def test_the_search_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carrying, "MAX_SEARCHED", 2**20)
    long = {"html": "x" * 2**21}
    with pytest.raises(CrfcleanError, match=r"has such a column or field in the first 1 MB$"):
        clean(jsonl(tmp_path / "x", [long, long, ROWS[0]]), tmp_path / "out.jsonl", ("n",))


def test_one_of_several_inputs_is_enough(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    jsonl(tmp_path / "in" / "a.jsonl", [{"other": 1}])
    jsonl(tmp_path / "in" / "b.jsonl")
    assert clean(tmp_path / "in", tmp_path / "out.jsonl") == ["ok"] * 3
    assert values(rows(tmp_path / "out.jsonl")) == [dict.fromkeys(NAMES), *CARRIED]


# rows


@pytest.mark.parametrize("made", [jsonl, parquet])
def test_rows_have_the_columns_after_their_own(tmp_path: Path, made: Any) -> None:
    clean(made(tmp_path / "x"), tmp_path / "out.jsonl")
    written = rows(tmp_path / "out.jsonl")
    assert values(written) == CARRIED
    assert tuple(written[0])[-6:] == ("duplicate_of", *NAMES)


def test_numbers_of_json_that_are_none_are_null(tmp_path: Path) -> None:
    text = '{"html": "<p>", "n": NaN, "m": 1e999, "o": "NaN"}\n'
    (tmp_path / "x.jsonl").write_text(text)
    fields = Fields(carry=("n", "m", "o"))
    (read,) = records_of(tmp_path / "x.jsonl", fields, 99)
    assert read.opened.extra == {"n": None, "m": None, "o": "NaN"}


def test_a_failed_page_keeps_its_columns(tmp_path: Path) -> None:
    path = parquet(tmp_path / "x.parquet", [ROWS[0], ROWS[0] | {"html": None}])
    assert clean(path, tmp_path / "out.jsonl") == ["ok", "failed"]
    failed = rows(tmp_path / "out.jsonl")[1]
    assert (failed["id"], failed["input"]) == ("2", str(path))
    assert failed["message"] == "row 2: no text in the field 'html'"
    assert values([failed]) == [CARRIED[0]]


def test_a_duplicate_keeps_its_columns(tmp_path: Path) -> None:
    same = [{"html": page(0), "n": 1}, {"html": page(0), "n": 2}]
    operation = replace(PARAMS, signer=Signer("exact"))
    clean(jsonl(tmp_path / "x", same), tmp_path / "out.jsonl", ("n",), operation=operation)
    made = rows(tmp_path / "out.jsonl")
    assert [(row["status"], row["n"]) for row in made] == [("ok", 1), ("duplicate", 2)]


def test_csv_has_them_as_texts(tmp_path: Path) -> None:
    clean(parquet(tmp_path / "x"), tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as stream:
        first, second = csv.DictReader(stream, strict=True)
    assert values([first, second]) == [
        {**CARRIED[0], "n": "3", "share": "0.5", "is_new": "true"},
        dict.fromkeys(NAMES, ""),
    ]


@pytest.mark.parametrize("made", [jsonl, parquet])
def test_parquet_keeps_the_types_of_parquet(tmp_path: Path, made: Any) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="pip install 'crfclean[parquet]'")
    clean(made(tmp_path / "x"), tmp_path / "out.parquet")
    table = pq.ParquetFile(tmp_path / "out.parquet").read().select(NAMES)
    if made is parquet:
        assert [str(kind) for kind in table.schema.types[:3]] == ["int64", "double", "bool"]
        assert table.to_pylist() == CARRIED
    else:
        assert {str(kind) for kind in table.schema.types} == {"string"}
        assert table.to_pylist() == [
            CARRIED[0] | {"n": "3", "share": "0.5", "is_new": "true"},
            CARRIED[1],
        ]


TYPES = {
    "integers and numbers": ([1], [0.5], "real"),
    "an empty part": ([1], [None], "count"),
    "numbers and texts": ([1], ["1"], "text"),
    "one type": ([True], [False], "flag"),
}


@pytest.mark.parametrize(("one", "other", "kind"), TYPES.values(), ids=TYPES)
def test_parts_of_a_directory_have_one_type(
    tmp_path: Path, one: list[Any], other: list[Any], kind: str
) -> None:
    (tmp_path / "in").mkdir()
    for name, column in (("a", one), ("b", other)):
        parquet(tmp_path / "in" / f"{name}.parquet", [{"n": value} for value in column])
    jobs = jobs_of(str(tmp_path / "in"), str(tmp_path / "out.parquet"))
    assert carried(("n",), jobs, Fields(), 10**6) == (RowColumn("n", kind),)
    assert clean(tmp_path / "in", tmp_path / "out.parquet", ("n",)) == ["ok", "ok"]


def test_headers_of_warc_ignore_case(tmp_path: Path) -> None:
    data = gzip.decompress(record("https://e.org/", page(1).encode()))
    data = data.replace(b"WARC-Date", b"WARC-IP-Address: 192.0.2.1\r\nWARC-Date")
    (tmp_path / "x.warc").write_bytes(data)
    clean(tmp_path / "x.warc", tmp_path / "out.jsonl", ("WARC-IP-Address",))
    (row,) = rows(tmp_path / "out.jsonl")
    assert row["WARC-IP-Address"] == "192.0.2.1"


# texts


@pytest.mark.parametrize("form", ["vert", "vertical"])
def test_documents_have_them_as_attributes(tmp_path: Path, form: str) -> None:
    operation = replace(PARAMS, writer=TextWriter(form))
    clean(parquet(tmp_path / "x"), tmp_path / f"out.{form}", operation=operation)
    first, second = re.findall("<doc.*>", (tmp_path / f"out.{form}").read_text())
    assert first.startswith('<doc id="1" ')
    told = 'labels="[&quot;a&quot;, &quot;b&quot;]">'
    assert first.endswith(f' n="3" share="0.5" is_new="true" day="2024-05-07" {told}')
    assert "share" not in second


def test_tei_has_them_as_notes(tmp_path: Path) -> None:
    operation = replace(PARAMS, writer=TextWriter("tei"))
    clean(parquet(tmp_path / "x"), tmp_path / "out.tei", operation=operation)
    tree = etree.fromstring((tmp_path / "out.tei").read_bytes())
    for schema in (subset(), simple_print()):
        if schema is not None:
            schema.assertValid(tree)
    notes = tree.findall(".//{*}TEI[1]//{*}notesStmt/{*}note")
    assert {each.get("type"): each.text for each in notes} == {
        **CARRIED[0],
        "n": "3",
        "share": "0.5",
        "is_new": "true",
    }


# runs


def parts(folder: Path) -> Path:
    """A directory of Parquet parts, beside a page."""
    folder.mkdir()
    for number in range(3):
        rows = [{"n": 9 * number + row, "html": page(9 * number + row)} for row in range(9)]
        parquet(folder / f"train-{number:05}-of-00003.parquet", rows)
    (folder / "README.md").write_text("# Pages\n")
    return folder


def content(folder: Path) -> dict[str, bytes]:
    """All that a run has written, but for its locks."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("target", ["out.jsonl", "out.parquet", "out/"])
def test_any_number_of_workers_writes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    small_parts(monkeypatch, 300)
    source, made = parts(tmp_path / "in"), []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        out.mkdir()
        statuses = clean(source, f"{out}/{target}", ("n",), workers=workers)
        assert statuses.count("ok") == 27
        made.append(content(out))
    assert made[0] == made[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("target", ["out.jsonl", "out/"])
def test_a_killed_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    small_parts(monkeypatch, 300)
    source, places = parts(tmp_path / "in"), [tmp_path / "whole", tmp_path / "killed"]
    for place in places:
        place.mkdir()
    clean(source, f"{places[0]}/{target}", ("n",))
    assert killed_before(30, lambda: clean(source, f"{places[1]}/{target}", ("n",)))
    with pytest.raises(
        CrfcleanError, match=r"with other options: --carry was n \(count\), is not set:"
    ):
        clean(source, f"{places[1]}/{target}", (), params=RESUME)
    statuses = clean(source, f"{places[1]}/{target}", ("n",), params=RESUME)
    assert DONE in statuses
    assert 0 < statuses.count("ok") < 27
    assert content(places[1]) == content(places[0])
