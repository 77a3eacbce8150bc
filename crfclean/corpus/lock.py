"""Lock an output, so that only one run writes it; the kernel unlocks it when the process dies."""

from __future__ import annotations

import errno
import os
import platform
import sys
import time
from contextlib import suppress
from pathlib import Path

from crfclean.types import CrfcleanError

PATIENCE = 1.0  # seconds: a run that was killed a moment ago may still be ending
_PAUSE = 0.05  # seconds between two attempts
_MAX_HOLDER = 200  # bytes of a lock file that a message shows
_RELEASED = -1  # instead of a descriptor
_LOCKED_BYTE = 2**30  # on Windows, where nobody can read what is locked: behind the text
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP}
"""Errors of file systems without locks: there a run goes on unlocked, as before there were any."""


class Lock:
    """The lock of an output, held from its creation to `release`; its file says who holds it.

    Raises `CrfcleanError` if another run holds it, `OSError` if the file cannot be written. No
    process that is started meanwhile inherits it (file descriptors of Python are not inherited).
    """

    def __init__(self, path: Path, output: Path) -> None:
        self._path = path
        self._descriptor = _acquire(path, output)
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        holder = f"process {os.getpid()} on {platform.node() or 'this machine'} since {since}"
        with suppress(OSError):  # a full disk: the lock holds all the same
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, holder.encode())

    @property
    def is_intact(self) -> bool:
        """Whether the lock file is still the one that was locked, so the directory as well."""
        return _is_file_of(self._descriptor, self._path)

    @property
    def modified(self) -> int:
        """When the lock was taken, in ns, by the clock of the file system."""
        return os.fstat(self._descriptor).st_mtime_ns

    def release(self) -> None:
        """Remove the lock file, then unlock it: who locks it afterwards sees that it is gone."""
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


def _acquire(path: Path, output: Path) -> int:
    """The descriptor of the locked file."""
    end = time.monotonic() + PATIENCE
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        locked = _try_lock(descriptor)
        if locked and _is_file_of(descriptor, path):  # not removed since it was opened
            return descriptor
        holder = _holder(descriptor)
        os.close(descriptor)
        if not locked and time.monotonic() >= end:
            raise CrfcleanError(
                f"{output}: another run writes there, {holder}: wait for its end, or choose "
                "another output"
            )
        time.sleep(0 if locked else _PAUSE)


def _holder(descriptor: int) -> str:
    """Who holds a lock, as its file says."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    words = os.read(descriptor, _MAX_HOLDER).decode("utf-8", "replace").split()
    return " ".join(words) or "another process"


def _is_file_of(descriptor: int, path: Path) -> bool:
    """Whether a path still leads to an open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


def _try_lock(descriptor: int) -> bool:
    """Lock an open file; False if another one has it."""
    try:
        _lock(descriptor)
    except OSError as error:
        return error.errno in _NO_LOCKS
    return True


def _lock(descriptor: int) -> None:
    """Lock an open file without waiting; raises `OSError`."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
