"""The jobs of a command with one IN."""

from __future__ import annotations

from typing import Any

from crfclean.corpus.jobs import Job, Paths, plan


def jobs_of(source: str, target: str, *more: Any) -> list[Job]:
    """The jobs of IN and OUT; `more` are further arguments of `plan`."""
    return list(plan(Paths((source,), target), *more).jobs)
