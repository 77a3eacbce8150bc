"""Tests of `corpus/inputs.py`: how inputs are cut into parts, and what tells their state."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from batchpages import PARAMS
from jobplans import small_parts

from crfclean.products.corpus import inputs
from crfclean.products.corpus.inputs import CorpusReader, PartInput
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.records import FOLDER, JSONL, Record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with pages, a corpus, and what is no page."""
    for name in ("a.html", "b.html", "sub/c.html", "notes.txt"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{name}")
        os.utime(path, (1, 1))
    (tmp_path / "in" / "notes.txt").write_text("words")
    rows = ({"id": n, "html": "<p>", "url": f"https://{n}.example/"} for n in "xyz")
    (tmp_path / "in" / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "in"


def pieces(source: Path, kind: str = FOLDER) -> list[PartInput]:
    return list(CorpusReader(Job(source, None, kind=kind, shard="jsonl"), PARAMS).pieces())


def names(source: Path) -> list[str]:
    return ["".join(record.opened.id[-6:] for record in piece.records) for piece in pieces(source)]


def test_pages_and_lines_in_their_order(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(folder) == ["a.htmlb.html", "xyz", "c.html"]
    small_parts(monkeypatch, 60, 1)
    assert names(folder) == ["a.html", "b.html", "xy", "z", "c.html"]


def test_sites_of_pages(folder: Path) -> None:
    sites = [record.opened.place for piece in pieces(folder) for record in piece.records]
    assert sites == [str(folder), str(folder), "", "", "", str(folder / "sub")]


def test_files_left_out_are_told(folder: Path) -> None:
    reader = CorpusReader(Job(folder, None, kind=FOLDER), PARAMS)
    assert [(result.name, result.message) for result in reader.left_out] == [
        (str(folder / "notes.txt"), "no HTML")
    ]


def test_lines_are_left_to_workers(folder: Path) -> None:
    (piece,) = pieces(folder / "d.jsonl", JSONL)
    lines = (folder / "d.jsonl").read_bytes().splitlines(keepends=True)
    record = piece.records[1]
    assert (record.id, record.data, record.size) == ("", b"", len(lines[1]))
    opened = pickle.loads(pickle.dumps(record)).opened
    assert opened == Record("y", "<p>", "https://y.example/", file=str(folder / "d.jsonl"))


def _states(source: Path) -> list[str]:
    return [piece.input for piece in pieces(source)]


CHANGES: dict[str, tuple[Callable[[Path], object], list[int]]] = {
    "other file": (lambda folder: (folder / "notes.txt").write_text("more"), []),
    "time of a page": (lambda folder: os.utime(folder / "b.html", (2, 2)), [0]),
    "name of a page": (lambda folder: (folder / "b.html").rename(folder / "bb.html"), [0]),
    "text of a corpus": (
        lambda folder: (folder / "d.jsonl").write_bytes(
            (folder / "d.jsonl").read_bytes().replace(b"y.example", b"w.example")
        ),
        [1],
    ),
    "time of a corpus": (lambda folder: os.utime(folder / "d.jsonl", (2, 2)), [1]),
}
"""Change -> the numbers of pieces that differ."""


@pytest.mark.parametrize("name", CHANGES)
def test_state_of_inputs(folder: Path, name: str) -> None:
    before, (change, numbers) = _states(folder), CHANGES[name]
    change(folder)
    differ = [
        at for at, pair in enumerate(zip(before, _states(folder), strict=True)) if len({*pair}) > 1
    ]
    assert differ == numbers


def test_what_cannot_be_read(tmp_path: Path, folder: Path) -> None:
    """A single file ends the pieces; one of many is a page that failed."""
    reader = CorpusReader(Job(tmp_path / "absent", None, kind=JSONL), PARAMS)
    assert list(reader.pieces()) == []
    assert isinstance(reader.error, FileNotFoundError)
    sources = "https://a.example/1", str(tmp_path / "gone.html"), str(folder / "a.html")
    job = Job("-", None, kind=FOLDER, sources=sources)
    (piece,) = CorpusReader(job, PARAMS).pieces()
    fetched, *others = piece.records
    assert (fetched.id, fetched.url, fetched.data) == (*sources[:1] * 2, b"")
    assert [record.problem for record in others] == [
        "cannot be read: No such file or directory",
        "",
    ]


def test_large_files_have_parts_of_some_megabytes(tmp_path: Path) -> None:
    line = json.dumps({"html": "x" * 100_000}) + "\n"
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(line.encode() * 40))
    made = pieces(tmp_path / "x.jsonl.gz", JSONL)
    sizes = [sum(record.size for record in piece.records) for piece in made]
    assert [size // len(line) for size in sizes] == [11, 11, 11, 7]
    least, most = inputs.PART_BYTES
    assert (least, most) == (2**20, 16 * 2**20)
