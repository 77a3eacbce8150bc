"""Tests of `model/networks.py`: inference by hand, averages of members, parts of inputs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from networks import PAPER, TUNED, scorer

from crfclean.model.networks import (
    Layer,
    Layers,
    Network,
    Scaling,
    forward,
    identity_scaling,
    linear,
    without_scaling,
)
from crfclean.types import Label

NAMES = ("words", "link_density")


def floats(*rows: object) -> np.ndarray:
    return np.array(rows, np.float32)


def scaling(log: tuple[bool, ...] = (False, False), deviation: float = 1.0) -> Scaling:
    count = len(log)
    return Scaling(np.array(log, np.bool_), np.zeros(count), np.full(count, deviation))


LAYERS: Layers = (
    Layer(floats([1, -1], [0, 2]), floats(0, 1), "relu"),
    Layer(floats([1, 0, 0], [0, 1, -1]), floats(0, 0, 0.5), "linear"),
)
OTHERS: Layers = (Layer(floats([0, 0, 0], [0, 0, 0]), floats(1, 2, 3), "linear"),)
MADE = Network(NAMES, scaling(), (LAYERS, OTHERS))


def softmax(*values: float) -> np.ndarray:
    shares = np.exp(np.array(values))
    return shares / shares.sum()


# scaling


def test_scaling_by_hand() -> None:
    made = Scaling(np.array([True, False]), np.array([np.log(2), 0.5]), np.array([1.0, 0.25]))
    found = made(np.array([[1.0, 0.5], [3.0, 0.75], [0.0, 0.0], [-5.0, 0.5]]))
    expected = [[0, 0], [np.log(2), 1], [-np.log(2), -2], [-np.log(2), 0]]
    assert found == pytest.approx(np.array(expected), abs=1e-6)
    assert found.dtype == np.float32


# inference


def test_outputs_by_hand() -> None:
    inputs = floats([1, 2], [-1, 0])
    # hidden: [1*1+2*0, -1+4+1] = [1, 4]; [-1 -> 0, 1+0+1 = 2]
    assert forward(inputs, LAYERS)[-1].values.tolist() == [[1, 4, -3.5], [0, 2, -1.5]]


def test_members_are_averaged_by_their_logarithms() -> None:
    found = MADE(np.array([[1.0, 2.0]]))
    expected = softmax((1 + 1) / 2, (4 + 2) / 2, (-3.5 + 3) / 2)
    assert found == pytest.approx(expected[None])
    assert found.dtype == np.float64


# scores


def test_scores_by_hand() -> None:
    layers = (
        Layer(floats([1.0, -1.0], [0.5, 2.0]), floats(0.0, 1.0), "relu"),
        Layer(floats([1.0], [-2.0]), floats(0.25), "sigmoid", 0.5),
    )
    # inputs (1, 2): 1 + 1 = 2 and -1 + 4 + 1 = 4; 2 - 8 + 0.25
    expected = 1 / (1 + math.exp(5.75))
    found = Network(NAMES, identity_scaling(floats(0, 0)), (layers,))(np.array([[1.0, 2.0]]))
    assert found == pytest.approx(np.array([[expected]]), rel=1e-5)


# parts


def log_odds(network: Network, inputs: np.ndarray) -> np.ndarray:
    scores = network(inputs)[:, 0]
    if network.members[0][-1].activation == "ramp":
        return scores
    odds: np.ndarray = np.log(scores / (1 - scores))
    return odds


@pytest.mark.parametrize("names", [PAPER, TUNED, ("sigmoid",), ("relu", "tanh")], ids=" ".join)
def test_parts_are_gradients_times_inputs(names: tuple[str, ...]) -> None:
    network = scorer(*names, seed=4, steepness=0.2)
    inputs, step = np.random.default_rng(2).random((20, 4)), 1e-2
    parts = network.contributions(inputs)
    for place in range(4):
        moved = np.zeros(4)
        moved[place] = step
        slope = (log_odds(network, inputs + moved) - log_odds(network, inputs - moved)) / step / 2
        expected = (inputs[:, place] - network.scaling.centre[place]) * slope
        close = np.abs(parts[:, place] - expected) < 0.02 * np.abs(expected).max() + 1e-4
        assert close.mean() > 0.9, "all but units at their corners"


def log_odds_of_labels(network: Network, columns: np.ndarray) -> np.ndarray:
    shares = network(columns)
    odds: np.ndarray = np.log(shares[:, : Label.OTHER].sum(1) / shares[:, Label.OTHER])
    return odds


def test_parts_of_labels_are_gradients_times_inputs() -> None:
    random, step = np.random.default_rng(8), 1e-3
    layers = (
        Layer(floats(*random.normal(size=(2, 6))), floats(*random.normal(size=6)), "relu"),
        Layer(floats(*random.normal(size=(6, 3))), floats(0, 0, 0), "linear"),
    )
    made = Scaling(np.zeros(2, np.bool_), np.array([0.5, 0.2]), np.array([1.0, 0.5]))
    network, columns = Network(NAMES, made, (layers,)), random.random((30, 2))
    parts = network.contributions(columns)
    assert parts.dtype == np.float64
    for place in range(2):
        moved = np.eye(2)[place] * step
        above, below = (log_odds_of_labels(network, columns + one) for one in (moved, -moved))
        expected = (columns[:, place] - made.mean[place]) * (above - below) / (2 * step)
        close = np.abs(parts[:, place] - expected) < 0.01 * np.abs(expected).max() + 1e-3
        assert close.mean() > 0.9, "all but units at their corners"


def test_reasons_are_the_largest_parts() -> None:
    network, columns = scorer(*TUNED), np.random.default_rng(10).random((6, 4))
    parts = network.contributions(columns)
    for row, reasons in enumerate(network.reasons(columns, 2)):
        largest = sorted(range(4), key=lambda at: -abs(parts[row, at]))[:2]
        assert [reason.feature for reason in reasons] == [network.names[at] for at in largest]
        assert [reason.value for reason in reasons] == columns[row, largest].tolist()
        assert [reason.weight for reason in reasons] == parts[row, largest].tolist()
    assert network.reasons(np.zeros((0, 4)), 2) == []


# a scaling inside the layers


def test_layers_can_take_a_linear_scaling_over() -> None:
    columns = (np.random.default_rng(11).random((40, 4)) * 8 + 3).astype(np.float32)
    one, other = scorer(*TUNED), scorer(*TUNED, seed=1)
    scaled = Network(one.names, linear([columns]), one.members + other.members)
    bare = without_scaling(scaled)
    assert bare(columns) == pytest.approx(scaled(columns), abs=1e-5)
    assert bare.scaling(columns).tolist() == columns.tolist()
    assert bare.contributions(columns) == pytest.approx(scaled.contributions(columns), abs=1e-3)
