"""The parameters of the decision: its rule, and what belongs to a page's text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from crfclean.decision.expected import expected_f1
from crfclean.model.json_model import MOST_WEIGHT
from crfclean.page.selectors import check_selectors
from crfclean.types import CrfcleanError
from crfclean.types.choices import (
    AUTO,
    COARSE_WORDS,
    COMMENTS_OF_THREADS,
    CONVENTIONS,
    KEEPABLE,
    KIND_WORDS,
    RULES,
)
from crfclean.types.options import split_names

__all__ = ["CutParams", "Kinds", "expected_f1"]

_FORMS = ("paragraph", "list", "table", "code", "formula", "quote", "note")
_MAIN = ("lead", "heading", *_FORMS)
KINDS_OF: Mapping[str, tuple[str, ...]] = {
    "article": ("title", *_MAIN),
    "body": _MAIN,
    "page": ("title", *_MAIN, "caption", "byline"),
    "thread": ("comment", *_FORMS),
    "everything": ("title", *_MAIN, "caption", "byline", "comment"),
}
"""Convention -> the kinds of blocks that belong to a text; "auto" depends on the type of the page.

The markup of a thread's first post often differs from its answers: all forms of text belong to it.
"""

EVERYTHING_FROM = 0.25
"""Probability from which `everything` keeps a block of these kinds.

It has the best F2 on words as a mean of wcxb-dev and the demo pages. cleaneval-dev took no part in
the choice (eval/FINDINGS.md).
"""

Names = tuple[tuple[str, float], ...]
"""Names around blocks, as in `names.block_names`, each with the log-odds that it adds."""

KIND_LISTS = ("keep", "also", "without")
"""The parameters that are lists of kinds."""

SELECTORS = ("within", "drop")
"""The parameters that are lists of CSS selectors."""


@dataclass(frozen=True, slots=True)
class CutParams:
    """Parameters of the step from probabilities to labels.

    `rule` is one of: "threshold" (keep blocks with at least the probability `threshold`);
    "precision" (keep as many blocks as the target `precision` on words allows, as calibrated on new
    collections; see `PRECISION_TARGETS`); "expected_f1" (keep the blocks with the largest expected
    F1 on words).

    `convention` is one of `CONVENTIONS`, or "" to keep what the model keeps. It says which kinds
    belong to the text, and is weighed as evidence. `keep` replaces it by the user's own choice:
    blocks of all other kinds are left out, whatever the model says. It has words of `Kind` or of
    `CoarseKind`; "body" stands for all blocks of no other coarse kind, and belongs to every choice
    of only coarse kinds. "comment" and "comments" are readers' comments on every page, "post" and
    "threads" only those on threads. `also` and `without` are words of `Kind` that change a
    convention or a choice: kinds in `also` are let in and become likelier, kinds in `without` are
    left out.

    `within` and `drop` are lists of CSS selectors. Only blocks with text inside elements of
    `within` may be kept, and none inside elements of `drop`.

    `names` are learned from pages of a site: see `names.block_names`.
    """

    rule: str = "expected_f1"
    threshold: float = 0.5
    precision: float = 0.9
    convention: str = ""
    keep: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    names: Names = ()
    within: str = ""
    drop: str = ""

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise CrfcleanError(f"no rule {self.rule!r}; there are {', '.join(RULES)}")
        if not 0 <= self.threshold < math.inf:
            raise CrfcleanError(f"threshold {self.threshold} is below 0, or not finite")
        if not 0 <= self.precision <= 1:
            raise CrfcleanError(f"precision {self.precision} is not in 0..1")
        _check_convention(self.convention, self.keep)
        _check_names(self.names)
        for name in SELECTORS:
            check_selectors(name, getattr(self, name))
        for name, words in (("keep", KEEPABLE), ("also", KIND_WORDS), ("without", KIND_WORDS)):
            wrong = [word for word in getattr(self, name) if word not in words]
            if wrong:
                raise CrfcleanError(f"{name}: no kind {wrong[0]!r}; there are {', '.join(words)}")
        both = [word for word in self.also if word in self.without]
        if both:
            raise CrfcleanError(f"also and without exclude each other: both name {both[0]!r}")

    @property
    def by_kinds(self) -> bool:
        """True if `keep` names kinds that models do not know."""
        return not set(self.keep) <= set(COARSE_WORDS)

    @property
    def is_automatic(self) -> bool:
        """True if the caller has not said what belongs to the text."""
        return self.convention == AUTO and not (self.keep or self.also or self.within)

    @property
    def automatic(self) -> CutParams:
        """The parameters without what the caller keeps; what is dropped is not on the page."""
        convention = AUTO if self.convention or self.keep else ""
        return CutParams(convention=convention, names=self.names, drop=self.drop)

    @property
    def forces_titles(self) -> bool:
        """True if the main heading belongs to the text wherever anything does."""
        kinds = KINDS_OF.get(self.convention, self.keep)
        return self.convention == AUTO or "title" in kinds

    @property
    def wants_leads(self) -> bool:
        """True if the lead belongs to the text of an article.

        >>> [CutParams(convention=name).wants_leads for name in ("auto", "body", "thread", "")]
        [True, True, False, False]
        """
        return self.convention == AUTO or "lead" in KINDS_OF.get(self.convention, self.keep)

    @property
    def asks_for_comments(self) -> bool:
        """True if readers' comments belong to the text of every page.

        >>> [CutParams(keep=("body", word)).asks_for_comments for word in ("comments", "threads")]
        [True, False]
        """
        kinds = {*KINDS_OF.get(self.convention, self.keep), *self.also}
        return not kinds.isdisjoint(("comment", "comments"))

    @property
    def bars_comments(self) -> bool:
        """True if readers' comments never belong to the text."""
        chosen = bool(KINDS_OF.get(self.convention, self.keep))
        of_threads = not {COMMENTS_OF_THREADS, "post"}.isdisjoint((*self.keep, *self.also))
        return chosen and not (of_threads or self.asks_for_comments)


def _check_convention(name: str, keep: tuple[str, ...]) -> None:
    """Raise `CrfcleanError` for an unknown convention, or one beside a choice of kinds."""
    if name not in ("", *CONVENTIONS):
        raise CrfcleanError(f"no convention {name!r}; there are {', '.join(CONVENTIONS)}")
    if name and keep:
        raise CrfcleanError(f"the convention {name} and a choice of kinds exclude each other")


def _check_names(names: Names) -> None:
    """Raise `CrfcleanError` for names without weights, or whose weights are no numbers."""
    if not all(isinstance(each, tuple) and len(each) == 2 for each in names):
        raise CrfcleanError('names: each has a weight, as in {".score": -2.5}')
    for name, weight in names:
        if not isinstance(weight, int | float) or not abs(weight) <= MOST_WEIGHT:
            raise CrfcleanError(f"names: the weight of {name} is {weight!r}, but it is a number")


def cut_as(params: CutParams, name: str) -> CutParams:
    """A decision rule by a convention; raises `CrfcleanError` for an unknown one."""
    changed = replace(params, convention=name, keep=())
    if name != "everything":
        return changed
    return replace(changed, rule="threshold", threshold=EVERYTHING_FROM)


Kinds: TypeAlias = "str | Iterable[str]"
"""Words for kinds of blocks, or a text of them with commas between."""


@dataclass(frozen=True, slots=True)
class CutChoice:
    """The decisions that a caller asks for, as in `CutParams`; None keeps the tagger's value.

    `threshold` or `precision` also sets the rule of that name.
    """

    convention: str | None = None
    keep: Kinds | None = None
    also: Kinds | None = None
    without: Kinds | None = None
    threshold: float | None = None
    precision: float | None = None
    within: str | None = None
    drop: str | None = None

    @property
    def asked(self) -> list[str]:
        """The names of the parameters that change something.

        >>> CutChoice("auto").asked, CutChoice("body", threshold=0.0).asked
        ([], ['convention', 'threshold'])
        """
        names = [name for name in self.__slots__ if getattr(self, name) is not None]
        return names[1:] if self.convention == AUTO else names

    def of(self, params: CutParams) -> CutParams:
        """Change a decision as asked; a limit overrides the limit of the convention.

        Raises `CrfcleanError` for parameters that exclude each other, and for unknown words.
        """
        if self.convention not in (None, AUTO):
            if self.keep is not None:
                raise CrfcleanError("choose a convention (as) or the kinds to keep, not both")
            params = cut_as(params, self.convention or AUTO)
        asked = {name: getattr(self, name) for name in KIND_LISTS}
        kinds: dict[str, Any] = {
            name: split_names(value) if isinstance(value, str) else tuple(value)
            for name, value in asked.items()
            if value is not None
        }
        if "keep" in kinds:
            params = replace(params, convention="")
        chosen = {name: getattr(self, name) for name in SELECTORS}
        selectors = {name: value for name, value in chosen.items() if value is not None}
        return replace(params, **kinds, **selectors, **self._limit(params))

    def _limit(self, params: CutParams) -> dict[str, Any]:
        """Return the rule that the caller asks for, with its limit."""
        limits = {"threshold": self.threshold, "precision": self.precision}
        chosen = {name: limit for name, limit in limits.items() if limit is not None}
        if len(chosen) > 1:
            raise CrfcleanError("choose a threshold or a precision, not both")
        for name, limit in chosen.items():
            if not isinstance(limit, int | float) or not 0 <= limit <= 1:
                raise CrfcleanError(f"{name} must be a number from 0 to 1, not {limit!r}")
        return {"rule": next(iter(chosen), params.rule), **chosen}
