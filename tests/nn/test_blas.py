"""Tests of `nn.blas`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from crfclean.modelfiles.folder import find_model, load_bundle
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


def test_networks_leave_the_threads_as_they_were() -> None:
    network, before = load_bundle(find_model("default")).network, threads()
    assert network is not None
    columns = np.ones((300, len(network.names)), np.float32)
    assert network(columns).shape == (300, 3)
    assert threads() == before


def test_openblas_that_the_environment_bound_is_not_looked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    monkeypatch.setattr(np.__config__, "CONFIG", of_blas("scipy-openblas"))
    before = threads()
    with one_thread():
        assert threads() == before


@pytest.mark.parametrize(("count", "name"), [("2", "openblas"), ("1", "mkl-dynamic")])
def test_others_are_bound_here(count: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", count)
    monkeypatch.setattr(np.__config__, "CONFIG", of_blas(name))
    with one_thread():
        assert set(threads()) == {1}


def of_blas(name: str) -> dict[str, object]:
    """What numpy says of a build with a BLAS."""
    return {"Build Dependencies": {"blas": {"name": name}}}
