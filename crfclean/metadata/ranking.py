"""Candidates of one kind -> the values among them, each with the probability that it is right.

Candidates that say the same are one value. A conditional logit (McFadden 1974) chooses among a
page's values and "none of them" by where a value stands, what else on the page says so and what
says otherwise. A feature that has no weight counts nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from crfclean.metadata.candidates import Candidate, folded
from crfclean.metadata.titles import is_site

MAX_VALUES = 60  # values of a kind that are weighed

STRONG: Mapping[str, tuple[str, ...]] = {
    "title": ("meta og:title", "title", "h1", "heading", "json-ld headline", "microdata headline"),
    "author": (
        *("json-ld author", "meta author", "byline", "class author", "rel author"),
        *("microdata author", "profile link", "meta article:author", "meta twitter:data"),
    ),
    "date": (
        *("json-ld datePublished", "meta article:published_time", "time", "date", "class date"),
        *("json-ld dateModified", "microdata datePublished", "url", "copyright"),
    ),
}
"""Sources whose saying something else counts against a value."""


@dataclass(slots=True)
class Said:
    """One value: its key (equal for what is the same), its texts, and the candidates for it."""

    key: str
    texts: tuple[str, ...]
    candidates: list[tuple[Candidate, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of the page beside the candidates."""

    sites: frozenset[str] = frozenset()
    page: str = ""  # its kind by its structured data and its address
    title: str = ""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A value with the probability that it is right."""

    said: Said
    probability: float


def gathered(said: Iterable[tuple[str, tuple[str, ...], Candidate, str]]) -> list[Said]:
    """(key, texts, candidate, how the text was made of it) -> values in order of occurrence."""
    values: dict[str, Said] = {}
    for key, texts, candidate, way in said:
        if key not in values and len(values) >= MAX_VALUES:
            continue
        values.setdefault(key, Said(key, texts)).candidates.append((candidate, way))
    return list(values.values())


def features(kind: str, values: Sequence[Said], context: Context) -> list[set[str]]:
    """The features of every value of a kind."""
    order: dict[str, int] = {}
    sources_of = [{candidate.source for candidate, _ in one.candidates} for one in values]
    page = set().union(*sources_of) if values else set()
    found = []
    days = _days(values) if kind == "date" else []
    for one, sources in zip(values, sources_of, strict=True):
        mine = _places(one, order, context)
        mine |= {f"not:{name}" for name in STRONG[kind] if name in page and name not in sources}
        mine |= {f"families:{min(5, len({source.split()[0] for source in sources}))}"}
        mine |= {f"both:{a}&{b}" for a, b in _pairs(kind, sources)} | {f"page:{context.page}"}
        mine |= _OF_KIND[kind](one, values, context, days)
        found.append(mine)
    return found


def _pairs(kind: str, sources: set[str]) -> Iterator[tuple[str, str]]:
    """The strong sources of a value, two and two."""
    return combinations(sorted(sources.intersection(STRONG[kind])), 2)


def _places(one: Said, order: dict[str, int], context: Context) -> set[str]:
    """Where a value stands, first of its source or later, and on what kind of page."""
    found = set()
    for candidate, way in one.candidates:
        name = f"{candidate.key}/{way}" if way else candidate.key
        place = order.setdefault(f"{candidate.kind} {name}", 0)
        order[f"{candidate.kind} {name}"] += 1
        rank = "" if not place else " 2nd" if place == 1 else " later"
        found |= {f"{candidate.kind[:3]}:{name}{rank}"}
        if not way:
            found.add(f"{candidate.kind[:3]}:any {_family(candidate)}{rank}")
        if candidate.kind != "title" or context.page == "home":
            found.add(f"{context.page}|{candidate.kind[:3]}:{candidate.source}/{way}{rank}")
    return found


def _days(values: Sequence[Said]) -> list[str]:
    """The days that any source takes for that of publication, the first before the last."""
    return sorted(
        one.key
        for one in values
        if len(one.key) == 10 and any(said.kind == "published" for said, _ in one.candidates)
    )


def _family(candidate: Candidate) -> str:
    """The way in which a source tells: for those too rare to have learned of."""
    first = candidate.source.split()[0]
    return "marks" if first in ("microdata", "rdfa") else first


def _title(one: Said, _values: Sequence[Said], context: Context, _days: Sequence[str]) -> set[str]:
    words = len(one.key.split())
    bucket = next(limit for limit in (1, 2, 4, 8, 14, 22, 10**9) if words <= limit)
    found = {f"words:{bucket}"}
    whole = folded(context.title)
    if is_site(one.texts[0], context.sites):
        found.add("site")
    if one.key == whole:
        found.add("is title")
    elif whole.startswith(one.key):
        found.add("starts title")
    elif one.key in whole:
        found.add("in title")
    elif whole and whole in one.key:
        found.add("around title")
    return found


_UNPARTED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that write a full name as one word."""


def _author(one: Said, values: Sequence[Said], context: Context, _days: Sequence[str]) -> set[str]:
    names = one.key.split("; ")
    words = 2 if _UNPARTED.search(names[0]) else len(names[0].split())
    found = {f"names:{min(3, len(names))}", f"words:{min(4, words)}"}
    if any(is_site(name, context.sites) for name in names):
        found.add("site")
    if any(map(str.isdigit, one.key)):
        found.add("digits")
    if not any(word[:1].islower() for name in one.texts for word in name.split()):
        found.add("capitals")
        if all(_UNPARTED.search(name) or 2 <= len(name.split()) <= 4 for name in one.texts):
            found.add("full names")
    mine = set(names)
    others = [set(other.key.split("; ")) for other in values if other is not one]
    if any(mine < other for other in others):
        found.add("part of another")
    if any(mine > other for other in others):
        found.add("more than another")
    if folded(context.title) and folded(one.texts[0]) in folded(context.title):
        found.add("in title")
    return found


_TOLD = frozenset(["meta", "json-ld", "marks"])


def _date(one: Said, _values: Sequence[Said], _context: Context, days: Sequence[str]) -> set[str]:
    found = {f"days:{min(5, len(days))}"}
    if not any(_family(candidate) in _TOLD for candidate, _ in one.candidates):
        found.add(f"precision:{len(one.key)}")
    if len(days) > 1 and one.key in (days[0], days[-1]):
        found.add("first day" if one.key == days[0] else "last day")
    kinds = {candidate.kind for candidate, _ in one.candidates}
    found.add("kinds:" + "+".join(sorted(kinds)))
    return found


_OF_KIND = {"title": _title, "author": _author, "date": _date}


def features_of_none(values: Sequence[Said], context: Context) -> set[str]:
    """The features of "none of them"."""
    return {"none", f"none {context.page}", f"none of {min(4, len(values))}"}


@dataclass(frozen=True, slots=True)
class Weights:
    """Feature -> its weight, and the probability from which on a value is given."""

    by_feature: Mapping[str, float]
    least: float = 0.0


def ranked(kind: str, values: Sequence[Said], context: Context, weights: Weights) -> list[Ranked]:
    """The values, the surest first; of two as sure the one that stands first."""
    if not values:
        return []
    rows = [*features(kind, values, context), features_of_none(values, context)]
    scores = [math.fsum(weights.by_feature.get(name, 0.0) for name in row) for row in rows]
    most = max(scores)
    odds = [math.exp(score - most) for score in scores]
    whole = math.fsum(odds)
    found = [Ranked(one, odd / whole) for one, odd in zip(values, odds[:-1], strict=True)]
    return sorted(found, key=lambda one: -one.probability)
