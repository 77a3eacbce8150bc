"""Tests of `corpus/records.py`: the lines of `read_jsonl`, and files that change."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from crfclean.corpus.records import STEP, Fields, Line, line_places, read_jsonl, read_places
from crfclean.corpus.streams import Unpacked
from crfclean.types import CrfcleanError

MAX_LINE = 3 * STEP
FILES = {
    "lines": b'{"html": "<p>"}\n{"html": "<b>"}\n',
    "no last end": b'{"html": "<p>"}\n{"id": "x"}',
    "blank lines": b'\n \t\r\n{"html": "<p>"}\r\n\x0b\x0c\n\n{"id": "x"}\n  ',
    "a mark": b'\xef\xbb\xbf{"html": "<p>"}\n\xef\xbb\xbf\n',
    "empty": b"",
    "a line as long as may be": b"x" * (MAX_LINE - 1) + b"\n{}\n",
    "a line one byte too long": b"x" * MAX_LINE + b"\n{}\n",
    "a long line without end": b"{}\n" + b"x" * MAX_LINE,
    "a line over several reads": b"{}\n" + b" " * STEP + b"[" + b" " * STEP + b"\n{}\n",
    "a blank line over several reads": b"{}\n" + b" " * (2 * STEP) + b"\n{}\n",
    "an end at the end of a read": b" " * (STEP - 1) + b"\n{}\n",
}


def lines_of(path: Path, max_line: int = MAX_LINE) -> list[Line]:
    with path.open("rb") as file:
        return list(line_places(path, file, max_line))


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_lines_are_those_of_the_file(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    lines = lines_of(tmp_path / "x")
    expected = io.BytesIO(data).readlines()
    assert [line.place.read() for line in lines] == expected
    assert [line.blank for line in lines] == [not line.strip() for line in expected]
    too_long = [len(line.rstrip(b"\n")) >= MAX_LINE for line in expected]
    assert [line.too_long for line in lines] == too_long


@pytest.mark.parametrize("data", FILES.values(), ids=FILES)
def test_records_are_those_of_a_stream(
    tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crfclean.corpus.records._max_line", lambda _: MAX_LINE)
    (tmp_path / "x").write_bytes(data)
    with (tmp_path / "x").open("rb") as file:
        at_places = list(read_places(tmp_path / "x", file, Fields(), 0))
    streamed = list(read_jsonl(Unpacked(io.BytesIO(data)), Fields(), 0))
    assert [record.opened for record in at_places] == [record.opened for record in streamed]
    assert [record.size for record in at_places] == [record.size for record in streamed]


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    (path.parent / "new").write_bytes(path.read_bytes())
    (path.parent / "new").replace(path)


def cut(path: Path) -> None:
    os.truncate(path, 9)


def joined(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"2}\n", b"2} "))


def parted(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b": 2", b"\n 2"))


@pytest.mark.parametrize("change", [removed, replaced, cut, joined, parted])
def test_a_file_that_changed_is_an_error_that_names_it(tmp_path: Path, change: object) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a": 3}\n')
    place = lines_of(path)[1].place
    assert place.read() == b'{"a": 2}\n'
    change(path)  # type: ignore[operator]
    with pytest.raises(CrfcleanError, match=r"x: .*, at byte 9: resume the run"):
        place.read()


def test_a_file_that_grows_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'{"a": 1}\n{"a": 2}')
    places = [line.place for line in lines_of(tmp_path / "x")]
    with (tmp_path / "x").open("ab") as file:
        file.write(b"\n{}\n")
    assert [place.read() for place in places] == [b'{"a": 1}\n', b'{"a": 2}']
