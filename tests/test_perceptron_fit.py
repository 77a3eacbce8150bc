"""Tests of `perceptron_fit.py`: gradients by finite differences, steps by hand, what is learned."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from crfclean.perceptron import ACTIVATIONS, to_bytes
from crfclean.perceptron_fit import (
    DRAWN,
    FIRST_STEP,
    GROW,
    LAST_STEP,
    PRESETS,
    SHRINK,
    Lesson,
    Recipe,
    Rprop,
    _Training,
    fit_perceptron,
)
from crfclean.types import CrfcleanError

SMALL = Recipe(
    units=(5, 4),
    activations=("relu", "tanh", "sigmoid"),
    steepness=(1.0, 0.8, 0.5),
    optimiser="adam",
    epochs=3,
    scaled=False,
)
FANN = replace(PRESETS["paper"], units=(5, 4, 3), epochs=3)  # the paper's activations, small


def lessons(pages: int = 3, blocks: int = 6, seed: int = 0, inputs: int = 3) -> list[Lesson]:
    """Pages of random inputs, verdicts and weights."""
    random = np.random.default_rng(seed)
    return [
        Lesson(
            random.random((blocks, inputs)).astype(np.float32),
            random.random(blocks) < 0.5,
            random.random(blocks),
        )
        for _ in range(pages)
    ]


# gradients


def loss(values: list[np.ndarray], pages: list[Lesson], recipe: Recipe) -> float:
    """The weighted loss that is to fall, in double precision, written anew."""
    total = 0.0
    for page in pages:
        reached = page.inputs.astype(np.float64)
        kinds = zip(recipe.activations, recipe.steepness, strict=True)
        for (name, steep), (one, two) in zip(kinds, list(pairwise(values))[::2], strict=True):
            reached = ACTIVATIONS[name].value((reached @ one + two) * steep)
        least = ACTIVATIONS[recipe.activations[-1]].least
        for given, good, weight in zip(reached[:, 0], page.good, page.weights, strict=True):
            if recipe.cross_entropy:
                total -= weight * np.log(given if good else 1 - given)
            else:
                total += weight * 0.5 * (given - (1.0 if good else least)) ** 2
    return float(total)


@pytest.mark.parametrize("recipe", [SMALL, FANN], ids=["adam", "rprop"])
@pytest.mark.parametrize("seed", [1, 2])
def test_gradients_are_those_of_finite_differences(recipe: Recipe, seed: int) -> None:
    pages = lessons(2, seed=seed)
    state = _Training(pages, replace(recipe, seed=seed))
    if recipe is FANN:  # start away from 0, where all units are alike
        random = np.random.default_rng(seed)
        state.values = [random.normal(0, 0.4, v.shape).astype(np.float32) for v in state.values]
    found = state.gradients(np.array([0, 1]), np.float32(1.0))
    values = [value.astype(np.float64) for value in state.values]
    for at, gradient in enumerate(found):
        for place in np.ndindex(gradient.shape):
            moved, step = [value.copy() for value in values], 1e-5
            moved[at][place] += step
            up = loss(moved, pages, recipe)
            moved[at][place] -= 2 * step
            slope = (up - loss(moved, pages, recipe)) / (2 * step)
            assert gradient[place] == pytest.approx(slope, abs=2e-4)


def test_gradients_of_all_pages_are_the_sum_of_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = lessons(7)
    state = _Training(pages, FANN)
    whole = state.gradients(np.arange(7), np.float32(1.0))
    monkeypatch.setattr("crfclean.perceptron_fit.BATCH_BLOCKS", 13)
    for one, other in zip(state._full_gradients(), whole, strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def test_blocks_without_weight_teach_nothing() -> None:
    (page,) = lessons(1)
    weights = page.weights.copy()
    weights[2:4] = 0.0
    other = replace(page, good=page.good ^ (weights == 0), weights=weights)
    results = [
        _Training([one], SMALL).gradients(np.array([0]), np.float32(1))
        for one in (replace(page, weights=weights), other)
    ]
    for one, two in zip(*results, strict=True):
        assert one.tolist() == two.tolist()


def test_dropped_units_get_no_gradient() -> None:
    (page,) = lessons(1, blocks=1)
    state = _Training([page], replace(SMALL, units=(60, 4), dropout=0.5))
    into = state.gradients(np.array([0]), np.float32(1))[0]
    dropped = ~into.any(axis=0)
    assert 0 < dropped.sum() < 60


# steps


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


def test_rprop_steps_are_bounded() -> None:
    rprop = Rprop([np.zeros(1, np.float32)])
    for _ in range(60):
        rprop.move([np.ones(1, np.float32)])
    assert rprop.steps[0] == pytest.approx([LAST_STEP])


def test_paper_weights_start_small() -> None:
    state = _Training(lessons(), FANN)
    assert all(np.abs(value).max() <= DRAWN for value in state.values)
    assert [value.shape for value in state.values[::2]] == [(3, 5), (5, 4), (4, 3), (3, 1)]


# what is learned


def exclusive_or(pages: int = 8) -> list[Lesson]:
    """Two inputs that matter together, one that does not."""
    found = []
    for seed in range(pages):
        inputs = np.random.default_rng(seed).random((40, 3)).astype(np.float32)
        good = (inputs[:, 0] > 0.5) != (inputs[:, 1] > 0.5)
        found.append(Lesson(inputs, good, np.full(40, 1 / 40)))
    return found


LEARNERS = {
    "adam": replace(
        SMALL, units=(24, 12), epochs=150, learning_rate=0.02, batch_pages=2, scaled=True
    ),
    "rprop": replace(PRESETS["paper"], units=(12, 8, 6), epochs=250),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_exclusive_or_is_learned(name: str) -> None:
    pages = exclusive_or()
    network = fit_perceptron(pages[:6], LEARNERS[name])
    for page in pages[6:]:
        assert ((network(page.inputs) > 0.5) == page.good).mean() > 0.85


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("name", LEARNERS)
def test_training_repeats_itself(name: str) -> None:
    recipe = replace(LEARNERS[name], epochs=4)
    first = to_bytes(fit_perceptron(lessons(), recipe))
    assert first == to_bytes(fit_perceptron(lessons(), recipe))
    assert first != to_bytes(fit_perceptron(lessons(), replace(recipe, seed=2)))


def test_scaling_goes_into_the_first_layer() -> None:
    """Inputs on another scale give the same scores: only the first layer knows."""
    pages = lessons(4)
    moved = [replace(page, inputs=page.inputs * 8 + 3) for page in pages]
    recipe = replace(SMALL, scaled=True)
    one, other = fit_perceptron(pages, recipe), fit_perceptron(moved, recipe)
    assert other(moved[0].inputs) == pytest.approx(one(pages[0].inputs), abs=1e-4)
    assert one.mean == pytest.approx(np.concatenate([page.inputs for page in pages]).mean(0))


def test_inputs_that_never_vary_do_no_harm() -> None:
    pages = [replace(page, inputs=page.inputs * [1, 0, 0]) for page in lessons()]
    pages = [replace(page, inputs=page.inputs.astype(np.float32)) for page in pages]
    network = fit_perceptron(pages, replace(SMALL, scaled=True))
    assert np.isfinite(network(pages[0].inputs)).all()


# presets


def test_the_papers_preset_is_its_table() -> None:
    recipe = PRESETS["paper"]
    network = fit_perceptron(lessons(inputs=78), replace(recipe, epochs=1))
    assert network.widths == (78, 39, 19, 9, 1)
    told = [(layer.activation, layer.steepness) for layer in network.layers]
    assert told == [("sigmoid", 0.65), ("gaussian", 0.75), ("gaussian", 0.75), ("ramp", 0.8)]
    assert recipe.optimiser == "rprop"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 0}, "epochs"),
        ({"batch_pages": 0}, "batch_pages"),
        ({"learning_rate": -0.1}, "learning_rate"),
        ({"dropout": 1.0}, "dropout"),
        ({"weight_decay": float("nan")}, "weight_decay"),
        ({"evenness": 1.5}, "evenness"),
        ({"optimiser": "sgd"}, "sgd"),
        ({"units": (5,)}, "2 layers"),
        ({"steepness": (1.0,)}, "3 layers"),
        ({"activations": ("relu", "relu", "ramp")}, "cross-entropy"),
        ({"activations": ("relu", "step", "sigmoid")}, "step"),
        ({"units": (5, 0)}, "units"),
        ({"steepness": (1.0, 0.0, 1.0)}, "steepness"),
    ],
)
def test_recipes_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        replace(SMALL, **changes)
