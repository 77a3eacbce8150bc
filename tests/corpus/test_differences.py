"""Tests of `corpus/outputs.py`: what is said about two runs that differ."""

from __future__ import annotations

from typing import Any

import pytest

from crfclean.corpus.outputs import check_same
from crfclean.types import CrfcleanError

OPTIONS: dict[str, Any] = {
    "source": "/in",
    "input": {"files": 2, "digest": "a"},
    "comments": "drop",
    "elements": None,
    "limits": {"max_seconds": 60.0, "max_blocks": 9},
    "show": {"links": True},
}


def said(now: dict[str, Any], *, retry: bool = False) -> str:
    """What is said of a run with some other options; "" if it may go on."""
    try:
        check_same("out", OPTIONS, {**OPTIONS, **now}, retry=retry)
    except CrfcleanError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("now", "difference"),
    [
        ({"comments": "keep"}, "--comments was drop, is keep"),
        ({"comments": ""}, "--comments was drop, is not set"),
        ({"kinds": ["h1", "p"]}, "--kinds was not set, is h1,p"),
        ({"show": {"links": False}}, "--links was on, is off"),
        ({"limits": {"max_seconds": 1.0, "max_blocks": 9}}, "--max-seconds was 60.0, is 1.0"),
        ({"model": "x" * 99}, f"the model or its decisions was not set, is {'x' * 60}…"),
        ({"new": 1}, "--new was not set, is 1"),
    ],
)
def test_options_are_named(now: dict[str, Any], difference: str) -> None:
    assert said(now) == (
        f"out: cannot be continued with other options: {difference}: repeat them, or --overwrite "
        "starts again"
    )


def test_inputs_are_compared_first() -> None:
    now = {"source": "/other", "comments": "keep"}
    assert said(now) == "out: cannot be continued: its input was /in: --overwrite starts again"


def test_retries_may_have_more_time_and_memory_alone() -> None:
    more = {"limits": {"max_seconds": 99.0, "max_memory": 9, "max_blocks": 9}}
    assert not said(more, retry=True)
    assert "--max-seconds" in said(more)
    assert "--max-blocks" in said({"limits": {"max_seconds": 60.0, "max_blocks": 8}}, retry=True)
