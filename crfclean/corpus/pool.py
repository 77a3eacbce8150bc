"""Do tasks in worker processes, in order; a task that fails ends no other.

A worker that hangs is killed by its own alarm, one that needs too much memory ends itself, one
that crashes is noticed by its closed pipe; each loses only its own task. A task whose worker
crashed is tried once more, in a new worker, alone if the worker was killed: a machine short of
memory kills the largest process, whoever took the memory. Workers inherit nothing
from the parent but what a task needs (forkserver), so the parent may have threads. All commands and
the server read pages in such a pool; `parallel.map_in_order` is for trusted work of the library.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from crfclean.corpus.tasks import Function, Lost, Task, TaskLimits
from crfclean.corpus.worker import LATE, NO_MEMORY, work
from crfclean.types import CrfcleanError

TASKS_AHEAD = 16  # a worker, done while an earlier one is not: a slow page delays no other
_BYTES_AHEAD = 16 * 2**20  # of tasks under way, beyond one for each worker
MAX_WORKER_PAGES = 1_000  # then a worker is replaced: its heap grows with the pages it has seen
_MAX_FAILED_STARTS = 3  # in a row, of workers that die loading the model: then none will live
_JOIN_SECONDS = 10.0  # for a process that ended to be seen as ended
_KILLED = -getattr(signal, "SIGKILL", 9)  # exit code of a worker that the OOM killer has chosen
_STOPPED = Lost("stopped", "its process was ended")
_STARTING = threading.Lock()  # `_worker_environment` changes the environment of all threads
_METHODS = multiprocessing.get_all_start_methods()
_CONTEXT: Any = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")


@dataclass(slots=True)
class _Entry:
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
    def parts(self) -> list[_Entry]:
        """The tasks that are done instead of a lost one."""
        lost = self.finished and type(self.result) is Lost
        return [_entry(part) for part in self.task.parts] if lost else []


def _entry(task: Task) -> _Entry:
    return _Entry(task, task.item if task.done else None, task.done)


@dataclass(slots=True)
class _Worker:
    """A worker process as its parent sees it; `tasks` and `pages` count what it was sent."""

    process: BaseProcess
    pipe: Connection
    shared: Any = None
    entry: _Entry | None = None
    tasks: int = 0
    pages: int = 0
    loaded: bool = False

    def give(self, entry: _Entry, function: Function, shared: object) -> None:
        """Send a task; the death of a worker is noticed when its answer is awaited."""
        self.entry = entry
        self.tasks += 1
        self.pages += entry.task.pages
        with suppress(OSError):
            if not self.tasks - 1 or self.shared is not shared:
                self.shared = shared
                self.pipe.send((None, shared, 0))
            self.pipe.send((function, entry.task.item, entry.task.pages))

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join(_JOIN_SECONDS)
        self.pipe.close()


class Pool:
    """Up to `workers` processes, started when there are tasks, ended by `close`."""

    def __init__(self, workers: int = 1, limits: TaskLimits = TaskLimits()) -> None:
        self._max_workers = max(workers, 1)
        self._limits = limits
        self._workers: list[_Worker] = []
        self._failed_starts = 0
        self._stopped = False

    def close(self) -> None:
        """End all processes."""
        self._end(self._workers)

    def stop(self) -> None:
        """Kill all processes, from any thread: a task under way is `Lost`, and none is begun."""
        self._stopped = True
        for worker in list(self._workers):
            worker.process.kill()

    def run(self, function: Function, item: object, shared: object) -> Any:
        """`function(item, shared)` or `Lost`, for one thread at a time; raises as `map` does."""
        ((_, result),) = self.map(function, [Task(None, item)], shared)
        return result

    def map(
        self, function: Function, tasks: Iterable[Task], shared: object
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each task's `about` with `function(item, shared)` or `Lost`, in order, lazily.

        Raises the function's `CrfcleanError`s, and one of its own where no worker lives.
        """
        todo, order, waiting = iter(tasks), deque[_Entry](), deque[_Entry]()
        try:
            while True:
                self._take(todo, order, waiting)
                if not order:
                    return
                self._dispatch(waiting, function, shared)
                self._receive(waiting, block=not order[0].finished)
                if order[0].finished:
                    entry = order.popleft()
                    if parts := entry.parts:
                        order.extendleft(reversed(parts))
                        waiting.extendleft(part for part in reversed(parts) if not part.finished)
                        continue
                    yield entry.task.about, entry.result
        finally:
            self._end([worker for worker in self._workers if worker.entry])

    def _take(self, todo: Iterator[Task], order: deque[_Entry], waiting: deque[_Entry]) -> None:
        """Take tasks while there is room for them; those already done need no worker."""
        while len(waiting) < self._max_workers and len(order) < TASKS_AHEAD * self._max_workers:
            under_way = sum(entry.task.size for entry in order)
            if len(order) >= self._max_workers and under_way > _BYTES_AHEAD:
                return
            task = next(todo, None)
            if task is None:
                return
            entry = _entry(task)
            order.append(entry)
            if not task.done:
                waiting.append(entry)

    def _dispatch(self, waiting: deque[_Entry], function: Function, shared: object) -> None:
        while waiting and self._may_begin(waiting[0]):
            entry = waiting.popleft()
            if self._stopped:
                entry.finish(_STOPPED)
                continue
            self._worker_for(entry).give(entry, function, shared)

    def _may_begin(self, entry: _Entry) -> bool:
        """Whether there is a worker for a task; one that is tried alone waits for all others."""
        under_way = [worker.entry for worker in self._workers if worker.entry]
        if entry.alone or any(other.alone for other in under_way):
            return not under_way
        return len(under_way) < self._max_workers

    def _worker_for(self, entry: _Entry) -> _Worker:
        """An idle worker, or a new one; a task that is tried again gets a new one."""
        idle = [worker for worker in self._workers if worker.entry is None]
        if idle and not entry.again:
            return idle[-1]
        if len(self._workers) >= self._max_workers:
            self._end(idle[:1])
        return self._start()

    def _start(self) -> _Worker:
        parent_end, worker_end = _CONTEXT.Pipe()
        process = _CONTEXT.Process(
            target=work, args=(worker_end, str(Path.cwd()), self._limits), daemon=True
        )
        with _STARTING, _worker_environment():
            process.start()
        worker_end.close()
        worker = _Worker(process, parent_end)
        self._workers.append(worker)
        if self._stopped:  # while it started
            process.kill()
        return worker

    def _receive(self, waiting: deque[_Entry], *, block: bool) -> None:
        """Take the answers that are there; `block` waits for one."""
        busy = {worker.pipe: worker for worker in self._workers if worker.entry}
        for pipe in wait(list(busy), None if block else 0) if busy else []:
            worker = busy[pipe]  # type: ignore[index]
            try:
                kind, value = worker.pipe.recv()
            except (EOFError, OSError):
                self._replace_dead(worker, waiting)
                continue
            self._answer(worker, kind, value)

    def _answer(self, worker: _Worker, kind: str, value: Any) -> None:
        if kind == "loaded":
            worker.loaded, self._failed_starts = True, 0
            return
        entry, worker.entry = worker.entry, None
        if worker.pages >= MAX_WORKER_PAGES:
            self._end([worker])
        if kind == "raise":
            raise value
        if entry:
            entry.finish(value)

    def _replace_dead(self, worker: _Worker, waiting: deque[_Entry]) -> None:
        """Try a dead worker's task again, in a new worker, or give it up."""
        worker.process.join(_JOIN_SECONDS)
        code, entry = worker.process.exitcode, worker.entry
        worker.entry = None
        self._end([worker])
        if entry is None:
            return
        if self._stopped:
            entry.finish(_STOPPED)
            return
        if not worker.loaded:
            self._failed_starts += 1
            if self._failed_starts >= _MAX_FAILED_STARTS:
                raise CrfcleanError("the worker processes end while they load the model")
            waiting.appendleft(entry)
            return
        if entry.again or _was_late(code) or (code == NO_MEMORY and worker.tasks == 1):
            entry.finish(_lost(code, self._limits))
            return
        entry.again = True  # the cause may be what earlier tasks left in memory
        entry.alone = code == _KILLED  # or what other workers need at the same time
        waiting.appendleft(entry)

    def _end(self, workers: list[_Worker]) -> None:
        for worker in list(workers):
            worker.end()
            self._workers.remove(worker)


def _was_late(code: int | None) -> bool:
    """Whether a worker with this exit code ended because its task took too long."""
    return code in {LATE, -getattr(signal, "SIGALRM", LATE)}


def _lost(code: int | None, limits: TaskLimits) -> Lost:
    """Why a worker with this exit code has lost its task."""
    if _was_late(code):
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
