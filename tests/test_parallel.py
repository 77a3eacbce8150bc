"""Tests of `parallel.py`: order, laziness and errors, with one process and with more."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from multiprocessing import Process, active_children
from pathlib import Path
from threading import Event, Thread
from threading import enumerate as enumerate_threads

import pytest

from crfclean import parallel
from crfclean.parallel import BATCH, in_time, map_in_order
from crfclean.types import CrfcleanError, GoldError, WorkerError

Both = pytest.mark.parametrize("workers", [1, 2])


def add(item: int, shared: int) -> int:
    return item + shared


def process(item: int, shared: object) -> int:
    return os.getpid()


def fail_at_seven(item: int, shared: object) -> int:
    if item == 7:
        raise GoldError(f"item {item} is wrong")
    return item


def die_at_seven(item: int, shared: object) -> int:
    if item == 7:
        os._exit(3)
    return item


def sleep_for_ever(item: int, shared: object) -> None:
    Event().wait()


@dataclass
class Counted:
    """An endless source that knows how much was taken."""

    taken: int = 0

    def __iter__(self) -> Iterator[int]:
        for number in count():
            self.taken += 1
            yield number


@Both
@pytest.mark.parametrize("items", [0, 1, 2, BATCH * 2, BATCH * 2 + 1, BATCH * 5 + 3])
def test_order_is_kept(items: int, workers: int) -> None:
    found = list(map_in_order(add, range(items), 10, workers))
    assert found == list(range(10, 10 + items))


def test_one_worker_takes_an_item_when_it_is_asked() -> None:
    source = Counted()
    results = map_in_order(add, source, 0)
    assert source.taken == 0
    assert list(islice(results, 3)) == [0, 1, 2]
    assert source.taken == 3


def test_two_workers_look_ahead_a_bounded_number() -> None:
    source = Counted()
    results = map_in_order(add, source, 0, 2)
    assert source.taken == 0
    assert list(islice(results, 3)) == [0, 1, 2]
    assert source.taken <= BATCH * 2
    assert list(islice(results, BATCH * 2)) == list(range(3, 3 + BATCH * 2))
    assert source.taken <= BATCH * 4
    results.close()


@Both
def test_error_of_the_function_is_passed_on(workers: int) -> None:
    results = map_in_order(fail_at_seven, range(100), None, workers)
    with pytest.raises(GoldError, match="item 7 is wrong"):
        list(results)


@Both
def test_error_of_the_source_is_passed_on(workers: int) -> None:
    def source() -> Iterator[int]:
        yield 1
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(map_in_order(add, source(), 0, workers))


def test_process_that_dies_ends_the_whole() -> None:
    with pytest.raises(WorkerError, match="a worker process ended: it was killed"):
        list(map_in_order(die_at_seven, range(100), None, 2))


@pytest.mark.parametrize("started", [0, 1])
def test_fork_that_is_refused_ends_the_processes_that_started(
    monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    real, left = Process.start, [None] * started

    def start(process: Process) -> None:
        if not left:
            raise BlockingIOError(errno.EAGAIN, "no process")
        left.pop()
        real(process)

    monkeypatch.setattr("multiprocessing.process.BaseProcess.start", start)
    with pytest.raises(WorkerError, match="worker processes cannot start: no process; each"):
        list(map_in_order(sleep_for_ever, range(9), None, 2))
    assert not active_children()


def test_threads_that_are_refused_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = Thread.start, [None] * 3

    def start(thread: Thread) -> None:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        real(thread)

    monkeypatch.setattr(Thread, "start", start)
    with pytest.raises(WorkerError, match="cannot start: the process table is full; each needs"):
        list(map_in_order(add, range(9), 1, 2))


def test_two_maps_at_a_time_keep_apart() -> None:
    first, second = map_in_order(add, count(), 0, 2), map_in_order(add, count(), 1_000, 2)
    pairs = list(islice(zip(first, second, strict=True), 300))
    assert pairs == [(number, number + 1_000) for number in range(300)]
    first.close()
    second.close()


# time


def test_work_that_is_done_in_time_is_returned() -> None:
    for seconds in (None, 600):
        assert in_time(seconds, lambda: 7, lambda: 0) == 7
        with pytest.raises(GoldError, match="wrong"):
            in_time(seconds, lambda: fail_at_seven(7, None), lambda: 0)


def test_work_that_takes_too_long_is_ended() -> None:
    def work() -> int:
        while True:
            pass

    threads, results = set(enumerate_threads()), list[int]()
    other = Thread(target=lambda: results.append(in_time(0.05, work, lambda: 7)))
    other.start()
    other.join()
    assert results == [7]
    for left in set(enumerate_threads()) - threads:
        left.join(60)
        assert not left.is_alive()


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(CrfcleanError, match=r"max_seconds must be from 0\.01 to 1,000,000"):
        in_time(seconds, lambda: 7, lambda: 0)


CPU, MEMORY, FREE = "/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/memory.max", "/proc/meminfo"
FILES = {CPU: "max 100000\n", MEMORY: "max\n", FREE: "MemTotal: 9\nMemAvailable:  65536000 kB\n"}


@pytest.mark.parametrize(
    ("files", "workers"),
    [
        (FILES, 8),
        ({}, 8),
        (FILES | {CPU: "350000 100000\n"}, 3),
        (FILES | {CPU: "20000 100000\n"}, 1),
        (FILES | {MEMORY: f"{5 * parallel.WORKER_BYTES}\n"}, 5),
        (FILES | {FREE: f"MemAvailable: {2 * parallel.WORKER_BYTES // 1024} kB\n"}, 2),
        (FILES | {CPU: "junk", MEMORY: "", FREE: "junk"}, 8),
    ],
)
def test_processors(files: dict[str, str], workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_text(path: Path, _: str) -> str:
        if str(path) not in files:
            raise FileNotFoundError
        return files[str(path)]

    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    monkeypatch.setattr(Path, "read_text", read_text)
    assert parallel.processors() == workers
