"""Tests of `corpus/pool.py`; `test_pool.py` has those of what workers do."""

from __future__ import annotations

import signal

import pytest

from crfclean.corpus.pool import entry_of, lost_by, start_worker, was_late
from crfclean.corpus.tasks import Lost, Task, TaskLimits
from crfclean.corpus.worker import LATE, NO_MEMORY


def add(item: int, shared: int) -> int:
    return item + shared


def test_a_worker_answers_in_order_and_ends() -> None:
    worker = start_worker(TaskLimits())
    worker.give(entry_of(Task(None, 1)), add, 10)
    assert [worker.pipe.recv(), worker.pipe.recv()] == [("loaded", None), ("done", 11)]
    worker.end()
    assert worker.process.exitcode == -signal.SIGKILL
    worker.give(entry_of(Task(None, 2)), add, 10)  # nobody reads it, and nothing is raised


def test_entries_of_tasks() -> None:
    done = entry_of(Task(0, "known", done=True))
    assert (done.finished, done.result) == (True, "known")
    parts = [Task(1, 1), Task(2, 2)]
    task = Task(0, (1, 2), parts=lambda: parts)
    entry = entry_of(task)
    entry.finish(3)
    assert not entry.parts
    entry.finish(Lost("crashed", ""))
    assert [part.task for part in entry.parts] == parts


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
