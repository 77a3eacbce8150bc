"""Apply small dense networks to the columns of a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from crfclean.core.labels import Dense
from crfclean.model.layers import (
    Columns,
    Layers,
    Scaling,
    Singles,
    backward,
    forward,
    identity_scaling,
    log_softmax,
)
from crfclean.types import Floats, Label, Reason


class Output(NamedTuple):
    """The meaning of the values of a last layer of `width` units.

    `slope` turns steepened sums into the gradient of the log-odds of keeping a block, (n, width).
    """

    width: int
    slope: Callable[[Singles], Singles]


def _label_slope(sums: Singles) -> Singles:
    """Compute the gradient of log(P(HEADER) + P(TEXT)) - log P(OTHER)."""
    kept = np.exp(log_softmax(sums[:, : Label.OTHER]))
    return np.column_stack([kept, np.full(len(kept), -1.0)]).astype(np.float32)


def _score(slope: float) -> Output:
    """Describe a single unit, whose value becomes a score."""
    return Output(1, lambda sums: np.full_like(sums, slope))


OUTPUTS: Mapping[str, Output] = {
    "linear": Output(len(Label), _label_slope),
    "sigmoid": _score(2.0),
    "tanh": _score(2.0),
    "ramp": _score(0.5),  # slope of the score itself: its log-odds are unbounded
}
"""Activation of the last layer -> its output: the logits of labels for `linear`, else one score of
keeping a block."""


def dense(scaling: Scaling, members: tuple[Layers, ...]) -> Dense:
    """The compiled form of an ensemble over the same columns."""
    layers = [
        [(layer.weights, layer.bias, layer.activation, layer.steepness) for layer in member]
        for member in members
    ]
    return Dense(
        is_count=scaling.log,
        mean=scaling.mean,
        deviation=scaling.deviation,
        clip=scaling.clip,
        members=layers,
    )


@dataclass(frozen=True, eq=False)
class Network:
    """An ensemble over the same columns, whose outputs are pooled; `members` are their layers."""

    names: tuple[str, ...]
    scaling: Scaling
    members: tuple[Layers, ...]

    @cached_property
    def compiled(self) -> Dense:
        """The compiled form; made once."""
        return dense(self.scaling, self.members)

    def __call__(self, columns: Columns) -> Floats:
        """Compute shares from 0 to 1, (n, outputs), from columns (n, k) in the order of `names`.

        They are the probabilities of labels (n, 3), or the score of keeping a block (n, 1).
        """
        return self.compiled(columns)

    def contributions(self, columns: Columns) -> Floats:
        """Compute each column's part in the log-odds of keeping a block, (n, k).

        For `ramp` it is the part in the score. Parts are input times gradient (Shrikumar et al.
        2016), with inputs measured from their mean.
        """
        inputs = self.scaling(columns)
        centred = inputs - self.scaling.centre
        parts = [centred * self._gradient(inputs, layers) for layers in self.members]
        mean: Floats = np.mean(parts, axis=0, dtype=np.float64)
        return mean

    def _gradient(self, inputs: Singles, layers: Layers) -> Singles:
        passes = forward(inputs, layers)
        slope = OUTPUTS[layers[-1].activation].slope(passes[-1].sums) * np.float32(
            layers[-1].steepness
        )
        *_, (first, gradient) = backward(passes, slope)
        by_inputs: Singles = gradient @ first.layer.weights.T
        return by_inputs

    def reasons(self, columns: Columns, most: int) -> list[list[Reason]]:
        """Return each block's reasons: the `most` columns of (n, k) with the largest weights."""
        parts = self.contributions(columns.astype(np.float32))
        order = np.argsort(-np.abs(parts), axis=1, kind="stable")[:, :most]
        return [
            [Reason(self.names[i], float(values[i]), float(weights[i])) for i in indices]
            for values, weights, indices in zip(columns, parts, order.tolist(), strict=True)
        ]


def without_scaling(network: Network) -> Network:
    """Fold the linear scaling of a network into its first layers' weights."""
    mean = network.scaling.mean.astype(np.float32)
    deviation = network.scaling.deviation.astype(np.float32)
    members = []
    for first, *others in network.members:
        weights = (first.weights.T / deviation).T
        bias = first.bias - mean @ weights
        members.append((first._replace(weights=weights, bias=bias), *others))
    return replace(network, scaling=identity_scaling(mean), members=tuple(members))
