"""Tests of the training algorithms of `eval/mlp/algorithms.py`, which repeat the thesis' table."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.nn.optimisers import Rprop
from eval.mlp.algorithms import EPOCH_STEPS, FIRST, Blocks, Network, by_blocks, by_epochs

RANDOM = np.random.default_rng(7)
INPUTS = RANDOM.uniform(0, 1, (40, 5)).astype(np.float32)
BLOCKS = Blocks(INPUTS, (INPUTS[:, :1] > INPUTS[:, 1:2]).astype(np.float32))
ONE = Blocks(INPUTS[:1], BLOCKS.good[:1])


def network(seed: int = 1) -> Network:
    return Network((5, 4, 1), *FIRST, seed)


def test_gradients_are_those_of_the_error() -> None:
    net = network()
    gradients, step = net.gradients(BLOCKS), np.float32(1e-2)
    for at, place in ((0, (1, 2)), (1, (3,)), (2, (0, 0)), (3, (0,))):
        errors = []
        for sign in (1, -1):
            net.values[at][place] += sign * step
            errors.append(net.error(BLOCKS) / 2)
            net.values[at][place] -= sign * step
        slope = (errors[0] - errors[1]) / (2 * step)
        assert gradients[at][place] == pytest.approx(slope, rel=0.02, abs=1e-5)


def test_a_step_a_block_is_a_step_an_epoch_of_one_block() -> None:
    single, batch = network(), network()
    (first,) = by_blocks(single, ONE, 1)
    (second,) = by_epochs(batch, ONE, EPOCH_STEPS["batch"](batch.values), 1)
    assert first == pytest.approx(second, rel=1e-5)
    for ours, theirs in zip(single.values, batch.values, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", EPOCH_STEPS)
def test_errors_fall(name: str) -> None:
    net = network()
    before = net.error(BLOCKS)
    *_, after = by_epochs(net, BLOCKS, EPOCH_STEPS[name](net.values), 200)
    assert after < before


def test_resilient_steps_learn_faster_than_batches() -> None:
    errors = {}
    for name in ("batch", "rprop"):
        net = network()
        *_, errors[name] = by_epochs(net, BLOCKS, EPOCH_STEPS[name](net.values), 200)
    assert errors["rprop"] < 0.5 * errors["batch"]
    assert EPOCH_STEPS["rprop"] is Rprop
