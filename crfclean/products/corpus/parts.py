"""Clean a part of a corpus: read its pages, and write one file and a report beside it.

A worker appends the results of each page to a spool, which only this run reads. If the worker dies,
another one goes on behind the last page there, so no page is cleaned twice and one page is lost at
most. The rows are packed under a temporary name, and renamed at the end. The report is written
last: a part with a report is whole.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, NamedTuple, Self

from crfclean.document.columns import AddedColumns
from crfclean.document.page_text import FAILED, OK
from crfclean.io import naming_path, write_atomically
from crfclean.products.corpus.inputs import FileRange, RangeReader
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import (
    LEFT_OUT,
    Operation,
    PageInput,
    Result,
    lost,
    process_pages,
)
from crfclean.products.corpus.records import STDIN, Record, is_url
from crfclean.products.corpus.rows import PACKERS, csv_head, csv_rows, parquet_module
from crfclean.products.corpus.tasks import Lost, start_clock
from crfclean.products.corpus.texts import (
    TextPacking,
    has_files,
    named_text,
    packing,
    text_form,
)
from crfclean.types import CrfcleanError

MEMBER_BYTES = 4 * 2**20  # bytes of rows that are packed together
MAX_GROUP_BYTES = 8 * 2**20  # bytes of the pages of a site that are in memory together
_REST = 10  # pages whose time packing, and reading on, may take
_MOST_TRIES = 2  # of a page, or of packing, that kills each worker

RETRIED: Mapping[tuple[str, str], str] = {
    ("crashed", ""): "the machine, or another program on it, may have ended its process",
    ("over-time", ""): "the machine may have been busy, or the limit is another one now",
    ("over-memory", ""): "the machine may have been full, or the limit is another one now",
    ("stopped", ""): "its process was ended from outside",
    (FAILED, "cannot be read"): "its file could not be opened",
    (FAILED, "cannot be listed"): "its directory could not be opened",
}
"""Status and beginning of the message of retried pages -> the outside reason."""


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """A part of a corpus: its number, its pages, and the directory of its file.

    The pages are `records`, or those of a `range` of a file. `key` is the digest of options and
    input. The spool of a run has the run's `token` in its name. The record `at` was `lost`, in the
    last of `tries`. `sites` have the `repeated` texts of its pages; a part that `is_counted` is
    read to find them.
    """

    number: int
    folder: Path
    ending: str
    key: str
    token: str
    records: tuple[Record, ...] = ()
    range: FileRange | None = None
    at: int = -1
    lost: Lost | None = None
    tries: int = 0
    sites: Mapping[str, frozenset[int]] = field(default_factory=dict)
    is_counted: bool = False

    @property
    def path(self) -> Path:
        """The file of the rows, or the directory of the files of pages."""
        name = f"part-{self.number:05}"
        return self.folder / (name if has_files(self.ending) else f"{name}.{self.ending}")

    @property
    def report(self) -> Path:
        """The file of the report; no reader of a directory of tables reads its name."""
        return self.folder / f"_part-{self.number:05}.json"

    @property
    def counts(self) -> Path:
        """The file of the texts of each site."""
        return self.folder / f"_part-{self.number:05}.sites.json"

    @property
    def spool(self) -> Path:
        """The file of the results so far."""
        return self.folder / f".part-{self.number:05}.{self.token}.spool"

    @property
    def made(self) -> Path:
        """The file of the rows until it is whole."""
        return self.spool.with_suffix(".made")

    @property
    def size(self) -> int:
        """The bytes (or characters) of the pages that the part carries."""
        return sum(record.size for record in self.records)


@dataclass(frozen=True, slots=True)
class PartReport:
    """What became of a part: a file of `size` bytes and `rows` rows.

    `counts` are those of `Result.outcome`, without the inputs that are no pages: `left_out` counts
    them by their reason. `failures` have the name, status and message of each page without text.
    `retryable` counts those that failed for an outside reason. A range was read from the byte
    `start`, and the next record of its file begins at `end`. `signatures` have the id of each row
    and its signature in hexadecimal; `is_compared` if duplicates are left out.
    """

    key: str
    size: int = 0
    rows: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    failures: list[list[str]] = field(default_factory=list)
    retryable: int = 0
    start: int = 0
    end: int | None = None
    signatures: list[list[str]] = field(default_factory=list)
    is_compared: bool = False


def read_report(path: Path) -> PartReport | None:
    """Read the report of a part; None if it is missing or damaged."""
    try:
        row = json.loads(path.read_bytes())
        return PartReport(**{each.name: row[each.name] for each in fields(PartReport)})
    except (OSError, ValueError, KeyError, TypeError):
        return None


class PartAnswer(NamedTuple):
    """The answer for a part: its results without their lines, and its report."""

    results: list[Result]
    report: PartReport


class WriteError(CrfcleanError):
    """A file of a corpus cannot be written."""


def clean_part(part: CorpusPart, operation: Operation) -> PartAnswer:
    """Clean the pages of a part, after those that a worker which died has left in the spool.

    Raises `WriteError`, and `OSError` for input that cannot be read.
    """
    if not has_files(part.ending):
        packing_of(part.ending).pack(b"")  # loads what packs, outside of any page's time
    results = list[Result]()
    reader = part.range and RangeReader(part.range, operation.limits.max_bytes)
    with (
        open_spool(part) as spool,
        part_file(part.path, part.ending, part.made, operation.columns) as file,
    ):
        done = list(_spooled(spool))
        for result in chain(done, _results(part, reader, operation, len(done), spool)):
            start_clock(_REST)
            file.add(result.line)
            results.append(replace(result, line=b"", rows=int(bool(result.line))))
    report = reported(part, results)
    if reader is not None:
        report = replace(report, start=reader.part.start, end=reader.end)
    write_part_report(part, report)
    if operation.signer is None:  # else its rows are compared first
        with as_write_error(part.spool):
            part.spool.unlink()
    return PartAnswer(results, report)


def tried_again(part: CorpusPart, reason: Lost) -> list[CorpusPart]:
    """Return what to do after a worker was lost; [] to give up."""
    with open_spool(part) as spool:
        at = sum(1 for _ in pairs(spool))
    tries = part.tries + 1 if at == part.at else 1
    return [replace(part, at=at, lost=reason, tries=tries)] if tries <= _MOST_TRIES else []


_OF_ROW = re.compile(r"(?:line|row) \d")  # a problem of a row, whose id may be a URL


def is_retried(result: Result) -> bool:
    """Return whether a page failed for an outside reason; failed fetches always count."""
    if result.status == FAILED and is_url(result.record) and not _OF_ROW.match(result.message):
        return True
    return any(
        result.status == status and result.message.startswith(start) for status, start in RETRIED
    )


# the pages


def _results(
    part: CorpusPart, reader: RangeReader | None, operation: Operation, done: int, spool: IO[bytes]
) -> Iterator[Result]:
    """Yield the results behind the first `done` ones, each when it is in the spool."""
    place = 0
    for group in _groups(part, reader, operation):
        first, place = place, place + len(group)
        if place > done:
            for results in _of_group(group, first, part, operation, done):
                with as_write_error(part.spool):
                    spool.write(b"".join(map(_noted, results)))
                    spool.flush()
                yield from results


def _of_group(
    group: list[Record], first: int, part: CorpusPart, operation: Operation, done: int
) -> Iterator[list[Result]]:
    """Yield the results of pages that are read together, or one by one if this has failed."""
    if len(group) > 1 and first >= done and first != part.at:
        start_clock(len(group))
        together = _attempt(group, part.ending, operation)
        if isinstance(together, list):
            yield together
            return
    for number, record in enumerate(group[max(done - first, 0) :], max(first, done)):
        start_clock(1)
        again = number == part.at and (len(group) == 1 or part.tries > 1 or number > first)
        made = part.lost if again else _attempt([record], part.ending, operation)
        yield made if isinstance(made, list) else [_lost(record, part, made, operation)]


def _attempt(records: list[Record], ending: str, operation: Operation) -> list[Result] | Lost:
    """Process pages together; a page that fails by an unforeseen error is lost alone."""
    job = Job(STDIN, None, shard=ending)
    try:
        return process_pages(tuple(PageInput(job, record) for record in records), operation)
    except (MemoryError, CrfcleanError):
        raise
    except Exception as error:  # noqa: BLE001 (a page that fails ends no other)
        return Lost("error", f"{type(error).__name__}: {error}"[:200])


def _lost(record: Record, part: CorpusPart, reason: Lost | None, operation: Operation) -> Result:
    status, message = reason or Lost("crashed", "its process ended")
    return lost(PageInput(Job(STDIN, None, shard=part.ending), record), status, message, operation)


def _groups(
    part: CorpusPart, reader: RangeReader | None, operation: Operation
) -> Iterator[list[Record]]:
    """Yield groups of consecutive pages of one site: at most `site_pages` and `MAX_GROUP_BYTES`.

    Groups depend only on the records. A page without a site, or that is left out, is alone.
    """
    most, group, size, last = operation.site_pages, list[Record](), 0, ""
    for unopened in part_records(part, reader):
        if most == 1 and not part.sites:
            yield [unopened]
            continue
        record = unopened.opened
        if repeated := part.sites.get(record.site):
            record = record._replace(repeated=repeated)
        if record.left_out:
            yield [record]
            continue
        site = record.site
        if group and (not site or site != last or size + record.size > MAX_GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(record)
        size, last = size + record.size, site
        if len(group) == most:
            yield group
            group, size = [], 0
    if group:
        yield group


def part_records(part: CorpusPart, reader: RangeReader | None) -> Iterable[Record]:
    """Yield the records of a part, unopened."""
    if reader is None:
        return part.records
    file = str(reader.part.path)
    return (record._replace(file=file) for record in reader.records())


# the files


@contextmanager
def open_spool(part: CorpusPart) -> Iterator[IO[bytes]]:
    """Open the spool of a part; raises `WriteError`."""
    with as_write_error(part.spool):
        spool = part.spool.open("a+b")
    try:
        yield spool
    finally:
        with suppress(OSError):  # bytes that could not be written cannot be written now
            spool.close()


def pairs(spool: IO[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield the pairs of lines in a spool; what a dead worker has half written is cut off."""
    end = spool.seek(0)
    while (head := spool.readline()).endswith(b"\n") and (row := spool.readline()).endswith(b"\n"):
        end = spool.tell()
        yield head, row
    spool.truncate(end)


def _spooled(spool: IO[bytes]) -> Iterator[Result]:
    """Yield the results in a spool."""
    for head, row in pairs(spool):
        values = json.loads(head)
        signature, unmatched = bytes.fromhex(values.pop("signature")), values.pop("unmatched")
        made = Result(Job(STDIN, None), **values, signature=signature, unmatched=tuple(unmatched))
        yield replace(made, line=row.strip() and row)


_SPOOLED = (
    *("status", "message", "truncated", "score", "record", "items", "empty_items", "where"),
    *("encoding_guessed", "repeats", "file", "unmatched"),
)
"""Fields of a result that are JSON values."""


def _noted(result: Result) -> bytes:
    """Return a result as a line of the spool, and its row, or an empty line, as another."""
    values = {name: getattr(result, name) for name in _SPOOLED}
    head = json.dumps(values | {"signature": result.signature.hex()})
    return head.encode() + b"\n" + (result.line or b"\n")


def reported(part: CorpusPart, results: Sequence[Result]) -> PartReport:
    """Return the report of a part that is written; raises `OSError`."""
    pages = [result for result in results if result.outcome != LEFT_OUT]
    signatures = [[each.record, each.signature.hex()] for each in results if each.rows]
    return PartReport(
        part.key,
        size_of(part.path),
        sum(result.rows for result in results),
        dict(Counter(page.outcome for page in pages)),
        dict(Counter(each.message for each in results if each.outcome == LEFT_OUT)),
        [[_name(page), page.status, page.message] for page in pages if page.status != OK],
        sum(map(is_retried, pages)),
        signatures=signatures if any(sign for _, sign in signatures) else [],
    )


def _name(result: Result) -> str:
    return f"{result.file}: {result.record}" if result.file else result.record


def write_part_report(part: CorpusPart, report: PartReport) -> None:
    """Write the report of a part; raises `WriteError`."""
    with as_write_error(part.report):
        write_atomically(part.report, json.dumps(asdict(report), ensure_ascii=False).encode())


@contextmanager
def as_write_error(path: Path) -> Iterator[None]:
    """A context that turns an `OSError` into a `WriteError` with a path."""
    with naming_path(path, "cannot be written", WriteError):
        yield


def packing_of(ending: str, columns: AddedColumns = AddedColumns()) -> TextPacking:
    """Return how lines of rows, or of texts, are packed in a file with an ending."""
    if text_form(ending):
        return packing(ending)
    if ending == "csv":
        pack = partial(csv_rows, carried=columns.carried)
        return TextPacking(csv_head(columns.carried), b"", pack)
    return TextPacking(b"", b"", PACKERS[ending])


def copy_members(path: Path, packed: TextPacking, to: IO[bytes]) -> None:
    """Copy what a file has between its head and its tail; raises `OSError`."""
    left = path.stat().st_size - len(packed.head) - len(packed.tail)
    with path.open("rb") as file:
        file.seek(len(packed.head))
        while left > 0 and (data := file.read(min(left, 2**20))):
            to.write(data)
            left -= len(data)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of the files in a directory; raises `OSError`."""
    if path.is_dir():
        return sum(entry.stat().st_size for entry in path.iterdir())
    return path.stat().st_size


def remove(path: Path) -> None:
    """Remove a file, or the directory of the files of a part, if it is there; raises `OSError`."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def part_file(
    path: Path, ending: str, made: Path | None = None, columns: AddedColumns = AddedColumns()
) -> RowFile | PageFiles:
    """Return what writes the lines of a part: one file, or a file for each page."""
    if has_files(ending):
        return PageFiles(path, ending, made)
    return RowFile(path, ending, made, columns)


class PageFiles:
    """A directory with a file for each page, which gets its name as a `RowFile` does.

    The name of a file begins with the number of its page in the part.
    """

    def __init__(self, path: Path, ending: str, made: Path | None = None) -> None:
        self._path, self._form, self._number = path, text_form(ending), 0
        self._made = made or path.with_name(f".{path.name}.{os.getpid()}.made")

    def __enter__(self) -> Self:
        with as_write_error(self._path):
            remove(self._made)
            self._made.mkdir()
        return self

    def add(self, line: bytes) -> None:
        """Write the text of a line; an empty line counts as a page without a file."""
        if line:
            name, text = named_text(line)
            with as_write_error(self._path):
                (self._made / f"{self._number:05}-{name}.{self._form}").write_bytes(text)
        self._number += 1

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                with as_write_error(self._path):
                    remove(self._path)
                    self._made.replace(self._path)
        finally:
            with suppress(OSError):
                remove(self._made)


class RowFile:
    """A file of rows that gets its name when its context ends without an error.

    Until then it is `made`, by default beside its name. A table has some `columns` besides those of
    `columns.ROW_COLUMNS`. Raises `WriteError`.
    """

    def __init__(
        self,
        path: Path,
        ending: str,
        made: Path | None = None,
        columns: AddedColumns = AddedColumns(),
    ) -> None:
        self._path, self._ending, self._packing = path, ending, packing_of(ending, columns)
        self._columns = columns
        self._made = made or path.with_name(f".{path.name[:80]}.{os.getpid()}.made")
        self._lines, self._size, self._written = list[bytes](), 0, False

    def __enter__(self) -> Self:
        with as_write_error(self._path):
            self._file = self._made.open("wb")
            self._file.write(self._packing.head)
        is_table = self._ending == "parquet"
        self._table = parquet_module().TableWriter(self._file, self._columns) if is_table else None
        return self

    def add(self, line: bytes) -> None:
        """Add a line, empty for a page without a row."""
        self._lines.append(line)
        self._size += len(line)
        if self._size >= MEMBER_BYTES:
            self._end_member()

    def append(self, path: Path) -> None:
        """Add all rows of a file with the same ending."""
        with as_write_error(self._path):
            if self._table is not None:
                self._table.append(path)
                return
            copy_members(path, self._packing, self._file)
        self._written = True

    def _end_member(self) -> None:
        data, self._lines, self._size = b"".join(self._lines), [], 0
        with as_write_error(self._path):
            if self._table is not None:
                self._table.add(data)
            else:
                self._file.write(self._packing.pack(data))
        self._written = True

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._publish()
        finally:
            with suppress(OSError):  # bytes that could not be written cannot be written now
                self._file.close()
            self._made.unlink(missing_ok=True)

    def _publish(self) -> None:
        """Wait until all bytes are on disk, then give the file its name."""
        if self._size or not self._written:  # a packed file has one member at least
            self._end_member()
        with as_write_error(self._path):
            if self._table is not None:
                self._table.close()
            self._file.write(self._packing.tail)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._made.replace(self._path)
