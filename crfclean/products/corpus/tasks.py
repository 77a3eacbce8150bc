"""Tasks, and the processes that do them: this one, or others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from crfclean.types import CrfcleanError, Prepares

Function = Callable[[Any, Any], Any]

OUT_OF_MEMORY = "memory"
"""The outcome that `attempt` returns for a task that ran out of memory."""


class Lost(NamedTuple):
    """The loss of a task: "over-time", "over-memory", "crashed", "error" or "stopped"."""

    status: str
    message: str


class Task(NamedTuple):
    """Work for a worker: `item` is sent, `about` stays here; if `done`, the item is the result.

    `size` is roughly the bytes of the item. The time limit is the limit of a page times `pages`.
    `instead` is called with the answer when all earlier tasks have been answered. The tasks that it
    returns, if any, replace this task and its answer.
    """

    about: Any
    item: Any
    size: int = 0
    done: bool = False
    pages: int = 1
    instead: Callable[[Any], Iterable[Task]] = lambda _: ()


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
    kind, value = ("done", task.item) if task.done else attempt(function, task.item, shared)
    if kind == "raise":
        raise value
    if kind == OUT_OF_MEMORY:
        value = Lost("over-memory", "it needed more memory than there is")
    others = list(task.instead(value))
    for other in others:
        yield from _results(function, other, shared)
    if not others:
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
