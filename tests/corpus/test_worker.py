"""Tests of `corpus/pool.py`, in this process; `test_pool.py` has those of whole workers."""

from __future__ import annotations

import threading
import time
from multiprocessing import Pipe

import pytest

from crfclean.corpus import jobs as tasks
from crfclean.corpus import pool as worker_module
from crfclean.corpus.jobs import Lost, TaskLimits, set_clock
from crfclean.corpus.pool import LATE, CpuClock, run_task, work
from crfclean.types import GoldError


def divide(item: int, shared: int) -> float:
    if item < 0:
        raise GoldError("no negative numbers")
    return item / shared


def test_answers() -> None:
    assert run_task(divide, 4, 2, 1) == ("done", 2.0)
    assert run_task(divide, 4, 0, 1) == (
        "done",
        Lost("error", "ZeroDivisionError: division by zero"),
    )
    kind, error = run_task(divide, -1, 2, 1)
    assert (kind, type(error), str(error)) == ("raise", GoldError, "no negative numbers")


def test_without_alarms_a_thread_ends_a_late_task(monkeypatch: pytest.MonkeyPatch) -> None:
    codes: list[int] = []
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setattr("os._exit", codes.append)
    monkeypatch.setattr(tasks, "_CLOCKS", [CpuClock(60.0).start])
    assert run_task(divide, 4, 2, 1) == ("done", 2.0)
    set_clock(CpuClock(0.01).start)
    assert run_task(wait_for, codes, None, 1) == ("done", [LATE])


def wait_for(codes: list[int], shared: object) -> list[int]:
    """What the process was to be ended with, as soon as it was."""
    for _ in range(1_000):
        if codes:
            return codes
        time.sleep(0.01)
    return codes


@pytest.fixture
def in_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make work possible in a thread of this process."""
    monkeypatch.setattr("crfclean.corpus.pool._limit_memory", lambda megabytes: None)
    monkeypatch.setattr(tasks, "_CLOCKS", [])  # which would limit the tests that follow
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    monkeypatch.setattr("signal.setitimer", lambda which, seconds: None)


@pytest.mark.usefixtures("in_thread")
def test_free_memory_is_given_back_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    trims = []
    monkeypatch.setattr(worker_module, "_trimmer", lambda: lambda: trims.append(1))
    monkeypatch.setattr(worker_module, "TRIM_PAGES", 4)
    ours, theirs = Pipe()
    for _ in range(9):
        ours.send((divide, 6, 1))
    ours.send((None, 3, 0))
    worker = threading.Thread(target=work, args=(theirs, ".", TaskLimits()))
    worker.start()
    answers = [ours.recv() for _ in range(10)]
    ours.close()
    worker.join(60)
    assert len(answers) == 10
    assert len(trims) == 2
