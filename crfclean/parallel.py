"""Map a function over many items, in one process or several, with results in order.

For trusted work: training, evaluation, and pages that the caller knows. `corpus.pool.Pool` is for
commands that read any page, where one that crashes or hangs must end nothing but itself.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

BATCH = 64  # items per worker in flight: enough to keep it busy, few enough for memory
CHUNK = 4  # items sent to a worker at once, where there are many

WORKER_BYTES = 400 * 2**20  # of a worker with its model, at a large page

_Item = TypeVar("_Item")
_Shared = TypeVar("_Shared")
_Result = TypeVar("_Result")


def map_in_order(
    function: Callable[[_Item, _Shared], _Result],
    items: Iterable[_Item],
    shared: _Shared,
    workers: int = 1,
) -> Iterator[_Result]:
    """`function(item, shared)` for every item, lazily; `shared` is sent to each process once.

    Raises `BrokenProcessPool` if a process dies.
    """
    if workers <= 1:
        yield from (function(item, shared) for item in items)
        return
    from concurrent.futures import ProcessPoolExecutor  # slow: it imports multiprocessing

    remaining = iter(items)
    with ProcessPoolExecutor(workers, initializer=_receive, initargs=(function, shared)) as pool:
        while batch := list(islice(remaining, BATCH * workers)):
            chunk = CHUNK if len(batch) >= 2 * CHUNK * workers else 1
            yield from pool.map(_call, batch, chunksize=chunk)


def processors() -> int:
    """How many workers there are processors and memory for; at least one.

    A container's limits count (Linux, cgroup v2), as what a process may use of the machine does.
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
