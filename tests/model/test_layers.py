"""Tests of `model/networks.py`: activations by finite differences, one pass there and back."""

from __future__ import annotations

import math

import numpy as np
import pytest

from crfclean.model.networks import (
    ACTIVATIONS,
    Layer,
    forward,
)


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


# passes


def test_a_pass_by_hand() -> None:
    layer = Layer(floats([1.0, -1.0], [0.5, 2.0]), floats(0.0, 1.0), "relu", 0.5)
    (only,) = forward(floats([2.0, -2.0]), (layer,))
    assert only.sums.tolist() == [[0.5, -2.5]]
    assert only.values.tolist() == only.outputs.tolist() == [[0.5, 0.0]]
