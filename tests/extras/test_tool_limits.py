"""Tests of `extras/tool_limits.py`."""

from __future__ import annotations

import pytest

from crfclean.extras.tool_limits import ToolLimits
from crfclean.serve.params import WorkParams
from crfclean.types import CrfcleanError


def test_limits_are_those_of_serve() -> None:
    ours, theirs = ToolLimits(), WorkParams()
    for name in ("max_seconds", "max_memory", "waiting"):
        assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.parametrize("limit", [{"max_seconds": 0}, {"max_memory": 0}, {"waiting": -1}])
def test_limits_have_bounds(limit: dict[str, int]) -> None:
    with pytest.raises(CrfcleanError, match=next(iter(limit)).replace("_", ".")):
        ToolLimits(**limit)
