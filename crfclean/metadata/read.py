"""Read the metadata of a document: gather candidates, and rank them."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations
from pathlib import Path

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.metadata import dates
from crfclean.metadata.candidates import (
    SOURCES,
    Alternative,
    Candidate,
    Context,
    KeyedCandidate,
    absolute,
    address_candidates,
    alternatives,
    family,
    folded,
    host_names,
    host_of,
    is_site,
    json_ld_candidates,
    meta_candidates,
    parts_of,
    variants,
)
from crfclean.metadata.language import language
from crfclean.metadata.marked import Survey, markup_candidates, survey, visible_candidates
from crfclean.metadata.names import name_key, names_of
from crfclean.model.pagetype import open_page_model, page_type
from crfclean.page.head import Addresses
from crfclean.types import Blocks, Document, Metadata, Value

# A conditional logit (McFadden 1974) chooses among a page's values and "none of them". The features
# say where a value stands, which sources state it and which contradict it. A feature without a
# weight counts 0.

STRONG: Mapping[str, Sequence[str]] = SOURCES["strong"]
"""Kind -> the sources that count against a value when they state another."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A value with the probability that it is right."""

    alternative: Alternative
    probability: float


def features(kind: str, values: Sequence[Alternative], context: Context) -> list[set[str]]:
    """The features of every value of a kind ("title", "author" or "date")."""
    page, order, rows = _Page(values, context), dict[str, int](), []
    sources_of = [{candidate.source for candidate, _ in value.candidates} for value in values]
    page_sources = set[str]().union(*sources_of)
    for value, sources in zip(values, sources_of, strict=True):
        row = _places(value, order, context)
        contrary = page_sources - sources
        row |= {f"not:{name}" for name in STRONG[kind] if name in contrary}
        row |= {f"families:{min(5, len({source.split()[0] for source in sources}))}"}
        pairs = combinations(sorted(sources.intersection(STRONG[kind])), 2)
        row |= {f"both:{a}&{b}" for a, b in pairs} | {f"page:{context.page}"}
        rows.append(row | _OF_KIND[kind](value, page))
    return rows


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
        place = order.setdefault(f"{candidate.kind} {name}", 0)
        order[f"{candidate.kind} {name}"] += 1
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
            names |= {f"{relation} {source}" for source in sources.intersection(STRONG["author"])}
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
    rows = [*features(kind, values, context), features_of_none(values, context)]
    scores = [math.fsum(weights.by_feature.get(name, 0.0) for name in row) for row in rows]
    most = max(scores)
    odds = [math.exp(score - most) for score in scores]
    total = math.fsum(odds)
    pairs = zip(values, odds[:-1], strict=True)
    ranking = [Ranked(value, share / total) for value, share in pairs]
    return sorted(ranking, key=lambda ranked: -ranked.probability)


# the weights learned by `eval/models/train_metadata.py`, and the least probability of a value

SHIPPED_WEIGHTS = Path(__file__).parent / "weights.json"


@cache
def shipped_weights() -> Mapping[str, RankingWeights]:
    """Map each kind of value to the shipped weights, which are read once."""
    parts = json.loads(SHIPPED_WEIGHTS.read_text("utf-8"))
    return {kind: RankingWeights(parts["weights"][kind], parts["least"][kind]) for kind in STRONG}


# gather all candidates of a page; group those of titles, authors and dates by value

_MAX_CANDIDATES = 2_000


@dataclass(frozen=True, slots=True)
class PageCandidates:
    """The candidates of a page, its base address, and the values among which to choose."""

    candidates: tuple[Candidate, ...]
    base: str
    context: Context
    titles: list[Alternative]
    authors: list[Alternative]
    dates: list[Alternative]


def gather_candidates(blocks: Blocks, url: str) -> PageCandidates:
    """Gather the candidates of all sources; `url` is the page's address, "" if unknown."""
    elements = survey(blocks)
    candidates = [
        *json_ld_candidates(blocks),
        *meta_candidates(blocks),
        *markup_candidates(elements),
        *visible_candidates(elements),
    ][:_MAX_CANDIDATES]
    candidates = _without_teasers(elements, candidates)
    base = Addresses.of(blocks, url).base
    declared = (item.texts[0] for item in candidates if item.kind == "address")
    address = url or next((absolute(text, base) for text in declared), "")
    candidates += address_candidates(address)
    root: Mapping[str, str] = next(iter(blocks.table.attributes), {})
    # `3/4/2024` is in March in American English, which includes pages without a language
    is_month_first = root.get("lang", "").lower() in ("", "en", "en-us", "en_us")
    context = Context(_site_names(candidates, address), _page(candidates, address), blocks.title)
    return PageCandidates(
        tuple(candidates),
        base,
        context,
        alternatives(_titles(candidates, context)),
        alternatives(_authors(candidates)),
        alternatives(_dates(candidates, is_month_first)),
    )


def _without_teasers(elements: Survey, candidates: list[Candidate]) -> list[Candidate]:
    """Leave out dates beside links below the text if one stands right above the headline."""
    blocks, main = elements.blocks, elements.main
    if main < 0:
        return candidates
    table = blocks.table
    first = table.first_block
    headline = int(first[main])
    shown = [one for one in candidates if one.source in _SHOWN_DATES and one.node >= 0]
    if not any(first[one.node] == headline - 1 for one in shown):
        return candidates
    begun = np.cumsum(table.is_long & (np.arange(len(blocks)) > headline)) > 0
    below = begun & (table.link_words > 0)
    teasers = {id(one) for one in shown if first[one.node] < len(blocks) and below[first[one.node]]}
    return [one for one in candidates if id(one) not in teasers]


_SHOWN_DATES = frozenset(["date", "class date", "time"])


def _site_names(candidates: Sequence[Candidate], address: str) -> frozenset[str]:
    """The site's names, letters and digits only."""
    texts = [item.texts[0] for item in candidates if item.kind == "site"]
    texts += [item.texts[0] for item in candidates if item.key == "json-ld name@site"][:3]
    names = {folded(text).replace(" ", "") for text in texts}
    return host_names(address) | (names - {""})


def _page(candidates: Sequence[Candidate], address: str) -> str:
    """The kind of page: "home", or declared by structured data ("article", "thread" ...), or ""."""
    structured = (item for item in candidates if item.source.startswith(("json-ld", "microdata")))
    places = {item.place for item in structured}
    if _HOME.fullmatch(address[:300]):
        return "home"
    if "article" not in places and any("article:" in item.source for item in candidates):
        return "article by name"
    kinds = ("recipe", "article", "thread", "product", "list", "page")
    return next((kind for kind in kinds if kind in places), "")


# as in "https://x.org/" and "https://x.org/en/index.html?x=1"
_HOME = re.compile(r"https?://[^/]+/?(?:(?:en|de|us|index\.\w+)/?)*(?:[?#].*)?")


def _titles(candidates: Sequence[Candidate], context: Context) -> Iterator[KeyedCandidate]:
    for candidate in candidates:
        if candidate.kind == "title":
            for way, text in variants(candidate.texts[0], context.sites):
                if folded(text):
                    yield folded(text), (text,), candidate, way


def _authors(candidates: Sequence[Candidate]) -> Iterator[KeyedCandidate]:
    for candidate in candidates:
        if candidate.kind == "author":
            texts = candidate.texts
            names = tuple(dict.fromkeys(name for text in texts for name in names_of(text)))
            if names:
                yield name_key(names), names, candidate, ""


def _dates(candidates: Sequence[Candidate], month_first: bool) -> Iterator[KeyedCandidate]:  # noqa: FBT001
    for candidate in candidates:
        if candidate.kind in ("published", "modified"):
            iso = dates.parse_machine_date(candidate.texts[0], month_first=month_first)
            if iso:
                yield iso[:10], (iso,), candidate._replace(texts=(iso,)), ""


# choose site, address, image, keywords and the like by the order of their sources
#
# There is no gold for these values, so their probabilities are set by hand: `DECLARED` for metadata
# for programs, `VISIBLE` for text of the body, `BY_HOST` for a host in place of the site's name.

DECLARED, VISIBLE, BY_HOST = 0.9, 0.7, 0.5
_MAX_SITE_WORDS = 5
_MAX_LISTED = 50  # keywords and categories of a page
_MAX_KEYWORD_CHARS = 100

_ORDER: Mapping[str, Sequence[str]] = SOURCES["order"]
"""Kind -> its sources; the best comes first. A prefix stands for all sources that have it."""

_ADDRESS_KINDS = frozenset(["address", "image"])


def best_value(kind: str, candidates: PageCandidates, blocks: Blocks) -> Value | None:
    """The value of a kind from the best source that has one."""
    for candidate in _in_order(kind, candidates.candidates):
        text = candidate.texts[0] if candidate.texts else ""
        in_meta = candidate.source.startswith("meta")
        if kind in _ADDRESS_KINDS or (kind == "licence" and not in_meta):
            text = absolute(text, candidates.base)
        if text:
            return _value(text, candidate, blocks)
    return None


def listed_values(kind: str, candidates: PageCandidates, blocks: Blocks) -> tuple[Value, ...]:
    """The distinct values of a kind from the best source that has any."""
    for candidate in _in_order(kind, candidates.candidates):
        short = [text for text in candidate.texts if len(text) <= _MAX_KEYWORD_CHARS]
        texts = {folded(text): text for text in reversed(short)}
        kept = [text for key, text in reversed(texts.items()) if key]
        if kept:
            return tuple(_value(text, candidate, blocks) for text in kept[:_MAX_LISTED])
    return ()


def last_change(
    candidates: PageCandidates,
    published: Value | None,
    probabilities: Mapping[str, float],
    blocks: Blocks,
) -> Value | None:
    """The date of the last change, not before `published`.

    Metadata for programs win over the body. Then the day that most sources state wins, then the
    latest day. Without a date of publication, the value has the probability of being the page's
    date (`probabilities`, by day), for which there is gold.
    """
    options = []
    for date in candidates.dates:
        sources = [candidate for candidate, _ in date.candidates if candidate.kind == "modified"]
        is_early = published is not None and date.key < published.text[:10]
        if sources and len(date.key) == 10 and not is_early:
            declared = any(item.source.startswith(("json-ld", "meta")) for item in sources)
            count = len({candidate.source for candidate in sources})
            options.append((declared, count, date.key, sources))
    if not options:
        return None
    *_, sources = max(options, key=lambda option: option[:3])
    exact = max(sources, key=lambda candidate: len(candidate.texts[0]))
    value = _value(exact.texts[0], exact, blocks)
    if published:
        return value
    return value._replace(probability=round(probabilities.get(value.text[:10], 0.0), 4))


def _in_order(kind: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of a kind from the sources in `_ORDER`; the best source comes first."""
    prefixes = _ORDER[kind]

    def rank(candidate: Candidate) -> int:
        matches = (candidate.key.startswith(prefix) for prefix in prefixes)
        return next((place for place, match in enumerate(matches) if match), len(prefixes))

    of_kind = [item for item in candidates if item.kind == kind and item.place != "foreign"]
    return sorted((item for item in of_kind if rank(item) < len(prefixes)), key=rank)


def _value(text: str, candidate: Candidate, blocks: Blocks) -> Value:
    is_declared = candidate.source.split()[0] in ("meta", "link", "json-ld", "rel")
    xpath = blocks.xpath(candidate.node) if candidate.node >= 0 else ""
    return Value(text, candidate.source, DECLARED if is_declared else VISIBLE, xpath)


def site_value(candidates: PageCandidates, blocks: Blocks, title: str) -> Value | None:
    """The site's name: declared, else the part of `<title>` that is not `title`, else the host."""
    if declared := best_value("site", candidates, blocks):
        return declared
    addresses = (item.texts[0] for item in candidates.candidates if item.kind == "address")
    address = candidates.base or next(addresses, "")
    names = host_names(address)
    for way, kept, gone in parts_of(candidates.context.title):
        is_tail = way.startswith("head") and folded(kept) == folded(title)
        is_short = 0 < len(folded(gone).split()) <= _MAX_SITE_WORDS
        if is_short and not dates.find_date(gone) and (is_tail or is_site(gone, names)):
            return Value(gone, "title", VISIBLE)
    host = host_of(address)
    return Value(host.removeprefix("www."), "url", BY_HOST) if host else None


# read the metadata of a document


def read(
    document: Document,
    weights: Mapping[str, RankingWeights] | None = None,
) -> Metadata:
    """Read title, authors, dates and the rest; never raises on any page.

    `weights` (by default those of the package) choose title, authors and dates. Every other value
    comes from the best source that has one.

    >>> from crfclean import clean
    >>> metadata = read(clean("<meta name=description content='It rained.'><p>Rain"))
    >>> metadata.description.text, metadata.description.source
    ('It rained.', 'meta description')
    """
    blocks = document.page_blocks
    if not len(blocks.table.parent):
        return Metadata()
    weights = shipped_weights() if weights is None else weights
    page = gather_candidates(blocks, document.url or "")
    dates = rank_values("date", page.dates, page.context, weights["date"])
    published = _published(dates, blocks, weights["date"].least)
    probabilities = {date.alternative.key: date.probability for date in dates}
    title = next(iter(_best("title", page.titles, page, blocks, weights)), None)
    return Metadata(
        title=title,
        authors=_best("author", page.authors, page, blocks, weights),
        published=published,
        modified=last_change(page, published, probabilities, blocks),
        language=language(document),
        site=site_value(page, blocks, title.text if title else ""),
        address=best_value("address", page, blocks),
        description=best_value("description", page, blocks),
        tags=listed_values("tag", page, blocks),
        categories=listed_values("category", page, blocks),
        image=best_value("image", page, blocks),
        licence=best_value("licence", page, blocks),
        page_type=page_type(document),
    )


def open_models() -> None:
    """Open all models that `read` needs, so that the first page does not wait for them."""
    shipped_weights()
    open_page_model()


def _published(dates: Sequence[Ranked], blocks: Blocks, least: float) -> Value | None:
    """The likeliest date that any source declares as the publication date."""
    for date in dates:
        candidates = [candidate for candidate, _ in date.alternative.candidates]
        sources = [candidate for candidate in candidates if candidate.kind == "published"]
        if date.probability < least:
            return None
        if sources:
            exact = max(sources, key=lambda candidate: len(candidate.texts[0]))
            return _exact_value(exact.texts[0], date, blocks, exact)
    return None


def _best(
    kind: str,
    values: Sequence[Alternative],
    candidates: PageCandidates,
    blocks: Blocks,
    weights: Mapping[str, RankingWeights],
) -> tuple[Value, ...]:
    """The texts of the likeliest value, () if its probability is below the least."""
    best = next(iter(rank_values(kind, values, candidates.context, weights[kind])), None)
    if best is None or best.probability < weights[kind].least:
        return ()
    return tuple(_exact_value(text, best, blocks) for text in best.alternative.texts)


def _exact_value(text: str, best: Ranked, blocks: Blocks, source: Candidate | None = None) -> Value:
    """A value with its source: by default the first candidate that states it unchanged."""
    if source is None:
        candidates = best.alternative.candidates
        source = next((candidate for candidate, way in candidates if not way), candidates[0][0])
    xpath = blocks.xpath(source.node) if source.node >= 0 else ""
    return Value(text, source.source, round(best.probability, 4), xpath)
