"""Make the tasks of a run: pages of directories, and slices of shards with kept lines."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, TypeAlias

from crfclean.corpus.jobs import Job
from crfclean.corpus.listing import ListedFile, is_folder, list_files, listed_file
from crfclean.corpus.operation import (
    DONE,
    FAILED,
    LOW_SCORE,
    Operation,
    PageInput,
    Result,
    left_out_record,
    left_out_result,
    lost,
    outcome_of,
)
from crfclean.corpus.ranges import (
    FileRange,
    FileState,
    check_unchanged,
    file_state,
    ranges_or_records,
)
from crfclean.corpus.records import (
    FOLDER,
    PAGE,
    WARC,
    Fields,
    Record,
    fetch_record,
    records_of,
    unread_page,
)
from crfclean.corpus.rows import OldRow, RowsError, read_rows
from crfclean.corpus.shards import Pipe, Shard, is_finished
from crfclean.corpus.slices import (
    SLICE_BYTES,
    SLICE_RECORDS,
    Group,
    Kept,
    Slice,
    Sliced,
    parts_of,
    record_groups,
)
from crfclean.corpus.targets import STDIN, is_url
from crfclean.corpus.tasks import Lost, Task
from crfclean.page.urls import host


def job_groups(jobs: Sequence[Job], max_pages: int) -> Iterator[list[Job]]:
    """Yield groups of at most `max_pages` successive pages of a folder, and single shards."""
    place = lambda job: (bool(job.shard), str(job.source.parent) if job.source else "")  # noqa: E731
    for (shard, _), group in groupby(jobs, key=place):
        members, size = list(group), 1 if shard else max_pages
        for start in range(0, len(members), size):
            yield members[start : start + size]


Piece: TypeAlias = "FileRange | tuple[str, Record]"
"""A range of a file, or a record with its site."""


class ShardReader:
    """Reads the records of a job's file, of all files of its directory, or of all its sources.

    The `inputs` of directories and sources are listed once: files, URLs and "-". If a file cannot
    be read further, the pieces end, and `error` has the reason. `left_out` has the results of files
    and records that are no pages, since the list was last emptied.
    """

    def __init__(self, job: Job, operation: Operation) -> None:
        self.error: OSError | None = None
        self._states = dict[Path, FileState]()
        self._job, self._fields = job, operation.fields
        self._max_bytes = operation.limits.max_bytes
        self._opened = operation.site_pages > 1  # their sites are asked for; workers can open them
        listed = list(_listed(job, self._fields)) if job.kind == FOLDER else []
        self.inputs = [entry for entry in listed if isinstance(entry, str) or not entry.left_out]
        files = (entry for entry in listed if not isinstance(entry, str) and entry.left_out)
        self.left_out = [left_out_result(file) for file in files]

    def pieces(self, *, ranges: bool) -> Iterator[Piece]:
        """Yield every record with its site: the host of its URL, or the directory of its page.

        With `ranges` workers may read parts of files.
        """
        try:
            for piece in self._pieces(ranges=ranges):
                if isinstance(piece, FileRange):
                    yield piece
                    continue
                site, record = piece
                if record.left_out:
                    self.left_out.append(left_out_record(self._job, record))
                else:
                    yield site or host(record.url), record
        except OSError as error:
            self.error = error

    def changed(self) -> str:
        """Return which file of several records has changed since its reading began, "" for none."""
        try:
            for path, state in self._states.items():
                check_unchanged(path, state)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _pieces(self, *, ranges: bool) -> Iterator[Piece]:
        job = self._job
        if job.url:
            yield "", fetch_record(job.url)
        elif job.kind != FOLDER:
            yield from self._read(job.source, job.kind, ranges=ranges)
        for entry in self.inputs:
            if not isinstance(entry, str):
                yield from self._file(entry, ranges=ranges)
            elif is_url(entry):
                yield "", fetch_record(entry)
            else:
                yield from self._read(None, PAGE, ranges=False)

    def _read(self, path: Path | None, kind: str, *, ranges: bool) -> Iterator[Piece]:
        if path is not None and kind != PAGE:
            self._states[path] = file_state(path)
        if ranges and path is not None and kind == WARC:
            for piece in ranges_or_records(path, self._max_bytes):
                yield piece if isinstance(piece, FileRange) else ("", piece)
            return
        for record in records_of(path, kind, self._fields, self._max_bytes, opened=self._opened):
            yield "", record

    def _file(self, file: ListedFile, *, ranges: bool) -> Iterator[Piece]:
        """Yield the records of one file of many; a file that cannot be read is also a record."""
        name, site = str(file.path), str(file.path.parent) if file.kind == PAGE else ""
        try:
            if not file.refused and file.kind == PAGE:
                yield site, unread_page(file.path, self._max_bytes)
                return
            if not file.refused:
                for piece in self._read(file.path, file.kind, ranges=ranges):
                    if isinstance(piece, FileRange):
                        yield piece
                    else:
                        yield site, replace(piece[1], file=name)
                return
            problem = file.refused
        except OSError as error:
            problem = f"cannot be read: {error.strerror or error}"
        yield site, Record(name, problem=problem)


def _listed(job: Job, fields: Fields) -> Iterator[ListedFile | str]:
    for source in job.sources or ([str(job.source)] if job.source else []):
        if source == STDIN or is_url(source):
            yield source
        elif is_folder(Path(source)):
            yield from list_files(Path(source), fields)
        else:
            yield listed_file(Path(source), fields)


# rows of a finished shard

ALL_ROWS = sys.maxsize
"""The number of records of a shard that is retried as a whole (see `shards.Journal`)."""

RETRIED: Mapping[tuple[str, str], str] = {
    ("crashed", ""): "the machine, or another program on it, may have ended its process",
    ("over-time", ""): "the machine may have been busy, or the limit is another one now",
    ("over-memory", ""): "the machine may have been full, or the limit is another one now",
    ("stopped", ""): "its process was ended from outside",
    (FAILED, "cannot be read"): "its file could not be opened",
    (FAILED, "cannot be listed"): "its directory could not be opened",
}
"""Status and beginning of the message of retried pages -> the outside reason."""


def is_retried(row: OldRow, job: Job) -> bool:
    """Return whether a page failed for an outside reason; failed fetches always count."""
    if job.url and row.status == FAILED:
        return True
    return any(
        row.status == status and row.message.startswith(beginning) for status, beginning in RETRIED
    )


def needs_retry(job: Job, operation: Operation, first: int) -> bool:
    """Return whether a job's shard is finished, and any of its `first` rows is retried.

    Raises `RowsError`, also for rows of another model.
    """
    if job.target is None or not is_finished(job.target):
        return False
    model = operation.options.get("model")
    for number, row in enumerate(read_rows(job.target, job.shard)):
        if model and row.model and row.model != model:
            raise RowsError(
                f"{job.target}: written with another model or other decisions, {row.model}: repeat "
                "the options, or --overwrite starts again"
            )
        if number < first and is_retried(row, job):
            return True
    return False


class OldRows:
    """The rows of a job's finished shard, taken in the order of the records.

    A record without an id has no row. A page with a low score, or an unwanted page, may have no
    row. Raises `RowsError` for damaged rows, or if rows and records are not the same pages.
    """

    def __init__(self, job: Job, operation: Operation) -> None:
        self._job = job
        options = operation.options
        self._may_lack = bool(options.get("min_score") or options.get("page_filter"))
        self._rows = read_rows(job.target, job.shard) if job.target else iter(())
        self._next = next(self._rows, None)

    def keep(self, record: Record, *, may_retry: bool) -> Kept | None:
        """Return the kept line of the next record; None if its page is retried."""
        row, name = self._next, record.id.encode("utf-8", "replace").decode()  # as rows have it
        if row is None or not name or row.id != name:
            if name and not self._may_lack:
                raise self._mismatch()
            return Kept(b"", LOW_SCORE if name else FAILED)
        self._next = next(self._rows, None)
        if may_retry and is_retried(row, self._job):
            return None
        return Kept(row.line, outcome_of(row.status))

    def end(self) -> None:
        """Raise `RowsError` if a row is left."""
        if self._next is not None:
            raise self._mismatch()

    def _mismatch(self) -> RowsError:
        return RowsError(
            f"{self._job.target}: its rows are not the pages of {self._job.name}, which must have "
            "changed: --overwrite starts again"
        )


# tasks


@dataclass(frozen=True, slots=True)
class About:
    """The subject of a task of pages with their own files."""

    inputs: tuple[PageInput, ...]

    def answers(self, answer: Any, operation: Operation) -> Iterator[tuple[PageInput, Result]]:
        """Yield every input with its result: the worker's, or the reason why it is lost."""
        results: Sequence[Result] = answer
        if type(answer) is Lost:
            status, message = answer.status, answer.message
            results = [lost(member, status, message, operation) for member in self.inputs]
        for page_input, result in zip(self.inputs, results, strict=True):
            yield page_input, replace(result, job=page_input.job)


def page_task(inputs: tuple[PageInput, ...]) -> Task:
    """Return the task of some pages; if it is lost, each page becomes a task."""
    about = About(tuple(page_input.bare for page_input in inputs))
    if all(page_input.done for page_input in inputs):
        return Task(about, [Result(page_input.job, DONE) for page_input in inputs], done=True)
    size = sum(page_input.size for page_input in inputs)
    singles = inputs if len(inputs) > 1 else ()
    parts = lambda: [page_task((page_input,)) for page_input in singles]  # noqa: E731
    return Task(about, inputs, size, pages=len(inputs), parts=parts)


def result_task(result: Result) -> Task:
    """Return the task of a known result, which keeps its place in the order."""
    return Task(About((PageInput(result.job),)), [result], done=True)


@dataclass(slots=True, eq=False)
class OpenShard:
    """The shard of a job while it is written; `closed` after the last write.

    `done` records were done before. `kept` counts the kept rows of an old shard. If this run
    finished the old shard itself, `before` counts the rows that were done before that. `sliced` has
    the answers so far for a slice whose records are done one by one. `left_out` counts inputs that
    are no pages.
    """

    job: Job
    shard: Shard | Pipe
    reader: ShardReader
    done: int
    closed: bool = False
    kept: Counter[str] = field(default_factory=Counter)
    before: Counter[str] | None = None
    sliced: list[Result | Kept] = field(default_factory=list)
    left_out: int = 0

    @property
    def done_before(self) -> Counter[str]:
        """Counts of the rows from earlier runs, at the end of a shard."""
        if self.before is None:
            return self.kept
        retried = self.shard.state.records - self.kept.total()
        return self.before - Counter(failed=retried)


@dataclass(frozen=True, slots=True)
class AboutSlice:
    """The subject of a task of a shard: a slice by its number, or a part of a lost slice.

    `stop` is the end of a slice's range. `is_last` is True for a slice and for the last part of a
    lost slice. A part with a single record has it as `record`. For parts, `end` is the byte where
    the next record of the range begins; for slices, the worker's answer has this byte.
    """

    output: OpenShard
    number: int
    stop: int | None = None
    is_last: bool = True
    record: Record | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class AboutEnd:
    """The subject of the last tasks of a shard: the end of all slices, then each row group.

    `left` counts the row groups that follow, None before their number is known.
    """

    output: OpenShard
    left: int | None = None


def slice_tasks(output: OpenShard, operation: Operation) -> Iterator[Task]:
    """Yield the tasks of a shard's slices, from the first that is not done.

    If failed pages of a finished shard are retried, all other rows are kept. Raises the errors of
    `OldRows`.
    """
    state, first = output.shard.state, output.shard.state.slices
    ending, is_packed = output.job.shard, operation.signer is None
    for number, piece in enumerate(_pieces(output, operation)):
        if number < first:
            continue
        if isinstance(piece, FileRange):
            whole = Slice(ending, range=piece, packed=is_packed)
        else:
            whole = Slice(ending, piece, packed=is_packed)
        about = AboutSlice(output, number, whole.range and whole.range.stop)
        task = _slice_task(about, whole, operation.limits.max_bytes)
        yield from (task.instead() if number == state.slices else ()) or [task]


def _pieces(output: OpenShard, operation: Operation) -> Iterator[FileRange | tuple[Group, ...]]:
    """Yield the pages of a shard in ranges and groups, each of which is a slice.

    Slices depend only on the input: a slice that ends at an unreadable place is not yielded.
    """
    reader, retried = output.reader, output.shard.retried
    rows = OldRows(output.job, operation) if retried else None
    groups, number = list[Group](), 0
    ranges = isinstance(output.shard, Shard) and not retried
    for piece in _grouped(reader.pieces(ranges=ranges), operation.site_pages):
        if groups and (isinstance(piece, FileRange) or _is_full(groups)):
            yield tuple(groups)
            groups = []
        if isinstance(piece, FileRange):
            yield piece
            continue
        kept = tuple(
            rows.keep(record.opened, may_retry=place < retried) if rows else None
            for place, record in enumerate(piece, number)
        )
        number += len(piece)
        groups.append(Group(tuple(piece), kept if rows else ()))
    if rows is not None and reader.error is None:
        rows.end()
    if groups and (reader.error is None or _is_full(groups)):
        yield tuple(groups)


def _grouped(pieces: Iterable[Piece], max_pages: int) -> Iterator[FileRange | list[Record]]:
    """Yield ranges, and the records between them in groups."""
    for is_range, run in groupby(pieces, lambda piece: isinstance(piece, FileRange)):
        found: Any = run  # groupby does not tell types apart
        yield from found if is_range else record_groups(found, max_pages)


def _is_full(groups: Sequence[Group]) -> bool:
    records = [record for group in groups for record in group.records]
    return len(records) >= SLICE_RECORDS or sum(each.size for each in records) >= SLICE_BYTES


def _slice_task(about: AboutSlice, piece: Slice, max_bytes: int) -> Task:
    """Return the task of a slice; if it is lost, its parts become tasks, down to records."""
    parts = partial(_parts, about, piece, max_bytes)
    instead = partial(_behind_wrong_cut, about, piece, max_bytes)
    return Task(about, piece, piece.size, pages=SLICE_RECORDS, parts=parts, instead=instead)


def _behind_wrong_cut(about: AboutSlice, piece: Slice, max_bytes: int) -> list[Task]:
    """Return the right task for a range that begins at a wrong cut; none for other ranges."""
    at, stop = about.output.shard.state.at, about.stop
    if piece.range is None or at in {0, piece.range.start}:
        return []
    if stop is not None and stop <= at:  # the range before it was read beyond its end
        return [Task(about, Sliced([], b"", at), done=True)]
    right = replace(piece, range=piece.range._replace(start=at))
    return [_slice_task(about, right, max_bytes)]


def _parts(about: AboutSlice, piece: Slice, max_bytes: int) -> list[Task]:
    if about.record is not None:
        return []
    try:
        parts, end = parts_of(piece, max_bytes)
    except OSError as error:
        return [Task(about, Lost(FAILED, error.strerror or str(error)), done=True)]
    end = end if piece.last is None else about.end  # a part of a part has not read to the end
    if not parts:
        return [Task(replace(about, end=end), Sliced([], None, end), done=True)]
    tasks, last = list[Task](), len(parts) - 1
    for place, (part, record) in enumerate(parts):
        is_last = about.is_last and place == last
        of_part = replace(about, is_last=is_last, record=record, end=end)
        tasks.append(_slice_task(of_part, part, max_bytes))
    return tasks
