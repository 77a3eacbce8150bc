"""The description of a network: its layers and their training."""

from __future__ import annotations

from dataclasses import dataclass


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
