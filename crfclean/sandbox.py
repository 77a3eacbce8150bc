"""A task and its limits -> its answer: what runs inside a worker process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from crfclean.types import CrfcleanError, Prepares, option

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

NO_MEMORY = 73  # exit code of a worker that ran out of memory

Function = Callable[[Any, Any], Any]


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """What a task may take; time and memory need Unix and Linux."""

    max_seconds: float = option(60.0, "seconds that a page may take")
    max_memory: int = option(2_048, "MB of memory that a page may take")


@dataclass(frozen=True, slots=True)
class Lost:
    """What became of a task without a result: "over-time", "over-memory", "crashed", "error"."""

    status: str
    message: str


class _Caught:
    """Within it any error ends the block alone, and is kept as `error`."""

    error: BaseException | None = None

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> bool:
        self.error = error
        return kind is not None and issubclass(kind, Exception)


def work(pipe: Connection, folder: str, limits: TaskLimits) -> None:
    """A worker's life: take tasks and answer them until the parent closes the pipe, or is gone."""
    for one in (signal.SIGINT, signal.SIGTERM):  # the parent lets us finish
        signal.signal(one, signal.SIG_IGN)
    os.chdir(folder)
    shared, loaded = None, False
    with suppress(EOFError, OSError):
        while True:
            try:
                function, value = pipe.recv()
            except CrfcleanError as error:  # the model is not what it was
                return pipe.send(("raise", error))
            if function is None:
                shared = value
            if not loaded:
                _limit_memory(limits.max_memory)
                pipe.send(("loaded", None))
                loaded = True
            if function is not None:
                pipe.send(do(function, value, shared, limits.max_seconds))


def _prepare(item: object, shared: object) -> None:
    """Let what tasks share open its models for one before its clock runs, if it has such."""
    if isinstance(shared, Prepares):
        shared.prepare(item)


def do(function: Function, item: object, shared: object, seconds: float) -> tuple[str, Any]:
    """Do a task within its time; an error is an answer, but for lack of memory."""
    alarm = getattr(signal, "setitimer", None)
    caught = _Caught()
    with caught:
        _prepare(item, shared)
        if alarm:
            alarm(signal.ITIMER_REAL, seconds)
        result = function(item, shared)
    if alarm:
        alarm(signal.ITIMER_REAL, 0)
    if caught.error is None:
        return "done", result
    if isinstance(caught.error, MemoryError):
        os._exit(NO_MEMORY)
    if isinstance(caught.error, CrfcleanError):
        return "raise", caught.error
    return "done", Lost("error", f"{type(caught.error).__name__}: {caught.error}"[:200])


def _limit_memory(megabytes: int) -> None:
    """Let the process have so many MB more than it has now (Linux)."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", "rb") as counts:  # noqa: PTH123
            pages = int(counts.read().split()[0])
        most = pages * resource.getpagesize() + megabytes * 2**20
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
