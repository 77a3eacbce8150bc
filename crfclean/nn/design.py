"""The description of a network: its layers and their training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Design:
    """The layers of a network, output included, and how they are trained; nothing is checked.

    `loss` and `scaling` are names in `LOSSES` and `SCALINGS`. `batch_pages`: pages per step; None:
    all pages, in order. `dropout`: share of hidden units left out; None: no masks are drawn.
    `start`: initial weights are uniform within this of 0; None: within 1 / sqrt(a layer's inputs).
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
