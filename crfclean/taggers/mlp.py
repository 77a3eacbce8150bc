"""`Blocks` -> `Tags` by a multilayer perceptron over the 26 features of Texttractor (2014).

A block's inputs are its own features, those of the block before and of the next one. The score is
the block's probability to be kept; a heading that is kept is a HEADER. The post-analysis stands
behind unless it is taken away.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.features.table import matrix
from crfclean.features.texttractor import input_names, with_neighbours
from crfclean.modelfiles.folder import Bundle
from crfclean.nn.files import scores_from_bytes
from crfclean.nn.mlp import Network
from crfclean.page.measures import Measures, measured
from crfclean.page.tree import in_heading
from crfclean.taggers.learned import (
    decide_each,
    decide_page,
    fingerprint_of,
    naming,
    params_of,
    reopen,
)
from crfclean.taggers.params import CutParams
from crfclean.taggers.post import PostTagger
from crfclean.types import Blocks, Bools, Floats, Ints, Label, ModelError, Reason, Tags


@dataclass(frozen=True)
class MlpTagger:
    """A model folder and how its scores are cut; pickled, it carries nothing else."""

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
        """The elements that the model's blocks were restricted to; empty: none."""
        return self.bundle.elements

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model and its decisions."""
        return fingerprint_of(self.bundle, self.cut)

    def with_cut(self, params: CutParams) -> MlpTagger:
        """The same model with other decisions."""
        return replace(self, cut=params)

    def tag(self, blocks: Blocks) -> Tags:
        """Labels and scores of a page's blocks."""
        page = measured(blocks)
        return decide_page(page, *self.judge(page), self.cut)

    def marginals(self, blocks: Blocks) -> Floats:
        """Marginals of a page's blocks, (n, 3)."""
        return self.judge(measured(blocks))[0]

    def decide(self, blocks: Blocks, marginals: Floats) -> Tags:
        """Tags by the cut from marginals (n, 3)."""
        return decide_each(measured(blocks), marginals, self.cut)

    def judge(self, page: Measures) -> tuple[Floats, Ints]:
        """Marginals (n, 3) of a page, and the likeliest label of each block (n,)."""
        if not len(page):
            return np.zeros((0, len(Label))), np.zeros(0, np.int32)
        found = marginals_from_scores(self.network(self.inputs(page))[:, 0], in_heading(page))
        return found, found.argmax(1).astype(np.int32)

    def inputs(self, page: Measures) -> Floats:
        """What the network sees of each block, (n, inputs)."""
        encoder = self.bundle.encoder
        return with_neighbours(matrix(page, encoder.names), encoder.windows[0])

    def explain(self, blocks: Blocks, most: int = 5) -> list[list[Reason]]:
        """For every block the inputs that weigh most for or against keeping it.

        A weight is the input's part in the score's log-odds: how far the input is from its mean
        over the training blocks, times its gradient. `place[+1]` is the next block's.
        """
        if not len(blocks):
            return []
        return self.network.reasons(self.inputs(measured(blocks)), most)

    @cached_property
    def network(self) -> Network:
        """The perceptron; raises `ModelError` where the weights are none."""
        encoder = self.bundle.encoder
        names = input_names(encoder.names, encoder.windows[0])
        with naming(self.folder):
            return scores_from_bytes(self.bundle.weights, names)


def marginals_from_scores(scores: Floats, headings: Bools) -> Floats:
    """Scores (n,) -> marginals (n, 3): a heading (n,) is a HEADER or OTHER, the rest TEXT or so."""
    marginals = np.zeros((len(scores), len(Label)))
    kept = np.where(headings, Label.HEADER, Label.TEXT)
    marginals[np.arange(len(scores)), kept] = scores
    marginals[:, Label.OTHER] = 1.0 - scores
    return marginals


def from_bundle(folder: Path, bundle: Bundle) -> PostTagger:
    """A tagger with the cut that its manifest names, post-analysis behind; raises `ModelError`."""
    return PostTagger(open_mlp(folder, bundle))


def open_mlp(folder: Path, bundle: Bundle) -> MlpTagger:
    """The same without the post-analysis; raises `ModelError`."""
    if not bundle.encoder.names or len(set(bundle.encoder.windows)) != 1:
        raise ModelError(f"{folder}: every feature must be seen at the same distances")
    return MlpTagger(folder, params_of(folder, bundle), bundle)
