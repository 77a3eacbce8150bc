"""Tests of `perceptron.py`: inference by hand, parts by finite differences, files and damage."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest

from crfclean.perceptron import (
    ACTIVATIONS,
    OUTPUTS,
    Layer,
    Perceptron,
    from_bytes,
    to_bytes,
)
from crfclean.types import ModelError


def floats(*rows: object) -> np.ndarray:
    return np.array(rows, np.float32)


def made(*activations: str, inputs: int = 4, seed: int = 0, steepness: float = 0.7) -> Perceptron:
    """Random layers of five units, and one output."""
    random = np.random.default_rng(seed)
    widths = [inputs, *[5] * (len(activations) - 1), 1]
    layers = tuple(
        Layer(
            random.normal(size=(width, following)).astype(np.float32),
            random.normal(size=following).astype(np.float32),
            name,
            steepness,
        )
        for width, following, name in zip(widths[:-1], widths[1:], activations, strict=True)
    )
    return Perceptron(layers, random.random(inputs).astype(np.float32))


PAPER = ("sigmoid", "gaussian", "gaussian", "ramp")
TUNED = ("relu", "relu", "sigmoid")


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


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("at", [1e30, -1e30, 1e4])
def test_large_sums_stay_finite(name: str, at: float) -> None:
    one = ACTIVATIONS[name]
    value = one.value(floats(at))
    assert value >= one.least
    assert np.isfinite(one.slope(floats(at), value)).all()
    assert value.dtype == np.float32


# inference


def test_scores_by_hand() -> None:
    layers = (
        Layer(floats([1.0, -1.0], [0.5, 2.0]), floats(0.0, 1.0), "relu"),
        Layer(floats([1.0], [-2.0]), floats(0.25), "sigmoid", 0.5),
    )
    # inputs (1, 2): 1 + 1 = 2 and -1 + 4 + 1 = 4; 2 - 8 + 0.25
    expected = 1 / (1 + math.exp(5.75))
    found = Perceptron(layers, floats(0, 0))(np.array([[1.0, 2.0]]))
    assert found == pytest.approx(np.array([expected]), rel=1e-5)


def test_a_symmetric_output_is_a_score() -> None:
    layer = Layer(floats([1.0]), floats(0.0), "ramp", 0.5)
    scores = Perceptron((layer,), floats(0))(np.array([[-9.0], [-1.0], [0.0], [1.0], [9.0]]))
    assert scores.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("names", [PAPER, TUNED, ("tanh",), ("relu", "tanh")], ids=" ".join)
def test_scores_are_scores(names: tuple[str, ...]) -> None:
    network = made(*names)
    scores = network(np.random.default_rng(1).normal(0, 5, (300, 4)))
    assert scores.shape == (300,)
    assert scores.dtype == np.float64
    assert ((scores >= 0) & (scores <= 1)).all()
    assert len(set(scores.tolist())) > 10
    assert network(np.zeros((0, 4))).shape == (0,)


def test_widths() -> None:
    assert made(*PAPER).widths == (4, 5, 5, 5, 1)


# parts


def log_odds(network: Perceptron, inputs: np.ndarray) -> np.ndarray:
    scores = network(inputs)
    if network.layers[-1].activation == "ramp":
        return scores
    odds: np.ndarray = np.log(scores / (1 - scores))
    return odds


@pytest.mark.parametrize("names", [PAPER, TUNED, ("sigmoid",), ("relu", "tanh")], ids=" ".join)
def test_parts_are_gradients_times_inputs(names: tuple[str, ...]) -> None:
    network = made(*names, seed=4, steepness=0.2)
    inputs, step = np.random.default_rng(2).random((20, 4)), 1e-2
    parts = network.contributions(inputs)
    for place in range(4):
        moved = np.zeros(4)
        moved[place] = step
        slope = (log_odds(network, inputs + moved) - log_odds(network, inputs - moved)) / step / 2
        expected = (inputs[:, place] - network.mean[place]) * slope
        close = np.abs(parts[:, place] - expected) < 0.02 * np.abs(expected).max() + 1e-4
        assert close.mean() > 0.9, "all but units at their corners"


def test_parts_of_a_single_layer_add_up() -> None:
    network = made("sigmoid")
    inputs = np.random.default_rng(3).random((7, 4))
    whole = log_odds(network, inputs) - log_odds(network, network.mean[None].astype(np.float64))
    assert network.contributions(inputs).sum(1) == pytest.approx(whole, abs=1e-4)


def test_no_blocks_have_no_parts() -> None:
    assert made(*PAPER).contributions(np.zeros((0, 4))).shape == (0, 4)


# files


@pytest.mark.parametrize("names", [PAPER, TUNED], ids=" ".join)
def test_bytes_and_back(names: tuple[str, ...]) -> None:
    network = made(*names)
    data = to_bytes(network)
    assert to_bytes(made(*names)) == data
    again = from_bytes(data, 4)
    assert to_bytes(again) == data
    inputs = np.random.default_rng(5).random((9, 4))
    assert again(inputs).tolist() == network(inputs).tolist()
    assert [layer.activation for layer in again.layers] == list(names)


def test_no_pickle_is_read() -> None:
    stream = io.BytesIO()
    np.savez(stream, mean=np.array([print], object), activations=[], steepness=[])
    with pytest.raises(ModelError, match="damaged"):
        from_bytes(stream.getvalue(), 1)


def test_damage_is_told() -> None:
    data = to_bytes(made(*PAPER))
    for length in [*range(0, len(data), 97), len(data) - 1]:
        with pytest.raises(ModelError, match="damaged perceptron"):
            from_bytes(data[:length], 4)
    for place in range(0, len(data), 61):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        try:
            from_bytes(bytes(changed), 4)
        except ModelError as error:
            assert "damaged perceptron" in str(error)  # noqa: PT017
    with pytest.raises(ModelError, match="damaged"):
        from_bytes(data, 5)


def arrays(network: Perceptron) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(to_bytes(network))) as found:
        return dict(found)


WRONG = {
    "unknown activation": {"activations": np.array(["relu", "step", "sigmoid"])},
    "output without limits": {"activations": np.array(["relu", "relu", "relu"])},
    "too few activations": {"activations": np.array(["relu", "sigmoid"])},
    "no layers": {"activations": np.array([], np.str_), "steepness": np.array([])},
    "steepness 0": {"steepness": np.array([1.0, 0.0, 1.0])},
    "steepness nan": {"steepness": np.array([1.0, np.nan, 1.0])},
    "not finite": {"bias_1": np.full(5, np.inf, np.float32)},
    "two outputs": {"weights_2": np.ones((5, 2), np.float32), "bias_2": np.ones(2, np.float32)},
    "other widths": {"weights_1": np.ones((4, 5), np.float32)},
    "double precision": {"weights_1": np.ones((5, 5))},
    "mean of others": {"mean": np.ones(3, np.float32)},
    "mean not finite": {"mean": np.full(4, np.nan, np.float32)},
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused(name: str) -> None:
    stream = io.BytesIO()
    np.savez(stream, **{**arrays(made(*TUNED)), **WRONG[name]})  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="damaged perceptron"):
        from_bytes(stream.getvalue(), 4)


def test_every_output_is_an_activation() -> None:
    assert set(OUTPUTS) <= set(ACTIVATIONS)
