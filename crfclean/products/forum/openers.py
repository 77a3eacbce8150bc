"""Find the post that opens a thread outside the chosen group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crfclean.products.forum.body_features import feature_rows, openers
from crfclean.products.forum.choose import LabelledGroup
from crfclean.products.forum.fields import DATES, NICK, fields
from crfclean.products.forum.model import ForumModel
from crfclean.products.forum.outline import Outline
from crfclean.products.forum.post_words import topic
from crfclean.products.forum.records import INSIDE, MAX_RUNS_BEFORE, records
from crfclean.types import Floats

_SIGNED = 0.5  # least probability of author or date, and least share of the other posts' mean
_OPENER_MAX_TRIED = 4  # elements
_MANY = 3.0  # authors or dates, from which the text is a list of threads


def _joined(
    outline: Outline, group: LabelledGroup, model: ForumModel, bodies: list[int]
) -> LabelledGroup:
    """Label the fields of a group again, with other bodies.

    If the first record has no text before its body, it is extended to the nearest text above, such
    as the author and date of a question above its answers.
    """
    joined = records(outline, np.array(bodies))
    above, first = bodies[0], int(outline.first[bodies[0]])
    while joined.start[0] == first and above >= 0 and outline.first[above] == first:
        above = int(outline.page.table.parent[above])
    if joined.start[0] == first and above >= 0:
        joined.start[0] = max(int(outline.first[above]), first - MAX_RUNS_BEFORE)
    page_fields = fields(joined)
    return replace(group, fields=page_fields, probabilities=model.label(page_fields))


def with_opener(outline: Outline, group: LabelledGroup, model: ForumModel) -> LabelledGroup:
    """Add the post before the first record to a group, if there is one."""
    page_records = group.fields.records
    if not len(page_records):
        return group
    title, start = topic(outline, page_records.start), int(page_records.start[0])
    single = [
        opener for opener in openers(outline, start) if outline.text(opener.nodes[0]) != title
    ]
    if not single:
        return group
    scores = model.bodies.scores(feature_rows(single))
    others = signatures(group)[0].mean(axis=0)
    for place in np.argsort(-scores, kind="stable")[:_OPENER_MAX_TRIED].tolist():
        node = single[place].nodes[0]
        probe = _joined(outline, group, model, [node, int(page_records.bodies[0])])
        if _opens(probe, others):
            return _joined(outline, group, model, [node, *page_records.bodies.tolist()])
    return group


def _opens(probe: LabelledGroup, others: Floats) -> bool:
    """Return whether the first of two records is a separate post, by its author and date.

    `others` are the mean probabilities of author and date in the other posts, (2,). Menus and
    notices have lower probabilities; a box of newest threads has many authors and dates.
    """
    best, sums = signatures(probe)
    is_signed = (best[0] >= _SIGNED * others).all() and best[0].max() > _SIGNED
    return bool(is_signed and sums[0].max() < _MANY)


def signatures(group: LabelledGroup) -> tuple[Floats, Floats]:
    """The highest probabilities of author and date outside each body, and sums; (k, 2) each."""
    records, runs = group.fields.records, group.fields.runs
    outside = records.side[runs] != INSIDE
    best, sums = np.zeros((len(records), 2)), np.zeros((len(records), 2))
    likely = group.probabilities[outside][:, [NICK, DATES]]
    np.maximum.at(best, records.record[runs[outside]], likely)
    np.add.at(sums, records.record[runs[outside]], likely)
    return best, sums
