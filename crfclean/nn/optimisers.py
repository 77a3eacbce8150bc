"""Gradients -> steps of weights: Adam on batches of pages, iRprop- on all pages at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from crfclean.nn.design import Design
from crfclean.nn.layers import Singles

WARM_UP = 0.2  # share of all steps in which the rate rises
LOWEST = 0.04  # share of the highest rate that the first step has
MOMENTUM, SCALE, TINY = 0.9, 0.999, 1e-8  # of Adam
GROW, SHRINK, FIRST_STEP, LAST_STEP = 1.2, 0.5, 0.1, 50.0  # of Rprop, as in FANN


class Optimiser(Protocol):
    """What moves weights, in place, against their gradients."""

    def move(self, gradients: Sequence[Singles]) -> None:
        """One step of all values against their gradients, of the same shapes."""


class Adam:
    """Adam with decoupled weight decay, a warm-up and a cosine down to 0 over so many steps.

    Loshchilov, Hutter 2019. `values` are changed in place; `first` and `second` are the running
    moments of their gradients.
    """

    def __init__(
        self, values: list[Singles], learning_rate: float, weight_decay: float, steps: int
    ) -> None:
        self.values, self.steps, self.done = values, steps, 0
        self.highest, self.decay = learning_rate, weight_decay
        self.first = [np.zeros_like(value) for value in values]
        self.second = [np.zeros_like(value) for value in values]

    def move(self, gradients: Sequence[Singles]) -> None:
        """One step of all values against their gradients."""
        rate = self.rate()
        self.done += 1
        up, down = 1.0 - MOMENTUM**self.done, 1.0 - SCALE**self.done
        for at, gradient in enumerate(gradients):
            self.first[at] += (1.0 - MOMENTUM) * (gradient - self.first[at])
            self.second[at] += (1.0 - SCALE) * (gradient**2 - self.second[at])
            self.values[at] *= 1.0 - rate * self.decay
            scale = np.sqrt(self.second[at] / down) + TINY
            self.values[at] -= rate * (self.first[at] / up) / scale

    def rate(self) -> float:
        """The learning rate of the next step: up linearly, down along a cosine."""
        done = self.done / self.steps
        if done < WARM_UP:
            return self.highest * (LOWEST + (1.0 - LOWEST) * done / WARM_UP)
        return self.highest * 0.5 * float(1.0 + np.cos(np.pi * (done - WARM_UP) / (1 - WARM_UP)))


class Rprop:
    """IRprop-: each weight has its own step, that grows while its gradient keeps its sign.

    Igel, Huesken 2000; `values` are changed in place.
    """

    def __init__(self, values: list[Singles]) -> None:
        self.values = values
        self.steps = [np.full_like(value, FIRST_STEP) for value in values]
        self.before = [np.zeros_like(value) for value in values]

    def move(self, gradients: Sequence[Singles]) -> None:
        """Move every value against its gradient's sign; after a turn it waits for a step."""
        for at, gradient in enumerate(gradients):
            same = np.sign(gradient * self.before[at])
            self.steps[at] *= np.where(same > 0, GROW, np.where(same < 0, SHRINK, 1.0))
            np.minimum(self.steps[at], LAST_STEP, out=self.steps[at])
            self.before[at] = gradient * (same >= 0)
            self.values[at] -= np.sign(self.before[at]) * self.steps[at]


def _adam(values: list[Singles], design: Design, steps: int) -> Adam:
    return Adam(values, design.learning_rate, design.weight_decay, steps)


def _rprop(values: list[Singles], _design: Design, _steps: int) -> Rprop:
    return Rprop(values)


OPTIMISERS: Mapping[str, Callable[[list[Singles], Design, int], Optimiser]] = {
    "adam": _adam,
    "rprop": _rprop,
}
"""Name -> what makes the optimiser of weights, that a design trains in so many steps."""
