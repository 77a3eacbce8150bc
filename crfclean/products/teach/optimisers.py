"""Optimisers of weights: Adam on batches of pages, iRprop- on all pages at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean.model.layers import (
    Singles,
)

WARM_UP = 0.2  # share of all steps in which the learning rate rises
LOWEST = 0.04  # share of the highest rate at the first step
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8  # Adam's
GROW, SHRINK, FIRST_STEP, MAX_STEP = 1.2, 0.5, 0.1, 50.0  # Rprop's, as in FANN


class Adam:
    """Adam with decoupled weight decay, a warm-up and cosine decay to 0 over `steps` steps.

    After Loshchilov and Hutter (2019). `values` are changed in place; `first` and `second` are the
    running moments of their gradients.
    """

    def __init__(
        self, values: list[Singles], learning_rate: float, weight_decay: float, steps: int
    ) -> None:
        self.values, self.steps, self.done = values, steps, 0
        self.highest, self.decay = learning_rate, weight_decay
        self.first = [np.zeros_like(value) for value in values]
        self.second = [np.zeros_like(value) for value in values]

    def move(self, gradients: Sequence[Singles]) -> None:
        """Take one step of all values against their gradients."""
        rate = self.rate()
        self.done += 1
        bias_1, bias_2 = 1.0 - BETA_1**self.done, 1.0 - BETA_2**self.done
        for i, gradient in enumerate(gradients):
            self.first[i] += (1.0 - BETA_1) * (gradient - self.first[i])
            self.second[i] += (1.0 - BETA_2) * (gradient**2 - self.second[i])
            self.values[i] *= 1.0 - rate * self.decay
            scale = np.sqrt(self.second[i] / bias_2) + EPSILON
            self.values[i] -= rate * (self.first[i] / bias_1) / scale

    def rate(self) -> float:
        """The learning rate of the next step: a linear rise, then a cosine."""
        done = self.done / self.steps
        if done < WARM_UP:
            return self.highest * (LOWEST + (1.0 - LOWEST) * done / WARM_UP)
        return self.highest * 0.5 * float(1.0 + np.cos(np.pi * (done - WARM_UP) / (1 - WARM_UP)))


class Rprop:
    """IRprop-: each weight has its own step, which grows while its gradient keeps its sign.

    After Igel and Hüsken (2000); `values` are changed in place.
    """

    def __init__(self, values: list[Singles]) -> None:
        self.values = values
        self.steps = [np.full_like(value, FIRST_STEP) for value in values]
        self.before = [np.zeros_like(value) for value in values]

    def move(self, gradients: Sequence[Singles]) -> None:
        """Move each value against its gradient's sign; if the sign changed, wait for a step."""
        for i, gradient in enumerate(gradients):
            agreement = np.sign(gradient * self.before[i])
            self.steps[i] *= np.where(agreement > 0, GROW, np.where(agreement < 0, SHRINK, 1.0))
            np.minimum(self.steps[i], MAX_STEP, out=self.steps[i])
            self.before[i] = gradient * (agreement >= 0)
            self.values[i] -= np.sign(self.before[i]) * self.steps[i]
