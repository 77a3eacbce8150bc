"""Tests of `corpus/jobs.py`: limits, and tasks that this process does itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from crfclean.corpus.jobs import FirstProcess, Lost, Task, attempt
from crfclean.types import GoldError


def divide(item: int, shared: int) -> float:
    if item == 13:
        raise GoldError("no thirteen")
    if item == 14:
        raise MemoryError
    return item / shared


def total(item: tuple[int, ...], shared: object) -> int:
    if -1 in item:
        raise ValueError("a negative number")
    return sum(item)


def results(*tasks: Task, function: Any = divide, shared: Any = 2) -> list[tuple[Any, Any]]:
    return list(FirstProcess().map(function, tasks, shared))


# in this process


def test_results_are_in_order_and_lazy() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(10):
            taken.append(number)
            yield Task(number, number)

    found = FirstProcess().map(divide, tasks(), 2)
    assert [next(found), next(found)] == [(0, 0.0), (1, 0.5)]
    assert taken == [0, 1]


def test_errors_are_answers_but_for_the_users() -> None:
    lost = Lost("error", "ZeroDivisionError: division by zero")
    assert results(Task("a", 1), shared=0) == [("a", lost)]
    assert results(Task("a", 14)) == [
        ("a", Lost("over-memory", "it needed more memory than there is"))
    ]
    with pytest.raises(GoldError, match="no thirteen"):
        results(Task("a", 13))


def test_interrupts_end_all() -> None:
    def interrupt(item: object, shared: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results(Task("a", 1), function=interrupt)


def test_other_tasks_take_the_place_of_a_lost_one() -> None:
    lost = Lost("error", "ValueError: a negative number")

    def instead(answer: object) -> list[Task]:
        is_lost = isinstance(answer, Lost)
        return [Task(item, (item,)) for item in (1, -1, 3)] if is_lost else []

    tasks = Task("before", (1,)), Task("all", (1, -1, 3), instead=instead)
    assert results(*tasks, function=total) == [
        ("before", 1),
        (1, 1),
        (-1, lost),
        (3, 3),
    ]
    assert results(Task("all", (1, 3), instead=instead), function=total) == [("all", 4)]


@dataclass
class Prepared:
    """What notes the order in which things happen."""

    seen: list[str] = field(default_factory=list)

    def prepare(self, item: str) -> None:
        self.seen.append(f"prepare {item}")


def test_models_are_opened_before_the_clock_runs() -> None:
    shared = Prepared()
    kind, value = attempt(
        lambda item, shared: shared.seen.append(item),
        "page",
        shared,
        lambda: shared.seen.append("begin"),
    )
    assert (kind, value, shared.seen) == ("done", None, ["prepare page", "begin", "page"])
