"""Train networks by back-propagation.

A step takes whole pages. A block counts by its share of the page's words, since scores count
words; every page counts the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crfclean.nn.design import Design
from crfclean.nn.layers import (
    ACTIVATIONS,
    Layer,
    Layers,
    Pass,
    Singles,
    backward,
    forward,
    log_softmax,
)
from crfclean.nn.mlp import Network, without_scaling
from crfclean.nn.optimisers import OPTIMISERS
from crfclean.nn.scaling import SCALINGS, Columns
from crfclean.types import Floats, Ints

_LEAST_SHARE = 1e-12  # of all outputs that are open: keeps the division finite
BATCH_BLOCKS = 65_536  # blocks computed at once when a step takes all pages: bounds memory


@dataclass(frozen=True, slots=True)
class TrainingPage:
    """One page to train on: columns (n, k), labels (n,), weights of its blocks (n,).

    A label is the index of an output; with a single output, 1 for good and 0 for bad; for the loss
    "choices", the sum of 2 ** index over the outputs that are not ruled out.
    """

    columns: Columns
    labels: Ints
    weights: Floats


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss, given by its gradient.

    `error`: last pass, labels (n,) -> gradient of each block's loss with respect to the sums
    before steepness at the outputs, (n, outputs). Errors are weighted in `precision`.
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

Cross-entropy of the softmax of `linear` outputs; the same of the sum of the outputs that a label
does not rule out (Cour et al. 2011); cross-entropy of a `sigmoid` output; half the squared error of
an output with a least value.
"""


def block_weights(words: Floats, evenness: float) -> Floats:
    """Weights (n,) of blocks by `words` (n,); the share `evenness` is spread evenly.

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
) -> Network:
    """Train a member for each seed; equal pages, designs and seeds give equal networks.

    There must be a page at least, and a block on each.
    """
    scaling = SCALINGS[design.scaling]([page.columns for page in pages])
    inputs = [scaling(page.columns) for page in pages]
    members = tuple(_Training(inputs, pages, design, seed).run() for seed in seeds)
    network = Network(names, scaling, members)
    return without_scaling(network) if design.scaling == "linear" else network


class _Training:
    """The state of one member's training.

    `values` are the weights (inputs, units) and biases (units,) of each layer in turn.
    """

    def __init__(
        self, inputs: Sequence[Singles], pages: Sequence[TrainingPage], design: Design, seed: int
    ) -> None:
        self.inputs, self.pages, self.design = inputs, pages, design
        self.random = np.random.default_rng(seed)
        self.values: list[Singles] = []
        for width, following in pairwise((inputs[0].shape[1], *design.units)):
            bound = 1.0 / np.sqrt(width) if design.start is None else design.start
            for shape in ((width, following), (following,)):
                drawn = self.random.uniform(-bound, bound, shape)
                self.values.append(drawn.astype(np.float32))
        batches = -(-len(inputs) // (design.batch_pages or len(inputs)))
        self.optimiser = OPTIMISERS[design.optimiser](self.values, design, design.epochs * batches)

    def run(self) -> Layers:
        """Train for all epochs and return the layers."""
        for _ in range(self.design.epochs):
            for batch in self._batches():
                self.optimiser.move(self._gradients(batch))
        return self._layers()

    def _batches(self) -> Iterator[list[Ints]]:
        """The steps of an epoch: page numbers (p,), in parts that are computed at once."""
        size = self.design.batch_pages
        if size is None:
            yield self._parts()
            return
        order = self.random.permutation(len(self.inputs))
        yield from ([order[start : start + size]] for start in range(0, len(order), size))

    def _parts(self) -> list[Ints]:
        """The numbers of all pages in order, in parts of about `BATCH_BLOCKS` blocks."""
        parts: list[list[int]] = [[]]
        blocks = 0
        for number, inputs in enumerate(self.inputs):
            if blocks >= BATCH_BLOCKS:
                parts.append([])
                blocks = 0
            parts[-1].append(number)
            blocks += len(inputs)
        return [np.array(numbers) for numbers in parts]

    def _layers(self) -> Layers:
        """The layers with the current values."""
        pairs = zip(self.values[::2], self.values[1::2], strict=True)
        kinds = zip(self.design.activations, self.design.steepness, strict=True)
        return tuple(
            Layer(weights, bias, activation, steepness)
            for (weights, bias), (activation, steepness) in zip(pairs, kinds, strict=True)
        )

    def _gradients(self, parts: Sequence[Ints]) -> list[Singles]:
        """Gradients of the weighted loss over parts of the pages, in the order of `values`."""
        first, *others = parts
        totals = self._part_gradients(first)
        for numbers in others:
            gradients = self._part_gradients(numbers)
            totals = [total + gradient for total, gradient in zip(totals, gradients, strict=True)]
        return totals

    def _part_gradients(self, numbers: Ints) -> list[Singles]:
        """Gradients of the loss over pages of these numbers (p,), divided by a batch's pages."""
        pages = [self.pages[number] for number in numbers]
        inputs = np.concatenate([self.inputs[number] for number in numbers])
        labels = np.concatenate([page.labels for page in pages])
        layers, loss = self._layers(), LOSSES[self.design.loss]
        passes = forward(inputs, layers, self._masks(len(inputs)))
        weights: Columns = np.concatenate([page.weights for page in pages])
        shares = weights.astype(loss.precision) / loss.precision(self.design.batch_pages or 1)
        error = (loss.error(passes[-1], labels) * shares[:, None]).astype(np.float32)
        gradients: list[Singles] = []
        for layer_pass, by_sums in backward(passes, error):
            gradients = [layer_pass.inputs.T @ by_sums, by_sums.sum(0), *gradients]
        return gradients

    def _masks(self, count: int) -> list[Singles]:
        """Dropout masks for `count` blocks, layer by layer; none without dropout.

        They are scaled so that the expectation stays the same.
        """
        if self.design.dropout is None:
            return []
        stay = 1.0 - self.design.dropout
        drawn = [
            self.random.random((count, units), np.float32) < stay
            for units in self.design.units[:-1]
        ]
        return [mask.astype(np.float32) / np.float32(stay) for mask in drawn]
