"""Choose among a page's values by a conditional logit."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations, repeat
from pathlib import Path
from typing import NamedTuple

from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import (
    METADATA_SOURCES,
    Alternative,
    Context,
    family,
    folded,
)
from crfclean.metadata.title_parts import is_site

# A conditional logit (McFadden 1974) chooses among a page's values and "none of them". The features
# say where a value stands, which sources state it and which contradict it. A feature without a
# weight counts 0.

STRONG_SOURCES: Mapping[str, Sequence[str]] = METADATA_SOURCES["strong"]
"""Kind -> the sources that count against a value when they state another."""

_ALIKE: Mapping[str, str] = METADATA_SOURCES["alike"]
"""A rare source -> the source whose weights it shares."""


class Ranked(NamedTuple):
    """A value with the probability that it is right."""

    alternative: Alternative
    probability: float


def value_features(kind: str, values: Sequence[Alternative], context: Context) -> list[set[str]]:
    """The features of every value of a kind ("title", "author" or "date")."""
    values = list(map(_with_common_sources, values))
    page, order, rows = _Page(values, context), dict[str, int](), []
    sources_of = [{candidate.source for candidate, _ in value.candidates} for value in values]
    page_sources, strong = set[str]().union(*sources_of), STRONG_SOURCES[kind]
    for value, sources in zip(values, sources_of, strict=True):
        row = _places(value, order, context)
        row |= {f"not:{name}" for name in (page_sources - sources).intersection(strong)}
        row |= {f"families:{min(5, len({source.split()[0] for source in sources}))}"}
        pairs = combinations(sorted(sources.intersection(strong)), 2)
        row |= {f"both:{a}&{b}" for a, b in pairs} | {f"page:{context.page}"}
        rows.append(row | _OF_KIND[kind](value, page))
    return rows


def _with_common_sources(value: Alternative) -> Alternative:
    """A value whose rare sources are named like common ones (`alike` in sources.toml)."""
    if not any(candidate.source in _ALIKE for candidate, _ in value.candidates):
        return value
    pairs = [
        (candidate._replace(source=_ALIKE.get(candidate.source, candidate.source)), way)
        for candidate, way in value.candidates
    ]
    return Alternative(value.key, value.texts, pairs)


@dataclass(frozen=True, eq=False)
class _Page:
    """The values of a kind on a page, and figures of all of them."""

    values: Sequence[Alternative]
    context: Context

    @cached_property
    def days(self) -> Sequence[str]:
        """The days of publication that any source declares, in order of time."""
        days = (value for value in self.values if len(value.key) == 10)
        return sorted(
            day.key for day in days if any(item.kind == "published" for item, _ in day.candidates)
        )

    @cached_property
    def crowds(self) -> Mapping[str, int]:
        """Map each source and place to its number of values: comments have many authors."""
        keys = ({item.key for item, _ in value.candidates} for value in self.values)
        return Counter(chain.from_iterable(keys))


def _places(value: Alternative, order: dict[str, int], context: Context) -> set[str]:
    """Features of a value's sources, its rank in each (first, second, later) and the kind of page.

    `order` has the number of candidates that each source has stated before.
    """
    names = set()
    for candidate, way in value.candidates:
        name = f"{candidate.key}/{way}" if way else candidate.key
        place = order.get(f"{candidate.kind} {name}", 0)
        order[f"{candidate.kind} {name}"] = place + 1
        rank = "" if not place else " 2nd" if place == 1 else " later"
        names |= {f"{candidate.kind[:3]}:{name}{rank}"}
        if not way:
            names.add(f"{candidate.kind[:3]}:any {family(candidate)}{rank}")
        if candidate.kind != "title" or context.page in ("home", "recipe"):
            names.add(f"{context.page}|{candidate.kind[:3]}:{candidate.source}/{way}{rank}")
    return names


def _title(value: Alternative, facts: _Page) -> set[str]:
    words = len(value.key.split())
    bucket = next(limit for limit in (1, 2, 4, 8, 14, 22, 10**9) if words <= limit)
    names = {f"words:{bucket}"}
    title = folded(facts.context.title)
    if is_site(value.texts[0], facts.context.sites):
        names.add("site")
    if value.key == title:
        names.add("is title")
    elif title.startswith(value.key):
        names.add("starts title")
    elif value.key in title:
        names.add("in title")
    elif title and title in value.key:
        names.add("around title")
    return names


_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that write a full name without a space: 王小明."""


def _author(value: Alternative, facts: _Page) -> set[str]:
    authors, context = value.key.split("; "), facts.context
    words = 2 if _UNSPACED.search(authors[0]) else len(authors[0].split())
    names = {f"names:{min(3, len(authors))}", f"words:{min(4, words)}"}
    if any(is_site(author, context.sites) for author in authors):
        names.add("site")
    if any(map(str.isdigit, value.key)):
        names.add("digits")
    if folded(context.title) and folded(value.texts[0]) in folded(context.title):
        names.add("in title")
    if _organisations().intersection(value.key.replace(";", "").split()):
        names.add("organisation")
    if 1 < len(authors) <= max(len(item.texts) for item, _ in value.candidates):
        names.add("listed")
    crowd = min(facts.crowds[item.key] for item, _ in value.candidates)
    names.add(f"crowd:{next(limit for limit in (1, 2, 4, 60) if crowd <= limit)}")
    return names | _relations(value, facts.values)


def _relations(value: Alternative, values: Sequence[Alternative]) -> set[str]:
    """Features of the sources that state more authors than a value, or only some of them."""
    authors, names = set(value.key.split("; ")), set()
    for other in values:
        others = set(other.key.split("; "))
        if authors < others or authors > others:
            relation = "part of" if authors < others else "more than"
            sources = {item.source for item, _ in other.candidates}
            names |= {
                f"{relation} {source}" for source in sources.intersection(STRONG_SOURCES["author"])
            }
            names.add(f"{relation} another")
    return names


@cache
def _organisations() -> frozenset[str]:
    """Words of names of companies, papers and agencies."""
    return frozenset(lexicon().words(lambda language: language.bylines.organisations))


_DAY_CHARS = 10  # of a day in ISO 8601


_MACHINE_READABLE = frozenset(["meta", "json-ld", "marks"])
"""Families whose software decides how precise dates are, so that precision says nothing."""


def _date(value: Alternative, facts: _Page) -> set[str]:
    days = facts.days
    names = {f"days:{min(5, len(days))}"}
    if not any(family(candidate) in _MACHINE_READABLE for candidate, _ in value.candidates):
        names.add(f"precision:{len(value.key)}")
    if len(days) > 1 and value.key in (days[0], days[-1]):
        names.add("first day" if value.key == days[0] else "last day")
    kinds = {candidate.kind for candidate, _ in value.candidates}
    names.add("kinds:" + "+".join(sorted(kinds)))
    visible = [item.texts[0] for item, _ in value.candidates if item.source == "date"]
    if visible:
        names.add("clock" if any(len(iso) > _DAY_CHARS for iso in visible) else "no clock")
    return names


_OF_KIND = {"title": _title, "author": _author, "date": _date}


def features_of_none(values: Sequence[Alternative], context: Context) -> set[str]:
    """The features of "none of them"."""
    return {"none", f"none {context.page}", f"none of {min(4, len(values))}"}


@dataclass(frozen=True, slots=True)
class RankingWeights:
    """Feature -> its weight, and the least probability with which a value is output."""

    by_feature: Mapping[str, float]
    least: float = 0.0


def rank_values(
    kind: str, values: Sequence[Alternative], context: Context, weights: RankingWeights
) -> list[Ranked]:
    """Rank values by probability, ties in order of occurrence.

    The probability of a value is the softmax of the sums of weights, "none of them" included.
    """
    if not values:
        return []
    rows = [*value_features(kind, values, context), features_of_none(values, context)]
    scores = [math.fsum(map(weights.by_feature.get, row, repeat(0.0))) for row in rows]
    most = max(scores)
    odds = [math.exp(score - most) for score in scores]
    total = math.fsum(odds)
    pairs = zip(values, odds[:-1], strict=True)
    ranking = [Ranked(value, share / total) for value, share in pairs]
    return sorted(ranking, key=lambda ranked: -ranked.probability)


# the weights learned by `eval/models/train_metadata.py`, and the least probability of a value

RANKING_WEIGHTS = Path(__file__).parent / "weights.json"


@cache
def ranking_weights() -> Mapping[str, RankingWeights]:
    """Map each kind of value to the shipped weights, which are read once."""
    parts = json.loads(RANKING_WEIGHTS.read_text("utf-8"))
    return {
        kind: RankingWeights(parts["weights"][kind], parts["least"][kind])
        for kind in STRONG_SOURCES
    }
