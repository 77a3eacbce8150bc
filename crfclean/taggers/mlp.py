"""Label blocks by a multilayer perceptron over the 26 features of Texttractor (2014).

A block's inputs are its features and those of the previous and the next block. The score is the
probability of keeping the block; a kept heading is HEADER. A post-analysis follows by default.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.decision.evidence import Evidence
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import decide, with_rules
from crfclean.features.table import matrix
from crfclean.features.texttractor import input_names, with_neighbours
from crfclean.modelfiles.folder import Bundle, naming
from crfclean.nn.files import scores_from_bytes
from crfclean.nn.mlp import Network
from crfclean.page.blocks import as_blocks
from crfclean.page.measures import Measures, measured
from crfclean.taggers.capabilities import elements_of
from crfclean.taggers.learned import fingerprint_of, params_of, reopen
from crfclean.taggers.postanalysis import PostTagger
from crfclean.types import Blocks, Bools, Floats, Label, ModelError, Page, Reason, Tags


@dataclass(frozen=True)
class MlpTagger:
    """A model folder and its decision rule; a pickle has only these two."""

    folder: Path
    cut: CutParams
    bundle: Bundle = field(repr=False, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return reopen, (open_mlp, self.folder, self.cut)

    @property
    def name(self) -> str:
        """The model's kind."""
        return self.bundle.kind

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the model's blocks are restricted to; empty: no restriction."""
        return self.bundle.elements

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model and its decision rule."""
        return fingerprint_of(self.bundle, self.cut)

    def with_cut(self, params: CutParams) -> MlpTagger:
        """The same model with another decision rule."""
        return replace(self, cut=params)

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Labels, marginals and score of a page's blocks."""
        blocks = as_blocks(blocks, elements_of(self))
        return self.decide(blocks, self.marginals(blocks))

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginals of a page's blocks, (n, 3)."""
        page = measured(blocks)
        if not len(page):
            return np.zeros((0, len(Label)))
        return marginals_from_scores(self.network(self.inputs(page))[:, 0], page.table.in_heading)

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags by the decision rule from marginals (n, 3)."""
        return decide(Evidence(measured(blocks)), marginals, self.cut)

    def inputs(self, page: Measures) -> Floats:
        """The network's inputs for each block, (n, inputs)."""
        encoder = self.bundle.encoder
        return with_neighbours(matrix(page, encoder.names), encoder.windows[0])

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For each block, the inputs that weigh most for or against keeping it.

        A weight is the input's part in the score's log-odds: its distance from its mean over the
        training blocks, times its gradient. `place[+1]` is the next block's place. A rule that
        changed the block's probability after the model comes first.
        """
        if not len(blocks):
            return []
        reasons = self.network.reasons(self.inputs(measured(blocks)), most)
        return with_rules(self.tag(blocks), reasons)

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


def from_bundle(folder: Path, bundle: Bundle) -> PostTagger:
    """A tagger with the rule in its manifest and a post-analysis; raises `ModelError`."""
    return PostTagger(open_mlp(folder, bundle))


def open_mlp(folder: Path, bundle: Bundle) -> MlpTagger:
    """A tagger with the rule in its manifest, without post-analysis; raises `ModelError`."""
    if not bundle.encoder.names or len(set(bundle.encoder.windows)) != 1:
        raise ModelError(f"{folder}: every feature must be seen at the same distances")
    return MlpTagger(folder, params_of(folder, bundle), bundle)
