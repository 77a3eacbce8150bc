"""Do tasks in worker processes, in order; a failed task does not end other tasks."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from multiprocessing.connection import wait
from multiprocessing.util import Finalize
from typing import Any

from crfclean.page.libxml2 import warn_of_old_parser
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.tasks import Function, Lost, Task
from crfclean.products.corpus.worker import NO_MEMORY
from crfclean.products.corpus.worker_process import (
    MAX_FAILED_STARTS,
    MAX_WORKER_PAGES,
    QueuedTask,
    WorkerProcess,
    entry_of,
    lost_by,
    start_worker,
    was_late,
)
from crfclean.types import WorkerError

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
    ) -> Generator[tuple[Any, Any], None, None]:
        """Yield each task's `about` with `function(item, shared)` or `Lost`, in order, lazily.

        Raises the function's `CrfcleanError`s, and `WorkerError` if no worker lives.
        """
        todo, order, waiting = iter(tasks), deque[QueuedTask](), deque[QueuedTask]()
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

    def _take(
        self, todo: Iterator[Task], order: deque[QueuedTask], waiting: deque[QueuedTask]
    ) -> None:
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

    def _dispatch(self, waiting: deque[QueuedTask], function: Function, shared: object) -> None:
        """Send tasks to idle workers."""
        while waiting and (self._stopped or self._may_begin(waiting[0])):
            entry = waiting.popleft()
            if self._stopped:
                entry.finish(_STOPPED)
            else:
                self._worker_for(entry).give(entry, function, shared)

    def _may_begin(self, entry: QueuedTask) -> bool:
        """Return whether a worker can take a task; a task alone waits for all other tasks."""
        busy = [worker.entry for worker in self._workers if worker.entry]
        if entry.alone or any(other.alone for other in busy):
            return not busy
        return len(busy) < self._max_workers

    def _worker_for(self, entry: QueuedTask) -> WorkerProcess:
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

    def _receive(self, waiting: deque[QueuedTask], *, block: bool) -> None:
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

    def _replace_dead(self, worker: WorkerProcess, waiting: deque[QueuedTask]) -> None:
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
            if self._failed_starts >= MAX_FAILED_STARTS:
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
