"""Columns, labels and weights of blocks -> a `Network`, trained by back-propagation.

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

BATCH_BLOCKS = 65_536  # blocks of a step at once where it takes all pages: memory is bounded


@dataclass(frozen=True, slots=True)
class TrainingPage:
    """One page to learn: columns (n, k), labels (n,), weights of its blocks (n,).

    A label is the number of an output; of a network with one output 1 for good and 0 for bad.
    """

    columns: Columns
    labels: Ints
    weights: Floats


@dataclass(frozen=True, slots=True)
class Loss:
    """What is to fall, by its gradient.

    `error`: last pass, labels (n,) -> gradient of each block's loss by the plain sums that reach
    the outputs, (n, outputs). `precision` is that in which errors are weighted.
    """

    error: Callable[[Pass, Ints], npt.NDArray[np.floating]]
    precision: type[np.floating]


def _softmax(last: Pass, labels: Ints) -> Floats:
    error = np.exp(log_softmax(last.values))
    error[np.arange(len(labels)), labels] -= 1.0
    return error * last.layer.steepness


def _cross_entropy(last: Pass, labels: Ints) -> Singles:
    error: Singles = (last.values - _targets(last, labels)) * np.float32(2 * last.layer.steepness)
    return error


def _squares(last: Pass, labels: Ints) -> Singles:
    return last.layer.back(last.sums, last.values, last.values - _targets(last, labels))


def _targets(last: Pass, labels: Ints) -> Singles:
    """The values that an output should have, (n, 1): 1 for good, for bad its least."""
    least = np.float32(ACTIVATIONS[last.layer.activation].least)
    return np.where(labels[:, None], np.float32(1.0), least)


LOSSES: Mapping[str, Loss] = {
    "softmax": Loss(_softmax, np.float64),
    "cross_entropy": Loss(_cross_entropy, np.float32),
    "squares": Loss(_squares, np.float32),
}
"""Cross-entropy of the softmax of `linear` outputs; cross-entropy of a `sigmoid` output; half of
the squared error of an output with a least value."""


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
    lessons: Sequence[TrainingPage],
    design: Design,
    seeds: Sequence[int] = (1,),
) -> Network:
    """Train a member for each seed; equal lessons, designs and seeds give equal networks.

    There is a lesson at least, and a block in each.
    """
    scaling = SCALINGS[design.scaling]([lesson.columns for lesson in lessons])
    inputs = [scaling(lesson.columns) for lesson in lessons]
    members = tuple(_Training(inputs, lessons, design, seed).run() for seed in seeds)
    network = Network(names, scaling, members)
    return without_scaling(network) if design.scaling == "linear" else network


class _Training:
    """The state of one member's training.

    `values` are weights (inputs, units) and biases (units,) of each layer in turn.
    """

    def __init__(
        self, inputs: Sequence[Singles], lessons: Sequence[TrainingPage], design: Design, seed: int
    ) -> None:
        self.inputs, self.lessons, self.design = inputs, lessons, design
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
        """All epochs; gives the layers."""
        for _ in range(self.design.epochs):
            for batch in self._batches():
                self.optimiser.move(self._gradients(batch))
        return self._layers()

    def _batches(self) -> Iterator[list[Ints]]:
        """The steps of an epoch: pages (p,), in parts that are worked on at once."""
        size = self.design.batch_pages
        if size is None:
            yield self._parts()
            return
        order = self.random.permutation(len(self.inputs))
        yield from ([order[start : start + size]] for start in range(0, len(order), size))

    def _parts(self) -> list[Ints]:
        """All pages in their order, in parts of about `BATCH_BLOCKS` blocks."""
        parts: list[list[int]] = [[]]
        held = 0
        for page, inputs in enumerate(self.inputs):
            if held >= BATCH_BLOCKS:
                parts.append([])
                held = 0
            parts[-1].append(page)
            held += len(inputs)
        return [np.array(pages) for pages in parts]

    def _layers(self) -> Layers:
        """The layers as they are now."""
        pairs = zip(self.values[::2], self.values[1::2], strict=True)
        kinds = zip(self.design.activations, self.design.steepness, strict=True)
        return tuple(
            Layer(weights, bias, activation, steepness)
            for (weights, bias), (activation, steepness) in zip(pairs, kinds, strict=True)
        )

    def _gradients(self, parts: Sequence[Ints]) -> list[Singles]:
        """Gradients of the weighted loss of parts of pages, in the order of `values`."""
        first, *others = parts
        total = self._part_gradients(first)
        for pages in others:
            more = self._part_gradients(pages)
            total = [gradient + another for gradient, another in zip(total, more, strict=True)]
        return total

    def _part_gradients(self, pages: Ints) -> list[Singles]:
        """Gradients of the loss of pages (p,), divided by the pages of a whole batch."""
        lessons = [self.lessons[page] for page in pages]
        inputs = np.concatenate([self.inputs[page] for page in pages])
        labels = np.concatenate([lesson.labels for lesson in lessons])
        layers, loss = self._layers(), LOSSES[self.design.loss]
        passes = forward(inputs, layers, self._masks(len(inputs)))
        weights: Columns = np.concatenate([lesson.weights for lesson in lessons])
        shares = weights.astype(loss.precision) / loss.precision(self.design.batch_pages or 1)
        error = (loss.error(passes[-1], labels) * shares[:, None]).astype(np.float32)
        gradients: list[Singles] = []
        for made, by_sums in backward(passes, error):
            gradients = [made.inputs.T @ by_sums, by_sums.sum(0), *gradients]
        return gradients

    def _masks(self, count: int) -> list[Singles]:
        """Which hidden units stay in for so many blocks, layer by layer; none without dropout.

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
