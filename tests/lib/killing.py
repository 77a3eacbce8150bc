"""Run something in a child process that is killed before one of its steps in the file system."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

STEPS = frozenset(["open", "os.mkdir", "os.remove", "os.rename", "os.truncate"])
"""Audit events of what changes files; of files opened, those that may be written count."""

KILLED = 9


def killed_before(step: int, action: Callable[[], object]) -> bool:
    """Whether the action was killed before this step (from 0); False: it ended before.

    The child ends as by SIGKILL: nothing is cleaned up, nothing that is buffered is written.
    """
    child = os.fork()
    if not child:
        _run(step, action)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


def _run(step: int, action: Callable[[], object]) -> None:
    left = [step]

    def look(event: str, arguments: tuple[object, ...]) -> None:
        if event in STEPS and (event != "open" or _writes(arguments)):
            left[0] -= 1
            if left[0] < 0:
                os._exit(KILLED)

    sys.addaudithook(look)
    try:
        action()
    finally:
        os._exit(0 if sys.exc_info()[0] is None else 1)


def _writes(arguments: tuple[object, ...]) -> bool:
    flags = arguments[2]
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
