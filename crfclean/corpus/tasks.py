"""Define tasks and their limits, and do tasks in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from crfclean.corpus.records import HTTP
from crfclean.page.decode import MAX_BYTES
from crfclean.page.elements import MAX_BLOCKS, MAX_DEPTH, MAX_NODES
from crfclean.parallel import MAX_SECONDS, MIN_SECONDS
from crfclean.types import CrfcleanError, Prepares, check_bounds, option

Function = Callable[[Any, Any], Any]

TASK_BOUNDS: dict[str, tuple[float, float]] = {
    "max_seconds": (MIN_SECONDS, MAX_SECONDS),
    "max_memory": (1, 10**7),
}
"""Bounds of the fields of `TaskLimits`."""

OUT_OF_MEMORY = "memory"
"""The outcome that `attempt` returns for a task that ran out of memory."""


def seconds_option(default: float) -> Any:
    """Return the option of the time limit with another default."""
    return option(default, "CPU seconds per page")


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """The limits of time and memory of a page; the limit of memory needs Linux.

    The memory that the process has after loading its model does not count. A task of several pages
    gets the time of all of them, and the memory of one page. Raises `CrfcleanError` for a limit out
    of bounds.
    """

    max_seconds: float = seconds_option(60.0)
    max_memory: int = option(2_048, "memory per page in MB, beyond that of the model")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS)


@dataclass(frozen=True, slots=True)
class ToolLimits(TaskLimits):
    """Limits of a question, as those of `serve`; its page is read and cleaned in this time.

    Raises `CrfcleanError` for a limit out of bounds.
    """

    max_seconds: float = seconds_option(30.0)
    waiting: int = option(8, "most questions in the queue; more are refused")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS | {"waiting": (0, 10_000)})


class Lost(NamedTuple):
    """The loss of a task: "over-time", "over-memory", "crashed", "error" or "stopped"."""

    status: str
    message: str


@dataclass(frozen=True, slots=True)
class Task:
    """Work for a worker: `item` is sent, `about` stays here; if `done`, the item is the result.

    `size` is roughly the bytes of the item. The time limit is the limit of a page times `pages`. If
    the task is lost, its `parts` are done instead, if there are any for this loss. `instead` is
    called when all earlier tasks have been answered. The tasks that it returns replace this task
    and its answer.
    """

    about: Any
    item: Any
    size: int = 0
    done: bool = False
    pages: int = 1
    parts: Callable[[Lost], Iterable[Task]] = lambda _: ()
    instead: Callable[[], Iterable[Task]] = tuple


class Processes(Protocol):
    """The processes that do tasks: a pool of workers, or this process."""

    def map(
        self, function: Function, tasks: Iterable[Task], shared: object
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each task's `about` with `function(item, shared)` or `Lost`, in order, lazily."""

    def close(self) -> None:
        """End all processes that were started."""


class FirstProcess:
    """Does tasks in this process, without limits of time and memory."""

    def map(
        self, function: Function, tasks: Iterable[Task], shared: object
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each task's `about` with `function(item, shared)` or `Lost`, in order, lazily.

        Raises the function's `CrfcleanError`s.
        """
        for task in tasks:
            yield from _results(function, task, shared)

    def close(self) -> None:
        """Do nothing: no process was started."""


def _results(function: Function, task: Task, shared: object) -> Iterator[tuple[Any, Any]]:
    if replaced := list(task.instead()):
        for other in replaced:
            yield from _results(function, other, shared)
        return
    if task.done:
        yield task.about, task.item
        return
    kind, value = attempt(function, task.item, shared)
    if kind == "raise":
        raise value
    if kind == OUT_OF_MEMORY:
        value = Lost("over-memory", "it needed more memory than there is")
    parts = list(task.parts(value)) if type(value) is Lost else []
    for part in parts:
        yield from _results(function, part, shared)
    if not parts:
        yield task.about, value


_CLOCKS: list[Callable[[int], object]] = []


def set_clock(start: Callable[[int], object]) -> None:
    """Set the function that `start_clock` calls; the first process has none, and no limit."""
    _CLOCKS[:] = [start]


def start_clock(pages: int) -> None:
    """Start the time of a number of pages, and end the time of earlier pages."""
    for start in _CLOCKS:
        start(pages)


def attempt(
    function: Function, item: object, shared: object, begin: Callable[[], object] = lambda: None
) -> tuple[str, Any]:
    """Do a task; return "done" with its result or `Lost`, "raise" with an error, or "memory".

    The models of the task are opened first; `begin` is called right before the work itself.
    """
    try:
        if isinstance(shared, Prepares):
            shared.prepare(item)
        begin()
        return "done", function(item, shared)
    except MemoryError:
        return OUT_OF_MEMORY, None
    except CrfcleanError as error:
        return "raise", error
    except Exception as error:  # noqa: BLE001 (a page that fails ends no other)
        return "done", Lost("error", f"{type(error).__name__}: {error}"[:200])


TRUNCATIONS = {
    "bytes": "only its first bytes were read (--max-bytes)",
    "gzip": "damaged gzip data: only what stands before the damage was read",
    HTTP: "its HTTP response ended early: only what the crawler got was read",
    "depth": f"elements below {MAX_DEPTH} levels were dissolved; their text is kept",
    "nodes": f"only the first {MAX_NODES:,} elements were read",
}
"""Reason why a page was cut short -> the message about it."""


@dataclass(frozen=True, slots=True)
class PageLimits(TaskLimits):
    """The limits of a page and its content. Raises `CrfcleanError` for a limit out of bounds."""

    max_bytes: int = option(MAX_BYTES, "bytes read per page; the rest is cut off")
    max_blocks: int = option(MAX_BLOCKS, "blocks per page; pages with more fail")

    def __post_init__(self) -> None:
        bounds: dict[str, tuple[float, float]] = {
            "max_bytes": (1, 2**31),
            "max_blocks": (1, MAX_NODES),
        }
        check_bounds(self, TASK_BOUNDS | bounds)

    @property
    def over_blocks(self) -> str:
        """The message about a page with more blocks than `max_blocks`."""
        return f"more than {self.max_blocks:,} blocks; raise the limit with --max-blocks"
