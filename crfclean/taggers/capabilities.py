"""Capabilities of taggers beyond labelling, and the refusal if one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast, runtime_checkable

from crfclean.types import Blocks, Bools, CrfcleanError, Floats, Reason, Tagger, Tags

if TYPE_CHECKING:
    from crfclean.decision.rules import CutChoice, CutParams
    from crfclean.modelfiles.folder import Bundle


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
class Wraps(Protocol):
    """A tagger around another one, `inner`.

    It has the capabilities in `passed_on` only if the inner tagger has them.
    """

    passed_on: ClassVar[frozenset[type]]

    @property
    def inner(self) -> Tagger:
        """The tagger inside."""


LACKS: Mapping[type, str] = {
    Decides: "makes decisions that are not made by a cut",
    Judges: "gives no probabilities of labels",
    Explains: "gives no reasons",
    Traces: "has no rules to trace (see crfclean explain)",
    MarksComments: "marks no comments",
    HasModel: "cannot be sent to a cluster",
}
"""Capability -> the end of the message that a tagger lacks it."""


def capability(tagger: object, protocol: type[P]) -> P | None:
    """Return the tagger, typed by the capability, or None if it lacks the capability."""
    classes: Any = (type(tagger), protocol)
    if _has_all(*classes):
        return cast("P", tagger)
    inner = tagger.inner if isinstance(tagger, Wraps) and protocol in tagger.passed_on else None
    if inner is not None and capability(inner, protocol) is None:
        return None
    return tagger if isinstance(tagger, protocol) else None


@lru_cache(maxsize=64)
def _has_all(kind: type, protocol: type) -> bool:
    """Return whether a class has all members of a protocol, so that instances need no check."""
    if hasattr(kind, "passed_on"):  # it depends on the tagger inside
        return False
    members = [name for name in vars(protocol) if not name.startswith("_")]
    return bool(members) and all(getattr(kind, name, None) is not None for name in members)


def need(tagger: object, protocol: type[P], option: str = "") -> P:
    """Return the tagger, typed by the capability that an option needs.

    Raises `CrfcleanError` with a message from `LACKS` if the tagger lacks the capability.
    """
    able = capability(tagger, protocol)
    if able is None:
        start = f"{option}: " if option else ""
        raise CrfcleanError(f"{start}the tagger {name_of(tagger)} {LACKS[protocol]}")
    return able


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
