"""Tests of `nn.mlp` and `nn.scaling`: inference by hand, averages of members, parts of inputs."""

from __future__ import annotations

import math
import pickle
import tracemalloc

import numpy as np
import pytest

from crfclean.nn import mlp
from crfclean.nn.layers import ACTIVATIONS, Layer, Layers, outputs
from crfclean.nn.mlp import OUTPUTS, ROWS, Network, without_scaling
from crfclean.nn.scaling import (
    CLIP,
    COUNT_FROM,
    LEAST_DEVIATION,
    Scaling,
    by_logarithms,
    identity_scaling,
    linear,
    unscaled,
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


def test_what_lies_far_out_counts_as_less() -> None:
    found = scaling()(np.array([[1e9, -1e9], [CLIP, -CLIP], [CLIP - 0.5, 0.0]]))
    assert found.tolist() == [[CLIP, -CLIP], [CLIP, -CLIP], [CLIP - 0.5, 0.0]]


def test_fitted_scaling_by_hand() -> None:
    pages = [np.array([[0.0, 0.0, 1.0], [1.0, 3.0, 1.0]]), np.array([[0.5, 7.0, 1.0]])]
    made = by_logarithms(pages)
    counts = np.log1p([0.0, 3.0, 7.0])
    assert made.log.tolist() == [False, True, False]
    assert made.mean == pytest.approx([0.5, counts.mean(), 1.0])
    assert made.deviation == pytest.approx([np.sqrt(1 / 6), counts.std(), LEAST_DEVIATION])


def test_counts_are_told_from_shares() -> None:
    pages = [np.array([[COUNT_FROM, COUNT_FROM + 0.01]])]
    assert by_logarithms(pages).log.tolist() == [False, True]


def test_one_block_is_enough_for_a_scaling() -> None:
    made = by_logarithms([np.array([[0.25, 40.0]], np.float32)])
    assert made.deviation.tolist() == [LEAST_DEVIATION] * 2
    assert made(np.array([[0.25, 40.0]])) == pytest.approx(np.zeros((1, 2)), abs=1e-5)


def test_scaled_columns_have_mean_0_and_deviation_1() -> None:
    random = np.random.default_rng(0)
    pages = [random.random((30, 4)).astype(np.float32) for _ in range(5)]
    found = np.concatenate([by_logarithms(pages)(page) for page in pages])
    assert found.mean(0) == pytest.approx(np.zeros(4), abs=1e-5)
    assert found.std(0) == pytest.approx(np.ones(4), abs=1e-5)


def test_linear_scaling_by_hand() -> None:
    pages = [np.array([[0.0, 3.0]], np.float32), np.array([[1.0, 3.0], [5.0, 3.0]], np.float32)]
    made = linear(pages)
    assert made.mean == pytest.approx([2.0, 3.0])
    assert made.deviation == pytest.approx([np.sqrt(14 / 3), LEAST_DEVIATION])
    assert made.mean.dtype == made.deviation.dtype == np.float32
    found = made(np.array([[2.0, 3.0], [1e6, 3.0]], np.float32))
    assert found[0].tolist() == [0.0, 0.0]
    assert found[1, 0] > CLIP, "nothing is cut off: a layer's weights must do the same"
    assert found.dtype == np.float32


def test_unscaled_columns_stay_as_they_are() -> None:
    pages = [np.random.default_rng(seed).normal(0, 1e3, (5, 3)) for seed in range(3)]
    made = unscaled(pages)
    assert made(pages[0]).tolist() == pages[0].astype(np.float32).tolist()
    assert made.centre == pytest.approx(np.concatenate(pages).mean(0))


def test_many_rows_are_scaled_in_parts() -> None:
    """Bytes that the scaling takes: its inputs, and little more for each part."""
    columns = np.random.default_rng(0).random((8_192, 50)).astype(np.float32) * 9
    scale = Scaling(np.arange(50) % 2 == 0, np.ones(50), np.full(50, 2.0))
    one_by_one = np.concatenate([scale(columns[row : row + 1]) for row in range(0, 8_192, 97)])
    tracemalloc.start()
    try:
        inputs = scale(columns)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.array_equal(inputs[::97], one_by_one)
    assert np.array_equal(scale(np.asfortranarray(columns)), inputs)
    assert peak < 2 * inputs.nbytes


def test_a_scaling_changes_no_columns_in_place() -> None:
    columns = np.array([[1.0, 5.0]])
    scaling((True, True), 2.0)(columns)
    assert columns.tolist() == [[1.0, 5.0]]


# inference


def test_outputs_by_hand() -> None:
    inputs = floats([1, 2], [-1, 0])
    # hidden: [1*1+2*0, -1+4+1] = [1, 4]; [-1 -> 0, 1+0+1 = 2]
    assert outputs(inputs, LAYERS).tolist() == [[1, 4, -3.5], [0, 2, -1.5]]


def test_a_single_layer_is_linear() -> None:
    assert outputs(floats([9, 9]), OTHERS).tolist() == [[1, 2, 3]]


def test_probabilities_of_one_member_are_the_softmax() -> None:
    found = Network(NAMES, scaling(), (LAYERS,))(np.array([[1.0, 2.0]]))
    assert found == pytest.approx(softmax(1, 4, -3.5)[None])


def test_members_are_averaged_by_their_logarithms() -> None:
    found = MADE(np.array([[1.0, 2.0]]))
    expected = softmax((1 + 1) / 2, (4 + 2) / 2, (-3.5 + 3) / 2)
    assert found == pytest.approx(expected[None])
    assert found.dtype == np.float64


def test_equal_members_change_nothing() -> None:
    columns = np.random.default_rng(1).random((5, 2))
    one = Network(NAMES, scaling(), (LAYERS,))(columns)
    assert Network(NAMES, scaling(), (LAYERS,) * 3)(columns) == pytest.approx(one)


def test_no_block_has_no_probability() -> None:
    assert MADE(np.zeros((0, 2))).shape == (0, len(Label))


def test_a_block_counts_by_itself() -> None:
    columns = np.random.default_rng(2).random((6, 2))
    alone = np.concatenate([MADE(columns[place : place + 1]) for place in range(6)])
    assert MADE(columns) == pytest.approx(alone, abs=1e-6)


def test_networks_cross_processes() -> None:
    columns = np.array([[0.3, 0.7]])
    assert pickle.loads(pickle.dumps(MADE))(columns).tolist() == MADE(columns).tolist()


# scores


def scorer(*activations: str, inputs: int = 4, seed: int = 0, steepness: float = 0.7) -> Network:
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
    centre = random.random(inputs).astype(np.float32)
    return Network(tuple("abcdefgh"[:inputs]), identity_scaling(centre), (layers,))


PAPER = ("sigmoid", "gaussian", "gaussian", "ramp")
TUNED = ("relu", "relu", "sigmoid")


def test_scores_by_hand() -> None:
    layers = (
        Layer(floats([1.0, -1.0], [0.5, 2.0]), floats(0.0, 1.0), "relu"),
        Layer(floats([1.0], [-2.0]), floats(0.25), "sigmoid", 0.5),
    )
    # inputs (1, 2): 1 + 1 = 2 and -1 + 4 + 1 = 4; 2 - 8 + 0.25
    expected = 1 / (1 + math.exp(5.75))
    found = Network(NAMES, identity_scaling(floats(0, 0)), (layers,))(np.array([[1.0, 2.0]]))
    assert found == pytest.approx(np.array([[expected]]), rel=1e-5)


def test_a_symmetric_output_is_a_score() -> None:
    layer = Layer(floats([1.0]), floats(0.0), "ramp", 0.5)
    network = Network(("a",), identity_scaling(floats(0)), ((layer,),))
    scores = network(np.array([[-9.0], [-1.0], [0.0], [1.0], [9.0]]))
    assert scores.tolist() == [[0.0], [0.25], [0.5], [0.75], [1.0]]


@pytest.mark.parametrize("names", [PAPER, TUNED, ("tanh",), ("relu", "tanh")], ids=" ".join)
def test_scores_are_scores(names: tuple[str, ...]) -> None:
    network = scorer(*names)
    scores = network(np.random.default_rng(1).normal(0, 5, (300, 4)))
    assert scores.shape == (300, 1)
    assert scores.dtype == np.float64
    assert ((scores >= 0) & (scores <= 1)).all()
    assert len(set(scores.ravel().tolist())) > 10
    assert network(np.zeros((0, 4))).shape == (0, 1)


def test_widths() -> None:
    assert MADE.widths == (2, 2, 3)
    assert scorer(*PAPER).widths == (4, 5, 5, 5, 1)


def test_many_blocks_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    columns, sizes = np.random.default_rng(6).random((ROWS + 5, 2)), []

    def watched(inputs: np.ndarray, layers: Layers) -> np.ndarray:
        sizes.append(len(inputs))
        return outputs(inputs, layers)

    monkeypatch.setattr(mlp, "outputs", watched)
    whole = Network(NAMES, scaling(), (LAYERS,))(columns)
    assert sizes == [ROWS, 5]
    assert whole[ROWS:] == pytest.approx(Network(NAMES, scaling(), (LAYERS,))(columns[ROWS:]))
    scorer("relu", "sigmoid", inputs=2)(columns)
    assert sizes[-1] == ROWS + 5, "its last bits would change with the parts"


def test_scores_of_members_are_averaged() -> None:
    one, other = scorer(*TUNED), scorer(*TUNED, seed=1)
    both = Network(one.names, one.scaling, one.members + other.members)
    columns = np.random.default_rng(7).random((9, 4))
    assert both(columns) == pytest.approx((one(columns) + other(columns)) / 2)


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


def test_parts_of_a_single_layer_add_up() -> None:
    network = scorer("sigmoid")
    inputs = np.random.default_rng(3).random((7, 4))
    whole = log_odds(network, inputs) - log_odds(
        network, network.scaling.centre[None].astype(np.float64)
    )
    assert network.contributions(inputs).sum(1) == pytest.approx(whole, abs=1e-4)


def test_no_blocks_have_no_parts() -> None:
    assert scorer(*PAPER).contributions(np.zeros((0, 4))).shape == (0, 4)


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


def test_parts_are_averaged_over_members() -> None:
    columns = np.random.default_rng(9).random((5, 2))
    alone = [Network(NAMES, scaling(), (layers,)).contributions(columns) for layers in MADE.members]
    assert MADE.contributions(columns) == pytest.approx(np.mean(alone, axis=0))
    assert not alone[1].any(), "its outputs depend on nothing"


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


def test_every_output_is_an_activation() -> None:
    assert set(OUTPUTS) <= set(ACTIVATIONS)
