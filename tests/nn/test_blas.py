"""Tests of `nn.blas`."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from crfclean.modelfiles.folder import find_model, load_bundle
from crfclean.nn.blas import one_thread

pytestmark = pytest.mark.usefixtures("two_threads")


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
