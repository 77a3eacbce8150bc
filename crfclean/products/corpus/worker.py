"""What a worker process does: tasks, within limits of time and memory."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.tasks import OUT_OF_MEMORY, Function, attempt, set_clock, start_clock
from crfclean.types import CrfcleanError, OldParserWarning

NO_MEMORY = 73  # exit code of a worker that ran out of memory
TRIM_PAGES = 100  # pages after which free memory is given back, which takes a few ms
_MALLOPT = {-3: 32 * 2**20, -1: 64 * 2**20}
"""Parameters of glibc's `mallopt`: blocks from the first size on are mapped one by one; free memory
of the second size at the end of the heap is given back at once. With smaller sizes, each page would
fetch its memory anew.
"""
FAR = 20  # a task may last this many times its limit by the wall clock
LATE = 74  # exit code of a worker whose task took too long, on systems without an alarm


def answer_tasks(pipe: Connection, folder: str, limits: TaskLimits) -> None:
    """Take tasks and answer them until the parent closes the pipe, or is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the parent lets the worker finish
        signal.signal(number, signal.SIG_IGN)
    os.chdir(folder)
    warnings.simplefilter("ignore", OldParserWarning)  # the parent has told it
    shared, loaded, done, trim = None, False, 0, _trimmer()
    set_clock(CpuClock(limits.max_seconds).start)
    with suppress(EOFError, OSError):
        while True:
            function, value, pages = _received(pipe)
            if function is None:
                shared = value
            if not loaded:
                _limit_memory(limits.max_memory)
                pipe.send(("loaded", None))
                loaded = True
            if function is not None:
                pipe.send(run_task(function, value, shared, pages))
                done += pages
                if done >= TRIM_PAGES:
                    done = 0
                    trim()


def _received(pipe: Connection) -> tuple[Function | None, Any, int]:
    """Return a function, its item, and the number of pages; or None, and what all tasks share.

    If the model has changed since the parent loaded it, the parent is told, and the worker ends.
    """
    try:
        message: tuple[Function | None, Any, int] = pipe.recv()
    except MemoryError:
        os._exit(NO_MEMORY)
    except CrfcleanError as error:
        pipe.send(("raise", error))
        raise EOFError from error
    return message


def _trimmer() -> Callable[[], object]:
    """Return a function that gives free memory back to the system; without glibc it does nothing.

    Between many free pieces of memory lie a few that are in use. Without trimming, the heap grows
    for as long as the worker runs, though nothing leaks.
    """
    if sys.platform != "linux":
        return int
    import ctypes

    library = ctypes.CDLL(None)
    trim: Callable[[int], int] | None = getattr(library, "malloc_trim", None)
    if trim is None:
        return int
    for parameter, size in _MALLOPT.items():
        library.mallopt(parameter, size)
    return partial(trim, 0)


def run_task(function: Function, item: object, shared: object, pages: int) -> tuple[str, Any]:
    """Do a task within its time; answer any error, but end the process if memory lacks."""
    try:
        kind, value = attempt(function, item, shared, partial(start_clock, pages))
    finally:
        start_clock(0)
    if kind == OUT_OF_MEMORY:
        os._exit(NO_MEMORY)
    return kind, value


class CpuClock:
    """Ends the process when it has used its CPU seconds, or `FAR` times as many by the wall clock.

    So a process that is stopped, or waits for the processor, loses no page, and one that waits
    for ever is ended. Windows has no such clock: there a thread counts by the wall clock.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer: threading.Timer | None = None

    def start(self, pages: int) -> None:
        """Start the time of a number of pages, and end the time of earlier pages."""
        seconds = pages * self._seconds
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_PROF, seconds)
            signal.setitimer(signal.ITIMER_REAL, FAR * seconds)
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(seconds, os._exit, [LATE]) if seconds else None
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()


def _limit_memory(megabytes: int) -> None:
    """Let the process allocate at most this many MB more than it has now (Linux)."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", "rb") as counts:  # noqa: PTH123
            pages = int(counts.read().split()[0])
        limit = pages * resource.getpagesize() + megabytes * 2**20
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
