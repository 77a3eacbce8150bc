"""Tests of `corpus/preloaded.py`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from crfclean import pipeline
from crfclean.products.corpus import preloaded
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.tasks import Task
from crfclean.products.corpus.worker_process import PRELOADED, entry_of, start_worker


def modules(item: object, shared: object) -> list[str]:
    return sorted(sys.modules)


def test_workers_begin_with_what_rows_need() -> None:
    assert preloaded.__name__ in PRELOADED
    worker = start_worker(TaskLimits())
    worker.give(entry_of(Task(None, None)), modules, None)
    _, (kind, names) = worker.pipe.recv(), worker.pipe.recv()
    worker.end()
    assert kind == "done"
    assert {"crfclean.systems.crf", "crfclean.metadata.read", "crfclean.document.json"} <= {*names}


def test_without_the_shipped_model_workers_load_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert preloaded.preload()
    monkeypatch.setattr(preloaded, "open_model", lambda _: pipeline.open_model(Path("absent")))
    assert not preloaded.preload()


@pytest.mark.parametrize(
    ("error", "shown"), [(OSError(), ""), (ValueError("x"), "ValueError: x\n")]
)
def test_a_fork_that_fails_is_for_the_parent_to_tell(
    error: Exception, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    preloaded.show(type(error), error, None)
    assert capsys.readouterr().err == shown
