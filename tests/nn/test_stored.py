"""Tests of plain zip archives: what `numpy.savez` writes is read, all else is left to `zipfile`."""

from __future__ import annotations

import io
import zipfile

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.nn.files import stored_entries

PROPERTY = settings(max_examples=300, deadline=None, database=None, derandomize=True)


CONTENT = b"1" * 999


def saved(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def zipped(*names: str, packing: int = zipfile.ZIP_STORED, comment: bytes = b"") -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", packing) as archive:
        archive.comment = comment
        for name in names:
            archive.writestr(name, CONTENT)
    return stream.getvalue()


def by_library(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist()}


SAVED = saved(a=np.arange(5.0), b=np.zeros((2, 3), np.float32), c=np.array("rain"))


def test_other_archives_are_left_to_the_library() -> None:
    for data in (
        zipped("a", packing=zipfile.ZIP_DEFLATED),
        zipped("a", comment=b"words"),
        zipped("ö"),
        zipped("a", "b").replace(b"b", b"a"),
        zipped(),
        b"",
        b"PK",
        SAVED[:-1],
        SAVED + b"\0",
        b"words before" + SAVED,
        bytes(len(SAVED)),
    ):
        assert stored_entries(data) is None


def test_entries_that_share_their_bytes_are_left_to_the_library() -> None:
    """A small file may list its one entry a thousand times under different names."""
    plain = zipped("a")
    start = plain.index(b"PK\x01\x02")
    entry, end = plain[start:-22], plain[-22:]
    data = plain[:start] + entry + entry[:-1] + b"b" + entry[:-1] + b"c"
    counts = (3).to_bytes(2, "little") * 2 + (3 * len(entry)).to_bytes(4, "little")
    data += end[:8] + counts + end[16:]
    assert stored_entries(plain) == {"a": CONTENT}
    assert stored_entries(data) is None


@PROPERTY
@given(place=st.integers(0, len(SAVED) - 1), value=st.integers(0, 255))
def test_no_damage_gives_other_bytes(place: int, value: int) -> None:
    damaged = SAVED[:place] + bytes([value]) + SAVED[place + 1 :]
    entries = stored_entries(damaged)
    if entries is not None:
        contents = list(by_library(SAVED).values())
        assert list(entries.values()) == contents
