"""Do tasks in worker processes, in order; a task that fails ends no other.

A worker that hangs is killed by its own alarm, one that needs too much memory ends itself, one
that crashes is noticed by its closed pipe; each loses only its own task. A task whose worker
crashed is tried once more, in a new worker, alone if the worker was killed: a machine short of
memory kills the largest process, whoever took the memory. Workers inherit nothing
from the parent but what a task needs (forkserver), so the parent may have threads. All commands and
the server read pages in such a pool; `parallel.map_in_order` is for trusted work of the library.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import wait
from typing import Any

from crfclean.corpus.tasks import Function, Lost, Task, TaskLimits
from crfclean.corpus.worker import NO_MEMORY
from crfclean.corpus.worker_process import (
    Entry,
    WorkerProcess,
    entry_of,
    lost_by,
    start_worker,
    was_late,
)
from crfclean.types import CrfcleanError

TASKS_AHEAD = 16  # a worker, done while an earlier one is not: a slow page delays no other
_BYTES_AHEAD = 16 * 2**20  # of tasks under way, beyond one for each worker
_MAX_FAILED_STARTS = 3  # in a row, of workers that die loading the model: then none will live
_KILLED = -getattr(signal, "SIGKILL", 9)  # exit code of a worker that the OOM killer has chosen
_STOPPED = Lost("stopped", "its process was ended")


class Pool:
    """Up to `workers` processes, started when there are tasks, ended by `close`."""

    def __init__(self, workers: int = 1, limits: TaskLimits = TaskLimits()) -> None:
        self._max_workers = max(workers, 1)
        self._limits = limits
        self._workers: list[WorkerProcess] = []
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
        todo, order, waiting = iter(tasks), deque[Entry](), deque[Entry]()
        try:
            while True:
                self._take(todo, order, waiting)
                if not order:
                    return
                if self._dispatch(waiting, function, shared) and not order[0].finished:
                    continue  # there may be room for more
                self._receive(waiting, block=not order[0].finished)
                if order[0].finished:
                    entry = order.popleft()
                    if parts := entry.parts:
                        order.extendleft(reversed(parts))
                        waiting.extendleft(part for part in reversed(parts) if not part.finished)
                        continue
                    yield entry.task.about, entry.result
        finally:
            self._end([worker for worker in self._workers if worker.entries])

    def _take(self, todo: Iterator[Task], order: deque[Entry], waiting: deque[Entry]) -> None:
        """Take tasks while there is room for them; those already done need no worker."""
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

    def _dispatch(self, waiting: deque[Entry], function: Function, shared: object) -> bool:
        """Send tasks to workers that have room; whether any task has left the queue."""
        before = len(waiting)
        while waiting and (self._stopped or self._may_begin(waiting[0])):
            entry = waiting.popleft()
            if self._stopped:
                entry.finish(_STOPPED)
                continue
            self._worker_for(entry).give(entry, function, shared)
        return len(waiting) < before

    def _may_begin(self, entry: Entry) -> bool:
        """Whether there is a worker for a task; one that is tried alone waits for all others."""
        under_way = [other for worker in self._workers for other in worker.entries]
        if entry.alone or any(other.alone for other in under_way):
            return not under_way
        if len(self._workers) < self._max_workers or not all(map(_is_busy, self._workers)):
            return True
        return not entry.again and any(worker.may_wait for worker in self._workers)

    def _worker_for(self, entry: Entry) -> WorkerProcess:
        """An idle worker, a new one, or that with the fewest tasks.

        A task that is tried again gets a new one.
        """
        idle = [worker for worker in self._workers if not worker.entries]
        if idle and not entry.again:
            return idle[-1]
        if len(self._workers) < self._max_workers:
            return self._start()
        if entry.again:
            self._end(idle[:1])
            return self._start()
        roomy = [worker for worker in self._workers if worker.may_wait]
        return min(roomy, key=lambda worker: len(worker.entries))

    def _start(self) -> WorkerProcess:
        worker = start_worker(self._limits)
        self._workers.append(worker)
        if self._stopped:  # while it started
            worker.process.kill()
        return worker

    def _receive(self, waiting: deque[Entry], *, block: bool) -> None:
        """Take the answers that are there; `block` waits for one."""
        busy = {worker.pipe: worker for worker in self._workers if worker.entries}
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
        if worker.has_ended_its_pages:
            self._end([worker])
        if kind == "raise":
            raise value
        if entry:
            entry.finish(value)

    def _replace_dead(self, worker: WorkerProcess, waiting: deque[Entry]) -> None:
        """Try a dead worker's task again, in a new worker, or give it up; the others just wait."""
        code, first_task = worker.exit_code(), not worker.answered
        entry = worker.next_entry()
        waiting.extendleft(reversed(worker.entries))
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
        if entry.again or was_late(code) or (code == NO_MEMORY and first_task):
            entry.finish(lost_by(code, self._limits))
            return
        entry.again = True  # the cause may be what earlier tasks left in memory
        entry.alone = code == _KILLED  # or what other workers need at the same time
        waiting.appendleft(entry)

    def _end(self, workers: list[WorkerProcess]) -> None:
        for worker in list(workers):
            worker.end()
            self._workers.remove(worker)


def _is_busy(worker: WorkerProcess) -> bool:
    return bool(worker.entries)
