"""Weigh the names around blocks, with weights learned from labelled pages of a site."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crfclean.decision.evidence import Evidence
from crfclean.decision.places import path_names, steps_around
from crfclean.model.block_kinds import kinds_of
from crfclean.types import Floats, Kind

MAX_LOG_ODDS = 4.0
"""Bound of the log-odds that names add to, so that names can change the surest blocks, too."""
_MAX_TEXT = 100  # characters of a text that counts as a name


def block_names(evidence: Evidence) -> list[frozenset[str]]:
    """Return the names of each block that may also occur on other pages of its site.

    They are the ids and classes of the elements around it (`#path`, `.score`), its own place
    (`div.entry p`), its kind (`:caption`), and its whole text if it is short (`"read also"`).
    """
    page, names = evidence.page, list[frozenset[str]]()
    rows = zip(page.node.tolist(), steps_around(page), page.texts, kinds_of(page), strict=True)
    for node, steps, text, kind in rows:
        words = " ".join(text.lower().split())
        of_block = {name for step in steps for name in path_names(step) or [step]}
        of_block |= {" ".join([*steps[-1:], page.table.tags[node]]), f":{Kind(kind).name.lower()}"}
        if 0 < len(words) <= _MAX_TEXT:
            of_block.add(f'"{words}"')
        names.append(frozenset(of_block))
    return names


def shifts(evidence: Evidence, weights: Mapping[str, float]) -> Floats:
    """Compute the shift of each block's log-odds of being text by its names, (n,)."""
    names = block_names(evidence)
    return np.array([sum(weights.get(name, 0.0) for name in sorted(each)) for each in names])
