"""The parameters of training a model of forums."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.types import option


@dataclass(frozen=True, slots=True)
class ForumParams:
    """How a model of forums is trained."""

    l1: float = option(0.1, "L1 regularisation of the fields' weights")
    l2: float = option(0.3, "L2 regularisation of the fields' weights")
    threshold: int = option(3, "how often an attribute must occur")
    iterations: int = option(80, "most iterations")
    decay: float = option(0.003, "L2 regularisation of the rankings")
    inner: int = option(4, "folds, by site, whose fields the ranking of groups learns from")
