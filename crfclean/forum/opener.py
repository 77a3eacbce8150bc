"""A page's chosen group + `ForumModel` -> the same with the text that opens the thread, if any.

Where questions stand above their answers, or an article above its comments, the first text is built
unlike the others, and is in no group with them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crfclean.forum.bodies import candidates, table
from crfclean.forum.choose import Labelled
from crfclean.forum.fields import COMM, fields
from crfclean.forum.model import ForumModel
from crfclean.forum.outline import Outline
from crfclean.forum.records import INSIDE, records

LEAST_COMM = 0.7  # share of its words that the fields' classifier must take for a post's


def with_opener(page: Outline, one: Labelled, model: ForumModel) -> Labelled:
    """The group with the likeliest single element before its first record, or as it is."""
    found = one.fields.records
    start = int(found.start[0]) if len(found) else 0
    single = [
        other
        for other in candidates(page)
        if len(other.nodes) == 1 and page.last[other.nodes[0]] <= start
    ]
    if not single:
        return one
    best = single[int(model.bodies.scores(table(single)).argmax())]
    bodies = np.array([best.nodes[0], *found.bodies.tolist()])
    joined = fields(records(page, bodies))
    probabilities = model.label(joined)
    sides = joined.records.side[joined.runs]
    own = (joined.records.record[joined.runs] == 0) & (sides == INSIDE)
    words = np.diff(page.words)[joined.runs[own]] + 0.1
    if not own.any() or probabilities[own, COMM] @ words < LEAST_COMM * words.sum():
        return one
    return replace(one, fields=joined, probabilities=probabilities)
