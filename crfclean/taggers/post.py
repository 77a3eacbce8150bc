"""A tagger -> the same tagger with the post-analysis behind it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from crfclean.cut import CutParams, expected_f1, labels_by_convention
from crfclean.digests import canonical, digest, tagger_fingerprint
from crfclean.features.kinds import kinds
from crfclean.measures import Measures, measured
from crfclean.postanalysis import Analysis, PostParams, analyse
from crfclean.types import Blocks, CrfcleanError, Label, Reason, Tagger, Tags

Wanted: TypeAlias = PostParams | bool | None
"""A post-analysis with these parameters, the default one, none (False), or what is there (None)."""

STEP = "post."
"""What the names of reasons begin with that are steps of the post-analysis."""


@dataclass(frozen=True)
class PostTagger:
    """A tagger whose labels the post-analysis corrects; its probabilities stay."""

    tagger: Tagger
    params: PostParams = field(default_factory=PostParams)

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the tagger's blocks are restricted to; empty: none."""
        return getattr(self.tagger, "elements", ())

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the tagger inside and the parameters; "" if it has none."""
        inner = tagger_fingerprint(self.tagger)
        return digest(inner, canonical({"post": self.params})) if inner else ""

    @property
    def cut(self) -> CutParams:
        """The decisions of the tagger inside; raises `CrfcleanError` where it has none."""
        found = getattr(self.tagger, "cut", None)
        if not isinstance(found, CutParams):
            raise CrfcleanError("this model's decisions are not made by a cut")
        return found

    def with_cut(self, params: CutParams) -> PostTagger:
        """The same with other decisions of the tagger inside; raises `CrfcleanError`."""
        change = getattr(self.tagger, "with_cut", None)
        if change is None:
            raise CrfcleanError("this model's decisions are not made by a cut")
        return replace(self, tagger=change(params))

    def tag(self, blocks: Blocks) -> Tags:
        """The tagger's tags, corrected."""
        return self.analyse(blocks).tags

    def analyse(self, blocks: Blocks) -> Analysis:
        """Tags before and after, and what each step did."""
        page, keep = measured(blocks), getattr(getattr(self.tagger, "cut", None), "keep", ())
        tag = getattr(self.tagger, "tag_measured", None)
        tags = self.tagger.tag(blocks) if tag is None else tag(page)
        return corrected(page, tags, self.params, keep)

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """The steps that changed a block, then the tagger's own reasons, if it gives some.

        A step's value and weight are 1 and +1 where it keeps the block, 0 and -1 where it drops it.
        """
        own = getattr(self.tagger, "explain", None)
        reasons = [[] for _ in range(len(blocks))] if own is None else own(blocks, most)
        steps = self.analyse(blocks).changes()
        return [
            [Reason(STEP + one.step, float(one.kept), 1.0 if one.kept else -1.0) for one in told]
            + why
            for told, why in zip(steps, reasons, strict=True)
        ]


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


def with_post(tagger: Tagger, wanted: Wanted) -> Tagger:
    """The tagger with a post-analysis (True: the default one), without any, or (None) as it is."""
    if wanted is None:
        return tagger
    inner = tagger.tagger if isinstance(tagger, PostTagger) else tagger
    if wanted is False:
        return inner
    return PostTagger(inner, PostParams() if wanted is True else wanted)
