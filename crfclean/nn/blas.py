"""Keep matrix products in one thread.

A page's matrices are small: threads that wait for each other double the CPU time of a page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@cache
def _libraries() -> tuple[Any, ...]:
    """The libraries of this process that may use several threads."""
    if _is_bound():
        return ()
    from threadpoolctl import ThreadpoolController

    chosen = ThreadpoolController().select(user_api="blas")
    return tuple(chosen.lib_controllers)


def _is_bound() -> bool:
    """Return whether numpy has OpenBLAS, and the environment limits it to one thread.

    Then the search of the process's libraries, a third of the time of a page, is not needed.
    """
    import numpy as np  # not for help and completion, which read this module

    dependencies = getattr(np.__config__, "CONFIG", {}).get("Build Dependencies", {})
    name = str(dependencies.get("blas", {}).get("name", ""))
    return "openblas" in name and os.environ.get("OPENBLAS_NUM_THREADS") == "1"


@contextmanager
def one_thread() -> Iterator[None]:
    """A context in which BLAS uses one thread in the whole process; on exit its number is restored.

    If several Python threads enter it, the first sets and restores the limit.
    `ThreadpoolController.limit` does the same, but describes all libraries at each call.
    """
    counts = [(library, library.get_num_threads()) for library in _libraries()]
    several = [(library, count) for library, count in counts if count != 1]
    for library, _ in several:
        library.set_num_threads(1)
    try:
        yield
    finally:
        for library, count in several:
            library.set_num_threads(count)
        if several:
            from threadpoolctl import OpenBLASController

            OpenBLASController.clear_controlling_thread()  # now another thread may set the limits
