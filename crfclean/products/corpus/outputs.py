"""Prepare the outputs of a run: their options, their directories, and the record of the run."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from crfclean.io import digest, is_stream, naming_path, write_text
from crfclean.products.corpus.differences import continues_run
from crfclean.products.corpus.job import Folders, Job
from crfclean.products.corpus.jobs import DONE, KEPT, Operation
from crfclean.products.corpus.locks import Lock
from crfclean.products.corpus.params import ResumeParams
from crfclean.products.corpus.records import STDOUT
from crfclean.types import CrfcleanError

RECORD, LOCK = ".crfclean.json", ".crfclean.lock"
_TEMPORARY = re.compile(r"\.(.{1,30})\.[a-z0-9_]{8}", re.DOTALL)
"""Names of the temporary files of `write_atomically`: part of a name, then random letters."""


Times: TypeAlias = tuple[int, int]
"""When a run began and ended to write, in ns by the clock of the file system."""

_FAR = 2**63  # the end of a run that is not ended


def is_up_to_date(job: Job, since: int) -> bool:
    """Return whether a job's output is finished, and not older than its file or `since`."""
    if job.target is None or not os.path.isfile(job.target):  # noqa: PTH113 - any name
        return False
    try:
        written = job.target.stat().st_mtime_ns
        is_file = isinstance(job.source, Path) and job.source.is_file()
        changed = Path(job.source).stat().st_mtime_ns if is_file else 0
    except OSError:  # one of them was removed just now
        return False
    return written >= max(changed, since)


_MAX_NAME = 240  # bytes: with `.parts`, less than the 255 that file systems allow


def parts_folder(target: Path) -> Path:
    """Return the directory of the parts that become a file; that of a long name has a short one."""
    name = target.name.encode("utf-8", "surrogateescape")
    short = name[:80].decode("utf-8", "ignore") + "-" + digest(name)
    return target.with_name((target.name if len(name) <= _MAX_NAME else short) + ".parts")


def lock_path(target: Path, params: ResumeParams = ResumeParams()) -> Path:
    """Return the lock of a file, or of a directory in it; runs with a share have their own."""
    share = f".{params.share[0]}-of-{params.share[1]}" if params.is_shared else ""
    if target.is_dir():
        return target / f".crfclean{share}.lock"
    return parts_folder(target).with_suffix(f"{share}.lock")


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs of a run, and what is kept of those of earlier runs.

    A job is refused if its directory cannot be made. The `record` is that of a directory of texts.
    """

    jobs: Sequence[Job]
    params: ResumeParams
    record: _Record | None = None

    def kept(self, job: Job) -> str:
        """Return `DONE` for a finished text, `KEPT` for one that no run has written, else ""."""
        if job.refused or job.target is None:
            return ""
        since = self.record.since if self.record else 0
        if self.params.continues and is_up_to_date(job, since):
            return DONE
        return KEPT if self._is_foreign(job.target) else ""

    def _is_foreign(self, target: Path) -> bool:
        """Return whether a text was written, or corrected, while no run was writing here."""
        if self.params.overwrite or self.record is None:
            return False
        try:
            time = os.stat(target).st_mtime_ns  # noqa: PTH116 - asked for every page
        except OSError:
            return False
        return not any(begin <= time <= end for begin, end in self.record.written)

    def finish(self) -> None:
        """Note that all jobs are done; raises `CrfcleanError`."""
        if self.record is not None:
            self.record.finish()


@contextmanager
def open_outputs(
    jobs: Sequence[Job], options: Mapping[str, Any], params: ResumeParams
) -> Iterator[Outputs]:
    """Lock OUT, a directory or the file of a corpus, and make all directories.

    Raises `CrfcleanError` if another run writes there, if an unfinished run would be lost or had
    other options, and for a file whose parts are to be repeated.
    """
    record = None
    for job in jobs:
        if params.retry_failed and job.shard and not (job.refused or job.is_folder):
            raise CrfcleanError(
                f"{job.target or STDOUT}: is one file, and --retry-failed repeats parts of a "
                "directory: write to a directory, or use --resume"
            )
    with ExitStack() as stack:
        if folders := next((job.folders for job in jobs if job.folders), None):
            with naming_path(folders.target, "cannot be written"):
                folders.target.mkdir(parents=True, exist_ok=True)
            lock = _locked(folders.target, params, stack)
            if any(not job.shard for job in jobs):
                record = _Record(folders, jobs, lock)
                record.begin(options, params)
                stack.callback(record.note_stop)
        prepared = list(_with_directories(jobs))
        for job in prepared:
            if (
                job.shard
                and job.target
                and not (job.refused or job.folders or is_stream(job.target))
            ):
                _locked(job.target, params, stack)
        yield Outputs(prepared, params, record)


def _locked(target: Path, params: ResumeParams, stack: ExitStack) -> Lock:
    with naming_path(target, "cannot be written"):
        lock = Lock(lock_path(target, params), target)
    stack.callback(lock.release)
    return lock


class _Record:
    """The record of a run that writes texts into a directory, which is locked.

    Texts older than `since` are from runs before the one that is continued; `written` are the times
    of all runs here. Both are in ns by the clock of the file system.
    """

    def __init__(self, folders: Folders, jobs: Sequence[Job], lock: Lock) -> None:
        self._out, self._lock, self._start = folders.target, lock, lock.now()
        self._jobs = [job for job in jobs if not job.shard]
        self._targets = [job.target for job in self._jobs if job.target]
        self._kind = f"{folders.source} {next((path.suffix for path in self._targets), '')}"
        self._runs, self._times = _read_record(self._out / RECORD)
        self.since, self.written = self._start, [*self._times, (self._start, _FAR)]

    def begin(self, options: Mapping[str, Any], params: ResumeParams) -> None:
        """Note that the run has begun; raises as `continues_run`."""
        key = f"{options.get('command', '')} {self._kind}"
        if (last := self._runs.get(key)) is not None:
            has_work = any(is_up_to_date(job, last["since"]) for job in self._jobs)
            if continues_run(self._out, last, options, params, has_work=has_work):
                options, self.since = last["options"], last["since"]
        elif params.continues:
            self.since = 0  # no run has noted its start here: outputs that exist count as done
        self._run = {"finished": False, "since": self.since, "options": options}
        self._runs[key] = self._run
        self._note()

    def note_stop(self) -> None:
        """Note until when a stopped run has written, unless its record is lost."""
        with suppress(OSError, CrfcleanError):
            if not self._run["finished"]:
                self._note()

    def finish(self) -> None:
        """Note that the run is finished; raises `CrfcleanError`, also if OUT was removed."""
        self._run["finished"] = True
        with naming_path(self._out, "cannot be written"):
            self._note()

    def _note(self) -> None:
        _remove_temporary_files([self._out / RECORD, *self._targets])
        times = [*self._times, (self._start, self._lock.now())]
        record = {"runs": self._runs, "written": times}
        write_text(self._out / RECORD, json.dumps(record, indent=1) + "\n")


def _read_record(path: Path) -> tuple[dict[str, Any], list[Times]]:
    """Read a record: the runs by their keys, and the times in which they wrote."""
    try:
        record = json.loads(path.read_bytes())
        runs = {
            name: {key: run[key] for key in ("options", "since", "finished")}
            for name, run in record["runs"].items()
        }
        return runs, [(int(begin), int(end)) for begin, end in record["written"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, []


def _with_directories(jobs: Sequence[Job]) -> Iterator[Job]:
    problems: dict[Path, str] = {}
    for job in jobs:
        folder = job.target.parent if job.target else None
        if folder is not None and folder not in problems:
            try:
                folder.mkdir(parents=True, exist_ok=True)
                problems[folder] = ""
            except OSError as error:
                problems[folder] = str(error.strerror)
        if folder is not None and problems[folder] and not job.refused:
            yield job._replace(refused=f"{job.target} cannot be written: {problems[folder]}")
        else:
            yield job


def _remove_temporary_files(targets: Iterable[Path]) -> None:
    """Remove the temporary files of `write_atomically` beside their targets."""
    names: dict[Path, set[str]] = {}
    for target in targets:
        names.setdefault(target.parent, set()).add(target.name[:30])
    for folder, beginnings in names.items():
        with suppress(OSError):
            for path in list(folder.iterdir()):
                match = _TEMPORARY.fullmatch(path.name)
                if match and match[1] in beginnings:
                    path.unlink(missing_ok=True)


# what rows depend on


def run_options(operation: Operation) -> dict[str, Any]:
    """Return the options of an operation."""
    limits, fields = asdict(operation.limits), operation.fields._asdict()
    del fields["carry"]  # the operation has it with its types
    options = {**operation.options, "limits": limits, "fields": fields}
    plain: dict[str, Any] = json.loads(json.dumps(options))
    return plain
