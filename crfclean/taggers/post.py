"""Put a post-analysis behind a tagger."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

import numpy as np

from crfclean.decision.verdict import relabelled
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import Bundle
from crfclean.page.measures import Measures, measured
from crfclean.taggers.around import Around
from crfclean.taggers.capabilities import (
    Corrected,
    Decides,
    Explains,
    HasModel,
    Judges,
    MarksComments,
    Traces,
    capability,
    fingerprint,
    need,
)
from crfclean.taggers.postanalysis import Analysis, Change, PostParams, analyse
from crfclean.types import Blocks, Floats, Label, Reason, Tagger, Tags

PostChoice: TypeAlias = PostParams | bool | None
"""Parameters of a post-analysis, True for the default, False for none, None for no change."""

STEP_PREFIX = "post."
"""The prefix of reasons that are steps of the post-analysis."""


@dataclass(frozen=True)
class PostTagger(Around):
    """A tagger whose labels a post-analysis corrects; its probabilities stay."""

    passed_on: ClassVar = frozenset([Decides, Judges, Traces, MarksComments, HasModel])

    params: PostParams = field(default_factory=PostParams)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the inner tagger and the parameters; "" if it has none."""
        inner = fingerprint(self.tagger)
        return digest(inner, canonical({"post": self.params})) if inner else ""

    @property
    def bundle(self) -> Bundle:
        """The inner tagger's model; raises `CrfcleanError` if it has none."""
        return need(self.tagger, HasModel).bundle

    def tag(self, blocks: Blocks) -> Tags:
        """The inner tagger's tags, corrected."""
        return self.analyse(blocks).tags

    def analyse(self, blocks: Blocks) -> Analysis:
        """Tags before and after, and the effect of each step."""
        return self._corrected(blocks, self.tagger.tag(blocks))

    def marginals(self, blocks: Blocks) -> Floats:
        """The inner tagger's marginals (n, 3); raises `CrfcleanError` if it has none."""
        return need(self.tagger, Judges).marginals(blocks)

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """The inner tagger's tags from marginals (n, 3), corrected; raises `CrfcleanError`."""
        return self._corrected(blocks, need(self.tagger, Judges).decide(blocks, marginals)).tags

    def _corrected(self, blocks: Blocks, tags: Tags) -> Analysis:
        return corrected(measured(blocks), tags, self.params)

    def trace(self, blocks: Blocks) -> str:
        """The inner tagger's rules, then the blocks that the post-analysis changed.

        Raises `CrfcleanError` if the inner tagger has no rules.
        """
        steps = self.analyse(blocks).changes()
        lines = (
            f"post-analysis: {change.step} {'keeps' if change.kept else 'drops'} "
            f"{block.xpath} {block.text[:40]!r}\n"
            for block, changes in zip(blocks, steps, strict=True)
            for change in changes
        )
        return need(self.tagger, Traces).trace(blocks) + "".join(lines)

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For each block, the steps that changed it, then the inner tagger's reasons, if any.

        Value and weight of a step are 1 and +1 if it keeps the block, 0 and -1 if it drops it.
        """
        explains = capability(self.tagger, Explains)
        inner: list[list[Reason]] = [[] for _ in range(len(blocks))]
        if explains is not None:
            inner = explains.explain(blocks, most)
        steps = self.analyse(blocks).changes()
        return [
            [_reason(change) for change in changes] + reasons
            for changes, reasons in zip(steps, inner, strict=True)
        ]


def _reason(change: Change) -> Reason:
    return Reason(STEP_PREFIX + change.step, float(change.kept), 1.0 if change.kept else -1.0)


def corrected(page: Measures, tags: Tags, params: PostParams) -> Analysis:
    """The post-analysis of tags; what a rule of the decision left out stays out."""
    analysis = analyse(page, tags, params)
    if tags.rules is None or not len(page):
        return analysis
    left_out = (tags.rules > 0) & ~tags.kept
    labels = np.where(left_out, Label.OTHER, analysis.tags.labels).astype(np.int32)
    return replace(analysis, tags=relabelled(analysis.tags, page, labels))


def with_post(tagger: Tagger, choice: PostChoice) -> Tagger:
    """The tagger with or without a post-analysis."""
    if choice is None:
        return tagger
    if choice is False:
        return without_post(tagger)
    return PostTagger(without_post(tagger), PostParams() if choice is True else choice)


def without_post(tagger: Tagger) -> Tagger:
    """The tagger without its post-analysis, if it has one."""
    corrected_tagger = capability(tagger, Corrected)
    return tagger if corrected_tagger is None else corrected_tagger.tagger
