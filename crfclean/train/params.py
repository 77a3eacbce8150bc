"""The parameters of training a CRF."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.types import option

ALGORITHMS = ("lbfgs", "l2sgd", "ap", "pa", "arow")


@dataclass(frozen=True, slots=True)
class TrainParams:
    """How a model is trained; the defaults are those that cross-validation chose."""

    algorithm: str = option("lbfgs", "CRFsuite's algorithm", ALGORITHMS)
    l1: float = option(0.0, "L1 regularisation (L-BFGS only)")
    l2: float = option(3.0, "L2 regularisation (L-BFGS and l2sgd)")
    iterations: int = option(200, "most iterations")
    min_freq: float = option(0.0, "leave out attributes that are rarer")
    bins: int = option(8, "quantile bins of a feature")
    reach: int = option(2, "distance of the farthest neighbour that a block is told of")
    held_out: float = option(0.2, "share of pages, by site, for the scores at the end; 0: none")
    networks: int = option(0, "networks of a first pass, for 200 pages and more; 0: the CRF alone")
    base: str = option("", "start from this model: its networks, a new CRF")
    elements: tuple[str, ...] = option((), "only the text of these elements, as in h1,p,li")
