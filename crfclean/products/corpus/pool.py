"""Do tasks in worker processes, in order; a failed task does not end other tasks."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

from crfclean.io import open_descriptors
from crfclean.page.libxml2 import warn_of_old_parser
from crfclean.parallel import cannot_start
from crfclean.products.corpus.jobs import (
    OUT_OF_MEMORY,
    Function,
    Lost,
    Task,
    attempt,
    set_clock,
    start_clock,
)
from crfclean.products.corpus.params import TaskLimits
from crfclean.types import CrfcleanError, OldParserWarning, WorkerError

NO_MEMORY = 73  # exit code of a worker that ran out of memory
TRIM_PAGES = 100  # pages after which free memory is given back, which takes a few ms
_MALLOPT = {-3: 32 * 2**20, -1: 64 * 2**20}
"""Parameters of glibc's `mallopt`: blocks from the first size on are mapped one by one; free memory
of the second size at the end of the heap is given back at once. With smaller sizes, each page would
fetch its memory anew.
"""
FAR = 20  # a task may last this many times its limit by the wall clock
LATE = 74  # exit code of a worker whose task took too long, on systems without an alarm


def work(pipe: Connection, folder: str, limits: TaskLimits) -> None:
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


# do tasks in worker processes, in order; a failed task does not end other tasks

MAX_WORKER_PAGES = 10_000
"""Number of pages after which a worker is replaced.

lxml keeps every name of an element or attribute for as long as its thread lives: 30 bytes for each
new name. Nothing else is known to grow.
"""
_MAX_FAILED_STARTS = 3  # in a row before the run gives up
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
class Entry:
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
    def others(self) -> list[Entry]:
        """The tasks that replace this one after its result."""
        return [entry_of(task) for task in self.task.instead(self.result)]


def entry_of(task: Task) -> Entry:
    """Return the entry of a task, finished if the task is done."""
    return Entry(task, task.item if task.done else None, task.done)


@dataclass(slots=True)
class WorkerProcess:
    """A worker process as its parent sees it, with its unanswered task.

    `answered` counts the answered tasks, `pages` all pages sent.
    """

    process: BaseProcess
    pipe: Connection
    shared: Any = None
    entry: Entry | None = None
    answered: int = 0
    pages: int = 0
    loaded: bool = False

    def give(self, entry: Entry, function: Function, shared: object) -> None:
        """Send a task; the death of a worker is noticed when its answer is awaited."""
        first = not self.pages
        self.entry = entry
        self.pages += entry.task.pages
        with suppress(OSError):
            if first or self.shared is not shared:
                self.shared = shared
                self.pipe.send((None, shared, 0))
            self.pipe.send((function, entry.task.item, entry.task.pages))

    def next_entry(self) -> Entry | None:
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
    for _ in range(_MAX_FAILED_STARTS):
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
        process = _CONTEXT.Process(target=work, args=(worker_end, folder, limits), daemon=True)
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


# the pool
#
# A worker that hangs is killed by its own clock. A worker that needs too much memory ends itself. A
# worker that crashes closes its pipe. Each of them loses only its own task. A task whose worker
# crashed is retried once, in a new worker. If the worker was killed, the task is retried alone: a
# machine short of memory kills the largest process, whichever process took the memory. Workers
# inherit from the parent only what a task needs (forkserver), so the parent may have threads. All
# commands and the server read pages in such a pool; `parallel.map_in_order` is for trusted work.

TASKS_AHEAD = 16  # tasks per worker after an unfinished task, so that a slow page delays no other
_BYTES_AHEAD = 16 * 2**20  # of tasks under way, beyond one for each worker
_KILLED = -getattr(signal, "SIGKILL", 9)  # exit code of a worker after the system's OOM killer
_STOPPED = Lost("stopped", "its process was ended")


class Pool:
    """Up to `workers` processes, started when there are tasks, ended by `close`."""

    def __init__(self, workers: int = 1, limits: TaskLimits = TaskLimits()) -> None:
        warn_of_old_parser()
        self._max_workers = max(workers, 1)
        self._limits = limits
        self._workers: list[WorkerProcess] = []
        # at its end Python waits for processes, and they wait for tasks until their pipe is closed
        Finalize(self, _end_all, (self._workers,), exitpriority=0)
        self._failed_starts = 0
        self._stopped = False

    def close(self) -> None:
        """End all processes."""
        _end_all(self._workers)

    def stop(self) -> None:
        """Kill all processes, from any thread: a task under way is `Lost`, and none is begun."""
        self._stopped = True
        for worker in list(self._workers):
            worker.process.kill()

    def run(self, function: Function, item: object, shared: object) -> Any:
        """Return `function(item, shared)` or `Lost`; for one thread at a time; raises as `map`."""
        ((_, result),) = self.map(function, [Task(None, item)], shared)
        return result

    def map(
        self, function: Function, tasks: Iterable[Task], shared: object
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each task's `about` with `function(item, shared)` or `Lost`, in order, lazily.

        Raises the function's `CrfcleanError`s, and `WorkerError` if no worker lives.
        """
        todo, order, waiting = iter(tasks), deque[Entry](), deque[Entry]()
        try:
            while True:
                self._take(todo, order, waiting)
                if not order:
                    return
                self._dispatch(waiting, function, shared)
                self._receive(waiting, block=not order[0].finished)
                self._dispatch(waiting, function, shared)  # no worker waits for the caller
                if not order[0].finished:
                    continue
                entry = order.popleft()
                if others := entry.others:
                    order.extendleft(reversed(others))
                    waiting.extendleft(one for one in reversed(others) if not one.finished)
                else:
                    yield entry.task.about, entry.result
        finally:
            self._end([worker for worker in self._workers if worker.entry])

    def _take(self, todo: Iterator[Task], order: deque[Entry], waiting: deque[Entry]) -> None:
        """Take tasks while there is room for them; finished tasks need no worker."""
        while len(waiting) < self._max_workers and len(order) < TASKS_AHEAD * self._max_workers:
            under_way = sum(entry.task.size for entry in order)
            if len(order) >= self._max_workers and under_way > _BYTES_AHEAD:
                return
            task = next(todo, None)
            if task is None:
                return
            entry = entry_of(task)
            order.append(entry)
            if not task.done:
                waiting.append(entry)

    def _dispatch(self, waiting: deque[Entry], function: Function, shared: object) -> None:
        """Send tasks to idle workers."""
        while waiting and (self._stopped or self._may_begin(waiting[0])):
            entry = waiting.popleft()
            if self._stopped:
                entry.finish(_STOPPED)
            else:
                self._worker_for(entry).give(entry, function, shared)

    def _may_begin(self, entry: Entry) -> bool:
        """Return whether a worker can take a task; a task alone waits for all other tasks."""
        busy = [worker.entry for worker in self._workers if worker.entry]
        if entry.alone or any(other.alone for other in busy):
            return not busy
        return len(busy) < self._max_workers

    def _worker_for(self, entry: Entry) -> WorkerProcess:
        """Return an idle worker or a new one; a retried task gets a new one."""
        idle = [worker for worker in self._workers if not worker.entry]
        if idle and not entry.again:
            return idle[-1]
        if len(self._workers) == self._max_workers:
            self._end(idle[:1])
        return self._start()

    def _start(self) -> WorkerProcess:
        worker = start_worker(self._limits)
        self._workers.append(worker)
        if self._stopped:  # while it started
            worker.process.kill()
        return worker

    def _receive(self, waiting: deque[Entry], *, block: bool) -> None:
        """Take the answers that there are; with `block`, wait for one."""
        busy = {worker.pipe: worker for worker in self._workers if worker.entry}
        for pipe in wait(list(busy), None if block else 0) if busy else []:
            worker = busy[pipe]  # type: ignore[index]
            try:
                kind, value = worker.pipe.recv()
            except (EOFError, OSError):
                self._replace_dead(worker, waiting)
                continue
            self._answer(worker, kind, value)

    def _answer(self, worker: WorkerProcess, kind: str, value: Any) -> None:
        if kind == "loaded":
            worker.loaded, self._failed_starts = True, 0
            return
        entry = worker.next_entry()
        if worker.pages >= MAX_WORKER_PAGES:
            self._end([worker])
        if kind == "raise":
            raise value
        if entry:
            entry.finish(value)

    def _replace_dead(self, worker: WorkerProcess, waiting: deque[Entry]) -> None:
        """Retry the task of a dead worker, or give it up."""
        code, first_task = worker.exit_code(), not worker.answered
        entry = worker.next_entry()
        self._end([worker])
        if entry is None:
            return
        if self._stopped:
            entry.finish(_STOPPED)
            return
        if not worker.loaded:
            self._failed_starts += 1
            if self._failed_starts >= _MAX_FAILED_STARTS:
                raise WorkerError("the worker processes end while they load the model")
            waiting.appendleft(entry)
            return
        is_page = entry.task.pages == 1  # further pages of a task may need what earlier ones left
        if entry.again or was_late(code) or (code == NO_MEMORY and first_task and is_page):
            entry.finish(lost_by(code, self._limits))
            return
        entry.again = True  # the cause may be what earlier tasks left in memory
        entry.alone = code == _KILLED  # or what other workers need at the same time
        waiting.appendleft(entry)

    def _end(self, workers: list[WorkerProcess]) -> None:
        for worker in workers:
            worker.end()
            self._workers.remove(worker)


def _end_all(workers: list[WorkerProcess]) -> None:
    while workers:
        workers.pop().end()
