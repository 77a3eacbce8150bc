"""The parameters of the decision: the rule, and what belongs to a page's text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from crfclean.types import CrfcleanError, option
from crfclean.types.choices import (
    AUTO,
    COARSE_WORDS,
    COMMENTS_OF_THREADS,
    CONVENTIONS,
    KEEPABLE,
    KIND_WORDS,
    RULES,
)

_FORMS = ("paragraph", "list", "table", "code", "formula", "quote", "note")
_MAIN = ("lead", "heading", *_FORMS)
KINDS_OF: Mapping[str, tuple[str, ...]] = {
    "article": ("title", *_MAIN),
    "body": _MAIN,
    "page": ("title", *_MAIN, "caption", "byline"),
    "thread": ("comment", *_FORMS),
    "everything": ("title", *_MAIN, "caption", "byline", "comment"),
}
"""Convention -> the kinds of blocks that belong to a text; "auto" goes by the type of the page.

What opens a thread is often marked otherwise than the answers, so all forms of text belong there.
"""

EVERYTHING_FROM = 0.25
"""Probability from which `everything` keeps a block of these kinds.

It has the best recall-weighted measure (F2 on words), as a mean of wcxb-dev and the demo pages;
cleaneval-dev was not looked at (eval/FINDINGS.md).
"""

LISTS = ("keep", "also", "without")
"""The parameters that are lists of kinds."""


@dataclass(frozen=True, slots=True)
class CutParams:
    """How probabilities become labels.

    `rule`: "viterbi" (the most probable sequence), "threshold" (keep a block from probability
    `threshold` on), "precision" (keep as much as leaves the page's precision on words at
    `precision` or above, as calibrated on new collections; see `rules.PRECISION_TARGETS`) or
    "expected_f1" (keep what maximises its expected F1 on words).

    `convention` is one of `CONVENTIONS`, or "" for what the model alone keeps: what a page's text
    consists of, weighed as evidence. `keep`, in its place, is the user's own choice: blocks of
    other kinds are left out whatever the model says. Its words are those of `Kind`, or of
    `CoarseKind`, of which "body" is all that is no other coarse kind and belongs to every choice of
    coarse kinds alone. "comment" and "comments" are readers' comments on every page, "post" and
    "threads" those on threads alone. `also` and `without` are words of `Kind` that change either:
    blocks of the kinds in `also` are let in and are likelier, those in `without` are left out.
    """

    rule: str = option("expected_f1", "how probabilities become labels", RULES)
    threshold: float = option(0.5, "keep blocks from this probability on (rule threshold)")
    precision: float = option(0.9, "least precision to expect of a page, 0..1 (rule precision)")
    convention: str = option("", "what belongs to a text", CONVENTIONS)
    keep: tuple[str, ...] = option((), f"kinds of blocks to keep, of {', '.join(KEEPABLE)}")
    also: tuple[str, ...] = option((), "kinds that also belong to the text, as in lead,caption")
    without: tuple[str, ...] = option((), "kinds that never belong to it, as in title,byline")

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise CrfcleanError(f"no rule {self.rule!r}; there are {', '.join(RULES)}")
        if not 0 <= self.threshold < math.inf:
            raise CrfcleanError(f"threshold {self.threshold} is below 0, or not finite")
        if not 0 <= self.precision <= 1:
            raise CrfcleanError(f"precision {self.precision} is not in 0..1")
        _check_convention(self.convention, self.keep)
        for name, words in (("keep", KEEPABLE), ("also", KIND_WORDS), ("without", KIND_WORDS)):
            wrong = [word for word in getattr(self, name) if word not in words]
            if wrong:
                raise CrfcleanError(f"{name}: no kind {wrong[0]!r}; there are {', '.join(words)}")
        both = [word for word in self.also if word in self.without]
        if both:
            raise CrfcleanError(f"also and without exclude each other: both name {both[0]!r}")

    @property
    def by_kinds(self) -> bool:
        """Whether `keep` names kinds that models do not know."""
        return not set(self.keep) <= set(COARSE_WORDS)

    @property
    def forces_titles(self) -> bool:
        """Whether the main heading belongs to the text wherever anything does."""
        kinds = KINDS_OF.get(self.convention, self.keep)
        return self.convention == AUTO or "title" in kinds

    @property
    def asks_for_comments(self) -> bool:
        """Whether readers' comments belong to the text of every page.

        >>> [CutParams(keep=("body", word)).asks_for_comments for word in ("comments", "threads")]
        [True, False]
        """
        kinds = {*KINDS_OF.get(self.convention, self.keep), *self.also}
        return not kinds.isdisjoint(("comment", "comments"))

    @property
    def bars_comments(self) -> bool:
        """Whether they belong to the text of no page."""
        chosen = bool(KINDS_OF.get(self.convention, self.keep))
        of_threads = not {COMMENTS_OF_THREADS, "post"}.isdisjoint((*self.keep, *self.also))
        return chosen and not (of_threads or self.asks_for_comments)


def _check_convention(name: str, keep: tuple[str, ...]) -> None:
    """Raise `CrfcleanError` for an unknown convention, or one beside a choice of kinds."""
    if name not in ("", *CONVENTIONS):
        raise CrfcleanError(f"no convention {name!r}; there are {', '.join(CONVENTIONS)}")
    if name and keep:
        raise CrfcleanError(f"the convention {name} and a choice of kinds exclude each other")


def cut_as(params: CutParams, name: str) -> CutParams:
    """A decision rule by a convention; raises `CrfcleanError` for an unknown one."""
    changed = replace(params, convention=name, keep=())
    if name != "everything":
        return changed
    return replace(changed, rule="threshold", threshold=EVERYTHING_FROM)
