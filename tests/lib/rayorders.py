"""Params for a Ray cluster whose tagger does what pages order; imported only where Ray is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from doubles import Obeys

from crfclean.corpus.clean import BatchParams
from crfclean.extras.ray import PackedParams, pack_params


@dataclass(frozen=True)
class ObeyingParams(PackedParams):
    """Params that are sent with their model, which is not used."""

    def unpack(self, folder: Path) -> BatchParams:
        """The params with the tagger that obeys."""
        return replace(super().unpack(folder), tagger=Obeys())


def pack_obeying(params: BatchParams) -> ObeyingParams:
    """Pack params as `pack_params` does."""
    return ObeyingParams(**vars(pack_params(params)))
