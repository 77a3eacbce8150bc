"""Parameters of `crfclean serve`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from crfclean.corpus.tasks import TASK_BOUNDS, TaskLimits, seconds_option
from crfclean.types import CrfcleanError, check_bounds, option

_TOKEN = re.compile(r"[A-Za-z0-9._~-]{8,}")  # characters that need no escaping in a URL

_BOUNDS = {"workers": (1, 256), "waiting": (0, 10_000)}


@dataclass(frozen=True, slots=True)
class WorkParams(TaskLimits):
    """Limits of a page as in `clean`, with a shorter time, and numbers of processes.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    max_seconds: float = seconds_option(30.0)
    workers: int = option(2, "number of processes, each for one page at a time")
    waiting: int = option(64, "most pages in the queue; more are refused")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS | _BOUNDS)


@dataclass(frozen=True, slots=True)
class ServeParams:
    """Address, limits and models of the server; without `fetching` URLs are refused.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    host: str = option(
        "127.0.0.1", "address to listen on; only loopback is closed to other machines"
    )
    port: int = option(8600, "port to listen on; 0: a free one")
    max_mb: int = option(16, "megabytes per request")
    models: tuple[str, ...] = ("default",)
    token: str = field(default="", repr=False)
    work: WorkParams = field(default_factory=WorkParams)
    fetching: Any = None

    def __post_init__(self) -> None:
        check_bounds(self, {"port": (0, 65_535), "max_mb": (1, 10_000)})
        if self.token and not _TOKEN.fullmatch(self.token):
            raise CrfcleanError("token: 8 or more of letters, digits and - . _ ~ are needed")
