"""Columns, labels and weights of blocks -> a `Network`: trained by back-propagation.

Adam with decoupled weight decay (Loshchilov, Hutter 2019) on the cross-entropy of the labels,
dropout, a warm-up and a cosine down to 0, whole pages in a batch. A block counts by its share of
the page's words, since scores count words; every page counts the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crfclean.nn.mlp import Layers, Network, Singles, fit_scaling, log_softmax
from crfclean.types import Floats, Ints, Label, check_bounds, option

BATCH_PAGES = 16
WARM_UP = 0.2  # share of all steps in which the rate rises
LOWEST = 0.04  # share of the highest rate that the first step has
MOMENTUM, SCALE, TINY = 0.9, 0.999, 1e-8  # of Adam


_BOUNDS = {
    "first_units": (1, 10_000),
    "second_units": (1, 10_000),
    "epochs": (1, 10_000),
    "learning_rate": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "dropout": (0.0, 0.95),
    "evenness": (0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class NetworkParams:
    """How a network is trained; the defaults are those that cross-validation chose.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    first_units: int = option(64, "units of the first hidden layer")
    second_units: int = option(32, "units of the second hidden layer")
    epochs: int = option(12, "passes over all pages")
    learning_rate: float = option(4e-3, "highest learning rate")
    weight_decay: float = option(0.01, "weight decay")
    dropout: float = option(0.2, "share of hidden units left out in training")
    evenness: float = option(0.3, "share of a page's weight that its blocks carry evenly")

    def __post_init__(self) -> None:
        check_bounds(self, _BOUNDS)


@dataclass(frozen=True, slots=True)
class Lesson:
    """One page to learn: columns (n, features), labels (n,), weights of its blocks (n,)."""

    columns: npt.NDArray[np.floating]
    labels: Ints
    weights: Floats


def block_weights(words: Floats, evenness: float) -> Floats:
    """Weights (n,) of blocks with `words` (n,), their shares of the page's; a part of it evenly.

    They sum to 1, or to `evenness` where no block has words.

    >>> block_weights(np.array([3.0, 1.0]), 0.5).tolist()
    [0.625, 0.375]
    """
    count, total = max(1, len(words)), max(1.0, float(words.sum()))
    return (1.0 - evenness) * words / total + evenness / count


def fit_network(
    names: tuple[str, ...],
    lessons: Sequence[Lesson],
    params: NetworkParams,
    seeds: Sequence[int] = (1,),
) -> Network:
    """Train a member for each seed; equal lessons, parameters and seeds give equal networks.

    There is a lesson at least, and a block in each.
    """
    scaling = fit_scaling([lesson.columns for lesson in lessons])
    inputs = [scaling(lesson.columns) for lesson in lessons]
    members = tuple(_Training(inputs, lessons, params, seed).run() for seed in seeds)
    return Network(names, scaling, members)


class _Training:
    """The state of one member's training.

    `values` are weights (inputs, outputs) and biases (outputs,) of each layer in turn.
    """

    def __init__(
        self, inputs: Sequence[Singles], lessons: Sequence[Lesson], params: NetworkParams, seed: int
    ) -> None:
        self.inputs, self.lessons, self.params = inputs, lessons, params
        self.random = np.random.default_rng(seed)
        widths = (inputs[0].shape[1], params.first_units, params.second_units, len(Label))
        self.values: list[Singles] = []
        for width, following in pairwise(widths):
            bound = 1.0 / np.sqrt(width)
            for shape in ((width, following), (following,)):
                drawn = self.random.uniform(-bound, bound, shape)
                self.values.append(drawn.astype(np.float32))
        steps = params.epochs * -(-len(inputs) // BATCH_PAGES)
        self.adam = Adam(self.values, params.learning_rate, params.weight_decay, steps)

    def run(self) -> Layers:
        """All epochs; gives the layers."""
        for _ in range(self.params.epochs):
            order = self.random.permutation(len(self.inputs))
            for start in range(0, len(order), BATCH_PAGES):
                self.adam.move(self._gradients(order[start : start + BATCH_PAGES]))
        pairs = zip(self.values[::2], self.values[1::2], strict=True)
        return tuple(pairs)

    def _gradients(self, pages: Ints) -> list[Singles]:
        """Gradients of the weighted cross-entropy of some pages, in the order of `values`."""
        inputs = np.concatenate([self.inputs[page] for page in pages])
        labels = np.concatenate([self.lessons[page].labels for page in pages])
        weights = np.concatenate([self.lessons[page].weights for page in pages]) / BATCH_PAGES
        reached, masks = [inputs], []
        for place in (0, 2):
            hidden = np.maximum(reached[-1] @ self.values[place] + self.values[place + 1], 0.0)
            masks.append(self._mask(hidden.shape) * (hidden > 0))
            reached.append(hidden * masks[-1])
        logs = log_softmax(reached[-1] @ self.values[4] + self.values[5])
        error = np.exp(logs)
        error[np.arange(len(labels)), labels] -= 1.0
        back = (error * weights[:, None]).astype(np.float32)
        found: list[Singles] = []
        for place in (4, 2, 0):
            found = [reached[place // 2].T @ back, back.sum(0), *found]
            if place:
                back = (back @ self.values[place].T) * masks[place // 2 - 1]
        return found

    def _mask(self, shape: tuple[int, ...]) -> Singles:
        """Which hidden units stay in, scaled so that the expectation stays the same."""
        stay = 1.0 - self.params.dropout
        drawn = self.random.random(shape, np.float32) < stay
        mask: Singles = drawn.astype(np.float32) / np.float32(stay)
        return mask


class Adam:
    """Adam with decoupled weight decay, a warm-up and a cosine down to 0 over so many steps.

    `values` are changed in place; `first` and `second` are the running moments of their gradients.
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
