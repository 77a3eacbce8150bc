"""The name of a model -> its tagger, by the kind that its manifest names."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from crfclean.bundle import find_model
from crfclean.bundle import load as load_bundle
from crfclean.types import ModelError, Tagger

KINDS = {"crf": "crfclean.taggers.crf", "mlp": "crfclean.taggers.mlp"}
"""Kind of model -> module with `from_bundle(folder, bundle)`."""

SHIPPED = {"crf": "default", "mlp": "mlp"}
"""Kind of model -> the shipped model of that kind."""


def load(model: str | Path = "default") -> Tagger:
    """Open a model: a folder, or the name of a shipped one. Raises `ModelError`."""
    folder = find_model(model)
    bundle = load_bundle(folder)
    if bundle.kind not in KINDS:
        raise ModelError(f"{folder}: no tagger of kind {bundle.kind!r}")
    tagger: Tagger = import_module(KINDS[bundle.kind]).from_bundle(folder, bundle)
    return tagger
