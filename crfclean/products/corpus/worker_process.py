"""A worker process: its start, its tasks and its end."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from crfclean.io import open_descriptors
from crfclean.parallel import cannot_start
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.tasks import Function, Lost, Task
from crfclean.products.corpus.worker import LATE, NO_MEMORY, answer_tasks

MAX_WORKER_PAGES = 10_000
"""Number of pages after which a worker is replaced.

lxml keeps every name of an element or attribute for as long as its thread lives: 30 bytes for each
new name. Nothing else is known to grow.
"""
MAX_FAILED_STARTS = 3  # in a row before the run gives up
_SECONDS_OF_END = 0.1  # between the end of the server's socket and the end of its process
_JOIN_SECONDS = 10.0  # of waiting for a process that is ending
_STARTING = threading.Lock()  # `_worker_environment` changes the environment of all threads
_METHODS = multiprocessing.get_all_start_methods()
_CONTEXT: Any = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")

_VARIABLES = {
    "OPENBLAS_NUM_THREADS": "1",  # one thread is enough for the matrices of small pages
    "PYTHONSAFEPATH": "1",  # else the fork server would run a file lxml.py of the current folder
}
"""Variables of the environment in which processes start, unless they are set."""

PRELOADED = ["__main__", "crfclean.products.corpus.preloaded"]
"""Modules that the fork server imports: workers begin with them."""
if "forkserver" in _METHODS:
    _CONTEXT.set_forkserver_preload(PRELOADED)


@dataclass(slots=True)
class QueuedTask:
    """A task in the order of tasks, and its result; it may be retried (`again`), also `alone`."""

    task: Task
    result: Any = None
    finished: bool = False
    again: bool = False
    alone: bool = False

    def finish(self, result: object) -> None:
        """Take the result of the task."""
        self.result, self.finished = result, True

    @property
    def others(self) -> list[QueuedTask]:
        """The tasks that replace this one after its result."""
        return [entry_of(task) for task in self.task.instead(self.result)]


def entry_of(task: Task) -> QueuedTask:
    """Return the entry of a task, finished if the task is done."""
    return QueuedTask(task, task.item if task.done else None, task.done)


@dataclass(slots=True)
class WorkerProcess:
    """A worker process as its parent sees it, with its unanswered task.

    `answered` counts the answered tasks, `pages` all pages sent.
    """

    process: BaseProcess
    pipe: Connection
    shared: Any = None
    entry: QueuedTask | None = None
    answered: int = 0
    pages: int = 0
    loaded: bool = False

    def give(self, entry: QueuedTask, function: Function, shared: object) -> None:
        """Send a task; the death of a worker is noticed when its answer is awaited."""
        first = not self.pages
        self.entry = entry
        self.pages += entry.task.pages
        with suppress(OSError):
            if first or self.shared is not shared:
                self.shared = shared
                self.pipe.send((None, shared, 0))
            self.pipe.send((function, entry.task.item, entry.task.pages))

    def next_entry(self) -> QueuedTask | None:
        """Remove and return the entry that the worker has answered, or that ended the worker."""
        self.answered += 1
        entry, self.entry = self.entry, None
        return entry

    def exit_code(self) -> int | None:
        """Return the exit code of a process that has closed its pipe."""
        self.process.join(_JOIN_SECONDS)
        return self.process.exitcode

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join(_JOIN_SECONDS)
        self.pipe.close()


def start_worker(limits: TaskLimits) -> WorkerProcess:
    """Start a worker process in this working directory; raises `WorkerError`."""
    if multiprocessing.current_process().daemon:
        raise cannot_start("this is a worker process itself, which may start none")
    for _ in range(MAX_FAILED_STARTS):
        try:
            return _started(limits)
        except (EOFError, ConnectionError):  # the server was killed, or found no process to fork
            time.sleep(_SECONDS_OF_END)
        except OSError as error:
            raise cannot_start(error.strerror or error) from error
    raise cannot_start("the process that they are forked from ends")


def _started(limits: TaskLimits) -> WorkerProcess:
    """Start a process; raises `OSError`, and `EOFError` if the fork server is gone.

    Each try has its own pipe, because the process of a failed try may still live.
    """
    open_descriptors()  # else the worker's standard error may be its pipe
    parent_end, worker_end = _CONTEXT.Pipe()
    with worker_end, _STARTING, _worker_environment():
        folder = str(Path.cwd())
        process = _CONTEXT.Process(
            target=answer_tasks, args=(worker_end, folder, limits), daemon=True
        )
        process.start()
    return WorkerProcess(process, parent_end)


def was_late(code: int | None) -> bool:
    """Return whether a worker with this exit code ended because its task took too long."""
    return code == LATE or code in {-getattr(signal, name, LATE) for name in ("SIGPROF", "SIGALRM")}


def lost_by(code: int | None, limits: TaskLimits) -> Lost:
    """Return the reason why a worker with this exit code lost its task."""
    if was_late(code):
        return Lost("over-time", f"it took more than {limits.max_seconds:g} s")
    if code == NO_MEMORY:
        return Lost("over-memory", f"it needed more than {limits.max_memory} MB of memory")
    reason = signal.Signals(-code).name if code and code < 0 else f"exit code {code}"
    return Lost("crashed", f"its process ended ({reason})")


@contextmanager
def _worker_environment() -> Iterator[None]:
    """A context in which processes start with blocked signals and `_VARIABLES`.

    A signal to the whole group must not end the server that workers are forked from; the parent
    gets it after this context.
    """
    set_mask = getattr(signal, "pthread_sigmask", None)
    mask = None
    added = {name: value for name, value in _VARIABLES.items() if not os.environ.get(name)}
    os.environ |= added
    try:
        if set_mask:
            resource_tracker.ensure_running()  # its start would unblock the signals
            mask = set_mask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        yield
    finally:
        if set_mask and mask is not None:
            set_mask(signal.SIG_SETMASK, mask)
        for name in added:
            del os.environ[name]
