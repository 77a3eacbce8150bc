"""Correct labels by the post-analysis of the perceptron Texttractor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from crfclean.decision.verdict import relabelled
from crfclean.model.markup import title_likeness
from crfclean.types import (
    Blocks,
    Bools,
    Ints,
    Label,
    Reason,
    Tags,
    check_bounds,
    option,
)

# correct labels by the post-analysis of the perceptron Texttractor
#
# It has the four steps of section 4.13 of the paper (2014), in its order, each with a switch. The
# steps read labels and the page, not features. A block is good (kept), almost good (its probability
# is `almost` or more) or bad. Every step takes linear time. After the CRF they lose (eval/mlp).

STEP_PREFIX = "post."
"""The prefix of reasons that are steps of the post-analysis."""

BEGIN_TAGS = ("h1", "h2")
ITEM_TAGS = ("li", "dt", "dd")
_BOUNDS = {
    "almost": (0.0, 1.0),
    "likeness": (0.0, 1.0),
    "before": (1, 1_000),
    "siblings": (1, 1_000),
    "linked": (0.0, 1.0),
    "reach": (1, 1_000),
    "near": (1, 1_000),
}


@dataclass(frozen=True, slots=True)
class PostParams:
    """Steps to apply and their limits; distances are in blocks, as in the paper.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    begin: bool = option(True, "drop what stands before the heading most like the page's title")
    paths: bool = option(True, "keep the siblings of good blocks")
    lonely: bool = option(True, "drop good blocks at the end that stand alone")
    neighbours: bool = option(True, "keep almost good blocks among good ones")
    almost: float = option(0.3, "a block is almost good from this probability on")
    likeness: float = option(0.75, "a heading is the title from this likeness on (0..1)")
    before: int = option(3, "distance from the title at which blocks before it are dropped")
    siblings: int = option(3, "good blocks under one parent that make all others there good")
    linked: float = option(0.5, "share in links beyond which a block is not kept as a sibling")
    reach: int = option(5, "a block without a good one in so many before it is lonely")
    near: int = option(3, "distance of neighbours")

    def __post_init__(self) -> None:
        check_bounds(self, _BOUNDS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of n blocks at a step: which are `good` and which `almost` good, (n,) each."""

    good: Bools
    almost: Bools

    def mark(self, good: Bools, bad: Bools) -> Verdict:
        """The verdict with some blocks (n,) made good and some made bad."""
        return Verdict((self.good | good) & ~bad, self.almost & ~good & ~bad)


_Step = Callable[[Blocks, Verdict, PostParams], Verdict]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a block by a step: the step's name, and whether it keeps the block."""

    step: str
    kept: bool

    @property
    def reason(self) -> Reason:
        """The step as a reason: value 1 and weight +1 if it keeps the block, else 0 and -1."""
        return Reason(STEP_PREFIX + self.step, float(self.kept), 1.0 if self.kept else -1.0)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tags before and after, and the `Verdict` after each step that was taken."""

    before: Tags
    tags: Tags
    verdicts: Mapping[str, Verdict]

    def changes(self) -> list[tuple[Change, ...]]:
        """The changes of each block in the order of the steps; most blocks have none."""
        changes: list[tuple[Change, ...]] = [()] * len(self.before)
        good = self.before.kept
        for name, verdict in self.verdicts.items():
            for block in np.flatnonzero(good != verdict.good).tolist():
                changes[block] = (*changes[block], Change(name, bool(verdict.good[block])))
            good = verdict.good
        return changes


def analyse(blocks: Blocks, tags: Tags, params: PostParams = PostParams()) -> Analysis:
    """Apply the steps to a page's tags; labels and score may change, probabilities do not."""
    if not len(blocks):
        return Analysis(tags, tags, {})
    verdict, verdicts = verdict_of(tags, params), {}
    for name, step in ANALYSIS_STEPS.items():
        if getattr(params, name):
            verdict = verdicts[name] = step(blocks, verdict, params)
    return Analysis(tags, _with_good(tags, verdict.good, blocks), verdicts)


def verdict_of(tags: Tags, params: PostParams = PostParams()) -> Verdict:
    """Return the verdict of the tags, before the first step."""
    kept = tags.kept
    return Verdict(kept, ~kept & (tags.probabilities >= params.almost))


def _with_good(tags: Tags, good: Bools, page: Blocks) -> Tags:
    """Keep the `good` blocks (n,); new ones get the likelier of HEADER and TEXT."""
    header = tags.marginals[:, Label.HEADER] > tags.marginals[:, Label.TEXT]
    new = np.where(header, Label.HEADER, Label.TEXT)
    labels: Ints = np.where(good, np.where(tags.kept, tags.labels, new), Label.OTHER)
    return relabelled(tags, page, labels)


# the steps


def begin(page: Blocks, verdict: Verdict, params: PostParams) -> Verdict:
    """Make the heading that is most like the title good, and blocks well before it bad.

    Nothing changes if more good words stand before the heading than after it. Without this
    exception, F1 fell by 0.013 on a sample of WCXB's development pages.
    """
    headings = page.table.within(*BEGIN_TAGS)[page.node] > 0
    likeness = np.where(headings, title_likeness(page), 0.0)
    best = int(likeness.argmax())
    words = np.where(verdict.good, page.words, 0.0)
    if likeness[best] < max(params.likeness, 1e-9) or words[:best].sum() > words[best:].sum():
        return verdict
    blocks = np.arange(len(page))
    return verdict.mark(blocks == best, blocks <= best - params.before)


def good_siblings(page: Blocks, verdict: Verdict, params: PostParams) -> Verdict:
    """Make blocks good if enough good blocks have the same parent element.

    Blocks that are mostly links do not change, so that no list of links is kept.
    """
    parent = parents(page)
    count = np.bincount(parent[verdict.good] + 1, minlength=len(page.table.parent) + 1)
    siblings: Bools = (count[parent + 1] >= params.siblings) & (page.table.linked <= params.linked)
    return verdict.mark(siblings, np.zeros(len(page), np.bool_))


def parents(page: Blocks) -> Ints:
    """Return the parent of each block's element, shape (n,).

    The parent of loose text beside other blocks is their common element, as in the paper.
    """
    node = page.node
    loose = page.table.inside[node] > 1
    parent: Ints = np.where(loose, node, page.table.parent[node])
    return parent


def lonely(page: Blocks, verdict: Verdict, params: PostParams) -> Verdict:
    """Make good blocks bad, from the end backwards, if no good block is shortly before them.

    The step stops at the first block that is not lonely. The page's first good block stays.
    """
    good = np.flatnonzero(verdict.good)
    close = np.flatnonzero(np.diff(good) <= params.reach)
    last = int(close[-1]) + 1 if len(close) else 0
    bad = np.zeros(len(page), np.bool_)
    bad[good[last + 1 :]] = True
    return verdict.mark(np.zeros(len(page), np.bool_), bad)


def neighbours(page: Blocks, verdict: Verdict, params: PostParams) -> Verdict:
    """Make almost good blocks good if their neighbours are good; the rules differ by element.

    A heading needs good or almost good blocks near on both sides, or a good block near below it. A
    list item needs such blocks directly on both sides, one of them good. Other blocks need good
    blocks near on both sides or, near the page's start (end), a good block directly after
    (before) them.
    """
    good, fair, near = verdict.good, verdict.good | verdict.almost, params.near
    heading = page.table.in_heading
    item = page.table.is_tag(*ITEM_TAGS)[page.node] & ~heading
    around = within(fair, -near) & within(fair, near)
    beside = within(fair, -1) & within(fair, 1) & (within(good, -1) | within(good, 1))
    blocks = np.arange(len(page))
    ends = (blocks < near) & within(good, 1) | (blocks >= len(page) - near) & within(good, -1)
    other = within(good, -near) & within(good, near) | ends
    fits = np.where(heading, around | within(good, near), np.where(item, beside, other))
    return verdict.mark(verdict.almost & fits, np.zeros(len(page), np.bool_))


def within(mask: Bools, reach: int) -> Bools:
    """Mark blocks with a masked block among the next (if negative, previous) `reach`; (n,).

    >>> within(np.array([True, False, False]), -1).tolist()
    [False, True, False]
    """
    if reach < 0:
        return within(mask[::-1], -reach)[::-1]
    count = np.concatenate([[0], np.cumsum(mask)])
    following = np.arange(len(mask)) + 1
    near: Bools = count[np.minimum(following + reach, len(mask))] > count[following]
    return near


ANALYSIS_STEPS: Mapping[str, _Step] = {
    "begin": begin,
    "paths": good_siblings,
    "lonely": lonely,
    "neighbours": neighbours,
}
"""Name of a step and of its switch in `PostParams` -> the step, in the paper's order."""


def corrected(page: Blocks, tags: Tags, params: PostParams) -> Analysis:
    """Return the post-analysis of tags; blocks that a decision rule left out stay out."""
    analysis = analyse(page, tags, params)
    if tags.rules is None or not len(page):
        return analysis
    left_out = (tags.rules > 0) & ~tags.kept
    labels = np.where(left_out, Label.OTHER, analysis.tags.labels).astype(np.int32)
    return replace(analysis, tags=relabelled(analysis.tags, page, labels))
