"""Find where the main text of a page ends, and another section begins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crfclean.decision.borders import INPUTS, borders_of
from crfclean.decision.evidence import Evidence
from crfclean.decision.rules import log_odds
from crfclean.expert.comments import mentions_comments
from crfclean.features.table import derived
from crfclean.features.wording import opening_groups, title_likeness
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.page.arrays import among
from crfclean.page.head import head_metadata
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures
from crfclean.page.tree import depths, in_heading, link_words
from crfclean.types import Bools, Floats, Ints, Kind

END_INPUTS = (*INPUTS, "heads_comments", "gap_heads_comments", "recipe", "listing", "forum", "article")
"""What tells whether a text ends at a border (`borders.pyx`), with the type of the page."""

_MOST_WORDS = 25  # of a block that heads comments
_NEAR, _FAR = 3, 7  # blocks before a border, and from the start of a gap, that may head comments
_MOST_ODDS = 9.2
_OPENING = tuple(map(PHRASE_GROUPS.index, "related comments subscribe byline tags".split()))


class Borders(NamedTuple):
    """Places where the text of a page may end: the kept block after each, and its inputs."""

    after: Ints
    inputs: Floats


def borders(evidence: Evidence, model: Floats, kept: Bools) -> Borders | None:
    """The borders between kept blocks (n,), None without any; `model` (n,) are probabilities."""
    page, nodes = evidence.page, evidence.page.nodes
    zones = evidence.zones
    kinds = np.where(zones > 0, zones, evidence.apart)
    marks = (kinds == Kind.TEASER) * 1 + (kinds == Kind.LEGAL) * 2 + in_heading(page) * 4
    marks += among(opening_groups(page), _OPENING) * 8
    before, after, inputs = borders_of(
        *(evidence.words, np.clip(log_odds(model), -_MOST_ODDS, _MOST_ODDS), kept),
        *(evidence.running, evidence.items, link_words(page), title_likeness(page)),
        *(marks.astype(np.uint8), derived(page).keys[0], page.node),
        *(nodes.first_block, nodes.end_block, nodes.end, nodes.parent, depths(page)),
    )
    if not len(after):
        return None
    recipe = "recipe" in head_metadata(page).types
    types = [recipe, *(evidence.types[name] for name in ("listing", "forum", "article"))]
    rest = np.tile(types, (len(after), 1))
    return Borders(after, np.hstack([inputs, _headed(page, before, after), rest]))


def _headed(page: Measures, before: Ints, after: Ints) -> Floats:
    """Whether comments are headed near each border, and early in its gap; (k, 2)."""
    words, texts, known = page.words, page.plain_texts, dict[int, bool]()

    def heads(block: int) -> bool:
        if block not in known:
            known[block] = words[block] <= _MOST_WORDS and mentions_comments(texts[block])
        return known[block]

    headed = np.zeros((len(after), 2))
    for row, start, end in zip(headed, (before + 1).tolist(), after.tolist(), strict=True):
        row[0] = any(map(heads, range(max(start, end - _NEAR), end + 1)))
        row[1] = any(map(heads, range(start, min(end, start + _FAR))))
    return headed
