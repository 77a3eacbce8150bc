"""Guard the work of an earlier run: compare the options of two runs, and lock outputs."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from crfclean.io import naming_path
from crfclean.types import CrfcleanError, option


@dataclass(frozen=True, slots=True)
class ResumeParams:
    """The parameters that say what becomes of the work of an earlier run.

    Without any of them, an unfinished run is not touched, and a finished run is repeated. A run
    that is `share` (1, 8) takes the first of every eight parts, and others take the rest. Raises
    `CrfcleanError` for parameters that exclude each other.
    """

    resume: bool = option(False, "continue a run that was stopped or killed")
    overwrite: bool = option(
        False,
        "start again: discard the work of an unfinished run, and replace texts that were changed",
    )
    retry_failed: bool = option(
        False,
        "like --resume, but also retry pages that crashed, took too much time or memory, or could "
        "not be read or fetched",
    )
    share: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        if self.overwrite and self.continues:
            other = "--resume" if self.resume else "--retry-failed"
            raise CrfcleanError(f"{other} and --overwrite exclude each other")
        if self.is_shared and (self.overwrite or self.retry_failed):
            other = "--overwrite" if self.overwrite else "--retry-failed"
            raise CrfcleanError(
                f"{other} and --part exclude each other: run it before, without --part"
            )

    @property
    def continues(self) -> bool:
        """True if finished work is kept."""
        return self.resume or self.retry_failed

    @property
    def is_shared(self) -> bool:
        """True if other runs write the same output."""
        return self.share != (1, 1)

    def takes(self, number: int) -> bool:
        """Return whether this run does the part, or page, of a number."""
        own, runs = self.share
        return number % runs == own - 1


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


def refuse_restart(place: object, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise `CrfcleanError` because the work of an unfinished run would be lost."""
    source = before.get("source")
    other = ": --resume continues it," if source == now.get("source") else f" of {source}:"
    raise CrfcleanError(f"{place}: an unfinished run{other} --overwrite starts again")


def check_same(
    place: object, before: Mapping[str, Any], now: Mapping[str, Any], *, retry: bool = False
) -> None:
    """Raise `CrfcleanError` if an unfinished run had another input or other options.

    With `retry`, the limits of time and memory may differ.
    """
    if before.get("source") != now.get("source"):
        what = f"its input was {before.get('source')}"
        raise CrfcleanError(f"{place}: cannot be continued: {what}: --overwrite starts again")
    allowed = _RETRIES_MAY_CHANGE if retry else frozenset()
    named = list(islice(_differences(before, now, allowed), MAX_NAMED))
    if named:
        raise CrfcleanError(
            f"{place}: cannot be continued with other options: {'; '.join(named)}: repeat them, "
            "or --overwrite starts again"
        )


def _differences(
    before: Mapping[str, Any], now: Mapping[str, Any], allowed: frozenset[tuple[str, ...]]
) -> Iterator[str]:
    """Yield each option that differs, with its values: "--comments was drop, is keep"."""
    old, new = dict(_leaves(before)), dict(_leaves(now))
    for path in dict.fromkeys([*old, *new]):
        if old.get(path) != new.get(path) and path not in allowed:
            name = _NAMES.get(path[-1]) or "--" + path[-1].replace("_", "-")
            yield f"{name} was {_shown(old.get(path))}, is {_shown(new.get(path))}"


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
_RELEASED = -1  # instead of a descriptor
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

    @property
    def is_intact(self) -> bool:
        """True if the lock file, and so its directory, was neither removed nor replaced."""
        return _is_file_of(self._descriptor, self._path)

    @property
    def modified(self) -> int:
        """The time when the lock was taken, in ns, by the clock of the file system."""
        return os.fstat(self._descriptor).st_mtime_ns

    def now(self) -> int:
        """Return the time in ns by the clock of the file system."""
        os.utime(self._path)
        return self._path.stat().st_mtime_ns

    def release(self) -> None:
        """Remove the lock file, then unlock it: the next holder sees that the file is gone."""
        intact, descriptor, self._descriptor = self.is_intact, self._descriptor, _RELEASED
        if descriptor == _RELEASED:
            return
        if sys.platform == "win32":  # files that are open cannot be removed there
            os.close(descriptor)
        with suppress(OSError):
            if intact:
                self._path.unlink()
        if sys.platform != "win32":
            os.close(descriptor)


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
