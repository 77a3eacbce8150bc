"""`Blocks` + `Tags` -> corrected `Tags`: the post-analysis of the perceptron system Texttractor.

Four steps of section 4.13 of the paper (2014), in its order, each with a switch of its own. They
look at labels and at the page, not at features, and so mend the labels of any tagger. A block is
good (kept), almost good (its probability is `almost` or more) or bad. Every step is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from crfclean.features.headline import title_likeness
from crfclean.page.measures import Measures
from crfclean.page.tree import in_heading, sizes
from crfclean.taggers.decision import expected_f1
from crfclean.types import Blocks, Bools, Ints, Label, Tags, check_bounds, option

BEGIN_TAGS = ("h1", "h2")
ITEM_TAGS = ("li", "dt", "dd")
_BOUNDS = {
    "almost": (0.0, 1.0),
    "likeness": (0.0, 1.0),
    "before": (1, 1_000),
    "siblings": (1, 1_000),
    "reach": (1, 1_000),
    "near": (1, 1_000),
}


@dataclass(frozen=True, slots=True)
class PostParams:
    """Which steps are taken, and their limits; distances are in blocks, as the paper has them.

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
    reach: int = option(5, "a block without a good one in so many before it is lonely")
    near: int = option(3, "distance of neighbours")

    def __post_init__(self) -> None:
        check_bounds(self, _BOUNDS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is known of n blocks at one step: which are `good`, which `almost` good; (n,) each."""

    good: Bools
    almost: Bools

    def mark(self, good: Bools, bad: Bools) -> Verdict:
        """Some blocks (n,) made good, some made bad."""
        return Verdict((self.good | good) & ~bad, self.almost & ~good & ~bad)


_Step = Callable[[Measures, Verdict, PostParams], Verdict]


@dataclass(frozen=True, slots=True)
class Change:
    """One block at one step: the step's name, and whether the step keeps or drops the block."""

    step: str
    kept: bool


@dataclass(frozen=True, slots=True)
class Analysis:
    """The tags before and after, and the `Verdict` after each step that was taken."""

    before: Tags
    tags: Tags
    verdicts: Mapping[str, Verdict]

    def changes(self) -> list[tuple[Change, ...]]:
        """What the steps did to each block, in their order; most blocks have none."""
        found: list[tuple[Change, ...]] = [()] * len(self.before)
        good = self.before.kept
        for name, verdict in self.verdicts.items():
            for place in np.flatnonzero(good != verdict.good).tolist():
                found[place] = (*found[place], Change(name, bool(verdict.good[place])))
            good = verdict.good
        return found


def analyse(page: Blocks | Measures, tags: Tags, params: PostParams = PostParams()) -> Analysis:
    """Take the steps on a page and its tags; probabilities stay, labels and score may change."""
    measured = page if isinstance(page, Measures) else Measures(page)
    if not len(measured):
        return Analysis(tags, tags, {})
    verdict, verdicts = verdict_of(tags, params), {}
    for name, step in ANALYSIS_STEPS.items():
        if getattr(params, name):
            verdict = verdicts[name] = step(measured, verdict, params)
    return Analysis(tags, relabelled(tags, verdict.good, measured), verdicts)


def verdict_of(tags: Tags, params: PostParams = PostParams()) -> Verdict:
    """Good, almost good or bad: what the tags alone say of each block."""
    kept = tags.kept
    return Verdict(kept, ~kept & (tags.probabilities >= params.almost))


def relabelled(tags: Tags, good: Bools, page: Measures) -> Tags:
    """The tags with these blocks (n,) kept: new ones are HEADER or TEXT, whichever is likelier."""
    header = tags.marginals[:, Label.HEADER] > tags.marginals[:, Label.TEXT]
    new = np.where(header, Label.HEADER, Label.TEXT)
    labels: Ints = np.where(good, np.where(tags.kept, tags.labels, new), Label.OTHER)
    score = expected_f1(tags.probabilities, page.words, good)
    return replace(tags, labels=labels.astype(np.int32), score=score)


# the steps


def begin(page: Measures, verdict: Verdict, params: PostParams) -> Verdict:
    """The first heading that is most like the title is good, what stands well before it is bad.

    A heading with more good words before it than behind it is no begin: nothing happens.
    """
    headings = page.inside(BEGIN_TAGS)[page.page.node] > 0
    likeness = np.where(headings, title_likeness(page), 0.0)
    place = int(likeness.argmax())
    words = np.where(verdict.good, page.words, 0.0)
    if likeness[place] < max(params.likeness, 1e-9) or words[:place].sum() > words[place:].sum():
        return verdict
    here = np.arange(len(page))
    return verdict.mark(here == place, here <= place - params.before)


def paths(page: Measures, verdict: Verdict, params: PostParams) -> Verdict:
    """Blocks whose parent element is that of enough good blocks are good."""
    parent = parents(page)
    count = np.bincount(parent[verdict.good] + 1, minlength=len(page.page.nodes) + 1)
    return verdict.mark(count[parent + 1] >= params.siblings, np.zeros(len(page), np.bool_))


def parents(page: Measures) -> Ints:
    """The element around each block's own, shape (n,).

    Text that stands loose beside other blocks has a block of its own inside the element around
    it, as in the paper: that element is its parent.
    """
    node = page.page.node
    loose = sizes(page)[node] > 1
    found: Ints = np.where(loose, node, page.page.nodes.parent[node])
    return found


def lonely(page: Measures, verdict: Verdict, params: PostParams) -> Verdict:
    """From the end, good blocks without a good one shortly before are bad; the first stays.

    It ends at the first good block that is not alone.
    """
    places = np.flatnonzero(verdict.good)
    close = np.flatnonzero(np.diff(places) <= params.reach)
    last = int(close[-1]) + 1 if len(close) else 0
    bad = np.zeros(len(page), np.bool_)
    bad[places[last + 1 :]] = True
    return verdict.mark(np.zeros(len(page), np.bool_), bad)


def neighbours(page: Measures, verdict: Verdict, params: PostParams) -> Verdict:
    """Almost good blocks are good by what stands around them; the rules differ by element.

    A heading: anything good or almost good near on both sides, or a good block near below it. A
    list item: such blocks right beside it on both sides, one of them good. Others: good blocks
    near on both sides, or, near the page's begin or end, a good block right behind or before.
    """
    good, some, near = verdict.good, verdict.good | verdict.almost, params.near
    heading = in_heading(page)
    item = page.is_tag(ITEM_TAGS)[page.page.node] & ~heading
    around = within(some, -near) & within(some, near)
    beside = within(some, -1) & within(some, 1) & (within(good, -1) | within(good, 1))
    here = np.arange(len(page))
    ends = (here < near) & within(good, 1) | (here >= len(page) - near) & within(good, -1)
    other = within(good, -near) & within(good, near) | ends
    fits = np.where(heading, around | within(good, near), np.where(item, beside, other))
    return verdict.mark(verdict.almost & fits, np.zeros(len(page), np.bool_))


def within(mask: Bools, reach: int) -> Bools:
    """Whether one of the next (reach < 0: last) blocks, so many at most, is of the mask; (n,).

    >>> within(np.array([True, False, False]), -1).tolist()
    [False, True, False]
    """
    if reach < 0:
        return within(mask[::-1], -reach)[::-1]
    count = np.concatenate([[0], np.cumsum(mask)])
    here = np.arange(len(mask))
    found: Bools = count[np.minimum(here + 1 + reach, len(mask))] > count[here + 1]
    return found


ANALYSIS_STEPS: Mapping[str, _Step] = {
    "begin": begin,
    "paths": paths,
    "lonely": lonely,
    "neighbours": neighbours,
}
"""Name of a step, and of its switch in `PostParams` -> the step, in the paper's order."""
