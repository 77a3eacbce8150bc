"""A tagger + a capability -> the tagger as one that has it, or a refusal.

A capability is a protocol: what a tagger can do besides labelling blocks (`values.Tagger`). A
tagger has a capability by having its methods and attributes; a tagger around another one says
which of them it has only where the tagger inside does (see `Wraps`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

from crfclean.modelfiles.folder import Bundle
from crfclean.taggers.params import CutParams
from crfclean.taggers.postanalysis import Analysis, PostParams
from crfclean.types import Blocks, Bools, CrfcleanError, Floats, Reason, Tagger, Tags

P = TypeVar("P")


@runtime_checkable
class Named(Protocol):
    """A tagger with a name that messages use, as on the command line: "crf", "expert"."""

    @property
    def name(self) -> str:
        """What messages call the tagger."""
        ...


@runtime_checkable
class Restricted(Protocol):
    """A tagger whose blocks are the text of some elements alone; no names: of all elements."""

    @property
    def elements(self) -> tuple[str, ...]:
        """Names of elements."""
        ...


@runtime_checkable
class Fingerprinted(Protocol):
    """A tagger with a fingerprint of all that its labels depend on: 16 hexadecimal digits."""

    @property
    def fingerprint(self) -> str:
        """The digits."""
        ...


@runtime_checkable
class Decides(Protocol):
    """A tagger that makes labels of probabilities by a rule which can be changed."""

    @property
    def cut(self) -> CutParams:
        """The rule."""
        ...

    def with_cut(self, params: CutParams) -> Tagger:
        """The same tagger with another rule."""
        ...


@runtime_checkable
class Judges(Protocol):
    """A tagger whose labels follow from marginals, so that other evidence may change these."""

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginal probabilities of a page's n blocks, shape (n, 3)."""
        ...

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags of a page's n blocks from marginals (n, 3), its own or changed ones."""
        ...


@runtime_checkable
class Explains(Protocol):
    """A tagger that gives the reasons for its labels."""

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For every block at most `most` reasons, the weightiest first."""
        ...


@runtime_checkable
class Traces(Protocol):
    """A tagger that can list the rules it applied to a page."""

    def trace(self, blocks: Blocks) -> str:
        """The rules in the order of their application, in lines that end with a line feed."""
        ...


@runtime_checkable
class MarksComments(Protocol):
    """A tagger that finds readers' comments itself."""

    def comments(self, blocks: Blocks) -> Bools:
        """Which of a page's n blocks are text of comments, shape (n,)."""
        ...


@runtime_checkable
class Corrected(Protocol):
    """A tagger behind which a post-analysis stands; `tagger` is the one without it."""

    @property
    def tagger(self) -> Tagger:
        """The tagger without the post-analysis."""
        ...

    @property
    def params(self) -> PostParams:
        """The parameters of the post-analysis."""
        ...

    def analyse(self, blocks: Blocks) -> Analysis:
        """The tags before and after the post-analysis, and what each step did."""
        ...


@runtime_checkable
class HasModel(Protocol):
    """A tagger that is made of a model of one folder, whose content is `bundle`."""

    @property
    def bundle(self) -> Bundle:
        """The model."""
        ...


@runtime_checkable
class Wraps(Protocol):
    """A tagger around another one, `inner`.

    It has the capabilities `passed_on` only where the inner tagger has them; others are its own.
    """

    passed_on: ClassVar[frozenset[type]]

    @property
    def inner(self) -> Tagger:
        """The tagger inside."""
        ...


LACKS: Mapping[type, str] = {
    Decides: "makes decisions that are not made by a cut",
    Judges: "knows nothing of sites",
    Explains: "gives no reasons",
    Traces: "has no rules to trace (see crfclean explain)",
    MarksComments: "marks no comments",
    Corrected: "has no post-analysis behind it",
    Restricted: "is restricted to no elements",
    Fingerprinted: "has no fingerprint",
    HasModel: "cannot be sent to a cluster",
}
"""Capability -> what a message says of a tagger that lacks it."""


def capability(tagger: object, wanted: type[P]) -> P | None:
    """The tagger as one that has the capability, None where it lacks it."""
    inside = tagger.inner if isinstance(tagger, Wraps) and wanted in tagger.passed_on else None
    if inside is not None and capability(inside, wanted) is None:
        return None
    return tagger if isinstance(tagger, wanted) else None


def need(tagger: object, wanted: type[P], option: str = "") -> P:
    """The tagger as one that has the capability which an option asks for.

    Raises `CrfcleanError` with a sentence of `LACKS` where the tagger lacks it.
    """
    able = capability(tagger, wanted)
    if able is None:
        start = f"{option}: " if option else ""
        raise CrfcleanError(f"{start}the tagger {name_of(tagger)} {LACKS[wanted]}")
    return able


def name_of(tagger: object) -> str:
    """What messages call a tagger: its name, or that of its class."""
    named = capability(tagger, Named)
    return type(tagger).__name__ if named is None else named.name


def elements_of(tagger: object) -> tuple[str, ...]:
    """The elements that a tagger's blocks are restricted to; empty: none."""
    restricted = capability(tagger, Restricted)
    return () if restricted is None else restricted.elements


def fingerprint(tagger: object) -> str:
    """A tagger's fingerprint; "" for one without it, of which nothing is known."""
    able = capability(tagger, Fingerprinted)
    return "" if able is None else str(able.fingerprint)
