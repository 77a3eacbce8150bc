"""Read the records of files: pages, and the failures to read them."""

from __future__ import annotations

import io
import json
import math
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from crfclean import door
from crfclean.io import needing_extra
from crfclean.page.decode import WARC_START
from crfclean.page.head import host
from crfclean.page.page_names import is_page
from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.unpacked import Damage, Unpacked
from crfclean.types import CrfcleanError

STDIN = STDOUT = "-"
_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
PAGE, JSONL, WARC, WACZ, PARQUET = "page", "jsonl", "warc", "wacz", "parquet"
FOLDER = "folder"
HTTP = "http"
"""Reason of a cut: the crawler stored an HTTP response that ended early."""
MAX_SNIFF = 2**20  # bytes of the first lines that are searched for the page's field
MAX_ESCAPED = 6  # bytes of JSON for one byte of a page, at most
_WARC_START = re.compile(WARC_START.encode())
_ARC_START = b"filedesc://"
_ZIP_START = b"PK\x03\x04"
_PARQUET_STARTS = (b"PAR1", b"PARE")  # the second one is encrypted
_LFS_START = b"version https://git-lfs.github.com/spec/"
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
    `place` is the directory of a page's file. `extra` are the values of its other fields, None, or
    text, numbers and flags. An unopened record has only its `length` in bytes, and `read` opens it.
    """

    id: str
    data: bytes | str = b""
    url: str | None = None
    crawled: str = ""
    charset: str = ""
    truncated: str = ""
    problem: str = ""
    left_out: str = ""
    length: int = 0
    read: Callable[[], Record] | None = None
    file: str = ""
    place: str = ""
    repeated: frozenset[int] = frozenset()
    extra: Mapping[str, Any] = {}

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

    def carried(self, name: str) -> Any:
        """Return the value of another field, None without it; names of headers ignore case."""
        return self.extra.get(name, self.extra.get(name.lower()))

    @property
    def site(self) -> str:
        """The host of an opened record's URL, or its directory; "" if it has neither."""
        return host(self.url) or self.place


def damaged_record(damage: Damage) -> Record:
    """Return the record of a page that was lost for an unknown reason."""
    return Record("", problem=f"{damage.message}, at byte {damage.at:,} of what is unpacked")


class MissingFieldError(CrfcleanError):
    """A file of the format `form` does not have the page's field, JSONL in its first lines."""

    form = "JSONL"


class MissingColumnError(MissingFieldError):
    """A Parquet file does not have the page's column."""

    form = "Parquet"


def file_kind(path: Path, fields: Fields = Fields()) -> str:
    """Return `WARC`, `WACZ`, `JSONL`, `PARQUET` or `PAGE` by the beginning of a file.

    A file with the suffix of another package's input format is of the kind with this name. Raises
    `OSError`, `MissingFieldError`, and `CrfcleanError` for an ARC file, a missing extra, or a
    Parquet file that cannot be read.
    """
    if added := added_kind(path.name):
        return added
    with path.open("rb") as file:
        kind = _kind_of(Unpacked(file), path.name, fields)
    if kind == PARQUET:
        parquet_input().page_column(path, fields)
    return kind


def parquet_input() -> Any:
    """Import what reads Parquet (extra `parquet`); raises `CrfcleanError` if it is missing."""
    with needing_extra("parquet", "Parquet needs its extra"):
        return import_module("crfclean.products.corpus.parquet_input")


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
    if head.startswith(_PARQUET_STARTS):
        return PARQUET
    if head.startswith(_ARC_START):
        stem = name.removesuffix(".gz").removesuffix(".arc")
        command = f"warcio recompress {name} {stem}.warc.gz"
        raise CrfcleanError(f"an ARC file, not WARC: pip install warcio; {command}")
    if head.startswith(_LFS_START) and name.lower().endswith(".parquet"):
        raise CrfcleanError("a pointer of Git LFS in place of the file: git lfs pull fetches it")
    refused = next((why for start, why in _JSON_STARTS.items() if start.match(head)), None)
    return PAGE if refused is None else _kind_of_json(stream, refused, name, fields)


def _kind_of_json(stream: Unpacked, refused: str, name: str, fields: Fields) -> str:
    """Return `JSONL`, or `PAGE` for other JSON; `refused` is a value of `_JSON_STARTS`."""
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


CORPUS_AT_STDIN = (
    "a WARC, WACZ, JSONL or Parquet file: name it, as standard input is read as one page"
)


def _is_corpus(data: bytes) -> bool:
    """Return whether data is a WARC, WACZ, JSONL or Parquet file, with whatever fields."""
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
        if not isinstance(row, Mapping):
            return Record(str(number), problem=f"line {number}: no JSON object")
        return record_of_row(row, number, fields, "line")
    except (ValueError, RecursionError) as error:
        return Record(str(number), problem=f"line {number}: no JSON: {error}"[:120])


def record_of_row(row: Mapping[str, Any], number: int, fields: Fields, unit: str) -> Record:
    """Return the record of a row; its page is a text, or bytes in Parquet.

    `unit` is the word for a row in a `problem`. Without an id, the number of the row is its id.
    """
    name, html = _text(row.get(fields.id_field)) or str(number), row.get(fields.html_field)
    url = _text(row.get(fields.url_field)) or None
    crawled = _text(row.get("crawled")) or _text(row.get("date"))
    extra = {each: _flat(row.get(each)) for each in fields.carry}
    if not isinstance(html, str | bytes):
        problem = f"{unit} {number}: no text in the field {fields.html_field!r}"
        return Record(name, url=url, crawled=crawled, problem=problem, extra=extra)
    if wrong := _wrong_value(row, fields):
        problem = f"{unit} {number}: {wrong}"
        return Record(name, url=url, crawled=crawled, problem=problem, extra=extra)
    return Record(name, html, url, crawled, truncated=_text(row.get("truncated")), extra=extra)


def _flat(value: Any) -> Any:
    """Return a value without parts: a list or an object is its JSON, a number is finite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


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
