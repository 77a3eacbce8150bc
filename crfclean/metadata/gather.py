"""Gather all candidates of a page, and choose the values for which there are no weights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crfclean.metadata import dates
from crfclean.metadata.candidates import (
    SOURCES,
    Alternative,
    Candidate,
    Context,
    KeyedCandidate,
    absolute,
    alternatives,
    folded,
    host_names,
    host_of,
    is_site,
    parts_of,
    variants,
)
from crfclean.metadata.head import json_ld_candidates, meta_candidates
from crfclean.metadata.marked import Survey, markup_candidates, survey
from crfclean.metadata.names import name_key, names_of
from crfclean.metadata.visible import address_candidates, visible_candidates
from crfclean.page.measures import measured
from crfclean.page.urls import Addresses
from crfclean.types import Blocks, Value

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
        *json_ld_candidates(blocks.json_ld),
        *meta_candidates(blocks),
        *markup_candidates(elements),
        *visible_candidates(elements),
    ][:_MAX_CANDIDATES]
    candidates = _without_teasers(elements, candidates)
    base = Addresses.of(blocks, url).base
    declared = (item.texts[0] for item in candidates if item.kind == "address")
    address = url or next((absolute(text, base) for text in declared), "")
    candidates += address_candidates(address)
    root = next(iter(blocks.nodes.attributes[:1]), {})
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
    first, page = blocks.nodes.first_block, measured(blocks)
    headline = int(first[main])
    shown = [one for one in candidates if one.source in _SHOWN_DATES and one.node >= 0]
    if not any(first[one.node] == headline - 1 for one in shown):
        return candidates
    begun = np.cumsum(page.table.is_long & (np.arange(len(blocks)) > headline)) > 0
    below = begun & (page.table.link_words > 0)
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
                yield iso[:10], (iso,), replace(candidate, texts=(iso,)), ""


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


def best_value(kind: str, page: PageCandidates, blocks: Blocks) -> Value | None:
    """The value of a kind from the best source that has one."""
    for candidate in _in_order(kind, page.candidates):
        text = candidate.texts[0] if candidate.texts else ""
        in_meta = candidate.source.startswith("meta")
        if kind in _ADDRESS_KINDS or (kind == "licence" and not in_meta):
            text = absolute(text, page.base)
        if text:
            return _value(text, candidate, blocks)
    return None


def listed_values(kind: str, page: PageCandidates, blocks: Blocks) -> tuple[Value, ...]:
    """The distinct values of a kind from the best source that has any."""
    for candidate in _in_order(kind, page.candidates):
        short = [text for text in candidate.texts if len(text) <= _MAX_KEYWORD_CHARS]
        texts = {folded(text): text for text in reversed(short)}
        kept = [text for key, text in reversed(texts.items()) if key]
        if kept:
            return tuple(_value(text, candidate, blocks) for text in kept[:_MAX_LISTED])
    return ()


def last_change(
    page: PageCandidates,
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
    for date in page.dates:
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
    return replace(value, probability=round(probabilities.get(value.text[:10], 0.0), 4))


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


def site_value(page: PageCandidates, blocks: Blocks, title: str) -> Value | None:
    """The site's name: declared, else the part of `<title>` that is not `title`, else the host."""
    if declared := best_value("site", page, blocks):
        return declared
    addresses = (item.texts[0] for item in page.candidates if item.kind == "address")
    address = page.base or next(addresses, "")
    names = host_names(address)
    for way, kept, gone in parts_of(page.context.title):
        is_tail = way.startswith("head") and folded(kept) == folded(title)
        is_short = 0 < len(folded(gone).split()) <= _MAX_SITE_WORDS
        if is_short and not dates.find_date(gone) and (is_tail or is_site(gone, names)):
            return Value(gone, "title", VISIBLE)
    host = host_of(address)
    return Value(host.removeprefix("www."), "url", BY_HOST) if host else None
