"""`Fields` and the probabilities of their labels -> what they say for a group of elements."""

from __future__ import annotations

import numpy as np

from crfclean.forum.fields import COMM, DATES, NICK, Fields
from crfclean.forum.records import INSIDE
from crfclean.page.arrays import share
from crfclean.types import Floats

EVIDENCE = "nick date comm lost foreign nicks dates".split()
"""The columns of `evidence`."""

INNER = 0.5  # what an author or a date counts among the words: some pages have no other place


def evidence(found: Fields, probabilities: Floats) -> Floats:
    """What labelled fields say for a group: `EVIDENCE`, each in 0..1.

    `nick` and `date`: mean over records of the surest one; `comm`: share of the words inside that
    are a post's; `lost`: share of all such words that stand outside; `foreign`: share of records
    without any inside; `nicks`, `dates`: how many a record has beyond one.
    """
    records, count = found.records, len(found.records)
    if not len(found):
        return np.zeros(7)
    owner = records.record[found.runs]
    words = np.diff(records.page.words)[found.runs] + 0.1
    inside = records.side[found.runs] == INSIDE
    best = np.zeros((count, probabilities.shape[1]))
    np.maximum.at(best, owner, np.where(inside[:, None], INNER, 1.0) * probabilities)
    comm = words * probabilities[:, COMM]
    said = np.bincount(owner, comm * inside, count)
    sums = [
        np.bincount(owner, np.where(inside, 0.0, probabilities[:, label]), count)
        for label in (NICK, DATES)
    ]
    extra = [float(np.clip(total - 1.0, 0.0, 3.0).mean()) / 3 for total in sums]
    parts = [float(best[:, NICK].mean()), float(best[:, DATES].mean())]
    parts.append(float(share(comm[inside].sum(keepdims=True), words[inside].sum()).item()))
    parts.append(float(share(comm[~inside].sum(keepdims=True), comm.sum()).item()))
    parts.append(float((said < 0.5).mean()))
    return np.array([*parts, *extra])
