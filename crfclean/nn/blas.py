"""Keep matrix products in one thread.

A page's matrices are small: threads that wait for each other double the CPU time of a page.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def one_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS uses one thread, process-wide; on exit its own number is restored.

    When several Python threads enter it, the first sets the limit and restores it.
    """
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context
