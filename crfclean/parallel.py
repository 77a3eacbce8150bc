"""Map a function over many items, in one process or several, with results in order.

For trusted work: training, evaluation, and pages that the caller knows. `corpus.pool.Pool` is for
commands that read any page, where one that crashes or hangs must end nothing but itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

BATCH = 64  # items per worker in flight: enough to keep it busy, few enough for memory
CHUNK = 4  # items sent to a worker at once, where there are many

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


_received: list[tuple[Callable[[Any, Any], Any], Any]] = []  # state of a worker process


def _receive(function: Callable[[Any, Any], Any], shared: object) -> None:
    _received[:] = [(function, shared)]


def _call(item: Any) -> Any:
    function, shared = _received[0]
    return function(item, shared)
