"""Say why blocks are kept or left out for what they are, before the features' reasons."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.page.arrays import among
from crfclean.page.measures import Measures
from crfclean.taggers.articles import article_verdict
from crfclean.taggers.decision import log_odds
from crfclean.taggers.learned import decide_each, thread_verdict
from crfclean.taggers.named_kinds import ALSO_ODDS, kinds_named
from crfclean.taggers.params import CutParams
from crfclean.types import Bools, Floats, Kind, Reason

COMMENT_REASON = "comment.thread"
"""The reason of blocks inside comments: how probably the page is a thread."""
BESIDE_REASON = "beside.article"
"""The reason of blocks beside an article: how probably the page is one."""
SURE_PREFIX = "sure."
"""The prefix of the reason of blocks that are left out for their kind: "sure.notice"."""
ALSO_PREFIX = "also."
"""The prefix of the reason of blocks that are likelier since their kind was asked for."""


def page_reasons(
    page: Measures, marginals: Floats, params: CutParams
) -> Mapping[int, list[Reason]]:
    """Block -> why it is kept or left out for its kind: a comment, what stands beside an article.

    Only where a verdict mattered, or a kind was asked for by name. The value is the probability
    that the page is a thread, or an article; the weight is its log-odds, for a thread, and against
    the blocks beside an article. Value and weight of what is left out on any page (`sure_kinds`,
    `CutParams.without`) are 0 and -1.
    """
    reasons: dict[int, list[Reason]] = {}
    thread = thread_verdict(page, marginals, params)
    if thread is not None:
        said = _verdict_reason(COMMENT_REASON, thread.probability, 1.0)
        reasons = {block: [said] for block in np.flatnonzero(thread.inside).tolist()}
    tags = decide_each(page, marginals, params)
    if tags.beside is not None:
        said = _verdict_reason(BESIDE_REASON, article_verdict(page).probability, -1.0)
        reasons |= {block: [said] for block in np.flatnonzero(tags.beside).tolist()}
    if tags.sure is not None:
        reasons |= _kind_reasons(page, tags.sure, SURE_PREFIX, (0.0, -1.0))
    if params.also and len(page):
        also = among(kinds_of(page), kinds_named(params.also))
        reasons |= _kind_reasons(page, also, ALSO_PREFIX, (1.0, ALSO_ODDS))
    return reasons


def _kind_reasons(
    page: Measures, blocks: Bools, prefix: str, said: tuple[float, float]
) -> dict[int, list[Reason]]:
    """The reason of each of these blocks (n,), named by its kind, with this value and weight."""
    kinds = kinds_of(page)
    return {
        block: [Reason(prefix + Kind(kinds[block]).name.lower(), *said)]
        for block in np.flatnonzero(blocks).tolist()
    }


def _verdict_reason(name: str, probability: float, sign: float) -> Reason:
    return Reason(name, probability, sign * float(log_odds(np.asarray(probability))))
