"""Fingerprints of the forum model's features, computed on a built-in thread."""

from __future__ import annotations

from functools import cache

import numpy as np

from crfclean.forum.bodies import BODY_FEATURES, body_groups, feature_rows
from crfclean.forum.fields import LABELS, ForumFields, fields
from crfclean.forum.group_evidence import EVIDENCE, evidence
from crfclean.forum.outline import Outline, outline
from crfclean.forum.records import records
from crfclean.io import canonical
from crfclean.modelfiles.probe import FORUM_PROBE, column_fingerprint, text_fingerprint
from crfclean.page.blocks import split
from crfclean.types import Floats, Ints, Page

_TAGS = ("section", "article")
"""Elements of the probe page that hold the body of a post, or the whole post."""

_TEASERS = (
    '<div class="more"><h4><a href="/t/3">Skating by night on the lower lake</a></h4><p>There is '
    'no moon this week, but…</p><h4><a href="/t/4">Woollen or waxed laces?</a></h4><p>Both freeze.'
    "</p></div>"
)
"""Teasers, which the probe page lacks; other models depend on its bytes."""

_PARTS = ("field's text", "field's place", "field's elements")
"""Names of the three parts of a field's attributes."""


@cache
def forum_fingerprints() -> dict[str, str]:
    """Return the fingerprint of every feature: of groups, of their evidence, of fields by part."""
    page = outline(split(Page(FORUM_PROBE.replace("<footer>", f"{_TEASERS}<footer>"))))
    groups = [fields(records(page, _nodes(page, tag))) for tag in _TAGS]
    signs = np.array(
        [evidence(page_fields, _probabilities(len(page_fields))) for page_fields in groups]
    )
    columns = dict(zip(BODY_FEATURES, feature_rows(body_groups(page)).T, strict=True))
    columns |= dict(zip(EVIDENCE, signs.T, strict=True))
    parts = {name: _attributes(groups, part) for part, name in enumerate(_PARTS)}
    prints = {name: column_fingerprint(column) for name, column in columns.items()}
    return prints | {name: text_fingerprint(text) for name, text in parts.items()}


def _nodes(page: Outline, tag: str) -> Ints:
    """Elements with a tag, in page order."""
    return np.flatnonzero([name == tag for name in page.page.nodes.tags])


def _probabilities(count: int) -> Floats:
    """Invented probabilities of fields, shape (n, labels), whose rows differ."""
    steps = np.add.outer(np.arange(count) * 5, np.arange(len(LABELS)) * 3) % 7 + 0.1
    shares: Floats = steps / steps.sum(axis=1, keepdims=True)
    return shares


def _attributes(groups: list[ForumFields], part: int) -> str:
    """One part of all fields' attributes, as text."""
    return canonical([[field[part] for field in page_fields.parts] for page_fields in groups])
