"""Open taggers by the name of a model or of a tagger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crfclean import door
from crfclean.systems.capabilities import Decides, need
from crfclean.types import CrfcleanError, ModelError, Tagger
from crfclean.types.choices import FORUM_TAGGER

if TYPE_CHECKING:
    from crfclean.model.folder import Bundle

_SHIPPED_MODELS = {"crf": "default"}
"""Kind of model -> the shipped model of that kind, where it has another name."""

SHIPPED = {kind: _SHIPPED_MODELS.get(kind, kind) for kind in door.names("models")}
"""Kind of model -> the shipped model of that kind."""

NAMED = door.names("taggers")
"""The taggers that are opened by their own names."""


def load(model: str | Path = "default", kind: str | None = None) -> Tagger:
    """Open a model and return its tagger, for many calls of `clean` or `run_many`.

    `model` is the name of a shipped model ("default", "mlp"), a folder (a `Path`, or a text such as
    "./my-model"), a file of settings (see `crfclean tune`), or the name of a tagger without a
    model: "energy", "links", "expert", or that of another package. `kind` is "crf" or "mlp", which
    opens the default model of that kind, or again a tagger without a model.
    Raises `ModelError` for a bad model or one of another kind, and `CrfcleanError` if `model` is
    given for a kind without models.

    >>> load("default").name, load("links").name
    ('crf', 'links')
    """
    if kind is None and is_named(model):
        return named(str(model))
    if kind == FORUM_TAGGER and kind in NAMED:
        tagger: Tagger = door.find("taggers", kind)(kind if model == "default" else model)
        return tagger
    if kind is not None and kind not in SHIPPED and door.has("taggers", kind):
        if model != "default":
            raise CrfcleanError(f"the tagger {kind} has no model: leave out --model {model}")
        return named(kind)
    from crfclean.model.folder import find_model, load_bundle
    from crfclean.model.settings import is_settings

    if is_settings(model):
        return _by_settings(Path(model), kind)
    folder = find_model(shipped_model(model, kind))
    bundle = load_bundle(folder)
    if kind not in (None, bundle.kind):
        raise ModelError(f"{folder}: a model of the kind {bundle.kind}, not {kind}")
    return open_bundle(folder, bundle)


by_name = load
"""The earlier name of `load` for taggers of either kind."""


def _by_settings(path: Path, kind: str | None) -> Tagger:
    from crfclean.model.settings import read_settings

    settings = read_settings(path)
    try:
        decides = need(load(settings.model, kind), Decides)
        chosen: dict[str, Any] = {"convention": ""} if settings.cut.get("keep") else {}
        return decides.with_cut(replace(decides.cut, **chosen, **settings.cut))
    except (CrfcleanError, TypeError) as error:
        raise ModelError(f"{path}: {error}") from error


def is_named(name: str | Path) -> bool:
    """Return whether a tagger without a model has this name.

    A name is never a folder: write `./energy` for a folder with that name. Other packages are
    asked only for a name that is neither built in nor that of a shipped model.
    """
    if name in NAMED:
        return True
    from crfclean.model.folder import find_manifest, is_shipped_name
    from crfclean.model.settings import is_settings

    if is_settings(name) or not is_shipped_name(name):
        return False
    try:
        find_manifest(name)
    except ModelError:
        return door.has("taggers", str(name))
    return False


def open_bundle(folder: Path, bundle: Bundle) -> Tagger:
    """The tagger of a bundle, by its kind; raises `ModelError`."""
    if not door.has("models", bundle.kind):
        raise ModelError(f"{folder}: no tagger of kind {bundle.kind!r}")
    tagger: Tagger = door.find("models", bundle.kind)(folder, bundle)
    return tagger


def shipped_model(model: str | Path, kind: str | None) -> str | Path:
    """The name of the model for a kind of tagger; raises `ModelError`.

    >>> [shipped_model(*names) for names in (("default", "mlp"), ("my", "mlp"), ("default", None))]
    ['mlp', 'my', 'default']
    """
    if kind is None or model != "default":
        return model
    if kind not in SHIPPED:
        known = ", ".join((*SHIPPED, *NAMED))
        raise ModelError(f"no tagger of kind {kind!r}; there are {known}")
    return SHIPPED[kind]


def named(name: str) -> Tagger:
    """A tagger without a model, by name; raises `CrfcleanError`."""
    tagger: Tagger = door.find("taggers", name)()
    return tagger
