"""Tests of `products.teach.fit`: finite differences, steps by hand, what is learned."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from crfclean.model.layers import ACTIVATIONS, forward
from crfclean.model.networks import Network
from crfclean.products.teach import fit
from crfclean.products.teach.design import Design
from crfclean.products.teach.fit import TrainingPage, _Training, block_weights, fit_network
from crfclean.products.teach.network_params import RECIPES, NetworkParams, Recipe
from crfclean.products.teach.optimisers import FIRST_STEP, GROW, LOWEST, SHRINK, Rprop

SMALL = NetworkParams(first_units=5, second_units=4, epochs=3, dropout=0.0, group_dropout=0.0)
SCORED = Recipe(
    units=(5, 4),
    activations=("relu", "tanh", "sigmoid"),
    steepness=(1.0, 0.8, 0.5),
    optimiser="adam",
    epochs=3,
    scaled=False,
)
FANN = replace(RECIPES["paper"], units=(5, 4, 3), epochs=3)  # the paper's activations, small
NAMES = ("a", "b", "c")


def training_pages(
    pages: int = 3, blocks: int = 6, seed: int = 0, features: int = 3, labels: int = 3
) -> list[TrainingPage]:
    """Pages of random columns, labels and weights."""
    random = np.random.default_rng(seed)
    return [
        TrainingPage(
            random.normal(size=(blocks, features)).astype(np.float32),
            random.integers(0, labels, blocks),
            random.random(blocks),
        )
        for _ in range(pages)
    ]


def scored(pages: int = 3, blocks: int = 6, seed: int = 0, features: int = 3) -> list[TrainingPage]:
    """Pages of random columns from 0 to 1, verdicts and weights."""
    random = np.random.default_rng(seed)
    return [
        TrainingPage(
            random.random((blocks, features)).astype(np.float32),
            (random.random(blocks) < 0.5).astype(np.int32),
            random.random(blocks),
        )
        for _ in range(pages)
    ]


@pytest.mark.usefixtures("two_threads")
def test_sums_are_of_one_thread_whatever_the_machine_has(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()

    def spied(*arguments: Any) -> Any:
        threads.update(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return forward(*arguments)

    monkeypatch.setattr(fit, "forward", spied)
    fit_network(NAMES, training_pages(), SMALL.design)
    assert threads == {1}


def training(
    pages: list[TrainingPage], params: NetworkParams | Recipe = SMALL, seed: int = 1
) -> _Training:
    columns = [page.columns for page in pages]
    return _Training(columns, pages, params.design, np.arange(columns[0].shape[1]), seed)


def gradients(state: _Training, *pages: int) -> list[np.ndarray]:
    return state._gradients([np.array(pages)])


def learned(
    pages: list[TrainingPage], params: NetworkParams, seeds: tuple[int, ...] = (1,)
) -> Network:
    return fit_network(NAMES[: pages[0].columns.shape[1]], pages, params.design, seeds)


def scorer(pages: list[TrainingPage], recipe: Recipe) -> Network:
    names = tuple(str(place) for place in range(pages[0].columns.shape[1]))
    return fit_network(names, pages, recipe.design, (recipe.seed,))


def test_trained_weights_are_a_running_mean() -> None:
    pages = training_pages()
    last = training(pages, replace(SMALL, averaging=0.0))
    for layer, value in zip(last.run(), last.values[::2], strict=True):
        assert layer.weights.tolist() == value.tolist()
    mean = training(pages, replace(SMALL, averaging=0.9))
    for layer, value, mean_value in zip(mean.run(), mean.values[::2], mean.means[::2], strict=True):
        assert layer.weights.tolist() == mean_value.astype(np.float32).tolist() != value.tolist()
    assert mean.values[0].tolist() == last.values[0].tolist()


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


# gradients


def loss(values: list[np.ndarray], pages: list[TrainingPage], design: Design) -> float:
    """The weighted loss that is to fall, in double precision, written anew."""
    total = 0.0
    for page in pages:
        reached: Any = page.columns.astype(np.float64)
        kinds = zip(design.activations, design.steepness, strict=True)
        for (name, steep), (one, two) in zip(kinds, list(pairwise(values))[::2], strict=True):
            reached = ACTIVATIONS[name].value((reached @ one + two) * steep)
        least = ACTIVATIONS[design.activations[-1]].least
        for row, label, weight in zip(reached, page.labels, page.weights, strict=True):
            if design.loss == "softmax":
                total += weight * (np.log(np.exp(row).sum()) - row[label])
            elif design.loss == "choices":
                open_outputs = [place for place in range(len(row)) if int(label) >> place & 1]
                total += weight * (
                    np.log(np.exp(row).sum()) - np.log(np.exp(row[open_outputs]).sum())
                )
            elif design.loss == "cross_entropy":
                total -= weight * np.log(row[0] if label else 1 - row[0])
            else:
                total += weight * 0.5 * (row[0] - (1.0 if label else least)) ** 2
    return float(total) / (design.batch_pages or 1)


def numeric(
    values: list[np.ndarray], pages: list[TrainingPage], design: Design, step: float = 1e-6
) -> list[np.ndarray]:
    """Gradients of `loss` by central differences."""
    found = [np.zeros(value.shape) for value in values]
    for gradient, value in zip(found, values, strict=True):
        for place in np.ndindex(value.shape):
            middle = value[place]
            value[place] = middle + step
            above = loss(values, pages, design)
            value[place] = middle - step
            gradient[place] = (above - loss(values, pages, design)) / (2 * step)
            value[place] = middle
    return found


@pytest.mark.parametrize(
    ("params", "close"),
    [(SMALL, 1e-6), (SCORED, 2e-6), (replace(SCORED, batch_pages=1), 2e-5), (FANN, 2e-4)],
    ids=["labels", "scores", "scores by pages", "paper"],
)
def test_gradients_are_those_of_finite_differences(
    params: NetworkParams | Recipe, close: float
) -> None:
    pages = training_pages(seed=1) if params is SMALL else scored(2, seed=1)
    state = training(pages, params, 1)
    if params is FANN:  # start away from 0, where all units are alike
        random = np.random.default_rng(1)
        for value in state.values:
            value[...] = random.normal(0, 0.4, value.shape)
    expected = numeric([value.astype(np.float64) for value in state.values], pages, params.design)
    found = gradients(state, *range(len(pages)))
    assert len(found) == len(expected) == 2 * len(params.design.units)
    for one, other, value in zip(found, expected, state.values, strict=True):
        assert one.shape == value.shape
        assert np.abs(other).max() > 1e-4, "there is something to find"
        assert one == pytest.approx(other, abs=close)


def test_all_pages_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "BATCH_BLOCKS", 13)
    (parts,) = training(scored(7), FANN)._batches()
    assert [part.tolist() for part in parts] == [[0, 1, 2], [3, 4, 5], [6]]
    monkeypatch.setattr(fit, "BATCH_BLOCKS", 12)
    (parts,) = training(scored(4), FANN)._batches()
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3]], "no empty part at the end"


# steps


def test_first_step_by_hand() -> None:
    params = replace(SMALL, learning_rate=0.5, weight_decay=0.1)
    state = training(training_pages(), params)
    before = [value.copy() for value in state.values]
    gradients = [np.full_like(value, -3.0) for value in before]
    state.optimiser.move(gradients)
    rate = 0.5 * LOWEST
    for value, old in zip(state.values, before, strict=True):
        # bias-corrected moments of the first step: the gradient, and its square
        assert value == pytest.approx(old * (1 - rate * 0.1) + rate, abs=1e-6)


def test_rprop_by_hand() -> None:
    values = [np.zeros(5, np.float32)]
    rprop = Rprop(values)
    rprop.move([np.array([2.0, -3.0, 0.0, 5.0, 1.0], np.float32)])
    assert values[0] == pytest.approx([-0.1, 0.1, 0.0, -0.1, -0.1])
    rprop.move([np.array([1.0, 9.0, 0.0, 0.0, 1e-9], np.float32)])
    grown, shrunk = FIRST_STEP * GROW, FIRST_STEP * SHRINK
    # the second turned: its step shrinks, and it waits
    assert rprop.steps[0] == pytest.approx([grown, shrunk, FIRST_STEP, FIRST_STEP, grown])
    assert values[0] == pytest.approx([-0.1 - grown, 0.1, 0.0, -0.1, -0.1 - grown])
    rprop.move([np.array([1.0, 9.0, 0.0, 0.0, 1.0], np.float32)])
    assert values[0][1] == pytest.approx(0.1 - shrunk)


# networks that give scores


def test_scaling_goes_into_the_first_layer() -> None:
    """Inputs on another scale give the same scores: only the first layer knows."""
    pages = scored(4)
    moved = [replace(page, columns=page.columns * 8 + 3) for page in pages]
    recipe = replace(SCORED, scaled=True)
    one, other = scorer(pages, recipe), scorer(moved, recipe)
    assert other(moved[0].columns) == pytest.approx(one(pages[0].columns), abs=1e-4)
    columns = np.concatenate([page.columns for page in pages])
    assert one.scaling.centre == pytest.approx(columns.mean(0))
