"""Open taggers by name, and say what they can do besides labelling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

import numpy as np

from crfclean import door
from crfclean.decision.choosing import BELOW_PRECISION
from crfclean.decision.evidence import Evidence
from crfclean.decision.verdict import relabelled
from crfclean.types import (
    Blocks,
    Bools,
    CrfcleanError,
    Document,
    Floats,
    Kind,
    Label,
    ModelError,
    Reason,
    Tagger,
    Tags,
)
from crfclean.types.choices import COMMENT_MODES

if TYPE_CHECKING:
    from crfclean.decision.rules import CutChoice, CutParams
    from crfclean.model.folder import Bundle

# A capability is a protocol: a tagger has it if it has the methods and attributes. A tagger may
# also have a `name` for messages, the names of the `elements` that its blocks are restricted to,
# and a `fingerprint` of everything that its labels depend on, in 16 hexadecimal digits.

P = TypeVar("P")


@runtime_checkable
class Decides(Protocol):
    """A tagger that turns probabilities into labels by a decision rule that can be changed."""

    @property
    def cut(self) -> CutParams:
        """The decision rule."""

    def with_cut(self, params: CutParams) -> Tagger:
        """The same tagger with another decision rule."""


@runtime_checkable
class Judges(Protocol):
    """A tagger whose labels follow from marginals, which other evidence may change."""

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginal probabilities of n blocks, shape (n, 3)."""

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags of n blocks from marginals (n, 3), the tagger's or changed ones."""


@runtime_checkable
class Automatic(Judges, Protocol):
    """A tagger whose decision can be made without what a caller keeps."""

    @property
    def automatic(self) -> Tagger:
        """The same tagger without a caller's choice, or itself if there is none."""


@runtime_checkable
class Explains(Protocol):
    """A tagger that gives the reasons for its labels."""

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """At most `most` reasons for each block, the weightiest first."""


@runtime_checkable
class Traces(Protocol):
    """A tagger that can list the rules it applied to a page."""

    def trace(self, blocks: Blocks) -> str:
        """The rules in order of application, in lines that end with a line feed."""


@runtime_checkable
class MarksComments(Protocol):
    """A tagger that finds readers' comments itself."""

    def comments(self, blocks: Blocks) -> Bools:
        """Mark the blocks that are text of comments, shape (n,)."""


@runtime_checkable
class HasModel(Protocol):
    """A tagger made from one model folder, whose content is `bundle`."""

    @property
    def bundle(self) -> Bundle:
        """The model."""


@runtime_checkable
class Opens(Protocol):
    """A tagger that reads its model with its first page, or when it is told to."""

    def open(self) -> None:
        """Open the model; raises `ModelError`."""


LACKS: Mapping[type, str] = {
    Decides: "does not support conventions, kinds or thresholds",
    Judges: "gives no probabilities of labels",
    Explains: "gives no reasons",
    Traces: "has no rules to trace (see crfclean explain)",
    MarksComments: "marks no comments",
    HasModel: "cannot be sent to a cluster",
}
"""Capability -> the message that a tagger lacks it, without the tagger and what is missing."""


def capability(tagger: object, protocol: type[P]) -> P | None:
    """Return the tagger, typed by the capability, or None if it lacks the capability."""
    classes: Any = (type(tagger), protocol)
    return cast("P", tagger) if _has_all(*classes) or isinstance(tagger, protocol) else None


@lru_cache(maxsize=64)
def _has_all(kind: type, protocol: type) -> bool:
    """Return whether a class has all members of a protocol, so that instances need no check."""
    members = [name for name in vars(protocol) if not name.startswith("_")]
    fields = getattr(kind, "__dataclass_fields__", ())  # as `cut`: no attributes of the class
    has = (name in fields or getattr(kind, name, None) is not None for name in members)
    return bool(members) and all(has)


def need(tagger: object, protocol: type[P], option: str = "") -> P:
    """Return the tagger, typed by the capability that an option needs.

    Raises `CrfcleanError` with a message from `LACKS` if the tagger lacks the capability.
    """
    able = capability(tagger, protocol)
    if able is None:
        start = f"{option}: " if option else ""
        lacks = f"{LACKS[protocol]}: it has {missing(tagger, protocol)}"
        raise CrfcleanError(f"{start}tagger `{name_of(tagger)}` {lacks}")
    return able


def missing(tagger: object, protocol: type) -> str:
    """Say which methods and attributes of a capability a tagger lacks.

    >>> missing("a text", Decides)
    'no method with_cut and no attribute cut'
    """
    members = {
        name: "method" if callable(member) else "attribute"
        for name, member in vars(protocol).items()
        if not name.startswith("_") and getattr(tagger, name, None) is None
    }
    return " and ".join(f"no {members[name]} {name}" for name in sorted(members, reverse=True))


def name_of(tagger: object) -> str:
    """Return a tagger's name for messages, or the name of its class."""
    return str(getattr(tagger, "name", type(tagger).__name__))


def elements_of(tagger: object) -> tuple[str, ...]:
    """The elements that a tagger's blocks are restricted to; empty: no restriction."""
    return tuple(getattr(tagger, "elements", ()))


def fingerprint(tagger: object) -> str:
    """A tagger's fingerprint, "" if it has none."""
    return str(getattr(tagger, "fingerprint", ""))


def with_choice(tagger: Tagger, choice: CutChoice) -> Tagger:
    """Return the tagger with the decisions that a caller asks for, or as it is without any.

    Raises `CrfcleanError` for a wrong choice, and for a tagger without a cut.
    """
    asked = choice.asked
    if not asked:
        return tagger
    decides = need(tagger, Decides, asked[0])
    return decides.with_cut(choice.of(decides.cut))


# open taggers by the name of a model or of a rule-based tagger

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
    if kind is not None and kind not in SHIPPED and door.has("taggers", kind):
        if model != "default":
            raise CrfcleanError(f"the tagger {kind} has no model: leave out --model {model}")
        return named(kind)
    from crfclean.model.folder import find_model, is_settings, load_bundle

    if is_settings(model):
        return _by_settings(Path(model), kind)
    folder = find_model(shipped_model(model, kind))
    bundle = load_bundle(folder)
    if kind not in (None, bundle.kind):
        raise ModelError(f"{folder}: a model of the kind {bundle.kind}, not {kind}")
    return open_bundle(folder, bundle)


def _by_settings(path: Path, kind: str | None) -> Tagger:
    from crfclean.model.folder import read_settings

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
    from crfclean.model.folder import find_manifest, is_settings, is_shipped_name

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


# keep, set apart or drop readers' comments in a document

COMMENT = Kind.COMMENT.name.lower()


def with_comments(document: Document, tagger: Tagger, mode: str) -> Document:
    """Return the document with comments kept ("keep"), set apart ("separate") or dropped ("drop").

    Raises `CrfcleanError` for another mode.
    """
    if mode not in COMMENT_MODES:
        raise CrfcleanError(f"no mode {mode!r} of comments; there are {', '.join(COMMENT_MODES)}")
    if document.lacks_content and not document.kept:
        return document
    with_all, comments = _with_all(document, tagger)
    tags = with_all if mode == "keep" else document.tags
    outside = np.where(comments, Label.OTHER, tags.labels)
    inside = np.where(comments & ~tags.kept, Label.TEXT, tags.labels)
    labels = (inside if mode == "keep" else outside).astype(np.int32)
    separate = comments if mode == "separate" else None
    status = document.status
    if status in ("ok", "nothing-kept", BELOW_PRECISION):
        status = "ok" if (labels != Label.OTHER).any() else tags.refusal or "nothing-kept"
    changed = relabelled(tags, document.blocks, labels)
    return replace(document, tags=replace(changed, comments=separate), status=status)


def _with_all(document: Document, tagger: Tagger) -> tuple[Tags, Bools]:
    """Return the tags as if all comments belonged to the text, and a mask of the comments, (n,).

    A tagger may mark comments itself. Otherwise comments are the blocks in elements for comments
    that the tagger keeps, or would keep if the page were a thread.
    """
    blocks, tags = document.blocks, document.tags
    marks = capability(tagger, MarksComments)
    if marks is not None:
        return tags, marks.comments(blocks)
    if not len(blocks):
        return tags, np.zeros(0, np.bool_)
    decides = capability(tagger, Decides)
    if decides is not None and tags.model is not None:
        without = tuple(word for word in decides.cut.without if word != COMMENT)
        asking = decides.with_cut(
            replace(decides.cut, also=(*decides.cut.also, COMMENT), without=without)
        )
        judges = capability(asking, Judges)
        tags = asking.tag(blocks) if judges is None else judges.decide(blocks, tags.model)
    comments: Bools = Evidence(blocks).comments & tags.kept
    return tags, comments
