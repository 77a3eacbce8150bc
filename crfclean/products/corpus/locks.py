"""Locks: the kernel unlocks an output when the process dies that writes it."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from crfclean.io import naming_path
from crfclean.types import CrfcleanError

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
