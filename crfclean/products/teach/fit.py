"""Train networks by back-propagation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crfclean.io import needing_extra
from crfclean.model.networks import (
    ACTIVATIONS,
    SCALINGS,
    Columns,
    Layer,
    Layers,
    Network,
    Pass,
    Singles,
    backward,
    forward,
    log_softmax,
    without_scaling,
)
from crfclean.types import Floats, Ints, Label, check_bounds, option

# the parameters of a network of the first pass

BATCH_PAGES = 16
SHARED_BOUNDS = {
    "learning_rate": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "dropout": (0.0, 0.95),
    "evenness": (0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class NetworkParams:
    """Parameters for training a first-pass network; cross-validation chose the defaults.

    The hidden layers have `first_units` and `second_units`, of which a share `dropout` is dropped
    in training, as is a share `group_dropout` of the groups of features on each page.
    `learning_rate` is the peak; the weights are a running mean with the decay `averaging` (0: the
    last weights). A share `evenness` of a page's weight is spread evenly over its blocks. Raises
    `CrfcleanError` for a parameter out of bounds.
    """

    first_units: int = 64
    second_units: int = 32
    epochs: int = option(12, "passes over all pages, of the networks or the perceptron")
    learning_rate: float = 4e-3
    weight_decay: float = 0.01
    dropout: float = 0.3
    group_dropout: float = 0.1
    averaging: float = 0.99
    evenness: float = 0.3

    def __post_init__(self) -> None:
        units = dict.fromkeys(("first_units", "second_units", "epochs"), (1, 10_000))
        shares = {"group_dropout": (0.0, 0.95), "averaging": (0.0, 1.0)}
        check_bounds(self, {**units, **SHARED_BOUNDS, **shares})

    @property
    def design(self) -> Design:
        """Rectified linear units and a softmax over the labels."""
        return Design(
            units=(self.first_units, self.second_units, len(Label)),
            activations=("relu", "relu", "linear"),
            steepness=(1.0, 1.0, 1.0),
            loss="softmax",
            scaling="logarithms",
            optimiser="adam",
            epochs=self.epochs,
            batch_pages=BATCH_PAGES,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            dropout=self.dropout,
            start=None,
            group_dropout=self.group_dropout,
            averaging=self.averaging,
        )


DRAWN = 0.1  # weights trained by Rprop start within this of 0, as in FANN


@dataclass(frozen=True, slots=True)
class Recipe:
    """Structure and training parameters of a perceptron.

    `units`, `activations` and `steepness` list the hidden layers; the last two also the output.
    With `scaled`, inputs are scaled to mean 0 and deviation 1 for training, and the scaling is
    folded into the first layer. With `cross_entropy`, that is the loss of a sigmoid output; the
    other loss is the squared error against the activation's least value and 1. Only Adam uses rate,
    decay and batches. Raises `CrfcleanError` for a parameter out of bounds, but does not check
    whether layers fit together.
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
    batch_pages: int = BATCH_PAGES
    evenness: float = 0.3
    seed: int = 1

    def __post_init__(self) -> None:
        counts = dict.fromkeys(("epochs", "batch_pages"), (1, 100_000))
        check_bounds(self, {**counts, **SHARED_BOUNDS})

    @property
    def design(self) -> Design:
        """The layers with a one-unit output; Rprop takes all pages at once."""
        adam = self.optimiser == "adam"
        return Design(
            units=(*self.units, 1),
            activations=self.activations,
            steepness=self.steepness,
            loss="cross_entropy" if self.cross_entropy else "squares",
            scaling="linear" if self.scaled else "none",
            optimiser=self.optimiser,
            epochs=self.epochs,
            batch_pages=self.batch_pages if adam else None,
            learning_rate=self.learning_rate,
            weight_decay=self.weight_decay,
            dropout=self.dropout or None,
            start=None if adam else DRAWN,
        )


RECIPES: Mapping[str, Recipe] = {
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
"""`tuned` was found by cross-validation; `paper` is table 4.1 of Texttractor's paper."""


# train networks by back-propagation

# the description of a network: its layers and their training


@dataclass(frozen=True, slots=True)
class Design:
    """The layers of a network, output included, and their training; nothing is checked.

    `loss` and `scaling` are names in `LOSSES` and `SCALINGS`, `optimiser` is "adam" or "rprop".
    `batch_pages` is the number of pages per step, None for all pages, in order. `dropout` is the
    share of hidden units left out, None to draw no masks. Initial weights are uniform within
    `start` of 0, or within 1 / sqrt(a layer's inputs) if it is None. `group_dropout` is the share
    of groups of columns that a page of a step has only as means. `averaging` is the decay of a
    running mean of the weights, which are the trained ones; 0: the last weights are.
    """

    units: tuple[int, ...]
    activations: tuple[str, ...]
    steepness: tuple[float, ...]
    loss: str
    scaling: str
    optimiser: str
    epochs: int
    batch_pages: int | None
    learning_rate: float
    weight_decay: float
    dropout: float | None
    start: float | None
    group_dropout: float = 0.0
    averaging: float = 0.0


# optimisers of weights: Adam on batches of pages, iRprop- on all pages at once

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


# A step takes whole pages. The weight of a block is its share of the page's words, since scores
# count words; every page has the same weight.

_LEAST_SHARE = 1e-12  # of the open outputs together: keeps the division finite
BATCH_BLOCKS = 65_536  # blocks computed at once when a step takes all pages: bounds memory


@dataclass(frozen=True, slots=True)
class TrainingPage:
    """One page to train on: columns (n, k), labels (n,), weights of its blocks (n,).

    A label is the index of an output. With a single output it is 1 for good and 0 for bad. For the
    loss "choices" it is the sum of 2 ** index over the outputs that are not ruled out.
    """

    columns: Columns
    labels: Ints
    weights: Floats


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss, given by its gradient.

    `error` takes the last pass and labels (n,), and returns the gradient of each block's loss by
    the outputs' sums before steepness, (n, outputs). Errors are weighted in `precision`.
    """

    error: Callable[[Pass, Ints], npt.NDArray[np.floating]]
    precision: type[np.floating]


def _softmax(last: Pass, labels: Ints) -> Floats:
    error = np.exp(log_softmax(last.values))
    error[np.arange(len(labels)), labels] -= 1.0
    return error * last.layer.steepness


def _choices(last: Pass, labels: Ints) -> Floats:
    shares = np.exp(log_softmax(last.values))
    open_shares = shares * (labels[:, None] >> np.arange(shares.shape[1]) & 1)
    total = np.maximum(open_shares.sum(1, keepdims=True), _LEAST_SHARE)
    error: Floats = (shares - open_shares / total) * last.layer.steepness
    return error


def _cross_entropy(last: Pass, labels: Ints) -> Singles:
    error: Singles = (last.values - _targets(last, labels)) * np.float32(2 * last.layer.steepness)
    return error


def _squares(last: Pass, labels: Ints) -> Singles:
    return last.layer.back(last.sums, last.values, last.values - _targets(last, labels))


def _targets(last: Pass, labels: Ints) -> Singles:
    """The target values of an output, (n, 1): 1 for good, the activation's least for bad."""
    least = np.float32(ACTIVATIONS[last.layer.activation].least)
    return np.where(labels[:, None], np.float32(1.0), least)


LOSSES: Mapping[str, Loss] = {
    "softmax": Loss(_softmax, np.float64),
    "choices": Loss(_choices, np.float64),
    "cross_entropy": Loss(_cross_entropy, np.float32),
    "squares": Loss(_squares, np.float32),
}
"""Name -> loss.

"softmax" is the cross-entropy of the softmax of `linear` outputs; "choices" that of the sum of the
outputs that a label does not rule out (Cour et al. 2011); "cross_entropy" that of a `sigmoid`
output; "squares" is half the squared error of an output with a least value.
"""


def block_weights(words: Floats, evenness: float) -> Floats:
    """Compute weights (n,) of blocks by `words` (n,); the share `evenness` is spread evenly.

    They sum to 1, or to `evenness` if no block has words.

    >>> block_weights(np.array([3.0, 1.0]), 0.5).tolist()
    [0.625, 0.375]
    """
    count, total = max(1, len(words)), max(1.0, float(words.sum()))
    return (1.0 - evenness) * words / total + evenness / count


def fit_network(
    names: tuple[str, ...],
    pages: Sequence[TrainingPage],
    design: Design,
    seeds: Sequence[int] = (1,),
    groups: Ints | None = None,
) -> Network:
    """Train a member for each seed; equal pages, designs and seeds give equal networks.

    `groups` (k,) number the groups of columns; without, each column is one. There must be at least
    one page, and a block on each page.
    """
    grouped = np.arange(len(names)) if groups is None else groups
    scaling = SCALINGS[design.scaling]([page.columns for page in pages])
    inputs = [scaling(page.columns) for page in pages]
    with _one_thread():
        members = tuple(_Training(inputs, pages, design, grouped, seed).run() for seed in seeds)
    network = Network(names, scaling, members)
    return without_scaling(network) if design.scaling == "linear" else network


def _one_thread() -> AbstractContextManager[object]:
    """A context in which matrix products take one thread: sums depend on the number of threads.

    Raises `CrfcleanError` without the library that sets it.
    """
    with needing_extra("networks", "training networks needs its extra"):
        from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1, "blas")
    return limits


class _Training:
    """The state of one member's training.

    `values` are the weights (inputs, units) and biases (units,) of each layer in turn.
    """

    def __init__(
        self,
        inputs: Sequence[Singles],
        pages: Sequence[TrainingPage],
        design: Design,
        groups: Ints,
        seed: int,
    ) -> None:
        self.inputs, self.pages, self.design, self.groups = inputs, pages, design, groups
        self.random = np.random.default_rng(seed)
        self.values: list[Singles] = []
        for width, following in pairwise((inputs[0].shape[1], *design.units)):
            bound = 1.0 / np.sqrt(width) if design.start is None else design.start
            for shape in ((width, following), (following,)):
                drawn = self.random.uniform(-bound, bound, shape)
                self.values.append(drawn.astype(np.float32))
        self.means = [value.astype(np.float64) for value in self.values]
        self.steps = 0
        batches = -(-len(inputs) // (design.batch_pages or len(inputs)))
        self.optimiser: Adam | Rprop = Rprop(self.values)
        if design.optimiser == "adam":
            rate, decay = design.learning_rate, design.weight_decay
            self.optimiser = Adam(self.values, rate, decay, design.epochs * batches)

    def run(self) -> Layers:
        """Train for all epochs and return the layers."""
        for _ in range(self.design.epochs):
            for batch in self._batches():
                self.optimiser.move(self._gradients(batch))
                self._average()
        return self._layers(self.means)

    def _average(self) -> None:
        """Move the running means towards the values, in the first steps by more."""
        self.steps += 1
        decay = min(self.design.averaging, (1 + self.steps) / (10 + self.steps))
        for place, value in enumerate(self.values):
            self.means[place] += (1.0 - decay) * (value - self.means[place])

    def _batches(self) -> Iterator[list[Ints]]:
        """Yield the steps of an epoch: page numbers (p,), in parts that are computed at once."""
        size = self.design.batch_pages
        if size is None:
            yield self._parts()
            return
        order = self.random.permutation(len(self.inputs))
        yield from ([order[start : start + size]] for start in range(0, len(order), size))

    def _parts(self) -> list[Ints]:
        parts: list[list[int]] = [[]]
        blocks = 0
        for number, inputs in enumerate(self.inputs):
            if blocks >= BATCH_BLOCKS:
                parts.append([])
                blocks = 0
            parts[-1].append(number)
            blocks += len(inputs)
        return [np.array(numbers) for numbers in parts]

    def _layers(self, values: Sequence[Columns]) -> Layers:
        singles = [value.astype(np.float32) for value in values]
        pairs = zip(singles[::2], singles[1::2], strict=True)
        kinds = zip(self.design.activations, self.design.steepness, strict=True)
        return tuple(
            Layer(weights, bias, activation, steepness)
            for (weights, bias), (activation, steepness) in zip(pairs, kinds, strict=True)
        )

    def _gradients(self, parts: Sequence[Ints]) -> list[Singles]:
        """Sum the gradients of the weighted loss over parts of the pages, in order of `values`."""
        first, *others = parts
        totals = self._part_gradients(first)
        for numbers in others:
            gradients = self._part_gradients(numbers)
            totals = [total + gradient for total, gradient in zip(totals, gradients, strict=True)]
        return totals

    def _part_gradients(self, numbers: Ints) -> list[Singles]:
        """Compute gradients of the loss over numbered pages (p,), divided by a batch's pages."""
        pages = [self.pages[number] for number in numbers]
        inputs = np.concatenate([self._inputs(number) for number in numbers])
        labels = np.concatenate([page.labels for page in pages])
        layers, loss = self._layers(self.values), LOSSES[self.design.loss]
        passes = forward(inputs, layers, self._masks(len(inputs)))
        weights: Columns = np.concatenate([page.weights for page in pages])
        shares = weights.astype(loss.precision) / loss.precision(self.design.batch_pages or 1)
        error = (loss.error(passes[-1], labels) * shares[:, None]).astype(np.float32)
        gradients: list[Singles] = []
        for layer_pass, by_sums in backward(passes, error):
            gradients = [layer_pass.inputs.T @ by_sums, by_sums.sum(0), *gradients]
        return gradients

    def _inputs(self, number: int) -> Singles:
        """Return the inputs of a page, 0 (the mean) in groups of columns that are left out."""
        inputs = self.inputs[number]
        if not self.design.group_dropout:
            return inputs
        stays = self.random.random(self.groups.max() + 1) >= self.design.group_dropout
        left: Singles = inputs * stays[self.groups].astype(np.float32)
        return left

    def _masks(self, count: int) -> list[Singles]:
        """Draw dropout masks for `count` blocks, layer by layer; none without dropout.

        They are scaled so that the expected values do not change.
        """
        if self.design.dropout is None:
            return []
        stay = 1.0 - self.design.dropout
        drawn = [
            self.random.random((count, units), np.float32) < stay
            for units in self.design.units[:-1]
        ]
        return [mask.astype(np.float32) / np.float32(stay) for mask in drawn]
