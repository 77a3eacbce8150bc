"""Map a function over many items, in one process or several; limit the time of a function.

Use `map_in_order` for trusted work: training and evaluation. What reads any page uses
`corpus.pool.Pool`, where a page that crashes or hangs ends nothing but itself.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crfclean.types import CrfcleanError, WorkerError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

MIN_SECONDS, MAX_SECONDS = 0.01, 10**6
BATCH = 64  # items per worker in flight: enough to keep it busy, few enough for memory
CHUNK = 4  # items that a worker gets at once if there are many
OWN_THREADS = 2  # of an executor: one manages the workers, one sends them items
WORKER_BYTES = 400 * 2**20  # of a worker with its model on a large page

_Item = TypeVar("_Item")
_Shared = TypeVar("_Shared")
_Result = TypeVar("_Result")


def map_in_order(
    function: Callable[[_Item, _Shared], _Result],
    items: Iterable[_Item],
    shared: _Shared,
    workers: int = 1,
) -> Generator[_Result, None, None]:
    """Yield `function(item, shared)` for every item, lazily; each process gets `shared` once.

    Raises `WorkerError` if the worker processes cannot start or one of them dies.
    """
    if workers <= 1:
        yield from (function(item, shared) for item in items)
        return
    from concurrent.futures import ProcessPoolExecutor  # slow: it imports multiprocessing

    remaining = iter(items)
    _check_room(workers + OWN_THREADS)
    with ProcessPoolExecutor(workers, initializer=_receive, initargs=(function, shared)) as pool:
        while batch := list(islice(remaining, BATCH * workers)):
            yield from _results(pool, batch, CHUNK if len(batch) >= 2 * CHUNK * workers else 1)


def in_time(
    seconds: float | None, work: Callable[[], _Result], late: Callable[[], _Result]
) -> _Result:
    """Return `work()`, or `late()` after so many seconds (None: no limit), from any thread.

    The work is done in a thread of its own, which then ends before its next step of Python; a call
    of compiled code is done to its end. Raises `CrfcleanError` for a time that is no time.
    """
    if seconds is None:
        return work()
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise CrfcleanError(f"max_seconds must be from {MIN_SECONDS} to {MAX_SECONDS:,}")
    import ctypes
    from concurrent.futures import Future, wait

    future: Future[_Result] = Future()
    thread = threading.Thread(target=_do, args=(work, future), daemon=True)
    thread.start()
    if wait([future], seconds).done:
        return future.result()
    if thread.is_alive():  # the number of one that has ended may be another thread's
        raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc
        raise_in(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
    return late()


def _do(work: Callable[[], _Result], future: Future[_Result]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - the caller raises it
        future.set_exception(error)


def cannot_start(reason: object) -> WorkerError:
    """Return the error for worker processes that the machine has no room for."""
    needs = "each needs a free process, memory, and a temporary directory that has a short path"
    return WorkerError(f"worker processes cannot start: {reason}; {needs}")


def _check_room(count: int) -> None:
    """Raise `WorkerError` if so many processes cannot start; Linux counts threads as processes.

    An executor that cannot start a thread of its own waits for results forever.
    """
    done = threading.Event()
    threads = [threading.Thread(target=done.wait) for _ in range(count)]
    try:
        for thread in threads:
            thread.start()
    except RuntimeError as error:
        raise cannot_start("the process table is full") from error
    finally:
        done.set()
        for thread in threads:
            if thread.ident:  # it has started
                thread.join()


def _results(pool: ProcessPoolExecutor, batch: list[Any], chunk: int) -> Iterator[Any]:
    """Yield the results of a batch in order; raises `WorkerError`."""
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import active_children

    others = set(active_children())
    try:
        results = pool.map(_call, batch, chunksize=chunk)
    except OSError as error:
        for process in set(active_children()) - others:
            process.kill()  # closing the executor would wait for their work
            process.join()
        raise cannot_start(error.strerror or error) from error
    except BrokenProcessPool as error:
        raise _died() from error
    try:
        yield from results
    except BrokenProcessPool as error:
        raise _died() from error


def _died() -> WorkerError:
    return WorkerError(
        "a worker process ended: it was killed or it crashed; if memory is short, lower --workers"
    )


def processors() -> int:
    """Return how many workers the processors and the memory suffice for, at least one.

    The limits of a container count (Linux, cgroup v2), and so does the CPU affinity of the process.
    """
    may_use = getattr(os, "sched_getaffinity", None)
    count = len(may_use(0)) if may_use else os.cpu_count() or 1
    limits = [float(count)]
    with suppress(OSError, ValueError):
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        limits.append(float(quota) / float(period))
    with suppress(OSError, ValueError):
        limits.append(int(Path("/sys/fs/cgroup/memory.max").read_text("ascii")) / WORKER_BYTES)
    with suppress(OSError):
        free = re.search(r"MemAvailable:\s*(\d+)", Path("/proc/meminfo").read_text("ascii"))
        limits += [int(free[1]) * 1024 / WORKER_BYTES] if free else []
    return max(int(min(limits)), 1)


_received: list[tuple[Callable[[Any, Any], Any], Any]] = []  # state of a worker process


def _receive(function: Callable[[Any, Any], Any], shared: object) -> None:
    _received[:] = [(function, shared)]


def _call(item: Any) -> Any:
    function, shared = _received[0]
    return function(item, shared)
