"""The model of page types, and the type it gives a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.core.labels import Dense
from crfclean.model.feature_prints import check_features, fingerprints
from crfclean.model.folder import find_model, reading
from crfclean.model.json_model import finite, read_manifest, read_weights
from crfclean.model.page_features import NO_ADDRESS, page_row
from crfclean.types import Bools, Document, Floats, PageType

# the model of page types, and its file format
#
# A folder has `manifest.json` and `weights.json`; the manifest has the weights' length and
# SHA-256, and fingerprints of the figures. Numbers are written with four decimals, so that equal
# models have equal bytes.

PAGE_MODEL = "pagetype"
"""Name of the shipped model, and the kind in its manifest."""

_CLIP = 4.0  # largest distance from the mean, in standard deviations


@dataclass(frozen=True, repr=False, eq=False)
class PageModel:
    """Two multinomial logistic regressions over standardised figures.

    The first is for pages without an address, the second for pages with one: `weights`
    (2, figures, types) and `bias` (2, types). `log`, `mean` and `deviation` (figures,) turn figures
    into inputs. `about` has further entries of the manifest.
    """

    names: tuple[str, ...]
    types: tuple[str, ...]
    log: Bools
    mean: Floats
    deviation: Floats
    weights: Floats
    bias: Floats
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def compiled(self) -> tuple[Dense, Dense]:
        """The regressions for pages without and with an address."""
        without, others = (
            Dense(
                is_count=self.log,
                mean=self.mean,
                deviation=self.deviation,
                clip=_CLIP,
                members=[[(*pair, "linear", 1.0)]],
            )
            for pair in zip(self.weights, self.bias, strict=True)
        )
        return without, others

    def __call__(self, rows: Floats) -> Floats:
        """Figures (n, figures) -> probabilities (n, types)."""
        without, others = self.compiled
        has_address = rows[:, self.names.index(NO_ADDRESS), None] == 0.0
        if not has_address.any():
            return without(rows)
        return np.where(has_address, others(rows), without(rows))

    def inputs(self, rows: Floats) -> Floats:
        """Figures (n, figures) -> inputs of the same shape: logs of counts, mean 0, deviation 1."""
        values = logs(rows, self.log)
        values = (values - self.mean) / self.deviation
        inputs: Floats = np.minimum(np.maximum(values, -_CLIP), _CLIP)  # faster than `clip`
        return inputs


def logs(rows: Floats, log: Bools) -> Floats:
    """Replace counts x among figures (n, figures) by log(1 + x)."""
    return np.where(log, np.log1p(np.maximum(rows, 0.0)), rows)


def load_page_model(name: str | Path = PAGE_MODEL) -> PageModel:
    """Open a model of page types: a folder, or the name of a shipped one. Raises `ModelError`."""
    folder = find_model(name)
    with reading(folder):
        manifest = read_manifest(folder, PAGE_MODEL, "page types")
        check_features(folder, manifest["features"], fingerprints(PAGE_MODEL))
        weights = read_weights(folder, manifest)
        about = {key: manifest[key] for key in ("parameters", "sets", "scores") if key in manifest}
        return _model(tuple(manifest["features"]), tuple(manifest["types"]), weights, about)


def _model(
    names: tuple[str, ...], types: tuple[str, ...], weights: Mapping[str, Any], about: Any
) -> PageModel:
    """Raises `ValueError` for weights that do not fit names and types or are not finite."""
    if not types or len(set(types)) < len(types):
        raise ValueError("no types, or one of them twice")
    shapes = {
        **dict.fromkeys(("log", "mean", "deviation"), (len(names),)),
        "weights": (2, len(names), len(types)),
        "bias": (2, len(types)),
    }
    arrays = {name: finite(weights[name], shape) for name, shape in shapes.items()}
    if NO_ADDRESS not in names or (arrays["deviation"] <= 0).any():
        raise ValueError("no figure of the address, or a deviation that is not above 0")
    log = arrays.pop("log") > 0
    return PageModel(names, types, log=log, about=about, **arrays)


# predict the type of a document (article, forum, product ...), with the probability of each type
#
# The shipped model predicts it from figures of the whole page: words, elements, repetition, class
# names, the types that the page's metadata declare, and the address if it is known. A model of
# other types comes from `eval/models/page_types.py`.


def page_type(document: Document, model: str | Path | PageModel = PAGE_MODEL) -> PageType | None:
    """The likeliest type of a document, and the probability of each; None for an empty page.

    Raises `ModelError` for a model that cannot be read.
    """
    if not len(document.blocks):
        return None
    page_model = model if isinstance(model, PageModel) else open_page_model(model)
    inputs = page_row(document.blocks, document.url)
    probabilities = page_model(inputs[None, :])[0]
    pairs = zip(page_model.types, probabilities, strict=True)
    by_type = {name: round(float(probability), 4) for name, probability in pairs}
    return PageType(page_model.types[int(probabilities.argmax())], by_type)


@lru_cache(maxsize=4)
def open_page_model(model: str | Path = PAGE_MODEL) -> PageModel:
    """Load a model of page types, once a process; raises `ModelError`."""
    return load_page_model(model)
