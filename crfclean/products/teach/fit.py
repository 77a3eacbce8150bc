"""Train networks by back-propagation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crfclean.io import needing_extra
from crfclean.model.layers import (
    ACTIVATIONS,
    SCALINGS,
    Columns,
    Layer,
    Layers,
    Pass,
    Singles,
    backward,
    forward,
    log_softmax,
)
from crfclean.model.networks import Network, without_scaling
from crfclean.products.teach.design import Design
from crfclean.products.teach.optimisers import Adam, Rprop
from crfclean.types import Floats, Ints

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
