"""Keep matrix products in one thread.

A page's matrices are small: threads that wait for each other double the CPU time of a page.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
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
    """Whether numpy has OpenBLAS, and the environment bound it to one thread.

    Looking through the libraries of the process takes a third of the time of a page.
    """
    import numpy as np  # not for help and completion, which read this module

    dependencies = getattr(np.__config__, "CONFIG", {}).get("Build Dependencies", {})
    name = str(dependencies.get("blas", {}).get("name", ""))
    return "openblas" in name and os.environ.get("OPENBLAS_NUM_THREADS") == "1"


@cache
def _let_go() -> Any:
    """The call after which another Python thread may set the limits."""
    from threadpoolctl import OpenBLASController

    return OpenBLASController.clear_controlling_thread


class _OneThread:
    """The context of `one_thread`: a class, since it is entered for every page."""

    __slots__ = ("_several",)

    def __enter__(self) -> None:
        before = [(library, library.get_num_threads()) for library in _libraries()]
        self._several = [(library, count) for library, count in before if count != 1]
        for library, _ in self._several:
            library.set_num_threads(1)

    def __exit__(self, *_error: object) -> None:
        for library, count in self._several:
            library.set_num_threads(count)
        if self._several:
            _let_go()()


def one_thread() -> AbstractContextManager[None]:
    """A context in which BLAS uses one thread, process-wide; on exit its own number is restored.

    When several Python threads enter it, the first sets the limit and restores it. It does what
    `ThreadpoolController.limit` does, which describes all libraries of the process at each call.
    """
    return _OneThread()
