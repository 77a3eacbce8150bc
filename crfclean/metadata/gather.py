"""Gather all candidates of a page, and choose the values that only the page can declare."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

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
    host_name,
    is_site,
    parts_of,
    variants,
)
from crfclean.metadata.head import json_ld_candidates, meta_candidates
from crfclean.metadata.marked import markup_candidates, survey
from crfclean.metadata.names import name_key, names_of
from crfclean.metadata.values import Value
from crfclean.metadata.visible import (
    address_candidates,
    names_together,
    visible_candidates,
)
from crfclean.page.urls import Addresses
from crfclean.types import Blocks

# gather all candidates of a page; candidates of titles, authors and dates become values

_MAX_CANDIDATES = 2_000


@dataclass(frozen=True, slots=True)
class PageCandidates:
    """The candidates of a page, its base address, and its titles, authors and dates as values."""

    candidates: tuple[Candidate, ...]
    base: str
    context: Context
    titles: list[Alternative]
    authors: list[Alternative]
    dates: list[Alternative]


def gather_candidates(blocks: Blocks, url: str) -> PageCandidates:
    """Gather the candidates of all sources; `url` is the page's address, "" if unknown."""
    elements = survey(blocks)
    marked = list(markup_candidates(elements))
    candidates = [
        *json_ld_candidates(blocks.json_ld),
        *meta_candidates(blocks),
        *marked,
        *visible_candidates(elements),
        *names_together(marked, elements),
    ][:_MAX_CANDIDATES]
    base = Addresses.of(blocks, url).base
    declared = (item.texts[0] for item in candidates if item.kind == "address")
    address = url or next((absolute(text, base) for text in declared), "")
    candidates += address_candidates(address)
    context = Context(_site_names(candidates, address), _page(candidates, address), blocks.title)
    return PageCandidates(
        tuple(candidates),
        base,
        context,
        alternatives(_titles(candidates, context)),
        alternatives(_authors(candidates)),
        alternatives(_dates(candidates, _is_month_first(blocks))),
    )


def _site_names(candidates: Sequence[Candidate], address: str) -> frozenset[str]:
    """The site's names, letters and digits only."""
    texts = [item.texts[0] for item in candidates if item.kind == "site"]
    texts += [item.texts[0] for item in candidates if item.key == "json-ld name@site"][:3]
    names = {folded(text).replace(" ", "") for text in texts}
    return frozenset((names | {host_name(address)}) - {""})


def _page(candidates: Sequence[Candidate], address: str) -> str:
    """The kind of page: "home", or as its structured data declare ("article", "thread"), or ""."""
    structured = (item for item in candidates if item.source.startswith(("json-ld", "microdata")))
    places = {item.place for item in structured}
    if _HOME.fullmatch(address[:300]):
        return "home"
    if "article" not in places and any("article:" in item.source for item in candidates):
        return "article by name"
    kinds = ("article", "thread", "product", "list", "page")
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


def _is_month_first(blocks: Blocks) -> bool:
    """Whether `3/4/2024` is the fourth of March here: in American English, or no language."""
    root = next(iter(blocks.nodes.attributes[:1]), {})
    return root.get("lang", "").lower() in ("", "en", "en-us", "en_us")


# values that only the page itself can declare: site, address, image, keywords
#
# There is no gold for these values, so their probabilities are set by hand: `DECLARED` for
# metadata written for programs, `VISIBLE` for what was read from the body.

DECLARED, VISIBLE = 0.9, 0.7
_MAX_LISTED = 50  # keywords and categories of a page
_MAX_KEYWORD_CHARS = 100

_ORDER: Mapping[str, Sequence[str]] = SOURCES["order"]
"""Kind -> its sources, the best first; a prefix stands for all sources that begin with it."""

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
    return _site_of_title(page) if kind == "site" else None


def listed_values(kind: str, page: PageCandidates, blocks: Blocks) -> tuple[Value, ...]:
    """The values of a kind from the best source that has any, each once."""
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

    Metadata for programs goes before the body, then the day that most sources state, then the
    latest. Without a date of publication the value has the probability of being the page's date
    (`probabilities`, by day), for which there is gold.
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
    """The candidates of a kind from the sources of `_ORDER`, the best source first."""
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


def _site_of_title(page: PageCandidates) -> Value | None:
    """The part of the title that is the host's name."""
    addresses = (item.texts[0] for item in page.candidates if item.kind == "address")
    names = frozenset([host_name(page.base or next(addresses, ""))]) - {""}
    for _, part, _ in parts_of(page.context.title):
        if names and is_site(part, names) and len(folded(part).split()) <= 5:
            return Value(part, "title", VISIBLE)
    return None
