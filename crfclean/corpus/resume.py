"""What a run does with the work of an earlier one into the same output."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.types import CrfcleanError, option


@dataclass(frozen=True, slots=True)
class ResumeParams:
    """What becomes of the work of an earlier run.

    With none of them, an unfinished run is not touched, and a finished one is repeated. Raises
    `CrfcleanError` for parameters that exclude each other.
    """

    resume: bool = option(False, "continue a run that was stopped or killed")
    overwrite: bool = option(False, "start again, even if the work of an unfinished run is lost")
    retry_failed: bool = option(
        False,
        "as --resume, and try pages again that crashed, took too much time or memory, or could "
        "not be read or fetched",
    )

    def __post_init__(self) -> None:
        if self.overwrite and self.continues:
            other = "--resume" if self.resume else "--retry-failed"
            raise CrfcleanError(f"{other} and --overwrite exclude each other")

    @property
    def continues(self) -> bool:
        """Whether finished work is kept."""
        return self.resume or self.retry_failed
