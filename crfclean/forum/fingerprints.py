"""Features of a forum's model -> their fingerprints over a built-in thread."""

from __future__ import annotations

from functools import cache

import numpy as np

from crfclean.forum.bodies import FEATURES, candidates, table
from crfclean.forum.fields import LABELS, Fields, fields
from crfclean.forum.group_evidence import EVIDENCE, evidence
from crfclean.forum.outline import Outline, outline
from crfclean.forum.records import records
from crfclean.io import canonical
from crfclean.modelfiles.probe import FORUM_PROBE, column_fingerprint, text_fingerprint
from crfclean.page.blocks import split
from crfclean.types import Floats, Ints, Page

_TAGS = ("section", "article")
"""Elements of the probe that hold the posts' words, or all of a post."""

_PARTS = ("field's text", "field's place", "field's elements")
"""What the three parts of a field's attributes are called."""


@cache
def fingerprints() -> dict[str, str]:
    """Feature -> fingerprint: of groups, of their evidence, and of fields by part."""
    page = outline(split(Page(FORUM_PROBE)))
    groups = [fields(records(page, _nodes(page, tag))) for tag in _TAGS]
    proof = np.array([evidence(one, _probabilities(len(one))) for one in groups])
    columns = dict(zip(FEATURES, table(candidates(page)).T, strict=True))
    columns |= dict(zip(EVIDENCE, proof.T, strict=True))
    parts = {name: _attributes(groups, part) for part, name in enumerate(_PARTS)}
    prints = {name: column_fingerprint(column) for name, column in columns.items()}
    return prints | {name: text_fingerprint(text) for name, text in parts.items()}


def _nodes(page: Outline, tag: str) -> Ints:
    """The elements of a tag, in page order."""
    return np.flatnonzero([name == tag for name in page.page.nodes.tags])


def _probabilities(count: int) -> Floats:
    """What a model might say of fields: rows (n, labels) that differ from each other."""
    steps = np.add.outer(np.arange(count) * 5, np.arange(len(LABELS)) * 3) % 7 + 0.1
    shares: Floats = steps / steps.sum(axis=1, keepdims=True)
    return shares


def _attributes(groups: list[Fields], part: int) -> str:
    """One part of all fields' attributes, as a text."""
    return canonical([[field[part] for field in one.parts] for one in groups])
