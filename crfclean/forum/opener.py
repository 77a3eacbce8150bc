"""Search for the post that opens a thread where it stands outside the chosen group.

A question above its answers, or an article above its comments, is marked up unlike the posts that
follow, and is in no group with them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crfclean.forum.bodies import BodyGroup, body_groups, feature_rows
from crfclean.forum.choose import LabelledGroup
from crfclean.forum.fields import COMM, DATES, NICK, fields
from crfclean.forum.model import ForumModel
from crfclean.forum.outline import Outline
from crfclean.forum.records import INSIDE, records
from crfclean.types import Floats

_LEAST_COMM = 0.7  # share of its words that the classifier must label COMM
_SIGNED = 0.5  # least probability of author or date, and its share of the other posts' mean
_MAX_TRIED = 4  # elements
_MANY = 3.0  # authors or dates, from which the text is a list of threads
_MOST_LOST = 0.2  # of these probabilities that the first post after it may lose


def with_opener(page: Outline, group: LabelledGroup, model: ForumModel) -> LabelledGroup:
    """Add the likeliest single element before the first record, if it reads like a post."""
    single = _before(page, group)
    if not single:
        return group
    best = single[int(model.bodies.scores(feature_rows(single)).argmax())]
    joined = _joined(page, group, model, [best.nodes[0], *group.fields.records.bodies.tolist()])
    return joined if _is_worded(page, joined) else group


def _before(page: Outline, group: LabelledGroup) -> list[BodyGroup]:
    """Groups of a single element that ends before the first record."""
    page_records = group.fields.records
    start = int(page_records.start[0]) if len(page_records) else 0
    return [
        candidate
        for candidate in body_groups(page)
        if len(candidate.nodes) == 1 and page.last[candidate.nodes[0]] <= start
    ]


def _joined(
    page: Outline, group: LabelledGroup, model: ForumModel, bodies: list[int]
) -> LabelledGroup:
    """The group with other bodies, its fields labelled anew."""
    page_fields = fields(records(page, np.array(bodies)))
    return replace(group, fields=page_fields, probabilities=model.label(page_fields))


def _is_worded(page: Outline, group: LabelledGroup) -> bool:
    """Whether the classifier labels most words in the body of the first record COMM."""
    page_fields = group.fields
    sides = page_fields.records.side[page_fields.runs]
    first_words = (page_fields.records.record[page_fields.runs] == 0) & (sides == INSIDE)
    words = np.diff(page.words)[page_fields.runs[first_words]] + 0.1
    post_words = group.probabilities[first_words, COMM] @ words
    return bool(first_words.any() and post_words >= _LEAST_COMM * words.sum())


def with_signed_opener(page: Outline, group: LabelledGroup, model: ForumModel) -> LabelledGroup:
    """Add the post before the first record to a group, if there is one.

    Its author and date must be about as likely as those of the other posts, which must keep theirs.
    A menu or a notice may read like a post: as text of the page it does little harm, but it is no
    post. A box of newest threads has many authors and dates.
    """
    page_records = group.fields.records
    if not len(page_records) or not page.dates[: int(page_records.start[0])].any():
        return group
    single = _before(page, group)
    if not single:
        return group
    order = np.argsort(-model.bodies.scores(feature_rows(single)), kind="stable")[:_MAX_TRIED]
    before, _ = _signs(group)
    for place in order.tolist():
        node = single[place].nodes[0]
        probe = _joined(page, group, model, [node, int(page_records.bodies[0])])
        after, sums = _signs(probe)
        least = _SIGNED * before.mean(axis=0)
        if (
            _is_worded(page, probe)
            and bool((after[1] >= before[0] - _MOST_LOST).all())
            and bool((after[0] >= least).all())
            and after[0].max() > _SIGNED
            and sums[0].max() < _MANY
        ):
            return _joined(page, group, model, [node, *page_records.bodies.tolist()])
    return group


def _signs(group: LabelledGroup) -> tuple[Floats, Floats]:
    """Highest probability of author and date outside each record's body (k, 2), and their sums."""
    records, runs = group.fields.records, group.fields.runs
    outside = records.side[runs] != INSIDE
    best, sums = np.zeros((len(records), 2)), np.zeros((len(records), 2))
    likely = group.probabilities[outside][:, [NICK, DATES]]
    np.maximum.at(best, records.record[runs[outside]], likely)
    np.add.at(sums, records.record[runs[outside]], likely)
    return best, sums
