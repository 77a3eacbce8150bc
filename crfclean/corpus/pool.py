"""Tasks -> their results in order, from worker processes in which a task ends only itself.

A worker that hangs is killed by its own alarm, one that needs too much memory ends itself, one
that crashes is noticed by its closed pipe; each costs its task alone. Nothing of the parent is
inherited but what a task needs (forkserver), so the parent may have threads. All commands and the
server read pages by it; `parallel.map_in_order` is for trusted work of the library.
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
from crfclean.corpus.worker import NO_MEMORY, work
from crfclean.types import CrfcleanError

AHEAD = 16  # results a worker that wait for an earlier one: a slow page delays no other
BYTES_AHEAD = 16 * 2**20  # of tasks under way, beyond one for each worker
MAX_PAGES = 1_000  # of a worker, that is then replaced: its heap grows with the pages it has seen
STILLBORN = 3  # workers in a row that die while they load the model: then none will live
GRACE = 10.0  # seconds for a process that ended to be seen as ended
_STOPPED = Lost("stopped", "its process was ended")
_STARTING = threading.Lock()  # what is set while a process starts is the whole process's
_METHODS = multiprocessing.get_all_start_methods()
_CONTEXT: Any = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")


@dataclass(slots=True)
class _Place:
    """A task in the order of tasks, its result, and whether it has ended a worker before."""

    task: Task
    result: Any = None
    finished: bool = False
    again: bool = False

    def finish(self, result: object) -> None:
        """Take the result of the task."""
        self.result, self.finished = result, True

    @property
    def parts(self) -> list[_Place]:
        """What is done in the place of a task that is lost."""
        lost = self.finished and type(self.result) is Lost
        return [_placed(part) for part in self.task.parts] if lost else []


def _placed(task: Task) -> _Place:
    return _Place(task, task.item if task.done else None, task.done)


@dataclass(slots=True)
class _Worker:
    """A worker process as its parent sees it; `tasks` and `pages` count what it was given."""

    process: BaseProcess
    pipe: Connection
    shared: Any = None
    place: _Place | None = None
    tasks: int = 0
    pages: int = 0
    loaded: bool = False

    def give(self, place: _Place, function: Function, shared: object) -> None:
        """Send a task; a worker that has died is noticed when its answer is awaited."""
        self.place = place
        self.tasks += 1
        self.pages += place.task.pages
        with suppress(OSError):
            if not self.tasks - 1 or self.shared is not shared:
                self.shared = shared
                self.pipe.send((None, shared, 0))
            self.pipe.send((function, place.task.item, place.task.pages))

    def end(self) -> None:
        """End the process whatever it does."""
        self.process.kill()
        self.process.join(GRACE)
        self.pipe.close()


class Pool:
    """Up to `workers` processes, started when there are tasks, ended by `close`."""

    def __init__(self, workers: int = 1, limits: TaskLimits = TaskLimits()) -> None:
        self._most = max(workers, 1)
        self._limits = limits
        self._workers: list[_Worker] = []
        self._stillborn = 0
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
        """What each task is about, with `function(item, shared)` or `Lost`, in order, lazily.

        Raises the function's `CrfcleanError`s, and one of its own where no worker lives.
        """
        todo, order, waiting = iter(tasks), deque[_Place](), deque[_Place]()
        try:
            while True:
                self._take(todo, order, waiting)
                if not order:
                    return
                self._dispatch(waiting, function, shared)
                self._receive(waiting, block=not order[0].finished)
                if order[0].finished:
                    place = order.popleft()
                    if parts := place.parts:
                        order.extendleft(reversed(parts))
                        waiting.extendleft(part for part in reversed(parts) if not part.finished)
                        continue
                    yield place.task.about, place.result
        finally:
            self._end([worker for worker in self._workers if worker.place])

    def _take(self, todo: Iterator[Task], order: deque[_Place], waiting: deque[_Place]) -> None:
        """Take tasks while there is room for them; what is done already needs no worker."""
        while len(waiting) < self._most and len(order) < AHEAD * self._most:
            under_way = sum(place.task.size for place in order)
            if len(order) >= self._most and under_way > BYTES_AHEAD:
                return
            task = next(todo, None)
            if task is None:
                return
            place = _placed(task)
            order.append(place)
            if not task.done:
                waiting.append(place)

    def _dispatch(self, waiting: deque[_Place], function: Function, shared: object) -> None:
        idle = [worker for worker in self._workers if worker.place is None]
        while waiting and (idle or len(self._workers) < self._most):
            place = waiting.popleft()
            if self._stopped:
                place.finish(_STOPPED)
                continue
            worker = self._start() if place.again or not idle else idle.pop()
            worker.give(place, function, shared)

    def _start(self) -> _Worker:
        ours, theirs = _CONTEXT.Pipe()
        process = _CONTEXT.Process(
            target=work, args=(theirs, str(Path.cwd()), self._limits), daemon=True
        )
        with _STARTING, _apart():
            process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        if self._stopped:  # meanwhile
            process.kill()
        return worker

    def _receive(self, waiting: deque[_Place], *, block: bool) -> None:
        """Take the answers that are there; `block` waits for one."""
        busy = {worker.pipe: worker for worker in self._workers if worker.place}
        for pipe in wait(list(busy), None if block else 0) if busy else []:
            worker = busy[pipe]  # type: ignore[index]
            try:
                kind, value = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker, waiting)
                continue
            self._answer(worker, kind, value)

    def _answer(self, worker: _Worker, kind: str, value: Any) -> None:
        if kind == "loaded":
            worker.loaded, self._stillborn = True, 0
            return
        place, worker.place = worker.place, None
        if worker.pages >= MAX_PAGES:
            self._end([worker])
        if kind == "raise":
            raise value
        if place:
            place.finish(value)

    def _bury(self, worker: _Worker, waiting: deque[_Place]) -> None:
        """Give a dead worker's task another try, in a new worker, or up."""
        worker.process.join(GRACE)
        code, place = worker.process.exitcode, worker.place
        worker.place = None
        self._end([worker])
        if place is None:
            return
        if self._stopped:
            place.finish(_STOPPED)
            return
        if not worker.loaded:
            self._stillborn += 1
            if self._stillborn >= STILLBORN:
                raise CrfcleanError("the worker processes end while they load the model")
            waiting.appendleft(place)
            return
        late = code == -getattr(signal, "SIGALRM", 0)
        if worker.tasks > 1 and not place.again and not late:
            place.again = True  # what the tasks before left in memory may have been the cause
            waiting.appendleft(place)
            return
        place.finish(_lost(code, self._limits))

    def _end(self, workers: list[_Worker]) -> None:
        for worker in list(workers):
            worker.end()
            self._workers.remove(worker)


def _lost(code: int | None, limits: TaskLimits) -> Lost:
    """Exit code of a worker -> what is told of its task."""
    if code == -getattr(signal, "SIGALRM", 0):
        return Lost("over-time", f"it took more than {limits.max_seconds:g} s")
    if code == NO_MEMORY:
        return Lost("over-memory", f"it needed more than {limits.max_memory} MB of memory")
    told = signal.Signals(-code).name if code and code < 0 else f"exit code {code}"
    return Lost("crashed", f"its process ended ({told})")


@contextmanager
def _apart() -> Iterator[None]:
    """Within it processes start with one thread for matrix products (pages are small), and deaf.

    A signal for the whole group must not end the server that workers are forked from; one that
    comes meanwhile reaches the parent afterwards.
    """
    deaf = getattr(signal, "pthread_sigmask", None)
    before = set()
    ours = os.environ.setdefault("OPENBLAS_NUM_THREADS", "1") if _unset() else None
    if deaf:
        resource_tracker.ensure_running()  # its start would make us hear again
        before = deaf(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        if deaf:
            deaf(signal.SIG_SETMASK, before)
        if ours:
            del os.environ["OPENBLAS_NUM_THREADS"]


def _unset() -> bool:
    return "OPENBLAS_NUM_THREADS" not in os.environ
