"""Limits of questions about pages."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.corpus.tasks import TASK_BOUNDS, TaskLimits, seconds_option
from crfclean.types import check_bounds, option


@dataclass(frozen=True, slots=True)
class ToolLimits(TaskLimits):
    """Limits of a question, as those of `serve`; its page is read and cleaned in this time.

    Raises `CrfcleanError` for a limit out of bounds.
    """

    max_seconds: float = seconds_option(30.0)
    waiting: int = option(8, "questions that wait for an answer; more are refused")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS | {"waiting": (0, 10_000)})
