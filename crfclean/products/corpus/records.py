"""Read the records of files, packed or not: pages, and the failures to read them.

A packed file is a sequence of members (gzip, xz) or frames (zstd). Each begins with the magic
number of its format. After damage, reading continues with the next member.

The work is linear in the packed and unpacked bytes, also for hostile files.
"""

from __future__ import annotations

import io
import json
import re
import signal
import sys
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple

from crfclean import door
from crfclean.io import needing_extra
from crfclean.page.decode import WARC_START
from crfclean.page.head import host
from crfclean.page.page_names import is_page
from crfclean.products.corpus.params import Fields
from crfclean.types import CrfcleanError

STEP = 8_192  # bytes read at once
_PLAIN_STEP = 8 * STEP  # of a file that is not packed
KEPT = 8 * STEP  # bytes of a damaged member that are searched for the next member
MAX_RETRIED = 4  # bytes searched again after damage, as a multiple of the bytes read so far
_LONGEST_MAGIC = 6
_MAX_WINDOW = 2**27  # bytes: members and frames that would need more memory are refused
_MAX_DICTIONARY = 2**24  # bytes of a dictionary of zstd; those of ArchiveTeam have 2**20
_BAD_DICTIONARY = f"its zstd dictionary is damaged, or has more than {_MAX_DICTIONARY:,} bytes"
_MAX_LINE = 2**31  # bytes: longer than any row
_LINE_STEP = 2**20


def zstd_module() -> Any:
    """Import the library of zstd (extra `zst`); raises `CrfcleanError` if it is missing."""
    with needing_extra("zst", "zstd needs its extra"):
        import zstandard
    return zstandard


def _xz_unpacker() -> Any:
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _MAX_WINDOW)


def _zstd_unpacker() -> Any:
    return _zstd_engine(None)()


def _zstd_engine(dictionary: Any) -> Callable[[], Any]:
    """Return a function that makes an unpacker of one frame; raises `CrfcleanError`."""
    zstd = zstd_module()
    engine: Callable[[], Any] = zstd.ZstdDecompressor(
        dictionary, max_window_size=_MAX_WINDOW
    ).decompressobj
    return engine


def _zstd_dictionary(stored: bytes) -> Any:
    """Return the dictionary of a file, which may be packed itself; raises `CrfcleanError`."""
    zstd, data = zstd_module(), stored
    try:
        if stored.startswith(ZSTD):
            unpacker = zstd.ZstdDecompressor(max_window_size=_MAX_WINDOW)
            data = unpacker.stream_reader(stored).read(_MAX_DICTIONARY + 1)
        if not data or len(data) > _MAX_DICTIONARY:
            raise CrfcleanError(_BAD_DICTIONARY)
        return zstd.ZstdCompressionDict(data)
    except zstd.ZstdError as error:
        raise CrfcleanError(_BAD_DICTIONARY) from error


def _broken(name: str) -> tuple[type[Exception], ...]:
    """Return the errors that the unpacker of a format raises for damaged data."""
    import lzma

    zstd = (zstd_module().ZstdError,) if name == "zstd" else ()
    return (zlib.error, lzma.LZMAError, *zstd)


class Packing(NamedTuple):
    """A packed format: its name, and a function that makes an unpacker of one member.

    `step` packed bytes are unpacked at once: a bomb makes no more than 16 MB of them.
    """

    name: str
    engine: Callable[[], Any]
    step: int


GZIP, ZSTD, ZSTD_DICTIONARY = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18"
PACKINGS: Mapping[bytes, Packing] = {
    GZIP: Packing("gzip", partial(zlib.decompressobj, 31), STEP),
    b"\xfd7zXZ\x00": Packing("xz", _xz_unpacker, STEP // 4),
    ZSTD: Packing("zstd", _zstd_unpacker, STEP // 16),
    ZSTD_DICTIONARY: Packing("zstd", _zstd_unpacker, STEP // 16),
}
"""Magic number -> format. A `.warc.zst` of ArchiveTeam begins with the dictionary of its frames."""


class Damage(NamedTuple):
    """A place `at` of the unpacked bytes before which bytes are missing; `message` says why.

    The bytes of the same member from `began` to `at` may be wrong.
    """

    began: int
    at: int
    message: str

    def affects(self, start: int, end: int) -> bool:
        """Return whether the unpacked bytes [start, end) are the last bytes before the damage."""
        return self.began < end and start < self.at <= end


class Unpacked:
    """The unpacked bytes of a stream, peeked at and taken from its start to its end.

    `position` is the number of bytes taken; the stream is at the byte `start` of its file. `damage`
    grows while bytes are unpacked; the reader removes its items. Raises the `OSError`s of the
    stream, and `CrfcleanError` if zstd is not installed.
    """

    def __init__(self, stream: IO[bytes], start: int = 0) -> None:
        self.damage: deque[Damage] = deque()
        self.position = 0
        self._start = start
        self._members: dict[int, int] = {}
        self._is_plain = False
        self._step = STEP
        self._raw = self._read(stream)
        self._packed = 0
        self._retried = 0
        self._buffer = bytearray()
        self._unpacked = 0
        self._parts = self._unpack()

    def fill(self, size: int) -> int:
        """Buffer the next `size` bytes, fewer at the end; return their number."""
        while len(self._buffer) < size:
            part = next(self._parts, None)
            if part is None:
                break
            self._buffer += part
        return min(size, len(self._buffer))

    def peek(self, size: int, offset: int = 0) -> bytes:
        """Return a copy of `size` bytes from here, or `offset` further on; fewer at the end."""
        self.fill(offset + size)
        with memoryview(self._buffer) as buffer:
            return bytes(buffer[offset : offset + size])

    def take(self, size: int) -> bytes:
        """Take and return the next `size` bytes, fewer at the end."""
        taken = self.peek(size)
        del self._buffer[: len(taken)]
        self.position += len(taken)
        return taken

    def find(self, needle: bytes, start: int, end: int) -> int:
        """Return the first place of `needle` within [start, end) from here; -1 if it is absent."""
        while True:
            buffered = len(self._buffer)
            place = self._buffer.find(needle, start, end)
            if place >= 0 or buffered >= end:
                return place
            if self.fill(buffered + 1) <= buffered:
                return -1
            start = max(start, buffered - len(needle) + 1)

    def search(self, pattern: re.Pattern[bytes], start: int, end: int) -> int:
        """Return the end of the first match of `pattern` within [start, end) from here, or -1."""
        self.fill(end)
        match = pattern.search(self._buffer, start, end)
        return match.end() if match else -1

    @property
    def place(self) -> int | None:
        """The byte of the file from which another reader can continue; None inside a member.

        Bytes after the position must be buffered.
        """
        return self._start + self.position if self._is_plain else self._members.get(self.position)

    def _read(self, stream: IO[bytes]) -> Iterator[bytes]:
        while part := stream.read(self._step):
            self._packed += len(part)
            yield part

    def _unpack(self) -> Iterator[bytes]:
        packed = self._filled(b"")
        magic = next((magic for magic in PACKINGS if packed.startswith(magic)), b"")
        if not magic:
            self._step, self._is_plain = _PLAIN_STEP, True
            yield packed
            yield from self._raw
            return
        self._engine = PACKINGS[magic].engine
        if magic == ZSTD_DICTIONARY:
            packed, magic = self._filled(self._with_dictionary(packed)), ZSTD
        while packed:
            if packed.startswith(magic):
                packed = self._filled((yield from self._member(packed, magic)))
            else:
                packed = self._next_member(packed, magic)

    def _filled(self, packed: bytes, size: int = _LONGEST_MAGIC) -> bytes:
        """Return the packed bytes with following ones, so that there are at least `size`."""
        parts, length = [packed], len(packed)
        while length < size and (part := next(self._raw, b"")):
            parts.append(part)
            length += len(part)
        return b"".join(parts)

    def _with_dictionary(self, packed: bytes) -> bytes:
        """Read the skippable frame with the dictionary of zstd; return the packed bytes after it.

        https://iipc.github.io/warc-specifications/specifications/warc-zstd/
        """
        packed = self._filled(packed, 8)
        end = 8 + int.from_bytes(packed[4:8], "little")
        if end > _MAX_DICTIONARY:
            raise CrfcleanError(_BAD_DICTIONARY)
        packed = self._filled(packed, end)
        self._engine = _zstd_engine(_zstd_dictionary(packed[8:end]))
        return packed[end:]

    def _member(self, packed: bytes, magic: bytes) -> Generator[bytes, None, bytes]:
        """Yield a member's bytes; return the packed bytes after it (after the magic if damaged)."""
        packing, kept, began, at = PACKINGS[magic], b"", self._unpacked, 0
        engine = self._engine()
        self._note_member(self._start + self._packed - len(packed))
        while not engine.eof:
            if at >= len(packed):
                kept = (kept + packed)[-KEPT:]
                packed, at = next(self._raw, b""), 0
            if not packed:
                self._note_damage(began, f"the file ends inside its {packing.name} data")
                return b""
            chunk = packed[at : at + packing.step]
            at += len(chunk)
            try:
                part = engine.decompress(chunk)
            except _broken(packing.name):
                self._note_damage(began, f"damaged {packing.name} data")
                return self._again(kept + packed[:at]) + packed[at:]
            self._unpacked += len(part)
            yield part
        return bytes(engine.unused_data) + packed[at:]

    def _note_member(self, place: int) -> None:
        """Note where a member begins; an empty member is replaced by the next member."""
        self._members[self._unpacked] = place
        while (first := next(iter(self._members))) < self.position:
            del self._members[first]

    def _again(self, damaged: bytes) -> bytes:
        """Return the bytes of a damaged member in which the next member is searched.

        Return b"" if too many bytes were searched before. Otherwise a file in which members seem to
        begin at every third byte would be unpacked again from each of these places.
        """
        if self._retried + len(damaged) > KEPT + MAX_RETRIED * self._packed:
            return b""
        self._retried += len(damaged)
        return damaged[1:]

    def _next_member(self, packed: bytes, magic: bytes) -> bytes:
        """Drop the bytes before the next magic number; zeros count as padding, not as damage."""
        junk = False
        while (place := packed.find(magic)) < 0:
            part = next(self._raw, b"")
            # the last bytes may be the beginning of a magic number
            searched = max(len(packed) - len(magic) + 1, 0) if part else len(packed)
            junk = junk or bool(packed[:searched].strip(b"\0"))
            packed = packed[searched:] + part
            if not part:
                break
        if junk or packed[: max(place, 0)].strip(b"\0"):
            self._note_damage(self._unpacked, f"bytes that are no {PACKINGS[magic].name} data")
        return packed[place:] if place >= 0 else b""

    def _note_damage(self, began: int, message: str) -> None:
        if not self.damage or self.damage[-1].at < self._unpacked:
            self.damage.append(Damage(began, self._unpacked, message))


def packed_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, plain or packed, with line ends; raises `OSError` for damage."""
    with path.open("rb") as file:
        stream = Unpacked(file)
        while size := stream.find(b"\n", 0, _MAX_LINE) + 1 or stream.fill(_LINE_STEP):
            if stream.damage:
                raise OSError(0, stream.damage[0].message)
            yield stream.take(size)
        if stream.damage:
            raise OSError(0, stream.damage[0].message)


# read the records of files: pages, and the failures to read them
#
# The kind of a file is recognised by its content: a WARC file, JSONL (an object per line, with
# the page in a field), or one page. WARC and JSONL files may be packed (gzip, xz, zstd). Only WACZ
# also needs its name: many formats are zip archives. The suffix tells input formats of other
# packages; see the door.

STDIN = STDOUT = "-"
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
PAGE, JSONL, WARC, WACZ, FOLDER = "page", "jsonl", "warc", "wacz", "folder"
HTTP = "http"
"""Reason of a cut: the crawler stored an HTTP response that ended early."""
MAX_SNIFF = 2**20  # bytes of the first lines that are searched for the page's field
MAX_ESCAPED = 6  # bytes of JSON for one byte of a page, at most
_WARC_START = re.compile(WARC_START.encode())
_ARC_START = b"filedesc://"
_ZIP_START = b"PK\x03\x04"
_JSON_STARTS: Mapping[re.Pattern[bytes], str] = {
    re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*\""): "",
    re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{"): (
        "a JSON array, not a page on each line: jq -c '.[]' converts it"
    ),
    re.compile(rb"(?:\xff\xfe|\xfe\xff)[\s\0]*[\[{][\s\0]*[{\"]"): (
        "UTF-16: convert it to UTF-8 (iconv -f utf-16 -t utf-8)"
    ),
}
"""Beginning of a JSON file -> the reason to refuse its pages, "" for JSONL."""


class Record(NamedTuple):
    """One page of a file, as bytes or text, with the metadata that the file has.

    `file` is the file of the record, "" for the file of its job. `charset` comes from the HTTP
    header; `truncated` is the crawler's reason to cut the page, or `HTTP`, or both.
    `problem` is the reason why the page is missing; without an `id`, nothing else is known of the
    loss. `left_out` is the reason why the record is no page. `repeated` are those of its `Page`.
    `place` is the directory of a page's file. An unopened record has only its `length` in bytes,
    and `read` opens it.
    """

    id: str
    data: bytes | str = b""
    url: str | None = None
    date: str = ""
    charset: str = ""
    truncated: str = ""
    problem: str = ""
    left_out: str = ""
    length: int = 0
    read: Callable[[], Record] | None = None
    file: str = ""
    place: str = ""
    repeated: frozenset[int] = frozenset()

    @property
    def size(self) -> int:
        """The bytes (or characters) of the page, read or not."""
        return len(self.data) + self.length

    def cuts(self, reason: str) -> str:
        """Return all reasons why the page is cut: the record's, and that of reading the page.

        >>> Record("1", truncated="length,bytes").cuts("bytes"), Record("1").cuts("")
        ('length,bytes', '')
        """
        return ",".join(filter(None, dict.fromkeys([*self.truncated.split(","), reason])))

    @property
    def opened(self) -> Record:
        """The record after it is read."""
        if self.read is None:
            return self
        return self.read()._replace(file=self.file, place=self.place)

    @property
    def site(self) -> str:
        """The host of an opened record's URL, or its directory; "" if it has neither."""
        return host(self.url) or self.place


def damaged_record(damage: Damage) -> Record:
    """Return the record of a page that was lost for an unknown reason."""
    return Record("", problem=f"{damage.message}, at byte {damage.at:,} of what is unpacked")


class MissingFieldError(CrfcleanError):
    """A JSONL file does not have the page's field in its first lines."""


def file_kind(path: Path, fields: Fields = Fields()) -> str:
    """Return `WARC`, `WACZ`, `JSONL` or `PAGE` by the beginning of a file.

    A file with the suffix of another package's input format is of the kind with this name. Raises
    `OSError`, `MissingFieldError`, and `CrfcleanError` for an ARC file or a missing extra.
    """
    if added := added_kind(path.name):
        return added
    with path.open("rb") as file:
        return _kind_of(Unpacked(file), path.name, fields)


def added_kind(name: str) -> str:
    """Return the name of another package's input format that is the suffix of a file, or ""."""
    suffix = Path(name).suffix.removeprefix(".").lower()
    if not suffix or suffix in _OUR_SUFFIXES or is_page(name):  # ask no package for these
        return ""
    return suffix if door.has("inputs", suffix) else ""


_OUR_SUFFIXES = frozenset(["gz", "xz", "zst", "txt", "json", *door.names("inputs")])


def _kind_of(stream: Unpacked, name: str, fields: Fields) -> str:
    head = stream.peek(64)
    if _WARC_START.match(head):
        return WARC
    if head.startswith(_ZIP_START) and name.lower().endswith(".wacz"):
        return WACZ
    if head.startswith(_ARC_START):
        stem = name.removesuffix(".gz").removesuffix(".arc")
        command = f"warcio recompress {name} {stem}.warc.gz"
        raise CrfcleanError(f"an ARC file, not WARC: pip install warcio; {command}")
    refused = next((why for start, why in _JSON_STARTS.items() if start.match(head)), None)
    if refused is None:
        return PAGE
    data, field_name = stream.peek(MAX_SNIFF), json.dumps(fields.html_field)
    has_field = re.search(
        rb"(?<!\\)" + re.escape(field_name.encode()) + rb"\s*:", data.replace(b"\0", b"")
    )
    if has_field and refused:
        raise CrfcleanError(refused)
    if has_field or refused:
        return JSONL if has_field else PAGE
    line = data.partition(b"\n")[0]
    names = _field_names(line)
    if is_page(name) or (not names and len(line) < MAX_SNIFF):
        return PAGE
    # {"content": "<p>...", "uri": "..."}: as a page, 64 MB of JSON became one text
    has = f"; the first has {', '.join(json.dumps(name[:40]) for name in names[:8])}"
    raise MissingFieldError(
        f"its first lines have no field {field_name}{has if names else ''}: name the fields of "
        "the page, its URL and its id, as in --fields content,url,id"
    )


def _field_names(line: bytes) -> list[str]:
    """Return the names of the fields of a JSON object, [] for other text."""
    with suppress(ValueError, RecursionError):
        row = json.loads(line)
        return list(row) if isinstance(row, dict) else []
    return []


def records_of(path: Path, fields: Fields, max_bytes: int) -> Iterator[Record]:
    """Yield the unopened records of a JSONL file, as `read_jsonl` does; raises `OSError`."""
    with path.open("rb") as file:
        yield from read_jsonl(Unpacked(file), fields, max_bytes)


def read_source(path: Path | None, max_bytes: int) -> bytes:
    """Read a page's file or standard input, at most one byte more than `max_bytes`."""
    if path is None:
        with _ended_by_signals():
            return sys.stdin.buffer.read(max_bytes + 1)
    with path.open("rb") as stream:
        return stream.read(max_bytes + 1)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """A context in which one SIGINT or SIGTERM ends this process: no one may ever end its input."""
    stops = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: signal.signal(number, signal.SIG_DFL) for number in stops}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def page_of(source: Path | str, max_bytes: int) -> Record:
    """Return the record of a page's file, or of a URL, unopened; "-" is standard input, and read.

    A `Path` is a file, whatever its name is.
    """
    if isinstance(source, Path):
        return Record(str(source), read=partial(_page_record, source, max_bytes))
    if source == STDIN:
        data = read_source(None, max_bytes)
        return Record(STDIN, data, problem=CORPUS_AT_STDIN if _is_corpus(data) else "")
    return Record(source, url=source, read=partial(fetch_record, source))


CORPUS_AT_STDIN = "a WARC, WACZ or JSONL file: name it, as standard input is read as one page"


def _is_corpus(data: bytes) -> bool:
    """Return whether data is a WARC, WACZ or JSONL file, with whatever fields."""
    name = ".wacz" if b"archive/" in data else ""  # a name of an entry of the zip, never packed
    try:
        return _kind_of(Unpacked(io.BytesIO(data)), name, Fields()) != PAGE
    except CrfcleanError:  # JSONL with other fields, ARC
        return True


def _page_record(path: Path, max_bytes: int) -> Record:
    """Read the record of a page's file; the `problem` of a failure has the reason."""
    try:
        return Record(str(path), read_source(path, max_bytes))
    except OSError as error:
        return Record(str(path), problem=f"cannot be read: {error.strerror}")


def is_url(source: str) -> bool:
    r"""Return whether IN is a URL (of any scheme) and no path.

    >>> is_url("https://example.org/"), is_url("C:\\\\pages"), is_url("pages")
    (True, False, False)
    """
    return _URL.match(source) is not None


def fetch_record(url: str) -> Record:
    """Fetch the page of a URL; the `problem` of a failure has the reason."""
    module = fetch_module()
    try:
        page = module.fetch(url)
    except module.FetchError as error:
        return Record(url, url=url, problem=str(error))
    return Record(url, page.data, page.url, charset=page.charset)


def fetch_module() -> Any:
    """Import the module that fetches (extra `fetch`); raises `CrfcleanError` if it is missing."""
    with needing_extra("fetch", "URLs need their extra"):
        return import_module("crfclean.products.corpus.fetch")


def read_jsonl(stream: Unpacked, fields: Fields, max_bytes: int) -> Iterator[Record]:
    """Yield an unopened record for every line that is not blank; lines torn by damage give none.

    Each byte is searched a bounded number of times, however many lines are torn.
    """
    max_line, number, torn = MAX_ESCAPED * max_bytes + MAX_SNIFF, 0, False
    while True:
        ahead = (damage.at - stream.position for damage in stream.damage)
        whole = next((size for size in ahead if size > 0), max_line)
        end = stream.find(b"\n", 0, min(whole, max_line))
        size = end + 1 if end >= 0 else stream.fill(max_line)
        stream.fill(size + 1)  # so that damage right behind the line is seen
        while stream.damage and stream.damage[0].at <= stream.position:
            torn = True
            yield damaged_record(stream.damage.popleft())
        if stream.damage and stream.damage[0].affects(stream.position, stream.position + size):
            stream.take(stream.damage[0].at - stream.position)
            continue
        if not size:
            return
        line = stream.take(size)
        number += 1
        if end < 0 and size == max_line:
            _skip_line(stream)
            yield Record(str(number), problem=f"a line of more than {max_line:,} bytes")
        elif line.strip():
            record = Record("", length=size, read=partial(_record, line, number, fields))
            if not (torn and record.opened.problem):
                yield record
        torn = False


def _skip_line(stream: Unpacked) -> None:
    while (end := stream.find(b"\n", 0, MAX_SNIFF)) < 0:
        if not stream.take(MAX_SNIFF):
            return
    stream.take(end + 1)


def _record(line: bytes, number: int, fields: Fields) -> Record:
    try:
        row = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return Record(str(number), problem=f"line {number}: no JSON: {error}"[:120])
    if not isinstance(row, Mapping):
        return Record(str(number), problem=f"line {number}: no JSON object")
    name, html = _text(row.get(fields.id_field)) or str(number), row.get(fields.html_field)
    url, date = _text(row.get(fields.url_field)) or None, _text(row.get("date"))
    if not isinstance(html, str):
        problem = f"line {number}: no text in the field {fields.html_field!r}"
        return Record(name, url=url, date=date, problem=problem)
    if wrong := _wrong_value(row, fields):
        return Record(name, url=url, date=date, problem=f"line {number}: {wrong}")
    return Record(name, html, url, date, truncated=_text(row.get("truncated")))


_NO_TEXT = {list: "a list", dict: "an object", bool: "true or false"}
"""Type of a value that is no text -> its name in JSON. A number has a text, and null is none."""


def _wrong_value(row: Mapping[str, Any], fields: Fields) -> str:
    """Return what is wrong with the id or the URL of a row, "" for nothing.

    `["a", "b"]` is no id; in its place the number of the line would name another page.
    """
    for name in (fields.id_field, fields.url_field):
        if what := _NO_TEXT.get(type(row.get(name))):
            return f"{what} in the field {name!r}, which is no text or number"
    return ""


def _text(value: object) -> str:
    """Return a text or number as text; "" for anything else."""
    return (
        str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
    )
