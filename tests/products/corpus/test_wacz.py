"""Tests of `corpus/wacz.py`: WARC files in a zip, whole, damaged and hostile."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
from pathlib import Path

import pytest
from warcs import record

from crfclean.products.corpus import wacz
from crfclean.products.corpus.records import PAGE, WACZ, Record, file_kind
from crfclean.products.corpus.wacz import read_wacz

PAGES = [b"<p>Ferry %d in the ice.</p>" % number for number in range(4)]
RECORDS = [record(f"https://e.org/{n}", page) for n, page in enumerate(PAGES)]
WARC = b"".join(RECORDS)
NOISE = random.Random(7).randbytes(99_999)  # does not pack


class Pipe(io.BytesIO):
    """A stream that cannot seek: zips written to it have the sizes behind the data."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: int) -> int:
        raise OSError("no seeking")

    def tell(self) -> int:
        raise OSError("no telling")


def zipped(entries: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> bytes:
    stream = io.BytesIO()
    write(stream, entries, method)
    return stream.getvalue()


def write(stream: io.BytesIO, entries: dict[str, bytes], method: int) -> None:
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def read(tmp_path: Path, data: bytes) -> list[Record]:
    path = tmp_path / "x.wacz"
    path.write_bytes(data)
    return [each.opened for each in read_wacz(path, 10**6)]


def pages(records: list[Record]) -> list[bytes | str]:
    return [each.data for each in records if not each.problem]


def problems(records: list[Record]) -> list[str]:
    return [each.problem for each in records if each.problem]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_all_warc_files_are_read_in_order(tmp_path: Path, method: int) -> None:
    entries = {
        "datapackage.json": b"{}",
        "archive/b.warc.gz": WARC,
        "archive/a.warc": b"".join(map(gzip.decompress, RECORDS)),
        "pages/pages.jsonl": b'{"html": "<p>"}',
        "other/c.warc.gz": WARC,
    }
    assert pages(read(tmp_path, zipped(entries, method))) == PAGES + PAGES


def test_a_streamed_zip_is_read(tmp_path: Path) -> None:
    stream = Pipe()
    write(stream, {"archive/a.warc.gz": WARC}, zipfile.ZIP_STORED)
    assert pages(read(tmp_path, stream.getvalue())) == PAGES


def test_a_zip_is_known_by_its_name(tmp_path: Path) -> None:
    for name, kind in {"x.wacz": WACZ, "X.WACZ": WACZ, "x.docx": PAGE}.items():
        (tmp_path / name).write_bytes(zipped({"archive/a.warc.gz": WARC}))
        assert file_kind(tmp_path / name) == kind
    (tmp_path / "y.wacz").write_bytes(b"<p>404")
    assert file_kind(tmp_path / "y.wacz") == PAGE


# damage


def test_damage_costs_its_record_alone(tmp_path: Path) -> None:
    """The sum of the zip is wrong, too: checked, it would cost the last records."""
    data = bytearray(zipped({"archive/a.warc.gz": WARC}))
    place = data.find(RECORDS[1]) + 20
    data[place : place + 9] = b"\xff" * 9
    records = read(tmp_path, bytes(data))
    assert pages(records) == [PAGES[0], *PAGES[2:]]
    assert len(problems(records)) == 1


def test_a_damaged_entry_costs_itself_alone(tmp_path: Path) -> None:
    entries = {"archive/a.warc": gzip.decompress(WARC), "archive/b.warc.gz": WARC}
    data = bytearray(zipped(entries, zipfile.ZIP_DEFLATED))
    data[50:90] = b"\xff" * 40
    records = read(tmp_path, bytes(data))
    assert pages(records) == PAGES
    (problem,) = problems(records)
    assert problem.startswith("archive/a.warc cannot be read: ")


@pytest.mark.parametrize("size", [4, 100, -1])
def test_a_zip_that_is_cut_is_refused(tmp_path: Path, size: int) -> None:
    with pytest.raises(OSError, match="a damaged or incomplete zip archive"):
        read(tmp_path, zipped({"archive/a.warc.gz": WARC})[:size])


def test_random_damage_raises_nothing_else(tmp_path: Path) -> None:
    chance = random.Random(3)
    whole = zipped({"archive/a.warc.gz": WARC[:300], "archive/b.warc": b"x"}, zipfile.ZIP_DEFLATED)
    told = set()
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 9])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            read(tmp_path, bytes(data))
        except OSError as error:
            told.add((error.strerror or "").partition(":")[0])
    assert told == {
        "a damaged or incomplete zip archive",
        "it has no WARC files in its folder archive/",
    }


# what is no WACZ


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"datapackage.json": b"{}"}, "it has no WARC files in its folder archive/"),
        ({"crawl-1.wacz": b"PK", "datapackage.json": b"{}"}, "it has WACZ files in it: unzip it"),
    ],
)
def test_a_zip_without_warc_files_is_refused(
    tmp_path: Path, entries: dict[str, bytes], message: str
) -> None:
    with pytest.raises(OSError, match=message):
        read(tmp_path, zipped(entries))


# hostile ones


def test_a_bomb_in_a_bomb_is_refused(tmp_path: Path) -> None:
    """Each packing makes 1,000 bytes of one: both together, a terabyte of a megabyte."""
    bomb = gzip.compress(bytes(10**7))
    data = zipped({"archive/a.warc.gz": bomb, "archive/b.warc.gz": WARC}, zipfile.ZIP_DEFLATED)
    records = read(tmp_path, data)
    assert pages(records) == PAGES
    told = "archive/a.warc.gz cannot be read: it is packed twice, and its size grows too much"
    assert problems(records) == [told]


def test_other_packings_are_refused(tmp_path: Path) -> None:
    records = read(tmp_path, zipped({"archive/a.warc.gz": WARC}, zipfile.ZIP_BZIP2))
    assert [problem.partition(": ")[2] for problem in problems(records)] == [
        "it is packed otherwise than by deflate"
    ]


def test_encrypted_entries_are_refused(tmp_path: Path) -> None:
    data = bytearray(zipped({"archive/a.warc.gz": WARC}))
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    (problem,) = problems(read(tmp_path, bytes(data)))
    assert problem.endswith("it is encrypted")


def test_many_names_of_the_same_bytes_are_refused(tmp_path: Path) -> None:
    data = zipped({"archive/a.warc": NOISE, "archive/b.warc": b""})
    start = data.find(b"PK\x01\x02")
    first = data[start : start + 46 + len("archive/a.warc")]
    second = first.replace(b"archive/a", b"archive/b")
    end = data[data.find(b"PK\x05\x06") :]
    with pytest.raises(OSError, match="its entries overlap"):
        read(tmp_path, data[:start] + first + second + end)


def test_a_long_list_of_entries_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wacz, "MAX_DIRECTORY", 10_000)
    entries = {f"archive/{number}.warc": b"" for number in range(300)}
    with pytest.raises(OSError, match="its list of entries is too long"):
        read(tmp_path, zipped(entries))
