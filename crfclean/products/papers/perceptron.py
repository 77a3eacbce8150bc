"""Label blocks by a multilayer perceptron over the 26 features of Texttractor (2014)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import with_rules
from crfclean.io import canonical, digest
from crfclean.model.columns import matrix
from crfclean.model.folder import Bundle, load_bundle, naming
from crfclean.model.inputs import input_names, with_neighbours
from crfclean.model.network_files import scores_from_bytes
from crfclean.model.networks import Network
from crfclean.page.blocks import as_blocks
from crfclean.products.papers.post_analysis import Analysis, PostParams, corrected
from crfclean.systems.capabilities import elements_of
from crfclean.systems.open_model import OpenModel, fingerprint_of, params_of
from crfclean.types import (
    Blocks,
    Bools,
    Floats,
    Label,
    ModelError,
    Page,
    Reason,
    Tagger,
    Tags,
)


@dataclass(frozen=True)
class MlpTagger(OpenModel):
    """A perceptron whose score is the probability of keeping a block, and its post-analysis.

    The post-analysis changes no probability; None: there is none.
    """

    post: PostParams | None = field(default_factory=PostParams)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (self.folder, self.cut, self.post)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model, its decision rule and the post-analysis."""
        inner = fingerprint_of(self.bundle, self.cut)
        return digest(inner, canonical({"post": self.post})) if self.post else inner

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Labels, marginals and score of a page's blocks."""
        return self.analyse(as_blocks(blocks, elements_of(self))).tags

    def analyse(self, blocks: Blocks) -> Analysis:
        """Tags before and after the post-analysis, and the effect of each step."""
        return self._corrected(blocks, self.marginals(blocks))

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags by the decision rule from marginals (n, 3), corrected."""
        return self._corrected(blocks, marginals).tags

    def _corrected(self, blocks: Blocks, marginals: Floats) -> Analysis:
        tags = super().decide(blocks, marginals)
        if self.post is None:
            return Analysis(tags, tags, {})
        return corrected(blocks, tags, self.post)

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginals of a page's blocks, (n, 3)."""
        if not len(blocks):
            return np.zeros((0, len(Label)))
        return marginals_from_scores(
            self.network(self.inputs(blocks))[:, 0], blocks.table.in_heading
        )

    def inputs(self, page: Blocks) -> Floats:
        """The network's inputs for each block, (n, inputs)."""
        encoder = self.bundle.encoder
        return with_neighbours(matrix(page, encoder.names), encoder.windows[0])

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For each block, the steps that changed it, then the inputs that weigh most.

        The weight of an input is its part in the score's log-odds: its distance from its mean over
        the training blocks, times its gradient. `place[+1]` is the next block's place. A rule that
        changed the block's probability after the model comes before the inputs.
        """
        if not len(blocks):
            return []
        inputs = self.network.reasons(self.inputs(blocks), most)
        analysis = self.analyse(blocks)
        changes, reasons = analysis.changes(), with_rules(analysis.before, inputs)
        return [
            [*(one.reason for one in of), *others]
            for of, others in zip(changes, reasons, strict=True)
        ]

    @cached_property
    def network(self) -> Network:
        """The perceptron; raises `ModelError` for damaged weights."""
        encoder = self.bundle.encoder
        names = input_names(encoder.names, encoder.windows[0])
        with naming(self.folder / f"weights.{self.bundle.kind}"):
            return scores_from_bytes(self.bundle.weights, names)


def marginals_from_scores(scores: Floats, headings: Bools) -> Floats:
    """Turn scores (n,) into marginals (n, 3): for HEADER in `headings` (n,), else for TEXT."""
    marginals = np.zeros((len(scores), len(Label)))
    kept = np.where(headings, Label.HEADER, Label.TEXT)
    marginals[np.arange(len(scores)), kept] = scores
    marginals[:, Label.OTHER] = 1.0 - scores
    return marginals


def _reopened(folder: Path, cut: CutParams, post: PostParams | None) -> MlpTagger:
    return MlpTagger(folder, cut, load_bundle(folder), post)


def from_bundle(folder: Path, bundle: Bundle) -> MlpTagger:
    """A tagger with the rule in its manifest and a post-analysis; raises `ModelError`."""
    if not bundle.encoder.names or len(set(bundle.encoder.windows)) != 1:
        raise ModelError(f"{folder}: every feature must be seen at the same distances")
    return MlpTagger(folder, params_of(folder, bundle), bundle)


def without_post(tagger: Tagger) -> Tagger:
    """The tagger without its post-analysis, if it has one."""
    return replace(tagger, post=None) if isinstance(tagger, MlpTagger) else tagger
