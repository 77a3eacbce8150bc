"""Prepare the outputs of a run: locks, the options of an earlier run, the record of this one."""

from __future__ import annotations

import errno
import json
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

from crfclean.io import digest, is_stream, naming_path, write_text
from crfclean.products.corpus.jobs import DONE, KEPT, Folders, Job, Operation
from crfclean.products.corpus.params import ResumeParams
from crfclean.products.corpus.records import STDOUT
from crfclean.types import CrfcleanError

# differences of two runs

MAX_NAMED = 3  # differences that a message names
_MAX_SHOWN = 60  # characters of a value in a message
_NAMES = {
    "command": "the command",
    "model": "the model or its decisions",
    "version": "the version of crfclean",
}
"""Keys of options that have another name on the command line."""

_RETRIES_MAY_CHANGE: frozenset[tuple[str, ...]] = frozenset(
    [("limits", "max_seconds"), ("limits", "max_memory")]
)
"""Options that may change in a retry: they change no row of a page that was read."""


def continues_run(
    place: object,
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    params: ResumeParams,
    *,
    has_work: bool,
) -> bool:
    """Return whether a run with the options `now` continues an earlier one.

    `before` has the `options` of that run, and whether it is `finished`. Raises `CrfcleanError` if
    the options differ, and if the work of an unfinished run would be lost.
    """
    if params.continues or params.is_shared:
        check_same(place, before["options"], now, retry=params.retry_failed)
        return True
    if not (params.overwrite or before["finished"]) and has_work:
        source = before["options"].get("source")
        other = ": --resume continues it," if source == now.get("source") else f" of {source}:"
        raise CrfcleanError(f"{place}: an unfinished run{other} --overwrite starts again")
    return False


def check_same(
    place: object, before: Mapping[str, Any], now: Mapping[str, Any], *, retry: bool = False
) -> None:
    """Raise `CrfcleanError` if an unfinished run had another input or other options.

    With `retry`, the limits of time and memory may differ.
    """
    if before.get("source") != now.get("source"):
        what = f"its input was {before.get('source')}"
        raise CrfcleanError(f"{place}: cannot be continued: {what}: --overwrite starts again")
    old, new = dict(_leaves(before)), dict(_leaves(now))
    changed = [
        f"{_NAMES.get(path[-1]) or '--' + path[-1].replace('_', '-')} was {_shown(old.get(path))}, "
        f"is {_shown(new.get(path))}"
        for path in {**old, **new}
        if old.get(path) != new.get(path) and not (retry and path in _RETRIES_MAY_CHANGE)
    ]
    if changed:
        raise CrfcleanError(
            f"{place}: cannot be continued with other options: {'; '.join(changed[:MAX_NAMED])}: "
            "repeat them, or --overwrite starts again"
        )


def _leaves(
    options: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every option that is no table, with the keys that lead to it."""
    for key, value in options.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))
        else:
            yield (*path, key), value


def _shown(value: object) -> str:
    if value is None or value in ("", []):
        return "not set"
    if isinstance(value, bool):
        return "on" if value else "off"
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"


# locks: the kernel unlocks an output when the process dies that writes it

PATIENCE = 1.0  # seconds: a run that was killed a moment ago may still be ending
_PAUSE = 0.05  # seconds between two attempts
_MAX_HOLDER = 200  # bytes of a lock file that a message shows
_RUN = "another run writes there, {}: wait for its end, or choose another output"
_SESSION = "another session or run writes there, {}: end it first"
_LOCKED_BYTE = 2**30  # on Windows, where nobody can read what is locked: behind the text
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP}
"""Errors of file systems without locks, where a run continues unlocked."""


class Lock:
    """The lock of an output, held from creation to `release`; its file names the holder.

    Raises `CrfcleanError` if another run holds the lock, `OSError` if the file cannot be written.
    Processes started meanwhile do not inherit it, because Python's descriptors are not inheritable.
    """

    def __init__(self, path: Path, output: Path, refusal: str = _RUN) -> None:
        import platform  # one page needs no lock

        self._path = path
        self._descriptor = _acquire(path, output, refusal)
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        holder = f"process {os.getpid()} on {platform.node() or 'this machine'} since {since}"
        with suppress(OSError):  # a full disk: the lock holds all the same
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, holder.encode())

    def now(self) -> int:
        """Return the time in ns by the clock of the file system; raises `OSError`."""
        os.utime(self._path)
        return self._path.stat().st_mtime_ns

    def release(self) -> None:
        """Remove the lock file, then unlock it: the next holder sees that the file is gone."""
        is_own = _is_file_of(self._descriptor, self._path)  # nobody has removed or replaced it
        if sys.platform == "win32":  # files that are open cannot be removed there
            os.close(self._descriptor)
        with suppress(OSError):
            if is_own:
                self._path.unlink()
        if sys.platform != "win32":
            os.close(self._descriptor)


@contextmanager
def session_lock(path: Path, place: Path) -> Iterator[None]:
    """A context that locks a place where a person's work is saved.

    Raises `CrfcleanError` if another session or run holds the lock, or if nothing can be written.
    """
    with naming_path(place, "nothing can be saved there"):
        lock = Lock(path, place, _SESSION)
    try:
        yield
    finally:
        lock.release()


def _acquire(path: Path, output: Path, refusal: str) -> int:
    end = time.monotonic() + PATIENCE
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        locked = _try_lock(descriptor)
        if locked and _is_file_of(descriptor, path):  # not removed since it was opened
            return descriptor
        os.lseek(descriptor, 0, os.SEEK_SET)
        words = os.read(descriptor, _MAX_HOLDER).decode("utf-8", "replace").split()
        os.close(descriptor)
        if not locked and time.monotonic() >= end:
            holder = " ".join(words) or "another process"
            raise CrfcleanError(f"{output}: {refusal.format(holder)}")
        time.sleep(0 if locked else _PAUSE)


def _is_file_of(descriptor: int, path: Path) -> bool:
    """Return whether a path still leads to an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _try_lock(descriptor: int) -> bool:
    """Lock an open file without waiting; return False if another process holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in _NO_LOCKS
    return True


# prepare the outputs of a run: their options, their directories, and the record of the run
#
# The record of a directory of texts is `OUT/.crfclean.json`. For every command, IN and ending of
# texts it has the last run: its options, its start, and whether it is finished. It also has the
# times in which runs wrote there: a text of another time was written, or corrected, by somebody
# else.

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
    options = {**operation.options, "limits": limits, "fields": fields}
    plain: dict[str, Any] = json.loads(json.dumps(options))
    return plain
