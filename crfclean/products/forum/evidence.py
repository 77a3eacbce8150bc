"""Evidence for a group of elements from the labels of its fields."""

from __future__ import annotations

import numpy as np

from crfclean.page.chars import share
from crfclean.products.forum.fields import COMM, DATES, NICK, ForumFields
from crfclean.products.forum.records import INSIDE
from crfclean.types import Floats

EVIDENCE = "nick date comm lost foreign nicks dates".split()
"""The columns of `evidence`."""

INNER = 0.5  # weight of an author or a date inside the body, where few pages have them


def evidence(page_fields: ForumFields, probabilities: Floats) -> Floats:
    """Return the values of `EVIDENCE` for a group, each in 0..1.

    `nick` and `date`: mean over records of the highest probability. `comm`: share of the words in
    bodies that are a post's. `lost`: share of posts' words outside bodies. `foreign`: share of
    records without such words inside. `nicks` and `dates`: mean surplus of authors and dates.
    """
    records, count = page_fields.records, len(page_fields.records)
    if not len(page_fields):
        return np.zeros(7)
    owner = records.record[page_fields.runs]
    words = np.diff(records.page.words)[page_fields.runs] + 0.1
    inside = records.side[page_fields.runs] == INSIDE
    best = np.zeros((count, probabilities.shape[1]))
    np.maximum.at(best, owner, np.where(inside[:, None], INNER, 1.0) * probabilities)
    comm = words * probabilities[:, COMM]
    post_words = np.bincount(owner, comm * inside, count)
    sums = [
        np.bincount(owner, np.where(inside, 0.0, probabilities[:, label]), count)
        for label in (NICK, DATES)
    ]
    extra = [float(np.clip(total - 1.0, 0.0, 3.0).mean()) / 3 for total in sums]
    parts = [float(best[:, NICK].mean()), float(best[:, DATES].mean())]
    parts.append(float(share(comm[inside].sum(keepdims=True), words[inside].sum()).item()))
    parts.append(float(share(comm[~inside].sum(keepdims=True), comm.sum()).item()))
    parts.append(float((post_words < 0.5).mean()))
    return np.array([*parts, *extra])
