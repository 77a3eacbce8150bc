"""Networks of random weights that give scores."""

from __future__ import annotations

import numpy as np

from crfclean.model.layers import Layer, identity_scaling
from crfclean.model.networks import Network

PAPER = ("sigmoid", "gaussian", "gaussian", "ramp")
TUNED = ("relu", "relu", "sigmoid")


def scorer(*activations: str, inputs: int = 4, seed: int = 0, steepness: float = 0.7) -> Network:
    """Random layers of five units, and one output."""
    random = np.random.default_rng(seed)
    widths = [inputs, *[5] * (len(activations) - 1), 1]
    layers = tuple(
        Layer(
            random.normal(size=(width, following)).astype(np.float32),
            random.normal(size=following).astype(np.float32),
            name,
            steepness,
        )
        for width, following, name in zip(widths[:-1], widths[1:], activations, strict=True)
    )
    centre = random.random(inputs).astype(np.float32)
    return Network(tuple("abcdefgh"[:inputs]), identity_scaling(centre), (layers,))
