"""What a tagger can do besides labelling, and the refusal where it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from crfclean.types import (
    Blocks,
    Bools,
    CrfcleanError,
    Floats,
    Reason,
    Tagger,
    Tags,
)

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
