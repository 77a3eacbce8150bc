"""Tests of `corpus/limits.py`: limits out of bounds, and what users are told of pages cut short."""

from __future__ import annotations

import pytest

from crfclean.corpus.limits import MAX_DEPTH, MAX_NODES, TRUNCATIONS, PageLimits
from crfclean.page import decode
from crfclean.types import CrfcleanError


@pytest.mark.parametrize("name", ["max_seconds", "max_memory", "max_bytes", "max_blocks"])
@pytest.mark.parametrize("value", [0, -1, 2**40])
def test_limits_have_bounds(name: str, value: int) -> None:
    with pytest.raises(CrfcleanError, match=f"{name} must be from"):
        PageLimits(**{name: value})


def test_usual_limits() -> None:
    limits = PageLimits()
    assert limits.max_bytes == decode.MAX_BYTES
    assert 1 < limits.max_blocks < MAX_NODES


def test_users_are_told_the_limits() -> None:
    assert set(TRUNCATIONS) == {"bytes", "gzip", "depth", "nodes"}
    assert str(MAX_DEPTH) in TRUNCATIONS["depth"]
    assert f"{MAX_NODES:,}" in TRUNCATIONS["nodes"]
