"""Tests of `corpus/parquet_input.py`: columns of every type; files that are damaged or hostile."""

from __future__ import annotations

import datetime as dt
import gzip
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.messages import EXIT_OK
from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.records import (
    PAGE,
    PARQUET,
    MissingColumnError,
    Record,
    file_kind,
)
from crfclean.types import CrfcleanError

pa = pytest.importorskip("pyarrow", reason="pip install 'crfclean[parquet]'")
pq = pytest.importorskip("pyarrow.parquet")
parquet_input = pytest.importorskip("crfclean.products.corpus.parquet_input")

Command = Callable[..., Any]
PAGES = [f"<p>Ferry {number} in the ice." for number in range(12)]
MOST = 10**6


def written(path: Path, columns: dict[str, Any], **options: Any) -> Path:
    """A Parquet file of columns."""
    pq.write_table(pa.table(columns), path, **options)
    return path


def read(path: Path, fields: Fields = Fields(), max_bytes: int = MOST) -> list[Record]:
    return list(parquet_input.read_parquet(path, fields, max_bytes))


TYPES = [
    *(pa.string(), pa.large_string(), pa.string_view()),
    *(pa.binary(), pa.large_binary(), pa.binary_view()),
    *(pa.dictionary(pa.int32(), kind) for kind in (pa.string(), pa.binary())),
]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_a_page_is_text_or_bytes(tmp_path: Path, kind: Any) -> None:
    values = ["<p>Fähre</p>", None, ""]
    plain = "binary" in str(kind)
    column = pa.array([value and value.encode() for value in values] if plain else values)
    path = written(tmp_path / "x.parquet", {"html": column.cast(kind)})
    assert file_kind(path) == PARQUET
    first, second, third = read(path)
    assert first == Record("1", "<p>Fähre</p>".encode() if plain else "<p>Fähre</p>")
    assert (second.id, second.problem) == ("2", "row 2: no text in the field 'html'")
    assert (third.data, third.problem) == (b"" if plain else "", "")


def test_other_columns_of_a_row(tmp_path: Path) -> None:
    moment = dt.datetime(2024, 5, 7, 10, 30, tzinfo=dt.UTC)
    columns = {
        "content": ["<p>", "<p>", "<p>"],
        "uri": ["https://e.org/", None, ""],
        "key": [2**60, None, 7],
        "date": pa.array([moment, None, None]).cast(pa.timestamp("ns", "America/New_York")),
        "truncated": ["length", None, ""],
    }
    path = written(tmp_path / "x.parquet", columns)
    assert read(path, Fields("content", "uri", "key")) == [
        Record(str(2**60), "<p>", "https://e.org/", "2024-05-07T10:30:00Z", truncated="length"),
        Record("2", "<p>"),
        Record("7", "<p>"),
    ]


def test_an_id_or_url_of_another_type_is_a_problem(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"html": ["<p>"], "url": [["a"]], "id": [{"a": 1}]})
    (row,) = read(path)
    assert row.problem == "row 1: an object in the field 'id', which is no text or number"


def test_a_text_that_is_not_utf_8_is_bytes(tmp_path: Path) -> None:
    wrong = pa.array([b"<p>F\xe4hre", b"<p>"]).view(pa.string())
    path = written(tmp_path / "x.parquet", {"html": wrong, "url": wrong})
    assert read(path) == [
        Record("1", b"<p>F\xe4hre", "<p>F\ufffdhre"),
        Record("2", "<p>", "<p>"),
    ]


def test_dates_of_any_year_are_read(tmp_path: Path) -> None:
    days = pa.array([10**7], pa.int32()).cast(pa.date32())
    path = written(tmp_path / "x.parquet", {"html": ["<p>"], "date": days})
    assert [row.crawled for row in read(path)] == ["29349-01-26"]


def test_a_long_page_is_cut_by_one_byte_more_than_the_limit(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"html": ["<p>" + "x" * 99]})
    assert [len(row.data) for row in read(path, max_bytes=10)] == [11]


def test_of_columns_with_one_name_the_last_counts(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["<p>1"]), pa.array(["<p>2"])], ["html", "html"])
    pq.write_table(table, tmp_path / "x.parquet")
    assert file_kind(tmp_path / "x.parquet") == PARQUET
    assert [row.data for row in read(tmp_path / "x.parquet")] == ["<p>2"]


# the column of pages


NAMED = {
    "html": ["html", "raw_html"],
    "raw_html": ["text", "raw_html"],
    "HTML": ["url", "HTML"],
}


@pytest.mark.parametrize(("name", "names"), NAMED.items(), ids=NAMED)
def test_the_column_of_pages_is_found(tmp_path: Path, name: str, names: list[str]) -> None:
    path = written(tmp_path / "x.parquet", {each: [f"<p>{each}"] for each in names})
    assert parquet_input.page_column(path, Fields()) == name
    assert [row.data for row in read(path)] == [f"<p>{name}"]


@pytest.mark.parametrize("names", [["content", "uri"], ["old_html", "new_html"]])
def test_without_a_column_of_pages_the_columns_are_named(tmp_path: Path, names: list[str]) -> None:
    path = written(tmp_path / "x.parquet", {each: ["<p>"] for each in names})
    told = f'^it has no column "html", but "{names[0]}", "{names[1]}": name the columns of the page'
    with pytest.raises(MissingColumnError, match=told):
        file_kind(path)
    assert file_kind(path, Fields(names[1])) == PARQUET


def test_a_named_column_is_not_replaced_by_another(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"html": ["<p>"]})
    with pytest.raises(MissingColumnError, match='no column "content"'):
        file_kind(path, Fields("content"))


@pytest.mark.parametrize("value", [1, ["<p>"], {"body": "<p>"}])
def test_other_types_are_no_pages(tmp_path: Path, value: object) -> None:
    path = written(tmp_path / "x.parquet", {"html": [value]})
    with pytest.raises(CrfcleanError, match='column "html" has neither text nor bytes, but '):
        file_kind(path)


# damage


def test_damage_costs_the_rest_of_its_row_group(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", {"html": PAGES}, row_group_size=4, use_dictionary=False)
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    data = bytearray(path.read_bytes())
    end = column.data_page_offset + column.total_compressed_size // 2
    data[end : end + 20] = b"\xff" * 20
    path.write_bytes(data)
    records = read(path)
    assert [row.data for row in records if row.id] == PAGES[:4] + PAGES[8:]
    assert [row.id for row in records[-4:]] == ["9", "10", "11", "12"]
    (problem,) = (row.problem for row in records if row.problem)
    assert problem.startswith("rows 5 to 8 cannot be read: ")


WRONG = {
    "its end": (lambda data: data[:-20], "damaged or incomplete Parquet: Parquet magic bytes not"),
    "its middle": (lambda data: data[:4] + data[-8:], "damaged or incomplete Parquet: "),
    "all but its name": (lambda _: b"PAR1PAR1", "damaged or incomplete Parquet: "),
    "plain": (lambda data: b"PARE" + data[4:-4] + b"PARE", "encrypted Parquet: decrypt it first"),
    "unpacked": (gzip.compress, "packed Parquet: unpack it first, as with gunzip"),
}


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_a_file_that_cannot_be_read_says_why(tmp_path: Path, change: Any, message: str) -> None:
    path = written(tmp_path / "x.parquet", {"html": PAGES})
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(CrfcleanError, match=f"^{message}"):
        file_kind(path)
    with pytest.raises(OSError, match=message):
        read(path)


def test_an_empty_file_is_an_empty_page_and_a_pointer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(b"")
    assert file_kind(path) == PAGE
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n")
    with pytest.raises(CrfcleanError, match=r"^a pointer of Git LFS in place of the file"):
        file_kind(path)


def test_random_damage_raises_nothing_else(tmp_path: Path) -> None:
    chance, path = random.Random(5), tmp_path / "x.parquet"
    columns = {"html": PAGES, "url": PAGES, "date": list(range(12)), "id": [["a"]] * 12}
    whole = written(path, columns, row_group_size=4, compression="snappy").read_bytes()
    outcomes = set[int | str]()
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 9])):
            data[chance.randrange(4, len(data))] = chance.randrange(256)
        path.write_bytes(data)
        try:
            file_kind(path)
            outcomes.add(len(read(path)))
        except (CrfcleanError, OSError) as error:
            outcomes.add(str(error).partition(":")[0][:16])
    assert {3, 9, 12, "damaged or incom"} <= outcomes


# hostile ones


def test_a_long_page_that_repeats_takes_its_memory_once(tmp_path: Path) -> None:
    """A dictionary has the page once: all rows of the group together would have a terabyte."""
    rows = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000), [b"<p>" + bytes(10**7)])
    path = written(tmp_path / "x.parquet", {"html": rows})
    records = parquet_input.read_parquet(path, Fields(), MOST)
    before = pa.total_allocated_bytes()
    assert {len(next(records).data) for _ in range(20)} == {MOST + 1}
    assert pa.total_allocated_bytes() - before < 8 * 10**7


def test_a_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_input, "_LARGE", 10**6)
    path = tmp_path / "x.parquet"
    written(path, {"html": ["<p>" + " " * 10**7]}, compression="zstd", use_dictionary=False)
    told = f"they unpack to 10,000,038 bytes, of a file of {path.stat().st_size:,}"
    assert [row.problem for row in read(path)] == [f"rows 1 to 1 cannot be read: {told}"]


# the command


LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. "


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with `data`: two parts, a README and a page."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for number in range(2):
        pages = [f"<h1>Ferry {number}{row}</h1><p>{LONG * 3}" for row in range(3)]
        columns = {"html": pages, "site_id": [10 * number + row for row in range(3)]}
        written(tmp_path / "data" / f"train-{number:05}-of-00002.parquet", columns)
    (tmp_path / "data" / "README.md").write_text("# Ferries\n")
    (tmp_path / "data" / "z.html").write_text(f"<h1>Ferry page</h1><p>{LONG * 3}")
    return tmp_path


def test_a_directory_may_have_parts_and_pages(crfclean: Command, folder: Path) -> None:
    arguments = ("--carry", "site_id", "--workers", "2", "--no-metadata")
    done = crfclean("clean", "data", "out.vertical", *arguments)
    assert (
        "7 pages: 7 cleaned, 0 without text, 0 failed; 1 file left out: no HTML (.md)" in done.err
    )
    heads = re.findall("<doc.*>", (folder / "out.vertical").read_text())
    assert [head.partition("site_id=")[2] for head in heads] == [
        *(f'"{number}">' for number in (0, 1, 2, 10, 11, 12)),
        "",
    ]
    assert 'id="1"' in heads[3]  # the number of its row
    done = crfclean("clean", "data", "out/", "--carry", "site_id")
    assert (folder / "out" / "z.txt").is_file()
    assert (folder / "out" / "part-00000.jsonl.gz").is_file()


def test_at_standard_input_the_way_out_is_told(crfclean: Command, folder: Path) -> None:
    data = (folder / "data" / "train-00000-of-00002.parquet").read_bytes()
    done = crfclean("clean", "-", stdin=data)
    assert "Parquet file: name it, as standard input is read as one page" in done.err
    assert not done.out


def test_only_parquet_of_rows_is_overwritten(crfclean: Command, folder: Path) -> None:
    first, second = sorted((folder / "data").glob("*.parquet"))
    for _ in range(2):
        assert crfclean("clean", first, "rows.parquet", "--no-metadata").code == EXIT_OK
    before = second.read_bytes()
    written(folder / "table.parquet", {"n": [1]})
    for other in (second, folder / "table.parquet"):
        done = crfclean("clean", first, other)
        assert "is an input page, but the last path is the output" in done.err
    assert second.read_bytes() == before


def test_files_without_pages_are_left_out_of_a_directory(crfclean: Command, folder: Path) -> None:
    written(folder / "data" / "labels.parquet", {"n": [1]})
    (folder / "data" / "cut.parquet").write_bytes(b"PAR1" + bytes(99))
    done = crfclean("clean", "data", "out.jsonl", "--no-metadata", "--failures", "failures.tsv")
    assert "8 pages: 7 cleaned, 0 without text, 1 failed; 2 files left out: " in done.err
    told = (folder / "failures.tsv").read_text()
    assert 'data/labels.parquet\tleft-out\tParquet without "html"\n' in told
    assert "data/cut.parquet\tfailed\tdamaged or incomplete Parquet: " in told


def test_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crfclean.products.corpus.parquet_input", None)
    told = r"^Parquet needs its extra: pip install 'crfclean\[parquet\]'"
    with pytest.raises(CrfcleanError, match=told):
        file_kind(folder / "data" / "train-00000-of-00002.parquet")
