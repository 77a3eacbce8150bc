"""Tests of `model/networks.py`: activations by finite differences, one pass there and back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.model.networks import (
    ACTIVATIONS,
    Layer,
    Layers,
    backward,
    forward,
    log_softmax,
)

PROPERTY = settings(max_examples=300, deadline=None, database=None, derandomize=True)


def floats(*rows: object) -> np.ndarray:
    return np.array(rows, np.float32)


# activations


@pytest.mark.parametrize(
    ("name", "at", "expected"),
    [
        ("sigmoid", 0.5, 1 / (1 + math.exp(-1))),
        ("sigmoid", 0.0, 0.5),
        ("tanh", 0.5, math.tanh(0.5)),
        ("gaussian", 0.0, 1.0),
        ("gaussian", 1.0, 2 / math.e - 1),
        ("gaussian", -1.0, 2 / math.e - 1),
        ("ramp", 0.25, 0.25),
        ("ramp", 7.0, 1.0),
        ("ramp", -7.0, -1.0),
        ("relu", 3.0, 3.0),
        ("relu", -3.0, 0.0),
        ("linear", -3.0, -3.0),
    ],
)
def test_activations_by_hand(name: str, at: float, expected: float) -> None:
    assert ACTIVATIONS[name].value(floats(at))[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_slopes_are_those_of_finite_differences(name: str) -> None:
    at, step = np.array([-0.9, -0.31, 0.2, 0.77]), 1e-6
    one = ACTIVATIONS[name]
    slope = (one.value(at + step) - one.value(at - step)) / (2 * step)
    assert one.slope(at, one.value(at)) == pytest.approx(slope, abs=1e-5)


# softmax


@PROPERTY
@given(st.lists(st.lists(st.floats(-1e30, 1e30), min_size=3, max_size=3), min_size=1, max_size=4))
def test_log_softmax_takes_every_number(rows: list[list[float]]) -> None:
    found = log_softmax(np.array(rows))
    assert np.all(found <= 0)
    assert np.exp(found).sum(1) == pytest.approx(np.ones(len(rows)))
    likeliest = np.array(rows).argmax(1)
    assert np.array_equal(found[np.arange(len(rows)), likeliest], found.max(1))


# passes


def made(seed: int) -> Layers:
    """Random layers from three inputs to two outputs."""
    random = np.random.default_rng(seed)
    kinds = (("tanh", 0.7, 3, 4), ("sigmoid", 1.3, 4, 5), ("linear", 1.0, 5, 2))
    return tuple(
        Layer(
            random.normal(size=(width, units)).astype(np.float32),
            random.normal(size=units).astype(np.float32),
            name,
            steepness,
        )
        for name, steepness, width, units in kinds
    )


def test_a_pass_by_hand() -> None:
    layer = Layer(floats([1.0, -1.0], [0.5, 2.0]), floats(0.0, 1.0), "relu", 0.5)
    (only,) = forward(floats([2.0, -2.0]), (layer,))
    assert only.sums.tolist() == [[0.5, -2.5]]
    assert only.values.tolist() == only.outputs.tolist() == [[0.5, 0.0]]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gradients_back_are_those_of_finite_differences(seed: int) -> None:
    """Of the outputs' weighted sum by each input, through masks."""
    random, layers, step = np.random.default_rng(seed), made(seed), 1e-2
    inputs = random.normal(size=(4, 3)).astype(np.float32)
    masks = [(random.random((4, 4)) < 0.7).astype(np.float32) * 2, None]
    weights = random.normal(size=(4, 2)).astype(np.float32)

    def total(values: np.ndarray) -> float:
        return float((forward(values, layers, masks)[-1].values * weights).sum())

    *_, (first, gradient) = backward(forward(inputs, layers, masks), weights)
    found = gradient @ first.layer.weights.T
    for place in np.ndindex(inputs.shape):
        moved = np.zeros_like(inputs)
        moved[place] = step
        slope = (total(inputs + moved) - total(inputs - moved)) / (2 * step)
        assert found[place] == pytest.approx(slope, abs=2e-3)
