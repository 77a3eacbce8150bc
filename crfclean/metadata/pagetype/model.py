"""Model folder <-> `PageModel`: figures of a page to probabilities of its types.

A folder holds `manifest.json` and `weights.json`; the manifest has the weights' length and
SHA-256, and fingerprints of the figures. Numbers are written with four decimals: equal models give
equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.metadata.pagetype.figures import NO_ADDRESS, figures
from crfclean.modelfiles.folder import find_model
from crfclean.modelfiles.plain import read_manifest, read_weights, reading, write_plain
from crfclean.modelfiles.probe import (
    ADDRESSES,
    FORUM_PROBE,
    HEAD_PROBE,
    PROBE,
    check_features,
    column_fingerprint,
)
from crfclean.nn.layers import softmax
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Bools, Floats, Page

KIND = "pagetype"
DECIMALS = 4
CLIP = 4.0  # deviations: what lies farther out counts as this far
_PAGES = ((PROBE, ADDRESSES[0]), (FORUM_PROBE, None), (HEAD_PROBE, ADDRESSES[2]))


@dataclass(frozen=True)
class PageModel:
    """Multinomial logistic regression over standardised figures, twice.

    `log`, `mean` and `deviation` (figures,) say how a figure becomes an input. `weights` are
    (2, figures, types), `bias` (2, types): first for pages without an address, then for those
    with one. `about` is what the manifest says besides.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    log: Bools
    mean: Floats
    deviation: Floats
    weights: Floats
    bias: Floats
    about: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, rows: Floats) -> Floats:
        """Figures (n, figures) -> probabilities (n, types)."""
        inputs = self.inputs(rows)
        known = rows[:, self.names.index(NO_ADDRESS)] == 0.0
        alone, located = (
            inputs @ one + bias for one, bias in zip(self.weights, self.bias, strict=True)
        )
        return softmax(np.where(known[:, None], located, alone))

    def inputs(self, rows: Floats) -> Floats:
        """Figures (n, figures) -> inputs: logarithms of counts, mean 0, deviation 1."""
        values = logs(rows, self.log)
        inputs: Floats = np.clip((values - self.mean) / self.deviation, -CLIP, CLIP)
        return inputs


def logs(rows: Floats, log: Bools) -> Floats:
    """Figures with the logarithm (1 + x) of those that are counts."""
    return np.where(log, np.log1p(np.maximum(rows, 0.0)), rows)


@cache
def fingerprints() -> dict[str, str]:
    """Figure -> fingerprint: what it is on some built-in pages."""
    rows = [figures(Measures(split(Page(html))), address) for html, address in _PAGES]
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return {name: column_fingerprint(column) for name, column in columns.items()}


def save(model: PageModel, folder: Path) -> None:
    """Write a model folder; equal models give equal bytes. Raises `ModelError`."""
    weights = {
        "log": [int(one) for one in model.log],
        **{
            name: np.round(getattr(model, name), DECIMALS).tolist()
            for name in ("mean", "deviation", "weights", "bias")
        },
    }
    prints = fingerprints()
    told = {
        "types": list(model.types),
        "features": {name: prints.get(name, "") for name in model.names},
    }
    write_plain(folder, KIND, told, weights, model.about)


def load(name: str | Path = KIND) -> PageModel:
    """Open a model of page types: a folder, or the name of a shipped one. Raises `ModelError`."""
    folder = find_model(name)
    with reading(folder):
        manifest = read_manifest(folder, KIND, "page types")
        check_features(folder, manifest["features"], fingerprints())
        weights = read_weights(folder, manifest)
        about = {key: manifest[key] for key in ("parameters", "sets", "scores") if key in manifest}
        return _model(tuple(manifest["features"]), tuple(manifest["types"]), weights, about)


def _model(
    names: tuple[str, ...], types: tuple[str, ...], told: Mapping[str, Any], about: Any
) -> PageModel:
    """Raises `ValueError` where the weights do not fit names and types, or are no numbers."""
    if not types or len(set(types)) < len(types):
        raise ValueError("no types, or one of them twice")
    shapes = {
        **dict.fromkeys(("log", "mean", "deviation"), (len(names),)),
        "weights": (2, len(names), len(types)),
        "bias": (2, len(types)),
    }
    arrays = {name: np.array(told[name], np.float64) for name in shapes}
    for name, shape in shapes.items():
        if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} are not {shape} finite numbers")
    if NO_ADDRESS not in names or (arrays["deviation"] <= 0).any():
        raise ValueError("no figure of the address, or a deviation that is not above 0")
    log = arrays.pop("log") > 0
    return PageModel(names, types, log=log, about=about, **arrays)
