"""Keep the measures of the page that was read last."""

from __future__ import annotations

from collections import deque

from crfclean.page.measures import Measures
from crfclean.types import Blocks

_LATEST: deque[Measures] = deque(maxlen=1)


def measured(blocks: Blocks) -> Measures:
    """The measures of a page; those of the last page are kept.

    Taggers, comments and metadata read the same page one after the other, and share its counts.
    """
    for measures in tuple(_LATEST):
        if measures.blocks is blocks:
            return measures
    measures = Measures(blocks)
    _LATEST.append(measures)
    return measures
