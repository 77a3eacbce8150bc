"""Nothing -> a context in which matrix products take one thread.

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
    """Within it BLAS has one thread, in this process; before and after it has its own number.

    Of several threads of ours the first one sets and restores it, the others take it as it is.
    """
    context: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return context
