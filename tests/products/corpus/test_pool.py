"""Tests of `corpus/pool.py`: order, laziness, tasks that end their worker, workers that die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count, islice
from pathlib import Path
from typing import Any

import pytest
from checkout import SCRIPT_PATH
from doubles import compute, sleep

from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.pool import TASKS_AHEAD, Pool
from crfclean.products.corpus.tasks import Lost, Task
from crfclean.types import CrfcleanError, GoldError, ModelError

Both = pytest.mark.parametrize("workers", [1, 2])
LIMITS = TaskLimits(max_seconds=600.0, max_memory=200)
SHORT = TaskLimits(max_seconds=1.0, max_memory=200)


def add(item: int, shared: int) -> int:
    return item + shared


def fail_at_seven(item: int, shared: object) -> int:
    if item == 7:
        raise GoldError(f"item {item} is wrong")
    return item


def allocate(item: int, shared: object) -> int:
    """Take so many MB; with a negative number keep them for ever."""
    if item < 0:
        KEPT.append(bytes(-item * 2**20))
    return len(bytes(abs(item) * 2**20)) >> 20


def die(item: int, shared: object) -> int:
    if item:
        os.kill(os.getpid(), item)
    return item


KEPT: list[bytes] = []


class Stillborn:
    """What cannot be opened in a worker."""

    def __reduce__(self) -> Any:
        return os._exit, (1,)


def tasks(*items: Any) -> Iterator[Task]:
    return (Task(place, item) for place, item in enumerate(items))


def results(
    function: Any, items: Any, shared: Any = None, workers: int = 1, limits: TaskLimits = LIMITS
) -> list[Any]:
    with closing(Pool(workers, limits)) as pool:
        found = list(pool.map(function, tasks(*items), shared))
    assert [about for about, _ in found] == list(range(len(found)))
    return [result for _, result in found]


END = {
    "late": lambda: compute(600.0, None),
    "crashed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "over-memory": lambda: bytearray(2**40),
}


def log_and_end(item: str, log: Path) -> str:
    """Note that a task was begun, and end its worker by the kind of its name."""
    with log.open("a", encoding="utf-8") as begun:
        begun.write(f"{item}\n")
    END.get(item.rstrip("0123456789"), str)()
    return item


@Both
@pytest.mark.parametrize("items", [0, 1, 2, 100])
def test_order_is_kept(items: int, workers: int) -> None:
    assert results(add, range(items), 10, workers) == list(range(10, 10 + items))


@Both
def test_tasks_are_taken_as_they_are_needed(workers: int) -> None:
    taken = []

    def source() -> Iterator[Task]:
        for number in count():
            taken.append(number)
            yield Task(number, number)

    with closing(Pool(workers)) as pool:
        found = pool.map(add, source(), 0)
        assert not taken
        assert [result for _, result in islice(found, 5)] == [0, 1, 2, 3, 4]
        assert len(taken) <= 5 + TASKS_AHEAD * workers + workers
        found.close()


def test_large_tasks_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    def source() -> Iterator[Task]:
        for number in range(20):
            taken.append(number)
            yield Task(number, 0.3 if not number else 0.0, size=2**23)

    with closing(Pool(1)) as pool:
        found = pool.map(sleep, source(), None)
        next(found)
        assert len(taken) <= 5
        assert len(list(found)) == 19


@Both
def test_errors_of_the_users_are_raised(workers: int) -> None:
    with pytest.raises(GoldError, match="item 7 is wrong"):
        results(fail_at_seven, range(50), None, workers)


@Both
def test_task_that_takes_too_long(workers: int) -> None:
    found = results(compute, [0.0, 600.0, 0.0], None, workers, SHORT)
    assert found == [0.0, Lost("over-time", "it took more than 1 s"), 0.0]


def test_a_task_that_waits_or_is_stopped_loses_nothing() -> None:
    assert results(stop_for_a_while, [0.0, 1.2], None, 1, SHORT) == [0.0, 1.2]


def test_a_task_that_waits_for_ever_is_ended() -> None:
    limits = TaskLimits(max_seconds=0.1)
    assert results(sleep, [600.0], limits=limits) == [Lost("over-time", "it took more than 0.1 s")]


def stop_for_a_while(item: float, shared: object) -> float:
    """Sleep and then stop this process for so many seconds."""
    time.sleep(item)
    continued = f"sleep {item}; kill -CONT {os.getpid()}"
    with subprocess.Popen(["/bin/sh", "-c", continued]):
        os.kill(os.getpid(), signal.SIGSTOP)
    return item


@Both
def test_task_that_kills_its_worker(workers: int) -> None:
    number, lost = signal.SIGABRT, Lost("crashed", "its process ended (SIGABRT)")
    assert results(die, [0, 0, number, 0], None, workers) == [0, 0, lost, 0]


def test_task_that_needs_too_much_memory() -> None:
    lost = Lost("over-memory", "it needed more than 200 MB of memory")
    assert results(allocate, [10, 500, 150]) == [10, lost, 150]


@pytest.mark.parametrize(
    ("kind", "tries_in_new_worker", "tries_in_used_worker"),
    [("late", 1, 1), ("crashed", 2, 2), ("over-memory", 1, 2)],
)
def test_what_ends_a_worker_is_tried_again_unless_the_task_alone_is_the_cause(
    tmp_path: Path, kind: str, tries_in_new_worker: int, tries_in_used_worker: int
) -> None:
    log = tmp_path / "begun"
    limits = SHORT
    with closing(Pool(1, limits)) as pool:
        items = tasks(f"{kind}1", "good2", f"{kind}3", "good4")
        found = [result for _, result in pool.map(log_and_end, items, log)]
    assert found[1::2] == ["good2", "good4"]
    status = {"late": "over-time"}.get(kind, kind)
    assert [result.status for result in found[::2]] == [status] * 2
    first, third = [f"{kind}1"] * tries_in_new_worker, [f"{kind}3"] * tries_in_used_worker
    assert log.read_text("utf-8").split() == [*first, "good2", *third, "good4"]


def end_first(item: str, log: Path) -> tuple[str, int]:
    """End the worker of a task by the signal in its name, the first time that it is tried."""
    name, _, number = item.partition(" ")
    with log.open("a", encoding="utf-8") as file:
        file.write(f"begin {name}\n")
    begun = log.read_text("utf-8").split("\n").count(f"begin {name}")
    time.sleep(0.2)
    if number and begun == 1:
        os.kill(os.getpid(), int(number))
    with log.open("a", encoding="utf-8") as file:
        file.write(f"end {name}\n")
    return item, os.getpid()


@Both
def test_a_crash_in_a_new_worker_is_tried_again_in_another(tmp_path: Path, workers: int) -> None:
    items = [f"first {signal.SIGSEGV.real}", *"abc"]
    found = results(end_first, items, tmp_path / "log", workers)
    assert [item for item, _ in found] == items


def end_server_first(item: str, log: Path) -> str:
    """End the process that workers are forked from with its worker, if the item has a number."""
    if item[-1].isdigit() and not log.exists():
        log.touch()
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_a_server_that_is_killed_with_a_worker_loses_nothing(tmp_path: Path) -> None:
    items = ["a", "first 9", *"bcd"]
    assert results(end_server_first, items, tmp_path / "log", 2) == items


def test_a_task_whose_worker_was_killed_is_tried_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    results(end_first, ["a", f"victim {signal.SIGKILL.real}", *"bcdefg"], log, 3)
    events = log.read_text("utf-8").split("\n")
    again = [at for at, event in enumerate(events) if event == "begin victim"][1]
    before = events[:again]
    assert before.count("begin victim") == 1
    names = {event.split()[1] for event in before} - {"victim"}
    assert {f"end {name}" for name in names} <= set(before), "the others have ended"
    assert events[again + 1] == "end victim"


def test_workers_do_not_end_by_signals_meant_for_the_parent() -> None:
    assert results(die, [signal.SIGINT, signal.SIGTERM, 0]) == [signal.SIGINT, signal.SIGTERM, 0]


def test_workers_that_cannot_start_end_the_run() -> None:
    with pytest.raises(CrfcleanError, match="end while they load the model"):
        results(add, [1, 2], Stillborn(), 2)


GROUP = """
import os, signal, sys, time
from contextlib import closing
from multiprocessing.forkserver import _forkserver
from doubles import sleep
from crfclean.products.corpus.pool import Pool
from crfclean.products.corpus.tasks import Task
if __name__ == "__main__":
    heard = []
    signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
    with closing(Pool(1)) as pool:
        list(pool.map(sleep, [Task(0, 0.0)], None))
        before = _forkserver._forkserver_pid
        os.killpg(0, signal.SIGTERM)
        time.sleep(0.3)
    with closing(Pool(1)) as pool:
        found = list(pool.map(sleep, [Task(0, 0.0)], None))
        print(heard, found, _forkserver._forkserver_pid == before)
"""


def test_signal_for_the_whole_group_leaves_the_server_of_workers(tmp_path: Path) -> None:
    (tmp_path / "run.py").write_text(GROUP)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "run.py")],
        env=os.environ | {"PYTHONPATH": SCRIPT_PATH},
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    assert (done.stdout, done.stderr) == ("[1] [(0, 0.0)] True\n", "")


class CannotOpen:
    """What tasks share cannot be opened."""

    def prepare(self, item: int) -> None:
        raise (ModelError if item else ValueError)("no model")


def test_what_cannot_be_opened_is_told() -> None:
    with closing(Pool(1, LIMITS)) as pool:
        ((_, told),) = pool.map(add, [Task(0, 0)], CannotOpen())
        assert told == Lost("error", "ValueError: no model")
        with pytest.raises(ModelError, match="no model"):
            list(pool.map(add, [Task(1, 1)], CannotOpen()))


# tasks of several pages


def compute_all(item: tuple[float, ...], shared: object) -> float:
    return compute(sum(item), shared)


def die_all(item: tuple[int, ...], shared: object) -> int:
    return [die(one, shared) for one in item][-1]


def group(*items: Any) -> Task:
    """A task of some items, each of which becomes a task if it is lost."""

    def instead(answer: object) -> list[Task]:
        return [Task(one, (one,)) for one in items] if isinstance(answer, Lost) else []

    return Task(items, items, pages=len(items), instead=instead)


@Both
def test_other_tasks_take_the_place_of_a_lost_one(workers: int) -> None:
    lost = Lost("crashed", "its process ended (SIGSEGV)")
    bad = signal.SIGSEGV
    tasks = [Task(-1, (0,)), group(0, bad, 0), group(0, 0), Task(-2, (0,))]
    with closing(Pool(workers, LIMITS)) as pool:
        found = list(pool.map(die_all, tasks, None))
    assert found == [(-1, 0), (0, 0), (bad, lost), (0, 0), ((0, 0), 0), (-2, 0)]


def test_a_task_has_the_time_of_its_pages() -> None:
    with closing(Pool(1, SHORT)) as pool:
        found = list(pool.map(compute_all, [group(*[0.2] * 8), Task(0, (600.0,))], None))
    assert found[0][1] == pytest.approx(1.6)
    assert found[1] == (0, Lost("over-time", "it took more than 1 s"))


# pools used from threads


def test_a_pool_that_is_stopped_loses_its_task() -> None:
    pool, found = Pool(1), list[Any]()
    other = threading.Thread(target=lambda: found.append(pool.run(sleep, 600.0, None)))
    other.start()
    while not pool._workers:
        time.sleep(0.01)
    pool.stop()
    other.join(60)
    assert found == [Lost("stopped", "its process was ended")]
    assert pool.run(sleep, 0.0, None) == Lost("stopped", "its process was ended")
    pool.close()


def test_pools_of_many_threads() -> None:
    pools, found = [Pool(1) for _ in range(4)], list[int]()
    threads_ = [
        threading.Thread(target=lambda pool=pool, n=n: found.append(pool.run(add, n, 10)))
        for n, pool in enumerate(pools)
    ]
    for one in threads_:
        one.start()
    for one in threads_:
        one.join(60)
    assert sorted(found) == [10, 11, 12, 13]
    for pool in pools:
        pool.close()
