"""Tests of `corpus/records.py`: packed streams, whole and damaged."""

from __future__ import annotations

import gzip
import io
import lzma
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from warcs import ATTACKS, torn

from crfclean.products.corpus.inputs import FileRange, ranges_or_records
from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.records import read_jsonl
from crfclean.products.corpus.rows import PACKERS as ROWS
from crfclean.products.corpus.unpacked import STEP, ZSTD_DICTIONARY, Damage, Unpacked
from crfclean.types import CrfcleanError


def zst(data: bytes) -> bytes:
    pytest.importorskip("zstandard")
    return ROWS["jsonl.zst"](data)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": zst,
}
every_packer = pytest.mark.parametrize("name", PACKERS)
packed_ones = pytest.mark.parametrize("name", list(PACKERS)[1:])


def noise(size: int, seed: int = 0) -> bytes:
    """Bytes that do not pack."""
    return random.Random(seed).randbytes(size)


def opened(data: bytes) -> Unpacked:
    return Unpacked(io.BytesIO(data))


def rest(stream: Unpacked) -> bytes:
    parts = []
    while part := stream.take(10_000):
        parts.append(part)
    return b"".join(parts)


@every_packer
@pytest.mark.parametrize("size", [0, 1, 5, STEP, 5 * STEP + 1])
def test_bytes_come_back(name: str, size: int) -> None:
    data = noise(size)
    stream = opened(PACKERS[name](data))
    assert rest(stream) == data
    assert (stream.position, list(stream.damage)) == (size, [])


@packed_ones
def test_members_follow_each_other(name: str) -> None:
    pack = PACKERS[name]
    stream = opened(pack(b"one,") + pack(noise(20_000)) + pack(b"") + pack(b",three"))
    assert rest(stream) == b"one," + noise(20_000) + b",three"
    assert not stream.damage


@packed_ones
def test_junk_between_members_is_told(name: str) -> None:
    pack = PACKERS[name]
    stream = opened(pack(b"one") + b"junk" * 9_000 + pack(b"two"))
    assert rest(stream) == b"onetwo"
    assert list(stream.damage) == [Damage(3, 3, f"bytes that are no {name} data")]


@packed_ones
def test_damaged_member_costs_itself_alone(name: str) -> None:
    pack = PACKERS[name]
    bad = bytearray(pack(noise(60_000)))
    bad[30_000:30_040] = bytes(40)
    stream = opened(pack(b"before,") + bytes(bad) + pack(b",after"))
    found = rest(stream)
    assert found.startswith(b"before,")
    assert found.endswith(b",after")
    (damage,) = stream.damage
    assert (damage.began, damage.at, damage.message) == (
        7,
        len(found) - 6,
        f"damaged {name} data",
    )


@packed_ones
def test_bomb_is_unpacked_a_little_at_a_time(name: str) -> None:
    stream = opened(PACKERS[name](bytes(2**25)))
    assert stream.peek(10) == bytes(10)
    assert stream._unpacked <= 2**24


class Counted(Unpacked):
    """A stream that counts the bytes that are searched, or copied."""

    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))
        self.count = 0

    def peek(self, size: int, offset: int = 0) -> bytes:
        seen = super().peek(size, offset)
        self.count += len(seen)
        return seen

    def find(self, needle: bytes, start: int, end: int) -> int:
        place = super().find(needle, start, end)
        self.count += (place if place >= 0 else self.fill(end)) - start
        return place

    def search(self, pattern: re.Pattern[bytes], start: int, end: int) -> int:
        place = super().search(pattern, start, end)
        self.count += (place if place >= 0 else self.fill(end)) - start
        return place


@pytest.mark.parametrize("damage", [bytes, torn])
@pytest.mark.parametrize("name", ATTACKS)
def test_each_byte_of_a_warc_is_searched_a_bounded_number_of_times(
    name: str, damage: Callable[[bytes], bytes]
) -> None:
    warc = pytest.importorskip("crfclean.products.corpus.warc", exc_type=ImportError)
    stream = Counted(damage(ATTACKS[name]))
    for _ in warc.read_warc(stream, 10**7):
        pass
    assert stream.position == len(ATTACKS[name])
    assert stream.count <= 60 * stream.position  # 256 are looked at behind each `WARC/`


@pytest.mark.parametrize("line", [b"{}" * 150_000, b"{}\n" * 20_000, (b"[" * 50_000 + b"\n") * 5])
@pytest.mark.parametrize("damage", [bytes, torn])
def test_each_byte_of_jsonl_is_searched_a_bounded_number_of_times(
    line: bytes, damage: Callable[[bytes], bytes]
) -> None:
    stream = Counted(damage(line))
    for _ in read_jsonl(stream, Fields(), 10**7):
        pass
    assert stream.position == len(line)
    assert stream.count <= 5 * stream.position


@pytest.mark.parametrize(
    ("start", "end", "hurt"),
    [(0, 5, False), (5, 12, True), (12, 20, True), (12, 15, False), (20, 25, False)],
)
def test_what_damage_hurts(start: int, end: int, *, hurt: bool) -> None:
    at = 12 if end == 12 else 20
    assert Damage(10, at, "").affects(start, end) == hurt


def test_zstd_frames_are_equal_and_checked() -> None:
    data = b"lake " * 9_999
    assert zst(data) == zst(data)
    bad = bytearray(zst(data))
    bad[-1] ^= 1
    stream = opened(bytes(bad))
    rest(stream)
    assert [damage.message for damage in stream.damage] == ["damaged zstd data"]


# a dictionary before the frames of zstd, as in files `.warc.zst` of ArchiveTeam

ROW = b"<p>The ferry stayed in its harbour for week %d of the frost, and the lake froze over.</p>"
FRAMES = [ROW % number for number in range(300)]


def with_dictionary(*, packed: bool, frames: int = 300) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    dictionary = zstandard.train_dictionary(1_024, FRAMES)
    stored = dictionary.as_bytes()
    if packed:
        stored = zstandard.compress(stored)
    pack = zstandard.ZstdCompressor(dict_data=dictionary).compress
    return dictionary_frame(stored) + b"".join(map(pack, FRAMES[:frames]))


def dictionary_frame(stored: bytes) -> bytes:
    return ZSTD_DICTIONARY + len(stored).to_bytes(4, "little") + stored


@pytest.mark.parametrize("packed", [False, True])
def test_frames_are_read_with_the_dictionary_before_them(*, packed: bool) -> None:
    stream = opened(with_dictionary(packed=packed))
    assert rest(stream) == b"".join(FRAMES)
    assert not stream.damage


def test_a_damaged_frame_with_a_dictionary_costs_itself_alone() -> None:
    data = bytearray(with_dictionary(packed=False))
    end = len(with_dictionary(packed=False, frames=1))
    data[end + 4 : end + 12] = b"\xff" * 8
    stream = opened(bytes(data))
    assert rest(stream) == FRAMES[0] + b"".join(FRAMES[2:])
    assert [damage.message for damage in stream.damage] == ["damaged zstd data"]


def test_a_file_with_a_dictionary_has_no_cuts(tmp_path: Path) -> None:
    """A reader that begins further on would not know the dictionary."""
    stored = b"\n\r\nWARC/1.0\r\n" * 100
    (tmp_path / "x.warc.zst").write_bytes(dictionary_frame(stored) + stored)
    (part,) = ranges_or_records(tmp_path / "x.warc.zst", 10**6, 500)
    assert isinstance(part, FileRange)
    assert (part.start, part.stop) == (0, None)


BAD_DICTIONARIES = {
    "empty": lambda: dictionary_frame(b""),
    "long": lambda: ZSTD_DICTIONARY + b"\xff" * 99,
    "bomb": lambda: dictionary_frame(zst(bytes(2**28))),
    "damaged": lambda: dictionary_frame(b"\x28\xb5\x2f\xfd\x07" + b"x" * 99),
}


@pytest.mark.parametrize("name", BAD_DICTIONARIES)
def test_bad_dictionaries_are_refused(name: str) -> None:
    with pytest.raises(CrfcleanError, match="its zstd dictionary is damaged, or has more than"):
        opened(BAD_DICTIONARIES[name]()).peek(1)
