"""A corpus as a directory of parts: what is done, what is to do, and the file they may become."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from crfclean.document.page_text import FAILED
from crfclean.io import digest, digest_of, is_stream, write_text
from crfclean.products.corpus.differences import continues_run
from crfclean.products.corpus.inputs import CorpusReader, PartInput
from crfclean.products.corpus.job import Job, source_name
from crfclean.products.corpus.jobs import DONE, LEFT_OUT, Operation, Result, result_task
from crfclean.products.corpus.outputs import parts_folder, run_options
from crfclean.products.corpus.params import TABLE_ENDINGS, ResumeParams
from crfclean.products.corpus.parts import (
    CorpusPart,
    PartAnswer,
    PartReport,
    RowFile,
    WriteError,
    clean_part,
    copy_members,
    packing_of,
    read_report,
    remove,
    size_of,
    tried_again,
)
from crfclean.products.corpus.records import STDIN
from crfclean.products.corpus.sites import (
    count_part,
    read_counts,
    repeated_texts,
    sites_within,
    write_counts,
)
from crfclean.products.corpus.tasks import Lost, Processes, Task
from crfclean.products.corpus.texts import text_form
from crfclean.types import CrfcleanError

if TYPE_CHECKING:
    from crfclean.products.corpus.duplicates import Duplicates

CORPUS_MANIFEST = "_manifest.json"
_PART = re.compile(r"_?part-(\d{5,})(?:\..+)?", re.DOTALL)
"""Files of parts: rows and reports."""
_UNFINISHED = re.compile(r"\.(?:_?part-\d{5,}|_manifest|joined)\..+", re.DOTALL)
"""Files that a run which was killed may leave."""


def read_corpus_manifest(folder: Path) -> dict[str, Any] | None:
    """Read the manifest of a corpus; None if it is missing or damaged."""
    try:
        manifest = json.loads((folder / CORPUS_MANIFEST).read_bytes())
        return {key: manifest[key] for key in ("options", "finished")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def reports(folder: Path) -> Iterator[tuple[Path, PartReport]]:
    """Yield the reports of parts."""
    for path in folder.glob("_part-*.json"):
        if (report := read_report(path)) is not None:
            yield path, report


def is_finished(job: Job) -> bool:
    """Return whether the file of a corpus exists, and no run has begun to write it again."""
    if job.target is None or job.is_folder or not job.target.is_file():
        return False
    manifest = read_corpus_manifest(parts_folder(job.target))
    return manifest is None or manifest["finished"]


def remove_corpus(folder: Path) -> None:
    """Remove the parts and the manifest, and the directory unless it has files of others.

    Raises `OSError`.
    """
    if folder.is_dir():
        _remove_parts(folder)
        (folder / CORPUS_MANIFEST).unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()


def _remove_parts(folder: Path, first: int = 0) -> None:
    """Remove the parts from the number `first` on, and what workers have not finished."""
    for path in list(folder.iterdir()):
        match = _PART.fullmatch(path.name)
        if _UNFINISHED.fullmatch(path.name) or (match and int(match[1]) >= first):
            remove(path)


_PAGES_OF_MB = 64  # of a WARC file, about


class Broken(NamedTuple):
    """The answer for a part whose input cannot be read, or that cannot be written."""

    message: str


def do_part(part: CorpusPart, operation: Operation) -> PartAnswer | Broken | None:
    """Clean a part in a worker, or count its texts."""
    try:
        if not part.is_counted:
            return clean_part(part, operation)
        count_part(part, operation)
    except WriteError as error:
        return Broken(str(error))
    except OSError as error:
        return Broken(f"cannot be read: {error.strerror or error}")
    return None


def part_task(about: Any, part: CorpusPart) -> Task:
    """Return the task that cleans a part; if its worker is lost, another goes on with it."""
    pages, span = len(part.records) or 1, part.range
    if span is not None:
        pages += ((span.stop or span.state.size) - span.start) * _PAGES_OF_MB // 2**20

    def instead(answer: object) -> list[Task]:
        again = tried_again(part, answer) if isinstance(answer, Lost) else []
        return [part_task(about, more) for more in again]

    return Task(about, part, part.size, pages=pages, instead=instead)


@dataclass(slots=True, eq=False)
class Corpus:
    """A corpus that a run writes; `closed` after the last write.

    `options` are what its rows depend on; `key` is their digest. Its parts go to `folder`, and then
    to a `stream` or a file, if the job names one. `at` is the byte of a file where the next part
    begins, None if it begins at the planned cut. `counts` are those of all parts; if one is lost as
    a whole, the corpus is `broken`. `sites` have the repeated texts of all sites. No part is begun
    once `stops()` is true.
    """

    job: Job
    operation: Operation
    params: ResumeParams
    duplicates: Duplicates | None
    stops: Callable[[], bool]
    reader: CorpusReader
    folder: Path
    options: Mapping[str, Any]
    key: str
    stream: IO[bytes] | None = None
    token: str = field(default_factory=lambda: os.urandom(4).hex())
    closed: bool = False
    broken: bool = False
    has_head: bool = False
    at: int | None = None
    number: int = 0
    sites: Mapping[str, frozenset[int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    # what earlier runs have done

    def begin(self) -> None:
        """Keep or remove the parts of earlier runs; raises `CrfcleanError` for work to be lost."""
        old, params = read_corpus_manifest(self.folder), self.params
        has_work = any(reports(self.folder))
        if old and continues_run(self.place, old, self.options, params, has_work=has_work):
            if params.retry_failed:
                self._drop_failed()
        elif not params.is_shared:
            if not (old or params.overwrite) and any(self.folder.glob("part-[0-9]*")):
                raise CrfcleanError(
                    f"{self.place}: has parts of another program: --overwrite removes them, or "
                    "choose another output"
                )
            _remove_parts(self.folder)
        self._note(finished=False)

    def _drop_failed(self) -> None:
        """Drop the parts with pages that failed for an outside reason; raises `OSError`."""
        self._note(finished=False)
        for path, report in reports(self.folder):
            if report.retryable:
                path.unlink()

    def done(self, part: CorpusPart) -> PartReport | None:
        """Return the report of a part that is there with the same options and input."""
        report = read_report(part.report)
        if report is None or report.key != part.key or (self.duplicates and not report.is_compared):
            return None
        with suppress(OSError):  # the file is gone
            return report if report.size == size_of(part.path) else None
        return None

    # the parts

    def tasks(self) -> Iterator[Task]:
        """Yield the tasks of the parts, then that of the end unless the run is stopped."""
        yield from map(result_task, self.reader.left_out)
        self.left_out.update(result.message for result in self.reader.left_out)
        for number, piece in enumerate(self.reader.pieces()):
            if self.stops() or self.closed:
                return
            if self.params.takes(number):
                yield self._task(self._part(number, piece))
        if not self.stops():
            yield Task(partial(self._answered, None), None, done=True)

    def _part(self, number: int, piece: PartInput) -> CorpusPart:
        """Return a part with this input."""
        key = digest(self.key, piece.input)
        part = CorpusPart(
            number, self.folder, self.job.shard, key, self.token, piece.records, piece.range
        )
        within = sites_within(read_counts(part) or {}, self.sites) if self.sites else {}
        if not within:
            return part
        texts = {site: sorted(keys) for site, keys in within.items()}
        return replace(part, sites=within, key=digest(key, json.dumps(texts)))

    def _task(self, part: CorpusPart) -> Task:
        """Return the task of a part, done if an earlier run has done it."""
        report, task = self.done(part), self._cleaning(part)

        def instead(answer: object) -> Iterable[Task]:
            right = None if self.closed else self._moved(part, report)
            return [self._cleaning(right)] if right else task.instead(answer)

        if report is not None:
            return Task(task.about, report, done=True, instead=instead)
        return task._replace(instead=instead)

    def _cleaning(self, part: CorpusPart) -> Task:
        return part_task(partial(self._answered, replace(part, records=())), part)

    def _moved(self, part: CorpusPart, report: PartReport | None) -> CorpusPart | None:
        """Return the right part for one that began at a wrong cut; None for others."""
        if part.range is None:
            return None
        follows = part.range.start and part.number == self.number  # other shares have others
        start = self.at if follows and self.at is not None else part.range.start
        if start == (report.start if report else part.range.start):
            return None
        stop = part.range.stop
        start = start if stop is None else min(start, stop)
        return replace(part, range=part.range._replace(start=start), token=self.token + "-again")

    # the texts of sites

    def count_sites(self, pool: Processes) -> None:
        """Count the texts of all sites.

        Raises `CrfcleanError` for parts that cannot be read, or that other runs have not counted.
        """
        parts = list[CorpusPart]()
        for part, answer in pool.map(do_part, self._counts(parts), self.operation):
            if isinstance(answer, Broken):
                raise CrfcleanError(answer.message)
            if isinstance(answer, Lost):  # again and again: we know nothing else about it
                write_counts(part, {})
        if self.stops():
            return
        texts = repeated_texts(map(read_counts, parts))
        if texts is None:
            raise CrfcleanError(
                f"{self.place}: other shares have not counted their texts yet: repeat the "
                "command when they have"
            )
        self.sites = texts

    def _counts(self, parts: list[CorpusPart]) -> Iterator[Task]:
        """Yield the tasks that count parts; note all parts, also those of other runs."""
        for number, piece in enumerate(self.reader.pieces()):
            if self.stops():
                return
            part = self._part(number, piece)
            part = replace(part, is_counted=True, token=f"{self.token}-sites")
            parts.append(replace(part, records=(), range=None))
            if self.params.takes(number) and read_counts(part) is None:
                yield part_task(parts[-1], part)

    # the answers

    @property
    def place(self) -> object:
        """The output, as messages name it."""
        return self.job.target or STDIN

    def _answered(self, part: CorpusPart | None, answer: Any) -> Iterator[Result]:
        """Take the answer of a part, or end; an error leaves the corpus for another run."""
        if self.closed:
            return
        try:
            yield from self._ended() if part is None else self._taken(part, answer)
        except WriteError as error:
            self.leave()
            yield Result(self.job, FAILED, str(error))
        except OSError as error:
            self.leave()
            if self.job.target is None:
                raise
            yield _unwritten(self.job, error)

    def _taken(self, part: CorpusPart, answer: Any) -> Iterator[Result]:
        if isinstance(answer, PartReport):
            yield from self._done_before(part, answer)
        elif isinstance(answer, PartAnswer):
            yield from self._cleaned(part, answer)
        elif isinstance(answer, Lost):  # as its worker was, again and again
            self.broken = True
            yield Result(self.job, FAILED, f"part {part.number}: {answer.message}")
        else:
            self.leave()
            yield Result(self.job, FAILED, answer.message)

    def _done_before(self, part: CorpusPart, report: PartReport) -> Iterator[Result]:
        if self.duplicates is not None:
            self.duplicates.remember_part(self.job, report)
        self._add(part, report)
        for reason, count in report.left_out.items():
            earlier = f"{count} of an earlier run"
            yield Result(self.job, LEFT_OUT, reason, record=earlier, pages=count)
        if report.counts:
            yield Result(self.job, DONE, before=Counter(report.counts))

    def _cleaned(self, part: CorpusPart, answer: PartAnswer) -> Iterator[Result]:
        results, report = [replace(each, job=self.job) for each in answer.results], answer.report
        if self.duplicates is not None:
            results, report = self.duplicates.compared(part, results, report, self.operation)
        self._add(part, report)
        yield from results

    def _add(self, part: CorpusPart, report: PartReport) -> None:
        """Take a part that is whole, in order; raises `OSError`."""
        self.at = self._next_start(part, report)
        self.number = part.number + 1
        self.counts.update(report.counts)
        self.left_out.update(report.left_out)
        if self.stream is not None:
            packed = packing_of(self.job.shard, self.operation.columns)
            if not self.has_head:
                self.stream.write(packed.head)
                self.has_head = True
            copy_members(part.path, packed, self.stream)
            self.stream.flush()
            part.path.unlink()

    def _next_start(self, part: CorpusPart, report: PartReport) -> int | None:
        if part.range is None:
            return None
        end = sys.maxsize if report.end is None else report.end
        if part.range.start and part.number == self.number:
            end = max(end, self.at or 0)  # a part before may have been read beyond all of it
        return None if end == part.range.stop else end

    # the end

    def _ended(self) -> Iterator[Result]:
        error = self.reader.error
        problem = (error.strerror or str(error)) if error else self.reader.changed()
        if self.stream is not None:
            self._end_stream(self.stream)
        if problem or self.broken or self.params.is_shared:
            self.leave()
        else:
            self._finish()
        if problem:
            yield Result(self.job, FAILED, f"cannot be read: {problem}")
        elif not (self.counts or self.left_out or self.broken or self.params.is_shared):
            yield Result(self.job, FAILED, "no pages in it")

    def _finish(self) -> None:
        """Join the parts if the output is a file, and note that the corpus is whole.

        Raises `OSError`.
        """
        self.closed = True
        if self.stream is not None:
            self.leave()
            return
        _remove_parts(self.folder, self.number)
        if not self.job.is_folder and self.job.target is not None:
            made = self.folder / f".joined.{self.token}.made"
            with RowFile(self.job.target, self.job.shard, made, self.operation.columns) as file:
                for number in range(self.number):
                    file.append(self._part(number, PartInput("")).path)
        self._note(finished=True)
        if not self.job.is_folder:
            remove_corpus(self.folder)

    def _end_stream(self, stream: IO[bytes]) -> None:
        packed = packing_of(self.job.shard, self.operation.columns)
        stream.write(packed.tail if self.has_head else packed.head + packed.tail)
        stream.flush()

    def leave(self) -> None:
        """Close a corpus that is not whole; remove what has no finished part."""
        self.closed = True
        if self.stream is not None:
            if self.stream is not sys.stdout.buffer:
                self.stream.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            return
        with suppress(OSError):
            for path in self.folder.glob(f".part-*.{self.token}*"):
                remove(path)
            if not (self.params.is_shared or any(reports(self.folder))):
                remove_corpus(self.folder)

    def _note(self, *, finished: bool) -> None:
        if self.stream is None:
            counts = {**self.counts, "left_out": self.left_out.total()}
            about = {"finished": finished, "parts": self.number, "counts": counts}
            manifest = about | {"options": self.options}
            write_text(self.folder / CORPUS_MANIFEST, json.dumps(manifest, indent=1) + "\n")


def open_corpus(
    job: Job,
    operation: Operation,
    params: ResumeParams,
    duplicates: Duplicates | None,
    stops: Callable[[], bool],
) -> Corpus | Result:
    """Open the corpus that a job writes, unless it is done or cannot be written.

    Raises `CrfcleanError` as `Corpus.begin`.
    """
    try:
        if job.target is not None and params.continues and is_finished(job):
            remove_corpus(parts_folder(job.target))
            return Result(job, DONE)
        options: dict[str, Any] = {**run_options(operation), "source": source_name(job.inputs)}
        if text_form(job.shard):  # else the ending of the parts tells them apart
            options["format"] = job.shard
        lasting = {**options, "limits": {**options["limits"], "max_seconds": 0, "max_memory": 0}}
        folder, stream = _places(job)
        reader, key = CorpusReader(job, operation), digest_of(lasting)
        corpus = Corpus(
            job, operation, params, duplicates, stops, reader, folder, options, key, stream
        )
        corpus.begin()
    except OSError as error:
        return _unwritten(job, error)
    return corpus


def _places(job: Job) -> tuple[Path, IO[bytes] | None]:
    """Return the directory of a corpus's parts, and the stream it goes to, if any.

    Raises `OSError`.
    """
    if job.target is not None and not is_stream(job.target):
        folder = job.target if job.is_folder else parts_folder(job.target)
        folder.mkdir(parents=True, exist_ok=True)
        return folder, None
    if job.shard in TABLE_ENDINGS:
        raise OSError(errno.ESPIPE, f"{job.shard} needs a file")
    import tempfile  # few runs write to a stream

    stream = sys.stdout.buffer if job.target is None else job.target.open("wb", buffering=0)
    return Path(tempfile.mkdtemp(prefix="crfclean-")), stream


def _unwritten(job: Job, error: OSError) -> Result:
    place = job.target or STDIN
    return Result(job, FAILED, f"{place} cannot be written: {error.strerror or error}")
