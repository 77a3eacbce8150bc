"""Nested texts of a page: a stricter and a more generous one beside the one that is kept.

Each level keeps what maximises an expected F measure (van Rijsbergen 1979): with a beta below 1
precision counts more, with one above 1 recall. The sets of blocks are nested, strict in balanced in
generous, so a corpus that keeps all three can choose later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from crfclean.features.kinds import is_comment
from crfclean.page.latest import measured
from crfclean.taggers.decision import (
    best_expected_f,
    expected_f1,
    expected_precision,
    expected_recall,
    kept_labels,
)
from crfclean.types import Bools, Document, Floats, Tags

BALANCED = "balanced"
LEVELS: Mapping[str, float] = MappingProxyType({"strict": 0.5, BALANCED: 1.0, "generous": 2.0})
"""Level -> its beta, strictest first; the balanced one is what the decision rule keeps."""


def levels(document: Document) -> dict[str, Document]:
    """The document at each level, by its name: the same blocks with other labels.

    What is left out for certain, as kinds that a convention bars, is in none of them. Comments are
    in the generous text only if the balanced one has some.
    """
    return {name: document if name == BALANCED else _at(document, name) for name in LEVELS}


def _at(document: Document, level: str) -> Document:
    tags = document.tags
    if not len(tags):
        return document
    page = measured(document.blocks)
    comments = is_comment(page) if tags.comments is None else is_comment(page) | tags.comments
    kept = kept_at(level, tags, page.words, comments)
    labels = np.where(kept & tags.kept, tags.labels, kept_labels(tags.marginals, kept))
    score = expected_f1(tags.probabilities, page.words, kept)
    return replace(document, tags=replace(tags, labels=labels.astype(np.int32), score=score))


def kept_at(level: str, tags: Tags, words: Floats, comments: Bools) -> Bools:
    """The blocks (n,) of a level, from the words (n,) of blocks and which are comments (n,)."""
    if level == BALANCED:
        return tags.kept
    chosen = best_expected_f(tags.probabilities, words, LEVELS[level])
    if LEVELS[level] < 1:
        return tags.kept & chosen
    has_comments = bool((comments & tags.kept).any())
    return tags.kept | (chosen & (~comments | has_comments))


def expected(document: Document) -> dict[str, float]:
    """The expected precision and recall on words of the kept blocks (0..1)."""
    probability, kept = document.tags.probabilities, document.tags.kept
    words = measured(document.blocks).words
    return {
        "precision": expected_precision(probability, words, kept),
        "recall": expected_recall(probability, words, kept),
    }
