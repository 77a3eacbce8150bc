"""The parameters of training: a CRF, and a model of forums."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.types import option

ALGORITHMS = ("lbfgs", "l2sgd")


@dataclass(frozen=True, slots=True)
class TrainParams:
    """How a CRF is trained; cross-validation chose the defaults."""

    algorithm: str = option("lbfgs", "CRFsuite's algorithm", ALGORITHMS)
    l1: float = option(0.0, "L1 regularisation (L-BFGS only)")
    l2: float = option(3.0, "L2 regularisation (L-BFGS and l2sgd)")
    iterations: int = option(200, "most iterations")
    min_freq: float = option(0.0, "leave out attributes that are rarer")
    bins: int = option(8, "quantile bins of a feature")
    reach: int = option(2, "distance of the farthest neighbour that a block is told of")
    held_out: float = option(0.2, "share of pages, by site, for the scores at the end; 0: none")
    networks: int = option(0, "members of two networks, for 200 pages and more; 0: the CRF alone")
    first_pass: float = option(0.75, "weight of the networks in the probabilities, beside the CRF")
    base: str = option("", "start from this model: its networks, a new CRF")
    elements: tuple[str, ...] = option((), "only the text of these elements, as in h1,p,li")


@dataclass(frozen=True, slots=True)
class ForumParams:
    """How a model of forums is trained."""

    l1: float = option(0.1, "L1 regularisation of the fields' weights")
    l2: float = option(0.3, "L2 regularisation of the fields' weights")
    threshold: int = option(3, "how often an attribute must occur")
    iterations: int = option(80, "most iterations")
    decay: float = option(0.003, "L2 regularisation of the rankings")
    inner: int = option(4, "folds, by site, whose fields the ranking of groups learns from")
