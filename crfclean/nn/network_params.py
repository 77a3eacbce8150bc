"""The parameters of a network of the first pass."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.nn.design import Design
from crfclean.types import Label, check_bounds, option

BATCH_PAGES = 16
SHARED_BOUNDS = {
    "learning_rate": (0.0, 1.0),
    "weight_decay": (0.0, 1.0),
    "dropout": (0.0, 0.95),
    "evenness": (0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class NetworkParams:
    """How a network of a first pass is trained; cross-validation chose the defaults.

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
        units = dict.fromkeys(("first_units", "second_units", "epochs"), (1, 10_000))
        check_bounds(self, {**units, **SHARED_BOUNDS})

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
        )
