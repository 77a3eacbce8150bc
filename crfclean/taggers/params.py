"""The parameters of the decision rule."""

from __future__ import annotations

import math
from functools import cache

from crfclean.types import CoarseKind, CrfcleanError, Kind, option
from crfclean.types.choices import (
    AUTO,
    COARSE_WORDS,
    COMMENTS_OF_THREADS,
    KEEPABLE,
    KIND_WORDS,
    RULES,
)
from crfclean.types.light import dataclass


@cache
def asks_for_threads(keep: tuple[str, ...]) -> bool:
    """Whether it depends on the page if readers' comments belong to its text.

    >>> [asks_for_threads(keep) for keep in ((), ("body", "threads"), ("body", "comments"))]
    [True, True, False]
    """
    of_threads = {COMMENTS_OF_THREADS, AUTO, Kind.POST.name.lower()}
    of_all = {CoarseKind.COMMENTS.name.lower(), Kind.COMMENT.name.lower()}
    return (not keep or not of_threads.isdisjoint(keep)) and of_all.isdisjoint(keep)


def asks_for_comments(also: tuple[str, ...]) -> bool:
    """Whether readers' comments are asked for on every page.

    >>> asks_for_comments(("lead", "comment")), asks_for_comments(("post",))
    (True, False)
    """
    return bool(also) and Kind.COMMENT.name.lower() in also


def asks_for_articles(keep: tuple[str, ...]) -> bool:
    """Whether it depends on the page if what stands beside an article belongs to its text.

    >>> asks_for_articles(("auto",)), asks_for_articles(("body", "threads"))
    (True, False)
    """
    return AUTO in keep


@cache
def by_kinds(keep: tuple[str, ...]) -> bool:
    """Whether a choice of blocks has words for kinds that models do not know.

    >>> by_kinds(("body", "title")), by_kinds(("title", "lead"))
    (False, True)
    """
    return not set(keep) <= set(COARSE_WORDS)


def check_changes(also: tuple[str, ...], without: tuple[str, ...]) -> None:
    """Raise `CrfcleanError` for words that are no `Kind`, or that are on both lists."""
    for option_name, words in (("also", also), ("without", without)):
        wrong = [word for word in words if word not in KIND_WORDS]
        if wrong:
            raise CrfcleanError(
                f"{option_name}: no kind {wrong[0]!r}; there are {', '.join(KIND_WORDS)}"
            )
    both = [word for word in also if word in without]
    if both:
        raise CrfcleanError(f"also and without exclude each other: both name {both[0]!r}")


LISTS = ("keep", "also", "without")
"""The parameters that are lists of kinds."""


@dataclass(frozen=True, slots=True)
class CutParams:
    """How probabilities become labels.

    `rule`: "viterbi" (the most probable sequence), "threshold" (keep a block from probability
    `threshold` on), "precision" (keep as much as leaves the page's precision on words at
    `precision` or above, as calibrated on new collections; see `decision.PRECISION_TARGETS`) or
    "expected_f1" (keep what maximises its expected F1 on words).
    `flatten` multiplies the log-odds before the expectation, for models that are too sure of
    themselves; 1, the default, scores within 0.001 of the best value (eval/accuracy/README.md).
    `keep` names the kinds of blocks that belong to the text: a listed title is kept wherever
    anything is, the other listed kinds where the model says so, and unlisted kinds never. Its words
    are those of `Kind`, or of `CoarseKind`; "body" is all that is no other coarse kind, and
    belongs to every choice of coarse kinds alone. Readers' comments are kept on every page with
    "comment" or "comments", only on threads with "post" or "threads" (see `threads`). "auto" is
    all coarse kinds, comments on threads alone, and on articles nothing that stands beside them
    (see `articles`). Empty, the model decides on all kinds, on comments as with "threads".
    `also` and `without` are words of `Kind` and change that choice: blocks of the kinds in `also`
    are let in wherever `keep` bars them on some pages alone, and are likelier by
    `named_kinds.ALSO_ODDS`; those in `without` are left out.
    """

    rule: str = option("expected_f1", "how probabilities become labels", RULES)
    threshold: float = option(0.5, "keep blocks from this probability on (rule threshold)")
    flatten: float = option(1.0, "multiplies log-odds before the expectation (rule expected_f1)")
    precision: float = option(0.9, "least precision to expect of a page, 0..1 (rule precision)")
    keep: tuple[str, ...] = option((), f"kinds of blocks to keep, of {', '.join(KEEPABLE)}")
    also: tuple[str, ...] = option((), "kinds that also belong to the text, as in lead,caption")
    without: tuple[str, ...] = option((), "kinds that never belong to it, as in title,byline")

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise CrfcleanError(f"no rule {self.rule!r}; there are {', '.join(RULES)}")
        if not (0 <= self.threshold < math.inf and 0 < self.flatten < math.inf):
            raise CrfcleanError(
                f"threshold {self.threshold} or flatten {self.flatten} is too low, or not finite"
            )
        if not 0 <= self.precision <= 1:
            raise CrfcleanError(f"precision {self.precision} is not in 0..1")
        wrong = [name for name in self.keep if name not in KEEPABLE]
        if wrong:
            raise CrfcleanError(f"keep: no kind {wrong[0]!r}; there are {', '.join(KEEPABLE)}")
        check_changes(self.also, self.without)
