"""A tagger -> the same tagger with the post-analysis behind it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeAlias

from crfclean.features.kinds import kinds
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import Bundle
from crfclean.page.measures import Measures, measured
from crfclean.taggers.capabilities import (
    Corrected,
    Decides,
    Explains,
    HasModel,
    Judges,
    MarksComments,
    Traces,
    capability,
    elements_of,
    fingerprint,
    name_of,
    need,
)
from crfclean.taggers.decision import expected_f1, labels_by_convention
from crfclean.taggers.params import CutParams
from crfclean.taggers.postanalysis import Analysis, Change, PostParams, analyse
from crfclean.types import Blocks, Bools, Floats, Label, Reason, Tagger, Tags

PostChoice: TypeAlias = PostParams | bool | None
"""A post-analysis with these parameters, the default one, none (False), or what is there (None)."""

STEP_PREFIX = "post."
"""What the names of reasons begin with that are steps of the post-analysis."""


@dataclass(frozen=True)
class PostTagger:
    """A tagger whose labels the post-analysis corrects; its probabilities stay."""

    passed_on: ClassVar = frozenset([Decides, Judges, Traces, MarksComments, HasModel])

    tagger: Tagger
    params: PostParams = field(default_factory=PostParams)

    @property
    def inner(self) -> Tagger:
        """The tagger without the post-analysis."""
        return self.tagger

    @property
    def name(self) -> str:
        """The name of the tagger inside."""
        return name_of(self.tagger)

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the tagger's blocks are restricted to; empty: none."""
        return elements_of(self.tagger)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the tagger inside and the parameters; "" if it has none."""
        inner = fingerprint(self.tagger)
        return digest(inner, canonical({"post": self.params})) if inner else ""

    @property
    def bundle(self) -> Bundle:
        """The model of the tagger inside; raises `CrfcleanError` where it has none."""
        return need(self.tagger, HasModel).bundle

    @property
    def cut(self) -> CutParams:
        """The decisions of the tagger inside; raises `CrfcleanError` where it has none."""
        return need(self.tagger, Decides).cut

    def with_cut(self, params: CutParams) -> PostTagger:
        """The same with other decisions of the tagger inside; raises `CrfcleanError`."""
        return replace(self, tagger=need(self.tagger, Decides).with_cut(params))

    def tag(self, blocks: Blocks) -> Tags:
        """The tagger's tags, corrected."""
        return self.analyse(blocks).tags

    def analyse(self, blocks: Blocks) -> Analysis:
        """Tags before and after, and what each step did."""
        return self._corrected(blocks, self.tagger.tag(blocks))

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginals (n, 3) of the tagger inside; raises `CrfcleanError` where it has none."""
        return need(self.tagger, Judges).marginals(blocks)

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """What the tagger inside decides by marginals (n, 3), corrected; raises `CrfcleanError`."""
        return self._corrected(blocks, need(self.tagger, Judges).decide(blocks, marginals)).tags

    def _corrected(self, blocks: Blocks, tags: Tags) -> Analysis:
        decides = capability(self.tagger, Decides)
        keep = () if decides is None else decides.cut.keep
        return corrected(measured(blocks), tags, self.params, keep)

    def comments(self, blocks: Blocks) -> Bools:
        """The comments (n,) that the tagger inside finds; raises `CrfcleanError`."""
        return need(self.tagger, MarksComments).comments(blocks)

    def trace(self, blocks: Blocks) -> str:
        """The rules of the tagger inside, then the blocks that the post-analysis changed.

        Raises `CrfcleanError` where the tagger has no rules.
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
        """The steps that changed a block, then the tagger's own reasons, if it gives some.

        A step's value and weight are 1 and +1 where it keeps the block, 0 and -1 where it drops it.
        """
        explains = capability(self.tagger, Explains)
        reasons: list[list[Reason]] = [[] for _ in range(len(blocks))]
        if explains is not None:
            reasons = explains.explain(blocks, most)
        steps = self.analyse(blocks).changes()
        return [
            [_reason(change) for change in changes] + own
            for changes, own in zip(steps, reasons, strict=True)
        ]


def _reason(change: Change) -> Reason:
    return Reason(STEP_PREFIX + change.step, float(change.kept), 1.0 if change.kept else -1.0)


def corrected(
    page: Measures, tags: Tags, params: PostParams, keep: tuple[str, ...] = ()
) -> Analysis:
    """The post-analysis of tags whose kinds `keep` names: what it leaves out stays out."""
    found = analyse(page, tags, params)
    if not keep or not len(page):
        return found
    labels = labels_by_convention(found.tags.labels, kinds(page), keep)
    score = expected_f1(found.tags.probabilities, page.words, labels != Label.OTHER)
    return replace(found, tags=replace(found.tags, labels=labels, score=score))


def with_post(tagger: Tagger, wanted: PostChoice) -> Tagger:
    """The tagger with a post-analysis (True: the default one), without any, or (None) as it is."""
    if wanted is None:
        return tagger
    if wanted is False:
        return without_post(tagger)
    return PostTagger(without_post(tagger), PostParams() if wanted is True else wanted)


def without_post(tagger: Tagger) -> Tagger:
    """The tagger without the post-analysis behind it, if there is one."""
    behind = capability(tagger, Corrected)
    return tagger if behind is None else behind.tagger
