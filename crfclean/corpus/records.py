"""Read the records of files: pages, and the failures to read them.

The kind of a file is recognised by its content: a WARC file, JSONL (an object per line, with the
page in a field), or one page. WARC and JSONL files may be packed (gzip, xz, zstd).
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from crfclean.corpus.streams import Damage, Unpacked
from crfclean.io import needing_extra
from crfclean.page.decode import MAX_BYTES
from crfclean.types import CrfcleanError

PAGE, JSONL, WARC, FOLDER = "page", "jsonl", "warc", "folder"
HTTP = "http"
"""Reason of a cut: the crawler stored an HTTP response that ended early."""
MAX_SNIFF = 2**20  # bytes of a first line that are searched for the page's field
MAX_ESCAPED = 6  # bytes of JSON for one byte of a page, at most
_WARC_START = re.compile(rb"\s{0,8}WARC/\d\.\d\s*\n")
_ARC_START = b"filedesc://"
_JSONL_START = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,64}\{\s{0,64}\"")


@dataclass(frozen=True, slots=True)
class Record:
    """One page of a file, as bytes or text, with the metadata that the file has.

    `file` is the file of the record, "" for the file of its job. `charset` comes from the HTTP
    header; `truncated` is the crawler's reason to cut the page, or `HTTP`, or both.
    `problem` is the reason why the page is missing; without an `id`, nothing else is known of the
    loss. `left_out` is the reason why the record is no page. An unopened record has only its
    `length` in bytes, and `read` opens it.
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
    read: Callable[[], Record] | None = field(default=None, repr=False)
    file: str = ""

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
        return self if self.read is None else replace(self.read(), file=self.file)


def damaged_record(damage: Damage) -> Record:
    """Return the record of a loss of which nothing else is known."""
    return Record("", problem=f"{damage.message}, at byte {damage.at:,} of what is unpacked")


@dataclass(frozen=True, slots=True)
class Fields:
    """The names of the fields of JSONL files with the page, its URL and its id."""

    html_field: str = "html"
    url_field: str = "url"
    id_field: str = "id"


def file_kind(path: Path, fields: Fields = Fields()) -> str:
    """Return `WARC`, `JSONL` or `PAGE` by the beginning of a file.

    Raises `OSError`, and `CrfcleanError` for an ARC file or a missing extra.
    """
    with path.open("rb") as file:
        stream = Unpacked(file)
        head = stream.peek(64)
        if _WARC_START.match(head):
            return WARC
        if head.startswith(_ARC_START):
            name = path.name.removesuffix(".gz").removesuffix(".arc")
            command = f"warcio recompress {path.name} {name}.warc.gz"
            raise CrfcleanError(f"an ARC file, not WARC: pip install warcio; {command}")
        if not _JSONL_START.match(head):
            return PAGE
        end = stream.find(b"\n", 0, MAX_SNIFF)
        line = stream.peek(MAX_SNIFF if end < 0 else end)
    field_name = re.escape(json.dumps(fields.html_field).encode())
    return JSONL if re.search(rb"(?<!\\)" + field_name + rb"\s*:", line) else PAGE


def records_of(
    path: Path | None,
    kind: str,
    fields: Fields = Fields(),
    max_bytes: int = MAX_BYTES,
    *,
    opened: bool = True,
) -> Iterator[Record]:
    """Yield the records of a file (None: standard input) of a known kind; pages stay packed.

    At most one byte more than `max_bytes` is read of a page. Damage gives records with a `problem`.
    Without `opened`, JSON is not parsed until a record is opened. Raises `OSError`, and
    `CrfcleanError` for a missing extra.
    """
    if kind == PAGE:
        yield Record(str(path or "-"), read_source(path, max_bytes))
        return
    if path is None:
        raise CrfcleanError("standard input can only be one page")
    with path.open("rb") as file:
        if kind == WARC:
            warc = import_module("crfclean.corpus.warc")  # which imports this module
            yield from warc.read_warc(Unpacked(file), max_bytes)
            return
        for record in read_jsonl(Unpacked(file), fields, max_bytes):
            yield record.opened if opened else record


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


def unread_page(path: Path, size: int, max_bytes: int) -> Record:
    """Return an unopened record of a page's file of a size."""
    return Record(
        str(path), length=min(size, max_bytes), read=partial(_page_record, path, max_bytes)
    )


def _page_record(path: Path, max_bytes: int) -> Record:
    try:
        return Record(str(path), read_source(path, max_bytes))
    except OSError as error:
        return Record(str(path), problem=f"cannot be read: {error.strerror}")


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
        return import_module("crfclean.fetch.fetch")


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
    return Record(name, html, url, date, truncated=_text(row.get("truncated")))


def _text(value: object) -> str:
    """Return a text or whole number as text; "" for anything else."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
