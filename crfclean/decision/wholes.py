"""Keep whole what is one thing on a page: a list, a table, or one of several records.

A model judges block by block. What it tore apart: ingredients between the paragraphs of a recipe,
which it left out; rows of court decisions of which it kept the name and dropped the docket number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from crfclean.decision.evidence import Evidence
from crfclean.page.arrays import among, occurring
from crfclean.page.tree import link_words
from crfclean.types import Bools, Floats, Ints, Kind, Nodes, Rule

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
_LIST_FLOOR = 0.03  # mean probability of a run: below, the model is sure of something else
_MAX_LINKED = 0.3  # of a run's words: a list with more links leads elsewhere
_LEAST_RUN = 2  # blocks: one item alone is no list
_LEAST_RECORDS = 3
_SHORT_RECORD = 30.0  # mean words: longer ones, such as posts, lose buttons for good reason
_RECORD = 60.0  # mean words: of longer elements none is added
_LONGEST = 3.0  # times the mean: a longer element of the same tag is no record
_MOST_KEPT = 0.8  # of the records: what most of them keep belongs to the others
_RECORD_FLOOR = 0.1  # mean probability of a record that is not kept
_MAX_FORUM = 0.4  # probability: lists and records of a forum are names, buttons and signatures
_EVEN = 0.5
_WEIGHT = 0.1  # of a block without words, in a mean by words


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

    def mean(self, start: int, end: int, values: Floats | Bools) -> float:
        """The mean of the values (n,) of some blocks, weighted by their words."""
        words = self.evidence.words[start:end] + _WEIGHT
        return float((words * values[start:end]).sum() / words.sum())


def completed(choice: Choice) -> tuple[Choice, Ints]:
    """The choice with lists and records kept whole, and the `Rule` of added blocks (n,).

    A block that is added is as probable as what it belongs to, and at least as likely as not.
    """
    rules = np.zeros(len(choice.kept), np.int8)
    for rule, find in FINDERS if choice.kept.any() else ():
        kept, probability = choice.kept.copy(), choice.probability.copy()
        for start, end, value in find(choice):
            inside = slice(start, end)
            added = ~kept[inside] & ~among(choice.evidence.zones[inside], _BESIDE)
            kept[inside] |= added
            probability[inside] = np.where(added, value, probability[inside])
            rules[inside] = np.where(added, rule, rules[inside])
        choice = choice._replace(kept=kept, probability=probability)
    return choice, rules


def _runs(mask: Bools) -> list[tuple[int, int]]:
    """The runs of a mask (n,), half open."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _lists(choice: Choice) -> Iterator[Span]:
    """Runs of list items and cells between kept blocks that are data or a list of the content.

    A page does not get more words by them than it has without: a story of fifty words stood above
    a sidebar of lists and a footer that the model was not sure of. What a list is for, markup does
    not tell: without the model of kinds, links beside the news of Chinese portals were added.
    """
    evidence, places = choice.evidence, np.flatnonzero(choice.kept)
    first, last = int(places[0]), int(places[-1])
    items = evidence.items & (evidence.apart == 0)
    items[: first + 1] = items[last:] = False
    missing = items & ~choice.kept & (evidence.words > 0)
    if not missing.any():
        return
    linked, left = link_words(evidence.page), float(evidence.words[choice.kept].sum())
    for start, end in _runs(items):
        inside = slice(start, end)
        added = float(evidence.words[inside][missing[inside]].sum())
        if end - start < _LEAST_RUN or not 0 < added <= left:
            continue
        is_free = linked[inside].sum() <= _MAX_LINKED * evidence.words[inside].sum()
        likely = choice.mean(start, end, choice.probability) >= _LIST_FLOOR
        if is_free and likely and _is_list(choice, start, end):
            left -= added
            yield from (Span(at, at + 1, _ADDED) for at in range(start, end) if missing[at])


def _is_list(choice: Choice, start: int, end: int) -> bool:
    """Whether a run is a table of data, or a list of the content by the model of kinds.

    Few pages have runs that are worth the question. On a forum they are names and buttons.
    """
    evidence = choice.evidence
    if evidence.types["forum"] >= _MAX_FORUM:
        return False
    in_table = (evidence.fine[start:end] == Kind.TABLE).mean() >= _EVEN
    return bool(in_table) or choice.mean(start, end, evidence.listed) >= _EVEN


def _records(choice: Choice) -> Iterator[Span]:
    """Short elements alike under one parent: rows of a table, results of a search.

    One of which the larger part is kept is kept whole, where that holds for most of them; so is
    then one that is left out, unless it is quite improbable.
    """
    evidence, nodes = choice.evidence, choice.evidence.page.blocks.nodes
    several = nodes.end_block - nodes.first_block > 1
    records = np.flatnonzero(several & (nodes.parent >= 0))
    weights = evidence.words + _WEIGHT
    size = _sums(weights, nodes, records)
    short = size <= _LONGEST * _RECORD
    records, size = records[short], size[short]
    if len(records) < _LEAST_RECORDS:
        return
    share = _sums(weights * choice.kept, nodes, records) / size
    if not ((share > 0) & (share < 1)).any():
        return
    group, count = _groups(nodes.parent[records], evidence.page.tag_codes[records])
    mean = np.bincount(group, size) / count
    most = np.bincount(group, share >= _EVEN) / count >= _MOST_KEPT
    partly = (share >= _EVEN) & (share < 1) & (mean <= _SHORT_RECORD)[group]
    chosen = most[group] & (count >= _LEAST_RECORDS)[group] & (mean <= _RECORD)[group]
    chosen &= (size <= _LONGEST * mean[group]) & (partly | (share < _EVEN))
    if not chosen.any() or evidence.types["forum"] >= _MAX_FORUM:
        return
    for record in records[chosen].tolist():
        start, end = int(nodes.first_block[record]), int(nodes.end_block[record])
        value = choice.mean(start, end, choice.probability)
        if value >= _RECORD_FLOOR:
            yield Span(start, end, max(value, _EVEN))


def _sums(values: Floats, nodes: Nodes, elements: Ints) -> Floats:
    """The sums of the blocks' values (n,) inside some elements (k,), (k,)."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    inside: Floats = sums[nodes.end_block[elements]] - sums[nodes.first_block[elements]]
    return inside


def _groups(parents: Ints, tags: Ints) -> tuple[Ints, Ints]:
    """A number for each pair of parent and tag, (k,), and how often each pair occurs."""
    pairs = parents.astype(np.int64) * (int(tags.max()) + 1) + tags
    group, _ = occurring(pairs)
    return group, np.bincount(group)


FINDERS: tuple[tuple[Rule, Callable[[Choice], Iterator[Span]]], ...] = (
    (Rule.LIST, _lists),
    (Rule.RECORD, _records),
)
