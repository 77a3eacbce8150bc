"""Apply small dense networks to the columns of a page."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from crfclean.nn.blas import one_thread
from crfclean.nn.layers import (
    ACTIVATIONS,
    Columns,
    Layers,
    Scaling,
    Singles,
    backward,
    forward,
    identity_scaling,
    log_shares,
    log_softmax,
    outputs,
)
from crfclean.types import Floats, Label, Reason

ROWS = 4_096  # blocks computed at a time: their arrays stay in the processor's cache


class Output(NamedTuple):
    """The meaning of the values of a last layer of `width` units.

    `shares` turns the values (n, width) of each member into shares (n, width) from 0 to 1. `slope`
    turns steepened sums into the gradient of the log-odds of keeping a block, (n, width). `rows`
    blocks are computed at a time; the last bits of a matrix product depend on this number.
    """

    width: int
    shares: Callable[[Sequence[Singles]], Floats]
    slope: Callable[[Singles], Singles]
    rows: int


def _label_shares(members: Sequence[Singles]) -> Floats:
    """Compute probabilities of labels: the softmax of the members' mean log-probabilities."""
    logs = [log_shares(np.ascontiguousarray(values.T, np.float64)) for values in members]
    mean = logs[0] if len(logs) == 1 else np.mean(logs, axis=0)
    rows = log_shares(mean)
    return np.exp(rows, out=rows).T


def _label_slope(sums: Singles) -> Singles:
    """Compute the gradient of log(P(HEADER) + P(TEXT)) - log P(OTHER)."""
    kept = np.exp(log_softmax(sums[:, : Label.OTHER]))
    return np.column_stack([kept, np.full(len(kept), -1.0)]).astype(np.float32)


def _score(activation: str, slope: float) -> Output:
    """Describe a single unit, whose values from the activation's least to 1 become a score."""
    least = ACTIVATIONS[activation].least

    def shares(members: Sequence[Singles]) -> Floats:
        scores = [(values.astype(np.float64) - least) / (1.0 - least) for values in members]
        mean: Floats = np.mean(scores, axis=0)
        return mean

    def slopes(sums: Singles) -> Singles:
        return np.full_like(sums, slope)

    return Output(1, shares, slopes, sys.maxsize)


SCORES: Mapping[str, Output] = {
    "sigmoid": _score("sigmoid", 2.0),
    "tanh": _score("tanh", 2.0),
    "ramp": _score("ramp", 0.5),  # slope of the score itself: its log-odds are unbounded
}
OUTPUTS: Mapping[str, Output] = {
    "linear": Output(len(Label), _label_shares, _label_slope, ROWS),
    **SCORES,
}
"""Activation of the last layer -> its output: the logits of labels for `linear`, else one score of
keeping a block."""


@dataclass(frozen=True, eq=False)
class Network:
    """An ensemble over the same columns, whose outputs are pooled; `members` are their layers."""

    names: tuple[str, ...]
    scaling: Scaling
    members: tuple[Layers, ...]

    @property
    def output(self) -> Output:
        """Return the meaning of the last layers' values."""
        return OUTPUTS[self.members[0][-1].activation]

    def __call__(self, columns: Columns) -> Floats:
        """Compute shares from 0 to 1, (n, outputs), from columns (n, k) in the order of `names`.

        They are the probabilities of labels (n, 3), or the score of keeping a block (n, 1).
        """
        output = self.output
        with one_thread():
            if len(columns) <= output.rows:
                return self.of_inputs(self.scaling(columns))
            shares = np.zeros((len(columns), output.width))
            for start in range(0, len(columns), output.rows):
                rows = slice(start, start + output.rows)
                shares[rows] = self.of_inputs(self.scaling(columns[rows]))
            return shares

    def of_inputs(self, inputs: Singles) -> Floats:
        """Compute shares from scaled columns (n, k) of at most `output.rows` blocks.

        Call it in `one_thread`.
        """
        if not len(inputs):
            return np.zeros((0, self.output.width))
        return self.output.shares([outputs(inputs, layers) for layers in self.members])

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
        slope = self.output.slope(passes[-1].sums) * np.float32(layers[-1].steepness)
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
        members.append((replace(first, weights=weights, bias=bias), *others))
    return replace(network, scaling=identity_scaling(mean), members=tuple(members))
