"""Tests of `core/labels.pyx`: networks, the first pass and the chain beside numpy."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest

from crfclean.core.labels import HAS_AVX2, Chain, FirstPass, elementary
from crfclean.model.first_pass import FIRST_PASS_NAMES, Frame, first_pass_columns
from crfclean.model.layers import Layer, Scaling, forward, softmax
from crfclean.model.networks import Network

RNG = np.random.default_rng(31)

# exp and log


def test_they_are_those_of_the_platform() -> None:
    for x in (*RNG.uniform(-699, 699, 200).tolist(), *RNG.normal(size=100).tolist(), 0.0, 0.5):
        assert elementary(x)[0] == pytest.approx(math.exp(x), rel=1e-15)
        y = math.exp(x) if abs(x) > 1 else 1 + abs(x)
        assert elementary(y)[1] == pytest.approx(math.log(y), rel=1e-15, abs=1e-16)


def test_exponentials_beyond_all_measure() -> None:
    assert elementary(-math.inf)[0] == elementary(-1e9)[0] == 0.0
    assert 1e300 < elementary(math.inf)[0] < math.inf
    assert math.isnan(elementary(math.nan)[0])


# networks

SHAPES = {
    "one layer": [(5, "linear")],
    "shipped": [(64, "relu"), (32, "relu"), (3, "linear")],
    "odd": [(17, "tanh"), (1, "gaussian"), (33, "ramp"), (15, "sigmoid"), (4, "linear")],
    **{name: [(9, "relu"), (1, name)] for name in ("sigmoid", "tanh", "ramp")},
}


def network_of(shape: str, inputs: int = 40, members: int = 1, clip: float = 4.0) -> Network:
    """Random layers; every third column is a count."""
    made = []
    for _ in range(members):
        layers, width = list[Layer](), inputs
        for units, activation in SHAPES[shape]:
            weights = RNG.normal(0, 0.3, (width, units)).astype(np.float32)
            bias = RNG.normal(size=units).astype(np.float32)
            layers.append(Layer(weights, bias, activation, 0.75))
            width = units
        made.append(tuple(layers))
    mean, deviation = RNG.normal(0, 0.5, inputs), RNG.random(inputs) + 0.3
    scaling = Scaling(np.arange(inputs) % 3 == 0, mean, deviation, clip)
    return Network(tuple(map(str, range(inputs))), scaling, tuple(made))


def table_of(blocks: int, inputs: int = 40) -> np.ndarray:
    """Columns of which some are the same in all blocks, and most values are 0."""
    columns = RNG.normal(size=(blocks, inputs)) ** 5 * (RNG.random((blocks, inputs)) < 0.4)
    columns[:, 1::4] = RNG.normal(size=columns[:, 1::4].shape[1])
    columns[:, 2::8] = 0.0
    columns[:, ::3] = np.abs(columns[:, ::3] * 100).round(1)
    return columns.astype(np.float32)


def by_numpy(network: Network, columns: np.ndarray) -> np.ndarray:
    inputs = network.scaling(columns)
    values = np.mean([forward(inputs, one)[-1].values for one in network.members], axis=0)
    least = {"linear": None, "sigmoid": 0.0}.get(network.members[0][-1].activation, -1.0)
    shares: np.ndarray = softmax(values) if least is None else (values - least) / (1.0 - least)
    return shares


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blocks", [1, 63, 64, 65, 200])
def test_networks_give_what_numpy_gives(shape: str, blocks: int) -> None:
    for members in (1, 3):
        network, columns = network_of(shape, members=members), table_of(blocks)
        expected = by_numpy(network, columns)
        assert network(columns) == pytest.approx(expected, abs=2e-5)
        if members == 1:
            assert network(columns[:1]) == pytest.approx(expected[:1], abs=2e-5)


@pytest.mark.skipif(not HAS_AVX2, reason="the processor has one variant")
@pytest.mark.parametrize("shape", SHAPES)
def test_both_variants_give_the_same_bytes(shape: str) -> None:
    made = network_of(shape, members=2).compiled
    reduced: Any = made.__reduce__()
    plain = reduced[0](avx2=False)
    columns = table_of(150)
    assert made(columns).tobytes() == plain(columns).tobytes()


def test_networks_without_bounds_or_blocks() -> None:
    network = network_of("sigmoid", clip=math.inf)
    columns = table_of(9) * 50
    assert network(columns) == pytest.approx(by_numpy(network, columns), abs=2e-5)
    assert network(columns[:0]).shape == (0, 1)
    again = pickle.loads(pickle.dumps(network.compiled))
    assert again(columns).tobytes() == network(columns).tobytes()
    with pytest.raises(ValueError, match="another network"):
        network(columns[:, 1:])


# the chain


def chain_of(views: Any = (), edges: Any = (), barred: Any = (0.0, 0.0, 0.0)) -> Chain:
    """A chain over the first rows of a table, without a first pass."""
    first = FirstPass(None, places=[], sources=range(len(edges)))
    return Chain(
        first,
        edges=edges,
        views=list(views),
        barred=np.array(barred),
        transitions=np.zeros((3, 3)),
        weight=0.0,
        passes=(0, 0),
    )


@pytest.mark.parametrize("features", [1, 8, 31, 200])
def test_scores_are_sums_of_weights_of_neighbours(features: int) -> None:
    columns, table = RNG.integers(0, 5, (9, features)), RNG.normal(size=(3, features, 5))
    start, edges = np.array([0.0, -np.inf, 0.5]), [(0.0, 1.0, 2.0, 3.0)] * features
    views = [(distance, np.arange(features), table) for distance in (-2, 0, 1, 12, -(2**62))]
    sums = table[:, np.arange(features), columns].sum(-1).T
    expected = np.tile(start, (9, 1)) + sums
    expected[2:] += sums[:-2]
    expected[:-1] += sums[1:]
    scores = chain_of(views, edges, start).scores(columns.astype(np.float64))
    assert scores == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("count", [0, 1, 3, 16, 17, 40, 1_000])
def test_bins_are_those_of_a_search(count: int) -> None:
    edges = np.sort(RNG.choice(np.arange(-2_000, 2_000), count, replace=False)) / 8
    odd = [-np.inf, np.inf, np.nan, 0.1, 0.1 + 1e-9]
    columns = np.array([*odd, *edges, *(edges + 0.01), *(edges - 0.01)])[:, None]
    table = np.tile(np.arange(count + 1.0), (3, 1, 1))
    scores = chain_of([(0, [0], table)], [tuple(edges)]).scores(columns)
    assert scores[:, 0].tolist() == np.searchsorted(edges, columns[:, 0].astype("f4")).tolist()


def marginals(scores: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """The probabilities of a chain whose blocks have a bin each, with these scores."""
    edges = tuple(np.arange(len(scores) - 1.0))
    view = (0, [0], np.ascontiguousarray(scores.T)[:, None])
    first = FirstPass(None, places=[], sources=[0])
    chain = Chain(
        first,
        edges=[edges],
        views=[view],
        barred=np.zeros(3),
        transitions=steps,
        weight=0.0,
        passes=(0, 0),
    )
    return chain.predict(np.arange(len(scores))[:, None].astype(float))


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("scale", [0.1, 2.0, 20.0])
def test_marginals_are_shares_of_all_sequences(count: int, scale: float) -> None:
    scores, steps = RNG.normal(0, scale, (count, 3)), RNG.normal(0, scale, (3, 3))
    scores[count // 2, 1] = -np.inf
    paths = np.array(list(itertools.product(range(3), repeat=count)))
    totals = scores[np.arange(count), paths].sum(1) + steps[paths[:, :-1], paths[:, 1:]].sum(1)
    weights = np.exp(totals - totals.max())
    expected = [[weights[row == label].sum() for label in range(3)] for row in paths.T]
    assert marginals(scores, steps) == pytest.approx(np.array(expected) / weights.sum(), abs=1e-9)


@pytest.mark.parametrize("scale", [9, 2_000])
def test_marginals_of_long_chains_sum_to_one(scale: float) -> None:
    scores, steps = RNG.normal(0, 40, (3_000, 3)), RNG.normal(0, scale, (3, 3))
    scores[1_500::3, 1] = -np.inf
    shares = marginals(scores, steps)
    assert (shares >= 0).all()
    assert shares.sum(1) == pytest.approx(np.ones(3_000))
    assert (shares[1_500::3, 1] == 0).all()
    assert chain_of([], [(0.0,)]).predict(np.zeros((0, 1))).shape == (0, 3)


# arguments that do not belong together

WORDS = np.ones(2)
SPANS = np.zeros((4, 2, 2), np.int64)
KEYS = np.full((3, 2), -1, np.int64)


@pytest.mark.parametrize(
    "frame",
    [
        Frame(np.ones(3), SPANS, *KEYS),
        Frame(WORDS, SPANS[:3], *KEYS),
        Frame(WORDS, SPANS + 3, *KEYS),
        Frame(WORDS, SPANS - 1, *KEYS),
        Frame(WORDS, SPANS, *KEYS[:, :1]),
        Frame(WORDS, SPANS, *(KEYS - 1)),
        Frame(WORDS, SPANS, *(KEYS + 2**40)),
    ],
)
def test_frames_of_other_pages_are_refused(frame: Frame) -> None:
    with pytest.raises(ValueError, match=r"together|beyond|key"):
        first_pass_columns(frame, np.full((2, 3), 1 / 3))


def test_parts_of_other_models_are_refused() -> None:
    network = network_of("shipped").compiled
    with pytest.raises(ValueError, match="other columns"):
        FirstPass(network, places=range(39), sources=[0])
    with pytest.raises(ValueError, match="another table"):
        FirstPass(network, places=range(1, 41), sources=[-1]).columns(
            np.zeros((40, 2), np.float32), Frame(WORDS, SPANS, *KEYS)
        )
    with pytest.raises(ValueError, match="-31"):
        FirstPass(None, places=[], sources=[-1 - len(FIRST_PASS_NAMES)])
    for features, bins in ([1], 9), ([0], 2), ([-1], 9):
        with pytest.raises(ValueError, match="other features"):
            chain_of([(0, features, np.zeros((3, 1, bins)))], [(0.0, 1.0)])
    with pytest.raises(ValueError, match="other features"):
        chain_of([], [(0.0,)]).predict(np.zeros((2, 2)))
