"""Tests of `corpus/pool.py`; `test_pool.py` has those of what workers do."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD

from crfclean.products.corpus import inputs, pool, tasks, worker_process
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.tasks import Lost, Task, set_clock
from crfclean.products.corpus.worker import LATE, NO_MEMORY, CpuClock, answer_tasks, run_task
from crfclean.products.corpus.worker_process import (
    WorkerProcess,
    entry_of,
    lost_by,
    start_worker,
    was_late,
)
from crfclean.types import GoldError, WorkerError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="workers are not forked from a server")


def add(item: int, shared: int) -> int:
    return item + shared


def test_a_worker_answers_in_order_and_ends() -> None:
    worker = start_worker(TaskLimits())
    worker.give(entry_of(Task(None, 1)), add, 10)
    assert [worker.pipe.recv(), worker.pipe.recv()] == [("loaded", None), ("done", 11)]
    worker.end()
    assert worker.process.exitcode == -signal.SIGKILL
    worker.give(entry_of(Task(None, 2)), add, 10)  # nobody reads it, and nothing is raised


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [
        (LATE, "over-time", "it took more than 2 s"),
        (-signal.SIGPROF, "over-time", "it took more than 2 s"),
        (-signal.SIGALRM, "over-time", "it took more than 2 s"),
        (NO_MEMORY, "over-memory", "it needed more than 300 MB of memory"),
        (-signal.SIGSEGV, "crashed", "its process ended (SIGSEGV)"),
        (3, "crashed", "its process ended (exit code 3)"),
    ],
)
def test_why_a_task_is_lost(code: int, status: str, message: str) -> None:
    assert lost_by(code, TaskLimits(2.0, 300)) == Lost(status, message)
    assert was_late(code) == (status == "over-time")


# starts that fail

Command = Callable[..., Any]
Starts = Callable[..., None]
NEEDS = "; each needs a free process, memory, and a temporary directory that has a short path"


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> Starts:
    """Have the next starts fail with these errors, None for one that does not; others do not."""
    real = worker_process._started

    def fail(*errors: Exception | None) -> None:
        order = iter(errors)

        def started(limits: TaskLimits) -> WorkerProcess:
            if error := next(order, None):
                raise error
            return real(limits)

        monkeypatch.setattr(worker_process, "_started", started)
        monkeypatch.setattr(worker_process, "_SECONDS_OF_END", 0.0)

    return fail


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "Resource temporarily"),
        (FileNotFoundError(errno.ENOENT, "No usable temporary directory"), "No usable temporary"),
        (OSError("AF_UNIX path too long"), "AF_UNIX path too long"),
        (EOFError(), "the process that they are forked from ends"),
    ],
)
def test_what_no_worker_can_start_without_is_told(
    starts: Starts, error: Exception, reason: str
) -> None:
    starts(error, error, error)
    with pytest.raises(WorkerError, match=f"^worker processes cannot start: {reason}.*{NEEDS}$"):
        start_worker(TaskLimits())


def test_a_start_is_tried_again_if_the_server_is_gone(starts: Starts) -> None:
    starts(EOFError(), ConnectionRefusedError())
    start_worker(TaskLimits()).end()


def test_a_run_whose_workers_cannot_start_goes_on_later(
    tmp_path: Path,
    starts: Starts,
    crfclean: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each part has a worker of its own, and the third finds the process table full."""
    monkeypatch.setattr(pool, "MAX_WORKER_PAGES", 1)
    rows = [json.dumps({"id": f"p{number:03}", "html": GOOD}) + "\n" for number in range(200)]
    monkeypatch.setattr(inputs, "PART_BYTES", (64 * len(rows[0]), 64 * len(rows[0])))
    (tmp_path / "in.jsonl").write_text("".join(rows))
    command = "clean", tmp_path / "in.jsonl", "--workers", 1
    assert crfclean(*command, tmp_path / "whole.jsonl").code == 0
    starts(None, None, BlockingIOError(errno.EAGAIN, "no process"))
    failed = crfclean(*command, tmp_path / "out.jsonl")
    how = "run it again with --resume to continue"
    told = f"crfclean: worker processes cannot start: no process{NEEDS}; {how}\n"
    assert (failed.code, failed.err) == (1, told)
    resumed = crfclean(*command, tmp_path / "out.jsonl", "--resume")
    assert (resumed.code, resumed.told) == (
        0,
        "200 pages: 200 cleaned, 0 without text, 0 failed, 128 of the pages done before\n",
    )
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_temporary_directory_with_a_long_path(
    tmp_path: Path, crfclean_process: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    (tmp_path / ("x" * 110)).mkdir()
    (tmp_path / "page.html").write_text(GOOD)
    done = crfclean_process(
        *("clean", tmp_path / "page.html", tmp_path / "page.txt", "--max-seconds", "9"),
        TMPDIR=str(tmp_path / ("x" * 110)),
    )
    told = f"crfclean: worker processes cannot start: AF_UNIX path too long{NEEDS}\n"
    assert (done.returncode, done.stderr.decode()) == (1, told)
    assert not (tmp_path / "page.txt").exists()


# in this process


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
    monkeypatch.setattr("crfclean.products.corpus.worker._limit_memory", lambda megabytes: None)
    monkeypatch.setattr(tasks, "_CLOCKS", [])  # which would limit the tests that follow
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    monkeypatch.setattr("signal.setitimer", lambda which, seconds: None)


@pytest.mark.usefixtures("in_thread")
def test_free_memory_is_given_back_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    trims = []
    monkeypatch.setattr(answer_tasks.__module__ + "._trimmer", lambda: lambda: trims.append(1))
    monkeypatch.setattr(answer_tasks.__module__ + ".TRIM_PAGES", 4)
    ours, theirs = Pipe()
    for _ in range(9):
        ours.send((divide, 6, 1))
    ours.send((None, 3, 0))
    worker = threading.Thread(target=answer_tasks, args=(theirs, ".", TaskLimits()))
    worker.start()
    answers = [ours.recv() for _ in range(10)]
    ours.close()
    worker.join(60)
    assert len(answers) == 10
    assert len(trims) == 2


@pytest.mark.usefixtures("in_thread")
def test_worker_lives_until_its_pipe_is_closed() -> None:
    ours, theirs = Pipe()
    worker = threading.Thread(target=answer_tasks, args=(theirs, ".", TaskLimits()))
    worker.start()
    ours.send((None, 2, 0))
    ours.send((divide, 6, 1))
    assert [ours.recv(), ours.recv()] == [("loaded", None), ("done", 3.0)]
    ours.send((None, 3, 0))
    ours.send((divide, 6, 1))
    assert ours.recv() == ("done", 2.0)
    ours.close()
    worker.join(60)
    assert not worker.is_alive()
    theirs.close()
