"""Open taggers by the name of a model or of a rule-based tagger."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crfclean.types import CrfcleanError, ModelError, Tagger

if TYPE_CHECKING:  # options list taggers: features and models are imported with the first one
    from crfclean.modelfiles.folder import Bundle

MODEL_KINDS = {"crf": "crfclean.taggers.crf", "mlp": "crfclean.taggers.mlp"}
"""Kind of model -> module with `from_bundle(folder, bundle)`."""

SHIPPED = {"crf": "default", "mlp": "mlp"}
"""Kind of model -> the shipped model of that kind."""

NAMED = {
    "energy": "crfclean.taggers.segments",
    "links": "crfclean.taggers.segments",
    "expert": "crfclean.taggers.expert",
}
"""Name of a tagger that needs no model -> module with `from_name(name)`."""


def load(model: str | Path = "default", kind: str | None = None) -> Tagger:
    """Open a model and return its tagger, for many calls of `clean` or `run_many`.

    `model` is the name of a shipped model ("default", "mlp"), a folder (a `Path`, or a text such as
    "./my-model"), or a file of settings (see `crfclean tune`). `kind` is "crf" or "mlp", which
    opens the default model of that kind, or "energy", "links" or "expert", which need no model.
    Raises `ModelError` for a bad model or one of another kind, and `CrfcleanError` if `model` is
    given for a kind without models.

    >>> load("default").name
    'crf'
    """
    if kind in NAMED:
        if model != "default":
            raise CrfcleanError(f"the tagger {kind} has no model: leave out --model {model}")
        return named(kind)
    from crfclean.modelfiles.folder import find_model, load_bundle
    from crfclean.modelfiles.settings import is_settings

    if is_settings(model):
        return _by_settings(Path(model), kind)
    folder = find_model(shipped_model(model, kind))
    bundle = load_bundle(folder)
    if kind not in (None, bundle.kind):
        raise ModelError(f"{folder}: a model of the kind {bundle.kind}, not {kind}")
    return open_bundle(folder, bundle)


def _by_settings(path: Path, kind: str | None) -> Tagger:
    from crfclean.modelfiles.settings import read_settings
    from crfclean.taggers.capabilities import Decides, need

    settings = read_settings(path)
    try:
        decides = need(load(settings.model, kind), Decides)
        chosen: dict[str, Any] = {"convention": ""} if settings.cut.get("keep") else {}
        return decides.with_cut(replace(decides.cut, **chosen, **settings.cut))
    except (CrfcleanError, TypeError) as error:
        raise ModelError(f"{path}: {error}") from error


def by_name(name: str) -> Tagger:
    """The tagger of a model, or one of `NAMED`; raises `ModelError`.

    A name is never a folder: write `./energy` for a folder with that name.
    """
    return named(name) if name in NAMED else load(name)


def open_bundle(folder: Path, bundle: Bundle) -> Tagger:
    """The tagger of a bundle, by its kind; raises `ModelError`."""
    if bundle.kind not in MODEL_KINDS:
        raise ModelError(f"{folder}: no tagger of kind {bundle.kind!r}")
    tagger: Tagger = import_module(MODEL_KINDS[bundle.kind]).from_bundle(folder, bundle)
    return tagger


def shipped_model(model: str | Path, kind: str | None) -> str | Path:
    """The name of the model for a kind of tagger; raises `ModelError`.

    >>> [shipped_model(*names) for names in (("default", "mlp"), ("my", "mlp"), ("default", None))]
    ['mlp', 'my', 'default']
    """
    if kind is None or model != "default":
        return model
    if kind not in SHIPPED:
        raise ModelError(f"no tagger of kind {kind!r}; there are {', '.join(SHIPPED)}")
    return SHIPPED[kind]


def named(name: str) -> Tagger:
    """A tagger without a model, by name; raises `CrfcleanError`."""
    if name not in NAMED:
        raise CrfcleanError(f"no tagger {name!r}; there are {', '.join(NAMED)}")
    tagger: Tagger = import_module(NAMED[name]).from_name(name)
    return tagger
