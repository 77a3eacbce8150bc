"""The parameters of a network of the first pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from crfclean.products.teach.design import Design
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
