"""A worker process as its parent sees it: started, given tasks, ended."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from crfclean.corpus.tasks import Function, Lost, Task, TaskLimits
from crfclean.corpus.worker import LATE, NO_MEMORY, work

MAX_WORKER_PAGES = 10_000
"""Pages after which a worker is replaced.

lxml keeps every name of an element or attribute for as long as its thread lives: 30 bytes for each
that no earlier page has had. Nothing else is known to grow.
"""
PAGES_AHEAD = 4  # sent to a worker before it has answered: it works on while the parent packs
_BYTES_AHEAD = 4 * 2**20  # of tasks that wait for a worker
_JOIN_SECONDS = 10.0  # for a process that ended to be seen as ended
_STARTING = threading.Lock()  # `_worker_environment` changes the environment of all threads
_METHODS = multiprocessing.get_all_start_methods()
_CONTEXT: Any = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")

PRELOADED = ["__main__", "crfclean.corpus.preloaded"]
"""Modules that the fork server imports: workers begin with them."""
if "forkserver" in _METHODS:
    _CONTEXT.set_forkserver_preload(PRELOADED)


@dataclass(slots=True)
class Entry:
    """A task in the order of tasks, its result, whether it is tried `again`, and then `alone`."""

    task: Task
    result: Any = None
    finished: bool = False
    again: bool = False
    alone: bool = False

    def finish(self, result: object) -> None:
        """Take the result of the task."""
        self.result, self.finished = result, True

    @property
    def parts(self) -> list[Entry]:
        """The tasks that are done instead of a lost one."""
        lost = self.finished and type(self.result) is Lost
        return [entry_of(part) for part in self.task.parts] if lost else []


def entry_of(task: Task) -> Entry:
    """The entry of a task, finished if the task is done."""
    return Entry(task, task.item if task.done else None, task.done)


@dataclass(slots=True)
class WorkerProcess:
    """A worker process as its parent sees it, with the tasks that it was sent and has not answered.

    It answers them in their order; `answered` counts the tasks before them, `pages` all pages sent.
    """

    process: BaseProcess
    pipe: Connection
    shared: Any = None
    entries: deque[Entry] = field(default_factory=deque)
    answered: int = 0
    pages: int = 0
    loaded: bool = False

    @property
    def may_wait(self) -> bool:
        """Whether one more task may wait for the worker to end those that it has."""
        pages = sum(entry.task.pages for entry in self.entries)
        size = sum(entry.task.size for entry in self.entries)
        full = pages >= PAGES_AHEAD or size >= _BYTES_AHEAD or self.pages >= MAX_WORKER_PAGES
        return not (full or any(entry.again for entry in self.entries))

    @property
    def has_ended_its_pages(self) -> bool:
        """Whether the worker has done all that it may do, and is to be replaced."""
        return self.pages >= MAX_WORKER_PAGES and not self.entries

    def give(self, entry: Entry, function: Function, shared: object) -> None:
        """Send a task; the death of a worker is noticed when its answer is awaited."""
        first = not self.pages
        self.entries.append(entry)
        self.pages += entry.task.pages
        with suppress(OSError):
            if first or self.shared is not shared:
                self.shared = shared
                self.pipe.send((None, shared, 0, True))
            task = entry.task
            message = (task.function or function, task.item, task.pages, task.function is None)
            self.pipe.send(message)

    def next_entry(self) -> Entry | None:
        """The entry whose answer has come, or whose task ended the worker; it has it no longer."""
        self.answered += 1
        return self.entries.popleft() if self.entries else None

    def exit_code(self) -> int | None:
        """The exit code of a process that has closed its pipe."""
        self.process.join(_JOIN_SECONDS)
        return self.process.exitcode

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join(_JOIN_SECONDS)
        self.pipe.close()


def start_worker(limits: TaskLimits) -> WorkerProcess:
    """A new worker process in this working directory."""
    parent_end, worker_end = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=work, args=(worker_end, str(Path.cwd()), limits), daemon=True)
    with _STARTING, _worker_environment():
        process.start()
    worker_end.close()
    return WorkerProcess(process, parent_end)


def was_late(code: int | None) -> bool:
    """Whether a worker with this exit code ended because its task took too long."""
    return code in {LATE, -getattr(signal, "SIGALRM", LATE)}


def lost_by(code: int | None, limits: TaskLimits) -> Lost:
    """Why a worker with this exit code has lost its task."""
    if was_late(code):
        return Lost("over-time", f"it took more than {limits.max_seconds:g} s")
    if code == NO_MEMORY:
        return Lost("over-memory", f"it needed more than {limits.max_memory} MB of memory")
    reason = signal.Signals(-code).name if code and code < 0 else f"exit code {code}"
    return Lost("crashed", f"its process ended ({reason})")


@contextmanager
def _worker_environment() -> Iterator[None]:
    """A context in which processes start with one thread for matrix products and blocked signals.

    One thread, since pages are small. A signal to the whole group must not end the server that
    workers are forked from; one that comes meanwhile reaches the parent afterwards.
    """
    set_mask = getattr(signal, "pthread_sigmask", None)
    mask = set()
    sets_threads = "OPENBLAS_NUM_THREADS" not in os.environ
    if sets_threads:
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if set_mask:
        resource_tracker.ensure_running()  # its start would unblock the signals
        mask = set_mask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        if set_mask:
            set_mask(signal.SIG_SETMASK, mask)
        if sets_threads:
            del os.environ["OPENBLAS_NUM_THREADS"]
