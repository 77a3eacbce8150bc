"""Gather all candidates of a page; group those of titles, authors and dates by value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.metadata import dates
from crfclean.metadata.candidates import (
    Alternative,
    Candidate,
    Context,
    KeyedCandidate,
    absolute,
    alternatives,
    folded,
)
from crfclean.metadata.dated_address import address_candidates
from crfclean.metadata.eras import in_common_era
from crfclean.metadata.json_ld import json_ld_candidates
from crfclean.metadata.language_tags import language_of
from crfclean.metadata.marked import Survey, markup_candidates, survey, visible_candidates
from crfclean.metadata.meta_elements import meta_candidates
from crfclean.metadata.names import given_first, name_key, names_of
from crfclean.metadata.title_parts import host_names, variants
from crfclean.page.head import Addresses
from crfclean.types import Blocks

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


def gather_candidates(blocks: Blocks, url: str, language: str = "") -> PageCandidates:
    """Gather the candidates of all sources.

    `url` is the page's address, `language` the BCP 47 tag of its text; both are "" if unknown.
    """
    elements = survey(blocks, language_of(language))
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
    context = Context(_site_names(candidates, address), _page(candidates, address), blocks.title)
    return PageCandidates(
        tuple(candidates),
        base,
        context,
        alternatives(_titles(candidates, context)),
        alternatives(_authors(candidates)),
        alternatives(_dates(candidates, language)),
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
            is_list = len(candidate.texts) > 1 or candidate.source.startswith("meta citation")
            texts = given_first(candidate.texts) if is_list else candidate.texts
            names = tuple(dict.fromkeys(name for text in texts for name in names_of(text)))
            if names:
                yield name_key(names), names, candidate, ""


def _dates(candidates: Sequence[Candidate], language: str) -> Iterator[KeyedCandidate]:
    # `3/4/2024` is in March in American English, which includes pages without a language
    month_first, code = language in ("", "en", "en-US"), language_of(language)
    for candidate in candidates:
        if candidate.kind in ("published", "modified"):
            text = in_common_era(candidate.texts[0], code)
            iso = dates.parse_machine_date(text, month_first=month_first)
            if iso:
                yield iso[:10], (iso,), candidate._replace(texts=(iso,)), ""
