"""Tests of `nn.params`: bounds, presets, and the designs that parameters make."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from crfclean.nn.fit import LOSSES
from crfclean.nn.network_params import NetworkParams
from crfclean.nn.optimisers import OPTIMISERS
from crfclean.nn.params import DRAWN, RECIPES, Recipe
from crfclean.nn.scaling import SCALINGS
from crfclean.types import CrfcleanError

SMALL = Recipe(
    units=(5, 4),
    activations=("relu", "tanh", "sigmoid"),
    steepness=(1.0, 0.8, 0.5),
    optimiser="adam",
    epochs=3,
)

# networks that give labels

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


def test_design_of_a_network() -> None:
    params = NetworkParams(7, 5, epochs=3, dropout=0.0, learning_rate=0.1, weight_decay=0.2)
    design = params.design
    assert design.units == (7, 5, 3)
    assert design.activations == ("relu", "relu", "linear")
    assert (design.loss, design.scaling) == ("softmax", "logarithms")
    assert (design.epochs, design.learning_rate, design.weight_decay) == (3, 0.1, 0.2)
    assert design.dropout == 0.0, "masks are drawn even if they leave nothing out"


# networks that give scores


def test_designs_of_the_presets() -> None:
    tuned, paper = RECIPES["tuned"].design, RECIPES["paper"].design
    assert tuned.units == (64, 32, 1)
    assert paper.units == (39, 19, 9, 1)
    assert (tuned.loss, tuned.scaling, tuned.batch_pages) == ("cross_entropy", "linear", 16)
    assert (paper.loss, paper.scaling, paper.batch_pages) == ("squares", "none", None)
    assert (tuned.start, paper.start) == (None, DRAWN)
    assert tuned.dropout is None, "no masks are drawn"
    assert replace(RECIPES["tuned"], dropout=0.2).design.dropout == 0.2


@pytest.mark.parametrize("params", [NetworkParams(), *RECIPES.values()], ids=repr)
def test_designs_name_what_there_is(params: NetworkParams | Recipe) -> None:
    design = params.design
    assert design.loss in LOSSES
    assert design.scaling in SCALINGS
    assert design.optimiser in OPTIMISERS
    assert len(design.units) == len(design.activations) == len(design.steepness)


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
        ({"activations": ("relu", "relu", "linear")}, "output's activation"),
        ({"activations": ("relu", "relu", "relu")}, "output's activation"),
        ({"units": (5, 0)}, "units"),
        ({"steepness": (1.0, 0.0, 1.0)}, "steepness"),
    ],
)
def test_recipes_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        replace(SMALL, **changes)
