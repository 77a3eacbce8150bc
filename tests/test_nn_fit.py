"""Tests of `nn.fit`: gradients by finite differences, steps by hand, what is learned."""

from __future__ import annotations

from dataclasses import fields, replace
from itertools import chain

import numpy as np
import pytest

from crfclean.nn.fit import (
    BATCH_PAGES,
    LOWEST,
    WARM_UP,
    Lesson,
    NetworkParams,
    _Training,
    block_weights,
    fit_network,
)
from crfclean.nn.mlp import to_bytes
from crfclean.types import CrfcleanError, Label

SMALL = NetworkParams(first_units=5, second_units=4, epochs=3, dropout=0.0)
NAMES = ("a", "b", "c")


def lessons(pages: int = 3, blocks: int = 6, seed: int = 0, features: int = 3) -> list[Lesson]:
    """Pages of random columns, labels and weights."""
    random = np.random.default_rng(seed)
    return [
        Lesson(
            random.normal(size=(blocks, features)).astype(np.float32),
            random.integers(0, 3, blocks),
            random.random(blocks),
        )
        for _ in range(pages)
    ]


def training(pages: list[Lesson], params: NetworkParams = SMALL, seed: int = 1) -> _Training:
    return _Training([page.columns for page in pages], pages, params, seed)


# weights of blocks


@pytest.mark.parametrize(
    ("words", "evenness", "expected"),
    [
        ([3, 1], 0.0, [0.75, 0.25]),
        ([3, 1], 1.0, [0.5, 0.5]),
        ([3, 1, 0, 0], 0.4, [0.55, 0.25, 0.1, 0.1]),
        ([7], 0.3, [1.0]),
        ([0], 0.3, [0.3]),
        ([0, 0], 0.5, [0.25, 0.25]),
        ([0, 0], 0.0, [0.0, 0.0]),
        ([], 0.3, []),
    ],
)
def test_block_weights(words: list[float], evenness: float, expected: list[float]) -> None:
    found = block_weights(np.array(words, np.float64), evenness)
    assert found.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("evenness", [0.0, 0.3, 1.0])
def test_every_page_with_words_counts_the_same(evenness: float) -> None:
    for words in ([1.0], [5.0, 0.0, 2.0], [1.0] * 1_000, [1e6, 1.0]):
        assert block_weights(np.array(words), evenness).sum() == pytest.approx(1.0)


# gradients


def loss(values: list[np.ndarray], pages: list[Lesson]) -> float:
    """The weighted cross-entropy that is to fall, in double precision, written anew."""
    total = 0.0
    for page in pages:
        for row, label, weight in zip(page.columns, page.labels, page.weights, strict=True):
            one, two = values[0], values[2]
            hidden = np.maximum(0.0, row.astype(np.float64) @ one + values[1])
            hidden = np.maximum(0.0, hidden @ two + values[3])
            scores = hidden @ values[4] + values[5]
            total += weight * (np.log(np.exp(scores).sum()) - scores[label])
    return total / BATCH_PAGES


def numeric(values: list[np.ndarray], pages: list[Lesson], step: float = 1e-6) -> list[np.ndarray]:
    """Gradients of `loss` by central differences."""
    found = [np.zeros(value.shape) for value in values]
    for gradient, value in zip(found, values, strict=True):
        for place in np.ndindex(value.shape):
            middle = value[place]
            value[place] = middle + step
            above = loss(values, pages)
            value[place] = middle - step
            gradient[place] = (above - loss(values, pages)) / (2 * step)
            value[place] = middle
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_gradients_are_those_of_finite_differences(seed: int) -> None:
    pages = lessons(seed=seed)
    state = training(pages, seed=seed)
    expected = numeric([value.astype(np.float64) for value in state.values], pages)
    found = state._gradients(np.arange(len(pages)))
    assert len(found) == len(expected) == 6
    for one, other, value in zip(found, expected, state.values, strict=True):
        assert one.shape == value.shape
        assert np.abs(other).max() > 1e-4, "there is something to find"
        assert one == pytest.approx(other, abs=1e-6)


def test_gradients_are_of_the_chosen_pages_alone() -> None:
    pages = lessons(4)
    state = training(pages)
    both = [first + second for first, second in zip(*halves(state), strict=True)]
    for whole, sums in zip(state._gradients(np.arange(4)), both, strict=True):
        assert whole == pytest.approx(sums, abs=1e-6)


def halves(state: _Training) -> tuple[list[np.ndarray], list[np.ndarray]]:
    return state._gradients(np.array([0, 2])), state._gradients(np.array([3, 1]))


def test_blocks_without_weight_teach_nothing() -> None:
    (page,) = lessons(1)
    weights = page.weights.copy()
    weights[2:4] = 0.0
    masked = replace(page, weights=weights)
    others = [place for place in range(6) if weights[place]]
    without = Lesson(page.columns[others], page.labels[others], weights[others])
    for one, other in zip(
        training([masked])._gradients(np.array([0])),
        training([without])._gradients(np.array([0])),
        strict=True,
    ):
        assert one == pytest.approx(other, abs=1e-7)


def test_gradient_of_nothing_but_weightless_blocks_is_0() -> None:
    (page,) = lessons(1)
    state = training([replace(page, weights=np.zeros(6))])
    assert not any(gradient.any() for gradient in state._gradients(np.array([0])))


def test_dropped_units_get_no_gradient() -> None:
    (page,) = lessons(1, blocks=1)
    state = training([page], replace(SMALL, dropout=0.5, first_units=40))
    into = state._gradients(np.array([0]))[0]
    dropped = ~into.any(axis=0)
    assert 0 < dropped.sum() < 40


# dropout


def test_dropout_keeps_the_expectation() -> None:
    mask = training(lessons(), replace(SMALL, dropout=0.25))._mask((400, 100))
    assert sorted(set(mask.ravel().tolist())) == pytest.approx([0.0, 4 / 3])
    assert mask.mean() == pytest.approx(1.0, abs=0.01)
    assert mask.dtype == np.float32


def test_without_dropout_everything_stays() -> None:
    assert training(lessons())._mask((30, 7)).tolist() == np.ones((30, 7)).tolist()


# steps


def test_first_step_by_hand() -> None:
    params = replace(SMALL, learning_rate=0.5, weight_decay=0.1)
    state = training(lessons(), params)
    before = [value.copy() for value in state.values]
    gradients = [np.full_like(value, -3.0) for value in before]
    state.adam.move(gradients)
    rate = 0.5 * LOWEST
    for value, old in zip(state.values, before, strict=True):
        # bias-corrected moments of the first step: the gradient, and its square
        assert value == pytest.approx(old * (1 - rate * 0.1) + rate, abs=1e-6)


def test_second_step_by_hand() -> None:
    state = training(lessons(), replace(SMALL, weight_decay=0.0, learning_rate=0.1))
    old = state.values[1].copy()
    rates = []
    for size in (1.0, -2.0):
        rates.append(state.adam.rate())
        state.adam.move([np.full_like(value, size) for value in state.values])
    first = (0.9 * 0.1 * 1.0 + 0.1 * -2.0) / (1 - 0.9**2)
    second = (0.999 * 0.001 * 1.0 + 0.001 * 4.0) / (1 - 0.999**2)
    expected = old - rates[0] * 1.0 - rates[1] * first / np.sqrt(second)
    assert state.values[1] == pytest.approx(expected, abs=1e-6)


def test_rate_rises_then_falls() -> None:
    state = training(lessons(20), replace(SMALL, epochs=50, learning_rate=0.2))
    assert state.adam.steps == 50 * 2, "20 pages are two batches"
    rates = []
    for step in range(state.adam.steps + 1):
        state.adam.done = step
        rates.append(state.adam.rate())
    top = int(np.argmax(rates))
    assert top == WARM_UP * state.adam.steps
    assert rates[0] == pytest.approx(0.2 * LOWEST)
    assert rates[top] == pytest.approx(0.2)
    assert rates[10] == pytest.approx(0.2 * (LOWEST + (1 - LOWEST) / 2))
    assert rates[60] == pytest.approx(0.1), "half of the way down the cosine"
    assert rates[-1] == pytest.approx(0.0)
    assert np.all(np.diff(rates[: top + 1]) > 0)
    assert np.all(np.diff(rates[top:]) < 0)


def test_every_page_is_seen_once_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = lessons(BATCH_PAGES * 2 + 3, blocks=2)
    state, seen, gradients = training(pages), [], _Training._gradients

    def watched(self: _Training, batch: np.ndarray) -> list[np.ndarray]:
        seen.append(batch.tolist())
        return gradients(self, batch)

    monkeypatch.setattr(_Training, "_gradients", watched)
    state.run()
    assert [len(batch) for batch in seen] == [BATCH_PAGES, BATCH_PAGES, 3] * SMALL.epochs
    epochs = [list(chain.from_iterable(seen[start : start + 3])) for start in range(0, 9, 3)]
    assert all(sorted(epoch) == list(range(len(pages))) for epoch in epochs)
    assert epochs[0] != epochs[1], "in another order"
    assert state.adam.done == state.adam.steps


# networks


def test_shapes_of_a_network() -> None:
    network = fit_network(NAMES, lessons(), SMALL, (1, 2))
    assert network.names == NAMES
    assert len(network.members) == 2
    for layers in network.members:
        shapes = [(weights.shape, bias.shape) for weights, bias in layers]
        assert shapes == [((3, 5), (5,)), ((5, 4), (4,)), ((4, 3), (3,))]
        assert all(array.dtype == np.float32 for layer in layers for array in layer)


def test_training_twice_gives_equal_bytes() -> None:
    params = replace(SMALL, dropout=0.3)
    once, again = (to_bytes(fit_network(NAMES, lessons(), params, (1, 2))) for _ in range(2))
    assert once == again


def test_seeds_give_different_members() -> None:
    network = fit_network(NAMES, lessons(), SMALL, (1, 2, 1))
    (one, two, three) = (layers[0][0] for layers in network.members)
    assert one.tolist() == three.tolist() != two.tolist()


@pytest.mark.parametrize(
    "changed",
    [
        {"epochs": 4},
        {"first_units": 6},
        {"second_units": 5},
        {"learning_rate": 0.01},
        {"weight_decay": 0.5},
        {"dropout": 0.5},
    ],
    ids=str,
)
def test_parameters_reach_the_training(changed: dict[str, float]) -> None:
    plain = to_bytes(fit_network(NAMES, lessons(), SMALL))
    other = to_bytes(fit_network(NAMES, lessons(), replace(SMALL, **changed)))
    assert plain != other


def xor(count: int, seed: int) -> Lesson:
    """A page whose blocks are TEXT where one of two columns is high, OTHER where both or none."""
    random = np.random.default_rng(seed)
    high = random.integers(0, 2, (count, 2))
    labels = np.where(high[:, 0] != high[:, 1], Label.TEXT, Label.OTHER)
    columns = high * 0.8 + random.random((count, 2)) * 0.2
    return Lesson(columns.astype(np.float32), labels, np.full(count, 1 / count))


def test_exclusive_or_is_learned() -> None:
    params = NetworkParams(16, 8, epochs=80, learning_rate=0.03, dropout=0.0, weight_decay=0.0)
    network = fit_network(("a", "b"), [xor(12, seed) for seed in range(16)], params)
    test = xor(200, 99)
    found = network(test.columns)
    assert (found.argmax(1) == test.labels).mean() > 0.98
    assert found[:, Label.HEADER].max() < 0.1, "a label that never stood anywhere"


def test_loss_falls() -> None:
    pages = lessons(8)
    state = training(pages, replace(SMALL, epochs=60, learning_rate=0.05))
    before = loss([value.astype(np.float64) for value in state.values], pages)
    state.run()
    assert loss([value.astype(np.float64) for value in state.values], pages) < 0.8 * before


def test_one_label_is_learned_too() -> None:
    pages = [replace(page, labels=np.full(6, Label.OTHER)) for page in lessons()]
    params = replace(SMALL, epochs=60, learning_rate=0.05)
    found = fit_network(NAMES, pages, params)(pages[0].columns)
    assert np.isfinite(found).all()
    assert found[:, Label.OTHER].min() > 0.8


def test_one_page_of_one_block_is_enough() -> None:
    network = fit_network(NAMES, lessons(1, blocks=1), SMALL)
    assert np.isfinite(network(np.zeros((2, 3)))).all()


def test_columns_that_never_vary_do_no_harm() -> None:
    pages = [replace(page, columns=np.full_like(page.columns, 5.0)) for page in lessons()]
    network = fit_network(NAMES, pages, SMALL)
    assert np.isfinite(network(np.array([[5.0, 0.0, 1e12]]))).all()


# parameters


IMPOSSIBLE: list[dict[str, float]] = [
    {"first_units": 0},
    {"second_units": -1},
    {"epochs": 0},
    {"learning_rate": -0.1},
    {"learning_rate": float("nan")},
    {"weight_decay": -1.0},
    {"dropout": 1.0},
    {"dropout": -0.1},
    {"evenness": 1.1},
    {"evenness": -0.1},
]


@pytest.mark.parametrize("wrong", IMPOSSIBLE, ids=str)
def test_impossible_parameters_are_refused(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(CrfcleanError, match=f"{name} must be from"):
        NetworkParams(**wrong)  # type: ignore[arg-type]


def test_every_parameter_has_a_help() -> None:
    for one in fields(NetworkParams):
        assert one.metadata["help"], one.name
