"""A corpus as a directory of parts: what is done, what is refused, and the file they may become."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from crfclean.corpus.inputs import CorpusReader, Piece
from crfclean.corpus.jobs import Job, Operation, source_name
from crfclean.corpus.outputs import (
    ResumeParams,
    check_same,
    parts_folder,
    refuse_restart,
    run_options,
)
from crfclean.corpus.parts import Part, Report, RowFile, read_report
from crfclean.corpus.records import STDIN
from crfclean.corpus.rows import TABLES
from crfclean.corpus.sites import read_counts, sites_within
from crfclean.io import digest, digest_of, is_stream, write_text
from crfclean.types import CrfcleanError

MANIFEST = "_manifest.json"
_PART = re.compile(r"_?part-(\d{5,})\..+", re.DOTALL)
"""Files of parts: rows and reports."""
_UNFINISHED = re.compile(r"\.(?:_?part-\d{5,}|_manifest|joined)\..+", re.DOTALL)
"""Files that a run which was killed may leave."""


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Read the manifest of a corpus; None if it is missing or damaged."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        return {key: manifest[key] for key in ("options", "finished")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def reports(folder: Path) -> Iterator[tuple[Path, Report]]:
    """Yield the reports of parts."""
    for path in folder.glob("_part-*.json"):
        if (report := read_report(path)) is not None:
            yield path, report


def is_finished(job: Job) -> bool:
    """Return whether the file of a corpus exists, and no run has begun to write it again."""
    if job.target is None or job.is_folder or not job.target.is_file():
        return False
    manifest = read_manifest(parts_folder(job.target))
    return manifest is None or manifest["finished"]


def remove_corpus(folder: Path) -> None:
    """Remove the parts and the manifest, and the directory unless it has files of others.

    Raises `OSError`.
    """
    if folder.is_dir():
        _remove_parts(folder)
        (folder / MANIFEST).unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()


def _remove_parts(folder: Path, first: int = 0) -> None:
    """Remove the parts from the number `first` on, and what workers have not finished."""
    for path in list(folder.iterdir()):
        match = _PART.fullmatch(path.name)
        if _UNFINISHED.fullmatch(path.name) or (match and int(match[1]) >= first):
            path.unlink(missing_ok=True)


@dataclass(slots=True, eq=False)
class Corpus:
    """A corpus that a run writes; `closed` after the last write.

    `options` are what its rows depend on; `key` is their digest. Its parts go to `folder`, and then
    to a `stream` or a file, if the job names one. `at` is the byte of a file where the next part
    begins, None if it begins at the planned cut. `counts` are those of all parts; if one is lost as
    a whole, the corpus is `broken`. If it `is_shared`, other runs write it, too. `sites` have the
    repeated texts of all sites.
    """

    job: Job
    reader: CorpusReader
    folder: Path
    options: Mapping[str, Any]
    key: str
    compares: bool = False
    stream: IO[bytes] | None = None
    token: str = field(default_factory=lambda: os.urandom(4).hex())
    closed: bool = False
    broken: bool = False
    is_shared: bool = False
    at: int | None = None
    number: int = 0
    sites: Mapping[str, frozenset[int]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)

    # what earlier runs have done

    def begin(self, params: ResumeParams) -> None:
        """Keep or remove the parts of earlier runs; raises `CrfcleanError` for work to be lost."""
        old, self.is_shared = read_manifest(self.folder), params.is_shared
        if old is not None and (params.continues or params.is_shared):
            check_same(self.place, old["options"], self.options, retry=params.retry_failed)
            if params.retry_failed:
                self._drop_failed()
        elif not params.is_shared:
            if not params.overwrite:
                self._refuse(old)
            _remove_parts(self.folder)
        self._note(finished=False)

    def part(self, number: int, piece: Piece) -> Part:
        """Return a part with this input."""
        key = digest(self.key, piece.input)
        part = Part(
            number, self.folder, self.job.shard, key, self.token, piece.records, piece.range
        )
        within = sites_within(read_counts(part) or {}, self.sites) if self.sites else {}
        if not within:
            return part
        texts = {site: sorted(keys) for site, keys in within.items()}
        return replace(part, sites=within, key=digest(key, json.dumps(texts)))

    def uncounted(self, number: int, piece: Piece) -> Part:
        """Return a part whose texts are to be counted."""
        part = self.part(number, piece)
        return replace(part, is_counted=True, token=f"{self.token}-sites")

    def done(self, part: Part) -> Report | None:
        """Return the report of a part that is there with the same options and input."""
        report = read_report(part.report)
        if report is None or report.key != part.key or (self.compares and not report.is_compared):
            return None
        with suppress(OSError):  # the file is gone
            return report if report.size == part.path.stat().st_size else None
        return None

    def moved(self, part: Part, report: Report | None) -> Part | None:
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

    def _refuse(self, old: Mapping[str, Any] | None) -> None:
        if old is None and any(self.folder.glob("part-[0-9]*")):
            raise CrfcleanError(
                f"{self.place}: has parts of another program: --overwrite removes them, or choose "
                "another output"
            )
        if old is not None and not old["finished"] and any(reports(self.folder)):
            refuse_restart(self.place, old["options"], self.options)

    def _drop_failed(self) -> None:
        """Drop the parts with pages that failed for an outside reason; raises `OSError`."""
        self._note(finished=False)
        for path, report in reports(self.folder):
            if report.retryable:
                path.unlink()

    # what this run does

    @property
    def place(self) -> object:
        """The output, as messages name it."""
        return self.job.target or STDIN

    def add(self, part: Part, report: Report) -> None:
        """Take a part that is whole, in order; raises `OSError`."""
        self.at = self._next_start(part, report)
        self.number = part.number + 1
        self.counts.update(report.counts)
        self.left_out.update(report.left_out)
        if self.stream is not None:
            with part.path.open("rb") as file:
                shutil.copyfileobj(file, self.stream, 2**20)
            self.stream.flush()
            part.path.unlink()

    def _next_start(self, part: Part, report: Report) -> int | None:
        if part.range is None:
            return None
        end = sys.maxsize if report.end is None else report.end
        if part.range.start and part.number == self.number:
            end = max(end, self.at or 0)  # a part before may have been read beyond all of it
        return None if end == part.range.stop else end

    def finish(self) -> None:
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
            with RowFile(self.job.target, self.job.shard, made) as file:
                for number in range(self.number):
                    file.append(self.part(number, Piece("")).path)
        self._note(finished=True)
        if not self.job.is_folder:
            remove_corpus(self.folder)

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
                path.unlink()
            if not (self.is_shared or any(reports(self.folder))):
                remove_corpus(self.folder)

    def _note(self, *, finished: bool) -> None:
        if self.stream is None:
            counts = {**self.counts, "left_out": self.left_out.total()}
            about = {"finished": finished, "parts": self.number, "counts": counts}
            manifest = about | {"options": self.options}
            write_text(self.folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")


def open_corpus(job: Job, operation: Operation, params: ResumeParams) -> Corpus:
    """Open the corpus that a job writes; raises `OSError`, and `CrfcleanError` as `begin`."""
    source = source_name(job.inputs)
    options: dict[str, Any] = {**run_options(operation), "source": source}
    lasting = {**options, "limits": {**options["limits"], "max_seconds": 0, "max_memory": 0}}
    is_piped = job.target is None or is_stream(job.target)
    if is_piped and job.shard in TABLES:
        raise OSError(errno.ESPIPE, f"{job.shard} needs a file")
    stream = None
    if job.target is None:
        stream = sys.stdout.buffer
    elif is_piped:
        stream = job.target.open("wb", buffering=0)
    if is_piped or job.target is None:
        import tempfile  # few runs write to a stream

        folder = Path(tempfile.mkdtemp(prefix="crfclean-"))
    else:
        folder = job.target if job.is_folder else parts_folder(job.target)
        folder.mkdir(parents=True, exist_ok=True)
    compares = operation.signer is not None
    reader = CorpusReader(job, operation)
    corpus = Corpus(job, reader, folder, options, digest_of(lasting), compares, stream)
    corpus.begin(params)
    return corpus
