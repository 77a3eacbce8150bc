"""The parameters of training: a CRF, and a model of forums."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.types import option

__all__ = ["TrainParams"]

ALGORITHMS = ("lbfgs", "l2sgd")


@dataclass(frozen=True, slots=True)
class TrainParams:
    """Parameters for training a CRF; cross-validation chose the defaults."""

    algorithm: str = option("lbfgs", "training algorithm of CRFsuite", ALGORITHMS)
    l1: float = option(0.0, "L1 regularisation (L-BFGS only)")
    l2: float = option(3.0, "L2 regularisation (L-BFGS and l2sgd)")
    iterations: int = option(200, "most passes of the training")
    min_freq: float = option(0.0, "ignore attributes that are rarer")
    bins: int = option(8, "quantile bins of a feature")
    reach: int = option(2, "how many neighbours on each side a block sees")
    held_out: float = option(0.2, "share of pages, by site, for the scores; 0: none")
    networks: int = option(0, "networks of the first pass, from 200 pages; 0: only the CRF")
    first_pass: float = option(0.75, "weight of the networks beside the CRF")
    base: str = option("", "adapt this model: keep its networks, train a new CRF")
    elements: tuple[str, ...] = option(
        (), "read only the text of these HTML elements, e.g. h1,p,li"
    )


@dataclass(frozen=True, slots=True)
class ForumParams:
    """Parameters for training a model of forums."""

    l1: float = option(0.1, "L1 regularisation of the fields' weights")
    l2: float = option(0.3, "L2 regularisation of the fields' weights")
    threshold: int = option(3, "how often an attribute must occur")
    iterations: int = option(80, "most iterations")
    decay: float = option(0.003, "L2 regularisation of the rankings")
    inner: int = option(4, "folds, by site, whose fields the ranking of groups learns from")
