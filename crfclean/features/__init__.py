"""`Blocks` -> one column per feature: the table `FEATURES`.

A column has shape (n,) for n blocks; values are counts, shares in 0..1, or 0 and 1. A new clue is
a function in the module of its group and a line in that module's table; then models are retrained.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from crfclean.features.containers import CONTAINERS
from crfclean.features.context import CONTEXT
from crfclean.features.headline import HEADLINE
from crfclean.features.marks import MARKS
from crfclean.features.repetition import REPETITION
from crfclean.features.texttractor import TEXTTRACTOR
from crfclean.features.textual import WORDING
from crfclean.features.victor import VICTOR
from crfclean.features.whole import WHOLE
from crfclean.measures import Measures
from crfclean.types import Floats

GROUPS: Mapping[str, Mapping[str, Callable[[Measures], Floats]]] = {
    "victor": VICTOR,
    "marks": MARKS,
    "containers": CONTAINERS,
    "repetition": REPETITION,
    "headline": HEADLINE,
    "wording": WORDING,
    "context": CONTEXT,
    "whole": WHOLE,
}
"""Group -> its features."""

FEATURES = {name: feature for group in GROUPS.values() for name, feature in group.items()}
"""Name -> feature, of all groups: what the CRF sees."""

COLUMNS = ChainMap(FEATURES, TEXTTRACTOR)
"""Name -> feature, of all systems."""


def matrix(page: Measures, names: Sequence[str] | None = None) -> Floats:
    """Columns of the named features (of all `FEATURES`, in their order) side by side, (n, k)."""
    names = tuple(FEATURES) if names is None else names
    if not len(page):
        return np.zeros((0, len(names)))
    rows = np.empty((len(names), len(page)))
    for row, name in zip(rows, names, strict=True):
        row[:] = COLUMNS[name](page)
    return np.ascontiguousarray(rows.T)
