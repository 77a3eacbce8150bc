"""Tell the kind of each block by evidence and model together, with the probability of each kind.

The evidence of markup, place and wording stands where the model does not doubt it. On pages of
sites that neither was made from, 0.871 of the blocks are right instead of 0.793
(eval/accuracy/kind_labels.py).
"""

from __future__ import annotations

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.io import canonical, digest
from crfclean.modelfiles.folder import MANIFEST, find_model
from crfclean.modelfiles.plain import reading
from crfclean.page.arrays import among
from crfclean.page.measures import Measures, once
from crfclean.taggers.kind_model import KIND_MODEL, open_kind_model
from crfclean.types import Floats, Ints, Kind

DOUBTED = 0.3
"""Probability of the kind by evidence below which the model's likeliest kind replaces it.

Chosen among 0.05, 0.1, 0.2 and 0.3 by the share of words on the half of the labelled sites that
rules may be made from.
"""

BY_EVIDENCE = (Kind.TITLE, Kind.CODE, Kind.FORMULA, Kind.QUOTE)
"""Kinds that only the evidence tells: a page has one title, and markup tells the others better."""

_NEVER_LABELLED = Kind.FORMULA  # no labelled page has any: the model knows nothing of them


@once
def kind_probabilities(page: Measures) -> Floats:
    """The probability of each `Kind` for each block, shape (n, kinds), posts being comments.

    A formula is one with certainty, as no labelled page has any. Raises `ModelError` for a damaged
    model.
    """
    probabilities = open_kind_model()(page)
    formulas = kinds_of(page) == _NEVER_LABELLED
    probabilities[formulas] = np.eye(len(Kind))[_NEVER_LABELLED]
    return probabilities


@once
def learned_kinds(page: Measures) -> Ints:
    """The `Kind` of each block, shape (n,); posts of threads are comments here."""
    return chosen(kinds_of(page), kind_probabilities(page))


def chosen(evidence: Ints, probabilities: Floats) -> Ints:
    """The kinds of blocks, (n,), from those by evidence (n,) and probabilities (n, kinds)."""
    of_evidence = probabilities[np.arange(len(evidence)), evidence]
    doubted = (of_evidence < DOUBTED) & ~among(evidence, BY_EVIDENCE)
    others = probabilities.copy()
    others[:, BY_EVIDENCE] = 0.0
    kinds: Ints = np.where(doubted, others.argmax(1), evidence).astype(np.int32)
    return kinds


def kind_model_fingerprint() -> str:
    """16 hexadecimal digits of all that these kinds depend on; raises `ModelError`."""
    folder = find_model(KIND_MODEL)
    with reading(folder):
        manifest = (folder / MANIFEST).read_bytes()
    return digest(canonical([DOUBTED, [kind.name for kind in BY_EVIDENCE]]), manifest)
