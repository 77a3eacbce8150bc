"""Tests of `corpus/site_notes.py`: what is kept of many sites' pages in a file."""

from __future__ import annotations

import errno
import tempfile
from io import BytesIO
from pathlib import Path

import pytest

from crfclean.corpus.record import Record
from crfclean.corpus.site_notes import (
    SiteFile,
    packed_notes,
    packed_record,
    site_file,
    unpacked_notes,
    unpacked_record,
)
from crfclean.site_rules.values import PageNotes
from crfclean.types import CrfcleanError

NOTES = PageNotes(
    "a.example",
    "https://a.example/1",
    {"div#main p": (12.0, 0.1 + 0.2), "h1": (3.0, 1e-300)},
    {"0f": "Grüße \ud800", "0a": ""},
    0.9345678901234567,
    {"title": "h1"},
)


def test_notes_are_the_same_again() -> None:
    again = unpacked_notes("a.example", packed_notes(NOTES))
    assert again == NOTES
    assert list(again.texts) == ["0f", "0a"], "their order, by which equal texts are shown"


@pytest.mark.parametrize("data", [b"\x00\xff<p>", "<p>\ud800 Gr\u00fc\u00dfe"])
def test_pages_are_the_same_again(data: bytes | str) -> None:
    record = Record("x.html", data, "https://a.example/1", charset="utf-8")
    assert unpacked_record(packed_record(record)) == record


def test_values_of_sites_in_their_order() -> None:
    with site_file() as file:
        for number in range(6):
            file.add("ab"[number % 2], bytes([number]) * number)
        assert file.sites() == ["a", "b"]
        first = file.values_of("b")
        assert next(first) == b"\x01"
        assert list(file.values_of("a")) == [b"", b"\x02" * 2, b"\x04" * 4]
        assert list(first) == [b"\x03" * 3, b"\x05" * 5]
        file.add("a", b"new")
        assert (file.count("a"), file.count("b"), file.count("c")) == (4, 3, 0)
        assert list(file.values_of("a"))[-1] == b"new"
        assert list(file.values_of("c")) == []


def test_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with site_file() as file:
        file.add("a", b"x" * 100_000)
    assert list(tmp_path.iterdir()) == []


class FullDisk(BytesIO):
    """A file on a disk that has no space left."""

    def write(self, _data: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_told() -> None:
    with pytest.raises(CrfcleanError, match="temporary file: No space left"):
        SiteFile(FullDisk()).add("a", b"x")


def test_a_missing_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(CrfcleanError, match="temporary file: No such file"), site_file():
        pass
