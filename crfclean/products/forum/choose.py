"""Choose the group of elements that holds the posts on every page of a site."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from crfclean.products.forum.body_features import BodyGroup, body_groups, feature_rows
from crfclean.products.forum.evidence import evidence
from crfclean.products.forum.fields import NORM, ForumFields, fields
from crfclean.products.forum.model import ForumModel
from crfclean.products.forum.outline import Outline
from crfclean.products.forum.records import records
from crfclean.products.forum.stated import overlapping, stated_posts
from crfclean.types import Floats, Ints

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


def label_group(
    outline: Outline, group: BodyGroup, model: ForumModel
) -> tuple[ForumFields, Floats]:
    """Label the fields around a group's elements, with probabilities (n, 4) before correction."""
    page_fields = fields(records(outline, np.array(group.nodes)))
    return page_fields, model.label(page_fields)


def best_groups(outline: Outline, model: ForumModel) -> list[LabelledGroup]:
    """Return the best groups of a page with their fields, best first."""
    groups = body_groups(outline)
    if not groups:
        return []
    scores = model.bodies.scores(feature_rows(groups))
    order = np.argsort(-scores, kind="stable")[:_MAX_TRIED].tolist()
    order = [place for place in order if scores[place] >= scores.max() - _MAX_BEHIND]
    labelled = [_labelled(outline, groups[place], float(scores[place]), model) for place in order]
    labelled.sort(key=lambda group: -group.score)
    stated = _stated_bodies(outline)
    if not stated or _agree(outline, labelled[0].fields.records.bodies, np.array(stated)):
        return labelled
    stated_fields, score = fields(records(outline, np.array(stated))), labelled[0].score + _STATED
    return [LabelledGroup(STATED, stated_fields, model.label(stated_fields), score), *labelled]


def _agree(outline: Outline, bodies: Ints, stated: Ints) -> bool:
    """Return whether nearly all post bodies equal, or are inside, bodies that the page states."""
    own = overlapping(outline, stated, bodies)
    return len(np.unique(own[own >= 0])) >= _AGREE * max(len(bodies), len(stated))


def _stated_bodies(outline: Outline) -> list[int]:
    """Return the bodies of posts in microdata, and elements named alike; [] if there are none.

    XenForo 2 states only the answers in microdata: the opening post is stated in JSON-LD.
    """
    bodies = list(stated_posts(outline))
    counts = Counter(outline.names[node] for node in bodies)
    for name, count in counts.items():
        alike = outline.groups.get(name, [])
        if len(alike) <= 2 * count:
            bodies += alike
    return sorted(set(bodies))


def _labelled(outline: Outline, group: BodyGroup, score: float, model: ForumModel) -> LabelledGroup:
    """Label the fields of a group, and add to its score what the labels say."""
    page_fields, probabilities = label_group(outline, group, model)
    signs = evidence(page_fields, probabilities)
    score += float(model.groups.scores(signs[None])[0])
    return LabelledGroup(group.name, page_fields, probabilities, score)


def choose_groups(pages: Sequence[Outline], model: ForumModel) -> list[LabelledGroup | None]:
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
    """Correct labels by template (Sido 2017, section 6.9): fields at one address mean the same.

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
