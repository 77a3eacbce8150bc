"""Tests of `model.fit`: bounds, presets, and the designs that parameters make."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from crfclean.model.fit import RECIPES, NetworkParams
from crfclean.types import CrfcleanError

# networks that give labels

IMPOSSIBLE: list[dict[str, float]] = [
    {"first_units": 0},
    {"epochs": 0},
    {"learning_rate": float("nan")},
    {"weight_decay": -1.0},
    {"dropout": 1.0},
    {"evenness": 1.1},
]


@pytest.mark.parametrize("wrong", IMPOSSIBLE, ids=str)
def test_impossible_parameters_are_refused(wrong: dict[str, float]) -> None:
    (name,) = wrong
    with pytest.raises(CrfcleanError, match=f"{name} must be from"):
        NetworkParams(**wrong)  # type: ignore[arg-type]


# networks that give scores


@pytest.mark.parametrize("wrong", [{"epochs": 0}, {"batch_pages": 0}, {"evenness": 1.5}], ids=str)
def test_recipes_that_do_not_fit(wrong: dict[str, Any]) -> None:
    with pytest.raises(CrfcleanError, match=next(iter(wrong))):
        replace(RECIPES["tuned"], **wrong)
