"""Tests of `extras/page_tools.py`: answers as those of the tools, within limits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sleepytools import SleepyTools

from crfclean.corpus.jobs import TaskLimits
from crfclean.extras.page_tools import Question, ToolParams, ToolWorker
from crfclean.types import CrfcleanError

NAME = "moorland-gazette/sunday-bus-reprieve.html"
LONG = (
    "<html><body>" + "<p>A paragraph with words, <b>some</b> of them bold, and more.</p>" * 45_000
)


@pytest.fixture
def worker(model: Path, demo: Path) -> Iterator[ToolWorker]:
    opened = ToolWorker(ToolParams(str(model), demo))
    yield opened
    opened.close()


def test_errors_are_raised_and_keep_the_process(worker: ToolWorker) -> None:
    worker.ask(Question("score", {"page": NAME}))
    (process,) = [each.process for each in worker._pool._workers]
    with pytest.raises(CrfcleanError, match="no block at '/none'"):
        worker.ask(Question("block", {"page": NAME, "xpath": "/none"}))
    with pytest.raises(CrfcleanError, match="no convention 'blog'"):
        worker.ask(Question("clean", {"page": NAME, "convention": "blog"}))
    assert worker.ask(Question("score", {"page": NAME}))["status"] == "ok"
    assert [each.process for each in worker._pool._workers] == [process]


def test_a_slow_page_ends_its_process_alone(model: Path) -> None:
    worker = ToolWorker(ToolParams(str(model)), TaskLimits(max_seconds=3.0))
    worker._pages = SleepyTools(ToolParams(str(model)))
    score = Question("score", {"page": "<p>Home"})
    answer = worker.ask(score)
    (process,) = [each.process for each in worker._pool._workers]
    with pytest.raises(CrfcleanError, match="it took more than 3 s"):
        worker.ask(Question("clean", {"page": "<p>Home"}))
    assert worker.ask(score) == answer
    assert not process.is_alive()
    worker.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory needs Linux")
def test_a_page_that_needs_too_much_memory_is_told(model: Path) -> None:
    worker = ToolWorker(ToolParams(str(model)), TaskLimits(max_memory=20))
    with pytest.raises(CrfcleanError, match="memory"):
        worker.ask(Question("clean", {"page": LONG}))
    assert worker.ask(Question("score", {"page": "<p>Home"}))["blocks"] == 1
    worker.close()
