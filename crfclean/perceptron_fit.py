"""Inputs, targets and weights of blocks -> a `Perceptron`: trained by back-propagation.

Two ways of training: iRprop- (Igel, Huesken 2000) on all blocks at once, as the paper's library
FANN has it, and Adam with decoupled weight decay (Loshchilov, Hutter 2019) on a few pages at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from crfclean.nn.fit import Adam
from crfclean.nn.mlp import LEAST_DEVIATION, Singles
from crfclean.perceptron import ACTIVATIONS, OUTPUTS, Layer, Perceptron
from crfclean.types import Bools, CrfcleanError, Floats, Ints, check_bounds

BATCH_BLOCKS = 65_536  # blocks of a pass at once: memory is bounded
GROW, SHRINK, FIRST_STEP, LAST_STEP = 1.2, 0.5, 0.1, 50.0  # of Rprop, as in FANN
DRAWN = 0.1  # weights start within this of 0, as in FANN
OPTIMISERS = ("adam", "rprop")

_BOUNDS = {
    "epochs": (1, 100_000),
    "batch_pages": (1, 100_000),
    "learning_rate": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "dropout": (0.0, 0.95),
    "evenness": (0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a perceptron is made and trained.

    `units`, `activations` and `steepness` are of the hidden layers in turn, the last two also of
    the output. `scaled`: inputs are brought to mean 0 and deviation 1 for training, and the
    first layer takes that over. `cross_entropy`: the loss of a sigmoid output; else squared error
    against the activation's least value and 1. Adam alone knows rate, decay and batches.
    Raises `CrfcleanError` for what does not fit.
    """

    units: tuple[int, ...]
    activations: tuple[str, ...]
    steepness: tuple[float, ...]
    optimiser: str
    epochs: int
    scaled: bool = True
    cross_entropy: bool = True
    learning_rate: float = 4e-3
    weight_decay: float = 0.01
    dropout: float = 0.0
    batch_pages: int = 16
    evenness: float = 0.3
    seed: int = 1

    def __post_init__(self) -> None:
        check_bounds(self, _BOUNDS)
        if self.optimiser not in OPTIMISERS:
            raise CrfcleanError(f"no way of training {self.optimiser!r}; there are {OPTIMISERS}")
        layers = len(self.units) + 1
        if not len(self.activations) == len(self.steepness) == layers:
            raise CrfcleanError(f"{layers} layers need as many activations and values of steepness")
        self._check_layers()

    def _check_layers(self) -> None:
        unknown = [name for name in self.activations if name not in ACTIVATIONS]
        if unknown:
            raise CrfcleanError(f"no activation {unknown[0]!r}; there are {', '.join(ACTIVATIONS)}")
        if self.activations[-1] not in OUTPUTS:
            raise CrfcleanError(f"the output's activation must be one of {', '.join(OUTPUTS)}")
        if min(self.units, default=1) < 1 or not min(self.steepness) > 0:
            raise CrfcleanError("units and steepness must be above 0")
        if self.cross_entropy and self.activations[-1] != "sigmoid":
            raise CrfcleanError("cross-entropy needs an output with the activation sigmoid")


PRESETS: Mapping[str, Recipe] = {
    "tuned": Recipe(
        units=(64, 32),
        activations=("relu", "relu", "sigmoid"),
        steepness=(1.0, 1.0, 0.5),
        optimiser="adam",
        epochs=20,
    ),
    "paper": Recipe(
        units=(39, 19, 9),
        activations=("sigmoid", "gaussian", "gaussian", "ramp"),
        steepness=(0.65, 0.75, 0.75, 0.8),
        optimiser="rprop",
        epochs=300,
        scaled=False,
        cross_entropy=False,
        evenness=1.0,
    ),
}
"""`tuned` is what cross-validation found, `paper` table 4.1 of the paper (eval/README.md)."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """One page to learn: inputs (n, k), whether each block is good (n,), weights (n,)."""

    inputs: Singles
    good: Bools
    weights: Floats


def fit_perceptron(lessons: Sequence[Lesson], recipe: Recipe) -> Perceptron:
    """Train; equal lessons and recipes give equal perceptrons. There is a block at least."""
    mean, deviation = _moments(lessons)
    scaled = lessons
    if recipe.scaled:
        scaled = [replace(one, inputs=(one.inputs - mean) / deviation) for one in lessons]
    layers = _Training(scaled, recipe).run()
    if recipe.scaled:
        first = layers[0]
        weights = (first.weights.T / deviation).T
        bias = first.bias - mean @ weights
        layers = (replace(first, weights=weights, bias=bias), *layers[1:])
    return Perceptron(layers, mean)


def _moments(lessons: Sequence[Lesson]) -> tuple[Singles, Singles]:
    """Means and standard deviations of the inputs over all blocks, (k,) each."""
    count = sum(len(one.good) for one in lessons)
    mean = np.sum([one.inputs.sum(0, np.float64) for one in lessons], axis=0) / count
    squares = np.sum([np.square(one.inputs, dtype=np.float64).sum(0) for one in lessons], axis=0)
    deviation = np.sqrt(np.maximum(0.0, squares / count - mean**2))
    return mean.astype(np.float32), np.maximum(deviation, LEAST_DEVIATION).astype(np.float32)


class _Training:
    """The state of a training; `values` are weights and biases of each layer in turn."""

    def __init__(self, lessons: Sequence[Lesson], recipe: Recipe) -> None:
        self.lessons, self.recipe = lessons, recipe
        self.random = np.random.default_rng(recipe.seed)
        widths = (lessons[0].inputs.shape[1], *recipe.units, 1)
        self.values: list[Singles] = []
        for width, following in pairwise(widths):
            bound = DRAWN if recipe.optimiser == "rprop" else 1.0 / np.sqrt(width)
            for shape in ((width, following), (following,)):
                self.values.append(self.random.uniform(-bound, bound, shape).astype(np.float32))

    def layers(self) -> tuple[Layer, ...]:
        """The layers as they are now."""
        pairs = zip(self.values[::2], self.values[1::2], strict=True)
        kinds = zip(self.recipe.activations, self.recipe.steepness, strict=True)
        return tuple(
            Layer(weights, bias, name, steep)
            for (weights, bias), (name, steep) in zip(pairs, kinds, strict=True)
        )

    def run(self) -> tuple[Layer, ...]:
        """All epochs; gives the layers."""
        recipe = self.recipe
        if recipe.optimiser == "rprop":
            rprop = Rprop(self.values)
            for _ in range(recipe.epochs):
                rprop.move(self._full_gradients())
            return self.layers()
        size, rate, decay = recipe.batch_pages, recipe.learning_rate, recipe.weight_decay
        adam = Adam(self.values, rate, decay, recipe.epochs * -(-len(self.lessons) // size))
        for _ in range(recipe.epochs):
            order = self.random.permutation(len(self.lessons))
            for start in range(0, len(order), size):
                pages = order[start : start + size]
                adam.move(self.gradients(pages, np.float32(size)))
        return self.layers()

    def _full_gradients(self) -> list[Singles]:
        """Gradients over all pages, some at a time."""
        total = [np.zeros_like(value) for value in self.values]
        pages: list[int] = []
        held = 0
        for page, lesson in enumerate(self.lessons):
            pages.append(page)
            held += len(lesson.good)
            if held >= BATCH_BLOCKS or page == len(self.lessons) - 1:
                parts = self.gradients(np.array(pages), np.float32(1.0))
                total = [one + part for one, part in zip(total, parts, strict=True)]
                pages, held = [], 0
        return total

    def gradients(self, pages: Ints, size: np.float32) -> list[Singles]:
        """Gradients of the weighted loss of some pages, over `size`, in the order of `values`."""
        chosen = [self.lessons[page] for page in pages]
        good = np.concatenate([one.good for one in chosen])[:, None]
        weights = np.concatenate([one.weights for one in chosen]).astype(np.float32)[:, None] / size
        layers = self.layers()
        reached, sums = [np.concatenate([one.inputs for one in chosen])], []
        masks: list[Singles | None] = []
        for place, layer in enumerate(layers):
            sums.append(layer.sums(reached[-1]))
            values = ACTIVATIONS[layer.activation].value(sums[-1])
            masks.append(self._mask(values.shape) if place < len(layers) - 1 else None)
            reached.append(values if masks[-1] is None else values * masks[-1])
        back = self._error(layers[-1], sums[-1], reached[-1], good) * weights
        found: list[Singles] = []
        for place in range(len(layers) - 1, -1, -1):
            found = [reached[place].T @ back, back.sum(0), *found]
            if place:
                layer, mask = layers[place - 1], masks[place - 1]
                gradient = back @ layers[place].weights.T
                gradient = gradient if mask is None else gradient * mask
                values = ACTIVATIONS[layer.activation].value(sums[place - 1])
                back = layer.back(sums[place - 1], values, gradient)
        return found

    def _error(self, layer: Layer, sums: Singles, values: Singles, good: Bools) -> Singles:
        """Gradient of the loss of each block by the plain sum that reaches the output, (n, 1)."""
        least = np.float32(ACTIVATIONS[layer.activation].least)
        target = np.where(good, np.float32(1.0), least)
        if self.recipe.cross_entropy:
            found: Singles = (values - target) * np.float32(2.0 * layer.steepness)
            return found
        return layer.back(sums, values, values - target)

    def _mask(self, shape: tuple[int, ...]) -> Singles | None:
        """Which hidden units stay in, scaled so that the expectation stays; None: all."""
        if not self.recipe.dropout:
            return None
        stay = 1.0 - self.recipe.dropout
        drawn = self.random.random(shape, np.float32) < stay
        mask: Singles = drawn.astype(np.float32) / np.float32(stay)
        return mask


class Rprop:
    """IRprop-: each weight has its own step, that grows while its gradient keeps its sign."""

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
