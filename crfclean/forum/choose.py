"""The choice of the group of elements that holds the posts, and the post that opens a thread."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from crfclean.forum.bodies import BodyGroup, body_groups, feature_rows
from crfclean.forum.microdata import overlapping, stated_posts
from crfclean.forum.model import ForumModel
from crfclean.forum.outline import Outline
from crfclean.forum.records import (
    DATES,
    INSIDE,
    NICK,
    NORM,
    ForumFields,
    evidence,
    fields,
    records,
)
from crfclean.types import Floats, Ints

# choice of the group of elements that holds the posts on every page of a site
#
# The groups with the best scores are scored again by their labelled fields: each record should
# have an author and a date, and the post's words in the body, none outside. Pages of one site
# share a template, so they vote: a group that wins on other pages is likelier on this one.

STATED = "microdata"
"""The name of the group of posts that a page states in microdata."""
_STATED = 4.0  # score of such posts above that of the best group
_AGREE = 0.85  # share of the posts that both have
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
    """Whether nearly all bodies of posts are one of those that the page states, or inside one."""
    own = overlapping(page, stated, bodies)
    return len(np.unique(own[own >= 0])) >= _AGREE * max(len(bodies), len(stated))


def _stated_bodies(page: Outline) -> list[int]:
    """The bodies of posts in microdata, with those that have their name; none without microdata.

    XenForo 2 states the answers there, and the post that opens the thread in JSON-LD.
    """
    bodies = list(stated_posts(page))
    counts = Counter(page.names[node] for node in bodies)
    for name, count in counts.items():
        alike = page.groups.get(name, [])
        if len(alike) <= 2 * count:
            bodies += alike
    return sorted(set(bodies))


def _labelled(page: Outline, group: BodyGroup, score: float, model: ForumModel) -> LabelledGroup:
    """A group with labelled fields, by which its score is completed."""
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
# A question above its answers, or an article above its comments, is marked up unlike the posts
# that follow, and is in no group with them.

_SIGNED = 0.5  # least probability of author or date, and its share of the other posts' mean
_OPENER_MAX_TRIED = 4  # elements
_MANY = 3.0  # authors or dates, from which the text is a list of threads


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


def with_opener(page: Outline, group: LabelledGroup, model: ForumModel) -> LabelledGroup:
    """Add the post before the first record to a group, if there is one.

    Its author and date must be about as likely as those of the other posts: a menu or a notice may
    read like a post. A box of newest threads has many authors and dates.
    """
    page_records = group.fields.records
    if not len(page_records) or not page.dates[: int(page_records.start[0])].any():
        return group
    single = _before(page, group)
    if not single:
        return group
    order = np.argsort(-model.bodies.scores(feature_rows(single)), kind="stable")[
        :_OPENER_MAX_TRIED
    ]
    before, _ = _signs(group)
    for place in order.tolist():
        node = single[place].nodes[0]
        probe = _joined(page, group, model, [node, int(page_records.bodies[0])])
        after, sums = _signs(probe)
        least = _SIGNED * before.mean(axis=0)
        if bool((after[0] >= least).all()) and after[0].max() > _SIGNED and sums[0].max() < _MANY:
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
