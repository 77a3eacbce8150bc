"""`Outline`s of one site + `ForumModel` -> which elements hold its posts' words, fields labelled.

The groups that look best by themselves are judged by their fields: each record should have an
author and a date, its words inside and none outside. Pages of one site have one template, so they
vote: a group that wins on other pages is likelier on this one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.forum.bodies import BodyGroup, body_groups, feature_rows
from crfclean.forum.fields import NORM, ForumFields, fields
from crfclean.forum.group_evidence import evidence
from crfclean.forum.model import ForumModel
from crfclean.forum.outline import Outline
from crfclean.forum.records import records
from crfclean.types import Floats, Ints

_MAX_TRIED = 4  # groups of a page whose fields are looked at
_MAX_BEHIND = 5.0  # score that a group may lack to the best to be looked at
MAX_TRAINED = 10  # the same in training: worse ones teach, too
_UNSEEN = -6.0  # score of a group, less that of the best, on pages where it is not tried


@dataclass(frozen=True)
class LabelledGroup:
    """A group with its fields, their probabilities (n, 4), and its score."""

    name: str
    fields: ForumFields
    probabilities: Floats
    score: float


def label_group(page: Outline, group: BodyGroup, model: ForumModel) -> tuple[ForumFields, Floats]:
    """The fields around a group's elements, and what they mean by the model alone (n, 4)."""
    page_fields = fields(records(page, np.array(group.nodes)))
    return page_fields, model.label(page_fields)


def best_groups(page: Outline, model: ForumModel) -> list[LabelledGroup]:
    """The best groups of a page with their fields, the best first."""
    groups = body_groups(page)
    if not groups:
        return []
    scores = model.bodies.scores(feature_rows(groups))
    order = np.argsort(-scores, kind="stable")[:_MAX_TRIED].tolist()
    order = [place for place in order if scores[place] >= scores.max() - _MAX_BEHIND]
    labelled = []
    for place in order:
        page_fields, probabilities = label_group(page, groups[place], model)
        signs = evidence(page_fields, probabilities)
        score = float(scores[place] + model.groups.scores(signs[None])[0])
        labelled.append(LabelledGroup(groups[place].name, page_fields, probabilities, score))
    return sorted(labelled, key=lambda group: -group.score)


def choose(pages: Sequence[Outline], model: ForumModel) -> list[LabelledGroup | None]:
    """The group of every page of a site, None for a page without text."""
    judged = [best_groups(page, model) for page in pages]
    votes = [{one.name: one.score - page[0].score for one in page} for page in judged]
    total: Mapping[str, float] = _total(votes)
    chosen: list[LabelledGroup | None] = []
    for page, own in zip(judged, votes, strict=True):
        others = max(1, len(votes) - 1)
        ranked = [(own[one.name] + (total[one.name] - own[one.name]) / others, one) for one in page]
        chosen.append(max(ranked, key=lambda pair: pair[0])[1] if ranked else None)
    return chosen


def _total(votes: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Sum of a group's scores over the pages."""
    names = {name for page in votes for name in page}
    total = defaultdict[str, float](float)
    for name in sorted(names):
        for page in votes:
            total[name] += max(_UNSEEN, page.get(name, _UNSEEN))
    return total


def corrected_by_template(groups: Sequence[LabelledGroup]) -> list[Floats]:
    """Correction by template (Sido 2017, section 6.9): fields of one address have one meaning.

    The probabilities of a page's fields, (n, 4) each, become the geometric mean over all fields
    at the same address on all pages.
    """
    sums = defaultdict[str, Floats](lambda: np.zeros(NORM + 1))
    counts = defaultdict[str, int](int)
    addresses = [
        [group.fields.address(field) for field in range(len(group.fields))] for group in groups
    ]
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


def label_counts(groups: Sequence[LabelledGroup]) -> dict[str, Ints]:
    """Address -> how often the classifier gave each label to a field there, shape (4,).

    The counts behind the correction, over all pages, in the order of the addresses' first fields.
    """
    counts = dict[str, Ints]()
    for group in groups:
        for field, label in enumerate(group.probabilities.argmax(axis=1).tolist()):
            address_counts = counts.setdefault(
                group.fields.address(field), np.zeros(NORM + 1, np.int64)
            )
            address_counts[label] += 1
    return counts
