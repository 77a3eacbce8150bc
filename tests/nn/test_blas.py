"""Tests of `nn.blas`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from crfclean.nn import blas
from crfclean.nn.blas import one_thread

pytestmark = pytest.mark.usefixtures("two_threads")


@pytest.fixture(autouse=True)
def unbound(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment that leaves the number of threads open."""
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    blas._libraries.cache_clear()
    yield
    blas._libraries.cache_clear()


def threads() -> list[int]:
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def test_one_thread_inside_as_many_as_before_behind() -> None:
    before = threads()
    assert before, "numpy has a BLAS"
    with one_thread():
        assert set(threads()) == {1}
    assert threads() == before


def test_openblas_that_the_environment_bound_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setattr(np.__config__, "CONFIG", of_blas("scipy-openblas"))
    before = threads()
    with one_thread():
        assert threads() == before


def of_blas(name: str) -> dict[str, object]:
    """What numpy says of a build with a BLAS."""
    return {"Build Dependencies": {"blas": {"name": name}}}
