"""Keep whole what is one thing on a page: a list, a table, or one of several records.

A model judges block by block. What it tore apart: ingredients between the paragraphs of a recipe,
which it left out; rows of court decisions of which it kept the name and dropped the docket number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crfclean.decision.evidence import Evidence
from crfclean.decision.sums import torn_lists, torn_records
from crfclean.page.arrays import among
from crfclean.page.tree import link_words
from crfclean.types import Bools, Floats, Ints, Kind, Rule

_BESIDE = (
    Kind.COMMENT,
    Kind.TEASER,
    Kind.PROMO,
    Kind.NOTICE,
    Kind.NAVIGATION,
    Kind.LEGAL,
)
"""Kinds of blocks that are never added for what stands around them."""

_ADDED = 0.7  # probability of what is added to a list
_MAX_FORUM = 0.4  # probability: lists and records of a forum are names, buttons and signatures
_EVEN = 0.5


class Span(NamedTuple):
    """Blocks from `start` to `end` - 1 that are one thing, and how probably it is text (0..1)."""

    start: int
    end: int
    probability: float


class Choice(NamedTuple):
    """The blocks of a page that are kept (n,), and their probabilities to be text (n,)."""

    evidence: Evidence
    kept: Bools
    probability: Floats


def completed(choice: Choice) -> tuple[Choice, Ints]:
    """The choice with lists and records kept whole, and the `Rule` of added blocks (n,).

    A block that is added is as probable as what it belongs to, and at least as likely as not.
    """
    rules = np.zeros(len(choice.kept), np.int8)
    for rule, find in FINDERS if choice.kept.any() else ():
        spans = list(find(choice))
        if not spans:
            continue
        kept, probability = choice.kept.copy(), choice.probability.copy()
        for start, end, value in spans:
            inside = slice(start, end)
            added = ~kept[inside] & ~among(choice.evidence.zones[inside], _BESIDE)
            kept[inside] |= added
            probability[inside] = np.where(added, value, probability[inside])
            rules[inside] = np.where(added, rule, rules[inside])
        choice = choice._replace(kept=kept, probability=probability)
    return choice, rules


def _lists(choice: Choice) -> Iterator[Span]:
    """Runs of list items and cells between kept blocks that are data or a list of the content."""
    evidence = choice.evidence
    items = evidence.items & (evidence.apart == 0)
    if not (items & ~choice.kept).any():
        return
    linked = link_words(evidence.page)
    for at in torn_lists(
        *(evidence.words, choice.kept, items, linked, choice.probability),
        lambda start, end: _is_list(evidence, slice(start, end)),
    ):
        yield Span(at, at + 1, _ADDED)


def _is_list(evidence: Evidence, run: slice) -> bool:
    """Whether a run is a table of data, or a list of the content by the model of kinds.

    What a list is for, markup does not tell: without that model, links beside the news of Chinese
    portals were added. On a forum lists are names and buttons.
    """
    if evidence.types["forum"] >= _MAX_FORUM:
        return False
    if (evidence.fine[run] == Kind.TABLE).mean() >= _EVEN:
        return True
    weights = evidence.words[run] + 0.1
    return bool(weights @ evidence.listed[run] >= _EVEN * weights.sum())


def _records(choice: Choice) -> Iterator[Span]:
    """Rows of a table, results of a search and the like of which a part is kept."""
    evidence, nodes = choice.evidence, choice.evidence.page.nodes
    spans = torn_records(
        *(evidence.words, choice.kept, choice.probability),
        *(nodes.first_block, nodes.end_block, nodes.parent, evidence.page.tag_codes),
    )
    if spans and evidence.types["forum"] < _MAX_FORUM:
        for start, end, probability in spans:
            yield Span(start, end, max(probability, _EVEN))


FINDERS: tuple[tuple[Rule, Callable[[Choice], Iterator[Span]]], ...] = (
    (Rule.LIST, _lists),
    (Rule.RECORD, _records),
)
