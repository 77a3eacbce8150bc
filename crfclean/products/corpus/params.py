"""The parameters of a run over many pages: limits, resuming, names of fields, endings of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from crfclean.page.decode import MAX_BYTES
from crfclean.page.limits import MAX_BLOCKS, MAX_NODES
from crfclean.parallel import MAX_SECONDS, MIN_SECONDS
from crfclean.types import CrfcleanError, check_bounds, option

TASK_BOUNDS: dict[str, tuple[float, float]] = {
    "max_seconds": (MIN_SECONDS, MAX_SECONDS),
    "max_memory": (1, 10**7),
}
"""Bounds of the fields of `TaskLimits`."""


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """The limits of time and memory of a page; the limit of memory needs Linux.

    The memory that the process has after loading its model does not count. A task of several pages
    gets the time of all of them, and the memory of one page. Raises `CrfcleanError` for a limit out
    of bounds.
    """

    max_seconds: float = option(60.0, "CPU seconds per page")
    max_memory: int = option(2_048, "memory per page in MB, beyond that of the model")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS)


@dataclass(frozen=True, slots=True)
class PageLimits(TaskLimits):
    """The limits of a page and its content. Raises `CrfcleanError` for a limit out of bounds."""

    max_bytes: int = option(MAX_BYTES, "bytes read per page; the rest is cut off")
    max_blocks: int = option(MAX_BLOCKS, "blocks per page; pages with more fail")

    def __post_init__(self) -> None:
        bounds: dict[str, tuple[float, float]] = {
            "max_bytes": (1, 2**31),
            "max_blocks": (1, MAX_NODES),
        }
        check_bounds(self, TASK_BOUNDS | bounds)


@dataclass(frozen=True, slots=True)
class ResumeParams:
    """The parameters that say what becomes of the work of an earlier run.

    Without any of them, an unfinished run is not touched, and a finished run is repeated. A run
    that is `share` (1, 8) takes the first of every eight parts, and others take the rest. Raises
    `CrfcleanError` for parameters that exclude each other.
    """

    resume: bool = option(False, "continue a run that was stopped or killed")
    overwrite: bool = option(
        False,
        "start again: discard the work of an unfinished run, and replace texts that were changed",
    )
    retry_failed: bool = option(
        False,
        "like --resume, but also repeat the parts of a directory with pages that crashed, took too "
        "much time or memory, or could not be read or fetched",
    )
    share: tuple[int, int] = (1, 1)

    def __post_init__(self) -> None:
        if self.overwrite and self.continues:
            other = "--resume" if self.resume else "--retry-failed"
            raise CrfcleanError(f"{other} and --overwrite exclude each other")
        if self.is_shared and (self.overwrite or self.retry_failed):
            other = "--overwrite" if self.overwrite else "--retry-failed"
            raise CrfcleanError(
                f"{other} and --part exclude each other: run it before, without --part"
            )

    @property
    def continues(self) -> bool:
        """True if finished work is kept."""
        return self.resume or self.retry_failed

    @property
    def is_shared(self) -> bool:
        """True if other runs write the same output."""
        return self.share != (1, 1)

    def takes(self, number: int) -> bool:
        """Return whether this run does the part, or page, of a number."""
        own, runs = self.share
        return number % runs == own - 1


@dataclass(frozen=True, slots=True)
class RunParams(ResumeParams):
    """The parameters of a run: its processes, resuming, and the file that lists failures."""

    workers: int = 1
    failures: str | None = None


class Fields(NamedTuple):
    """The fields of JSONL, or columns of Parquet, with the page, its URL and its id.

    Those of `carry`, and headers of WARC records, are carried along to the output.
    """

    html_field: str = "html"
    url_field: str = "url"
    id_field: str = "id"
    carry: tuple[str, ...] = ()


OUTPUT_ENDINGS = ("jsonl", "jsonl.gz", "jsonl.xz", "jsonl.zst", "csv", "parquet")
"""Endings of files of rows; `rows.PACKERS` has a function for each."""

TABLE_ENDINGS = ("csv", "parquet")
"""Endings with fixed columns."""

ROW_ENDINGS = tuple(ending for ending in OUTPUT_ENDINGS if ending not in TABLE_ENDINGS)
"""Endings of rows of any shape."""

_JOINED_FORMATS = ("txt", "md", "tei", "vert", "vertical", "passages")

TEXT_ENDINGS = (*_JOINED_FORMATS, *(f"{form}.gz" for form in _JOINED_FORMATS))
"""Endings of files with the texts of many pages; `texts.JOININGS` says how they are joined."""
