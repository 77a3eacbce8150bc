"""Tests of `nn.params`: bounds, presets, and the designs that parameters make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crfclean.nn.params import NetworkParams, Recipe
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


# networks that give scores


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epochs": 0}, "epochs"),
        ({"batch_pages": 0}, "batch_pages"),
        ({"learning_rate": -0.1}, "learning_rate"),
        ({"dropout": 1.0}, "dropout"),
        ({"weight_decay": float("nan")}, "weight_decay"),
        ({"evenness": 1.5}, "evenness"),
    ],
)
def test_recipes_that_do_not_fit(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        replace(SMALL, **changes)
