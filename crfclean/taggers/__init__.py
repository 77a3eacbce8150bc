"""Name -> `Tagger`: a model by the kind that its manifest names, or a tagger without a model."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from crfclean.bundle import find_model
from crfclean.bundle import load as load_bundle
from crfclean.types import CrfcleanError, ModelError, Tagger

KINDS = {"crf": "crfclean.taggers.crf"}
"""Kind of model -> module with `from_bundle(folder, bundle)`."""

NAMED = {
    "energy": "crfclean.taggers.energy",
    "links": "crfclean.taggers.links",
    "expert": "crfclean.taggers.expert",
}
"""Name of a tagger that needs no model -> module with `named()`."""


def load(model: str | Path = "default") -> Tagger:
    """Open a model: a folder, or the name of a shipped one. Raises `ModelError`."""
    folder = find_model(model)
    bundle = load_bundle(folder)
    if bundle.kind not in KINDS:
        raise ModelError(f"{folder}: no tagger of kind {bundle.kind!r}")
    tagger: Tagger = import_module(KINDS[bundle.kind]).from_bundle(folder, bundle)
    return tagger


def named(name: str) -> Tagger:
    """A tagger without a model, by its name. Raises `CrfcleanError`."""
    if name not in NAMED:
        raise CrfcleanError(f"no tagger {name!r}; there are {', '.join(NAMED)}")
    tagger: Tagger = import_module(NAMED[name]).named()
    return tagger
