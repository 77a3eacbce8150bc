"""The choice of the group of elements that holds the posts, and the post that opens a thread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from crfclean.forum.bodies import BodyGroup, body_groups, feature_rows, openers
from crfclean.forum.microdata import overlapping, stated_posts
from crfclean.forum.model import ForumModel
from crfclean.forum.outline import Outline
from crfclean.forum.records import (
    DATES,
    INSIDE,
    MAX_REACH,
    NICK,
    NORM,
    ForumFields,
    evidence,
    fields,
    records,
    topic,
)
from crfclean.types import Floats, Ints

# choice of the group of elements that holds the posts on every page of a site
#
# The groups with the best scores are scored again by their labelled fields. Each record should have
# an author, a date and the post's words, and these words should stand in the body. Pages of one
# site share a template, so they vote: a group that wins on other pages is likelier on this one.

STATED = "microdata"
"""The name of the group of posts that a page states in microdata."""
_STATED = 4.0  # score of such posts above that of the best group
_AGREE = 0.85  # share of the posts that the best group and the microdata have in common
_MAX_TRIED = 4  # groups of a page whose fields are labelled
_MAX_BEHIND = 5.0  # score below the best group's at which a group is still tried
MAX_TRAINED = 10  # groups tried in training, where worse ones serve as negative examples
_UNSEEN = -6.0  # score of a group, less that of the best, on pages where it is not tried


@dataclass(frozen=True)
class LabelledGroup:
    """A group with its fields, their probabilities (n, 4), and its score."""

    name: str
    fields: ForumFields
    probabilities: Floats
    score: float


def label_group(page: Outline, group: BodyGroup, model: ForumModel) -> tuple[ForumFields, Floats]:
    """Label the fields around a group's elements, with probabilities (n, 4) before correction."""
    page_fields = fields(records(page, np.array(group.nodes)))
    return page_fields, model.label(page_fields)


def best_groups(page: Outline, model: ForumModel) -> list[LabelledGroup]:
    """Return the best groups of a page with their fields, best first."""
    groups = body_groups(page)
    if not groups:
        return []
    scores = model.bodies.scores(feature_rows(groups))
    order = np.argsort(-scores, kind="stable")[:_MAX_TRIED].tolist()
    order = [place for place in order if scores[place] >= scores.max() - _MAX_BEHIND]
    labelled = [_labelled(page, groups[place], float(scores[place]), model) for place in order]
    labelled.sort(key=lambda group: -group.score)
    stated = _stated_bodies(page)
    if not stated or _agree(page, labelled[0].fields.records.bodies, np.array(stated)):
        return labelled
    stated_fields, score = fields(records(page, np.array(stated))), labelled[0].score + _STATED
    return [LabelledGroup(STATED, stated_fields, model.label(stated_fields), score), *labelled]


def _agree(page: Outline, bodies: Ints, stated: Ints) -> bool:
    """Return whether nearly all post bodies equal, or are inside, bodies that the page states."""
    own = overlapping(page, stated, bodies)
    return len(np.unique(own[own >= 0])) >= _AGREE * max(len(bodies), len(stated))


def _stated_bodies(page: Outline) -> list[int]:
    """The bodies of the posts in microdata, and of elements with the same name; [] without any.

    XenForo 2 states only the answers in microdata: the opening post is stated in JSON-LD.
    """
    bodies = list(stated_posts(page))
    counts = Counter(page.names[node] for node in bodies)
    for name, count in counts.items():
        alike = page.groups.get(name, [])
        if len(alike) <= 2 * count:
            bodies += alike
    return sorted(set(bodies))


def _labelled(page: Outline, group: BodyGroup, score: float, model: ForumModel) -> LabelledGroup:
    """Label the fields of a group, and add to its score what the labels say."""
    page_fields, probabilities = label_group(page, group, model)
    signs = evidence(page_fields, probabilities)
    score += float(model.groups.scores(signs[None])[0])
    return LabelledGroup(group.name, page_fields, probabilities, score)


def choose(pages: Sequence[Outline], model: ForumModel) -> list[LabelledGroup | None]:
    """Choose the group of every page of a site, None for a page without text."""
    ranked = [best_groups(page, model) for page in pages]
    votes = [{group.name: group.score - groups[0].score for group in groups} for groups in ranked]
    total = {
        name: sum(max(_UNSEEN, page.get(name, _UNSEEN)) for page in votes)
        for name in set(chain.from_iterable(votes))
    }
    chosen: list[LabelledGroup | None] = []
    others = max(1, len(votes) - 1)
    for groups, vote in zip(ranked, votes, strict=True):
        scored = [
            (vote[group.name] + (total[group.name] - vote[group.name]) / others, group)
            for group in groups
        ]
        chosen.append(max(scored, key=lambda pair: pair[0])[1] if scored else None)
    return chosen


def corrected_by_template(groups: Sequence[LabelledGroup]) -> list[Floats]:
    """Correct labels by template (Sido 2017, section 6.9): fields of one address mean the same.

    The probabilities of a page's fields, (n, 4) each, become the geometric mean over all fields
    at the same address on all pages.
    """
    sums = defaultdict[str, Floats](lambda: np.zeros(NORM + 1))
    counts = defaultdict[str, int](int)
    addresses = [group.fields.addresses for group in groups]
    for group, places in zip(groups, addresses, strict=True):
        for place, row in zip(places, np.log(group.probabilities + 1e-4), strict=True):
            sums[place] = sums[place] + row
            counts[place] += 1
    corrected = []
    for places in addresses:
        means = np.array([sums[place] / counts[place] for place in places]).reshape(-1, NORM + 1)
        factors = np.exp(means)
        corrected.append(factors / factors.sum(axis=1, keepdims=True))
    return corrected


# search for the post that opens a thread where it stands outside the chosen group
#
# A question above its answers, or an article above its comments, has other markup than the posts
# that follow. So it is in no group with them.

_SIGNED = 0.5  # least probability of author or date, and least share of the other posts' mean
_OPENER_MAX_TRIED = 4  # elements
_MANY = 3.0  # authors or dates, from which the text is a list of threads


def _joined(
    page: Outline, group: LabelledGroup, model: ForumModel, bodies: list[int]
) -> LabelledGroup:
    """Label the fields of a group again, with other bodies.

    If nothing stands before the first body in its record, the record is extended upwards to the
    nearest text in an element around: the author and date of a question above its answers.
    """
    joined = records(page, np.array(bodies))
    above, first = bodies[0], int(page.first[bodies[0]])
    while joined.start[0] == first and above >= 0 and page.first[above] == first:
        above = int(page.page.nodes.parent[above])
    if joined.start[0] == first and above >= 0:
        joined.start[0] = max(int(page.first[above]), first - MAX_REACH)
    page_fields = fields(joined)
    return replace(group, fields=page_fields, probabilities=model.label(page_fields))


def with_opener(page: Outline, group: LabelledGroup, model: ForumModel) -> LabelledGroup:
    """Add the post before the first record to a group, if there is one."""
    page_records = group.fields.records
    if not len(page_records):
        return group
    title, start = topic(page, page_records.start), int(page_records.start[0])
    single = [opener for opener in openers(page, start) if page.text(opener.nodes[0]) != title]
    if not single:
        return group
    scores = model.bodies.scores(feature_rows(single))
    others = signatures(group)[0].mean(axis=0)
    for place in np.argsort(-scores, kind="stable")[:_OPENER_MAX_TRIED].tolist():
        node = single[place].nodes[0]
        probe = _joined(page, group, model, [node, int(page_records.bodies[0])])
        if _opens(probe, others):
            return _joined(page, group, model, [node, *page_records.bodies.tolist()])
    return group


def _opens(probe: LabelledGroup, others: Floats) -> bool:
    """Return whether the first of two records is a separate post, by its author and date.

    `others` are the mean probabilities of author and date in the other posts, (2,). Menus and
    notices fail since theirs are lower, and a box of newest threads since it has many of both.
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
