"""Gather all candidates of a page; candidates of titles, authors and dates become values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata import dates
from crfclean.metadata.alternatives import Alternative, Context, KeyedCandidate, alternatives
from crfclean.metadata.bare_names import names_together, owner_candidates
from crfclean.metadata.candidates import Candidate, absolute, folded
from crfclean.metadata.linked import json_ld_candidates
from crfclean.metadata.marked import markup_candidates
from crfclean.metadata.meta import meta_candidates
from crfclean.metadata.names import Names, is_name, name_key
from crfclean.metadata.survey import survey
from crfclean.metadata.titles import host_name, parts_of, variants
from crfclean.metadata.visible import (
    address_candidates,
    footer_candidates,
    image_candidates,
    visible_candidates,
)
from crfclean.page.urls import Addresses
from crfclean.types import Blocks

_MAX_CANDIDATES = 2_000

_PERSON = re.compile(r"(?:[^\W\d_][\w'’.-]{0,20} ){1,2}[^\W\d_][\w'’.-]{1,20}")


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
        *footer_candidates(elements),
        *owner_candidates(elements),
        *names_together(marked, elements),
    ][:_MAX_CANDIDATES]
    base = Addresses.of(blocks, url).base
    declared = (item.texts[0] for item in candidates if item.kind == "address")
    address = url or next((absolute(text, base) for text in declared), "")
    candidates += address_candidates(address)
    candidates += image_candidates(candidates)
    context = Context(_site_names(candidates, address), _page(candidates, address), blocks.title)
    month_first = _is_month_first(blocks, candidates, address)
    return PageCandidates(
        tuple(candidates),
        base,
        context,
        alternatives(_titles(candidates, context)),
        alternatives(_authors(candidates, elements.names)),
        alternatives(_dates(candidates, month_first)),
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


def _authors(candidates: Sequence[Candidate], names_in: Names) -> Iterator[KeyedCandidate]:
    for candidate in candidates:
        if candidate.kind == "author":
            texts = candidate.texts
            names = tuple(dict.fromkeys(name for text in texts for name in names_in[text]))
            if names:
                yield name_key(names), names, candidate, ""
    yield from _owners(candidates)


def _owners(candidates: Sequence[Candidate]) -> Iterator[KeyedCandidate]:
    """The site's name and the end of the title: on many a blog the name of its author.

    "Tea and milk | Ann Lee" and "Ann Lee's blog" name Ann Lee.
    """
    for candidate in candidates:
        if candidate.kind == "site" and candidate.source.startswith("meta"):
            name = candidate.texts[0]
        elif candidate.source == "title":
            parts = parts_of(candidate.texts[0])
            name = next((tail for way, tail, _ in parts if "tail" in way), "")
        else:
            continue
        name = _possessive().sub("", name)
        if _PERSON.fullmatch(name) and is_name(name):
            yield name_key((name,)), (name,), candidate, "as a name"


@cache
def _possessive() -> re.Pattern[str]:
    """What a site adds to its owner's name: "Ann Lee's blog"."""
    ends = lexicon().pattern(lambda language: language.bylines.site_ends)
    return re.compile(rf"['’]s (?:{ends})$", re.IGNORECASE)


def _dates(candidates: Sequence[Candidate], month_first: bool) -> Iterator[KeyedCandidate]:  # noqa: FBT001
    for candidate in candidates:
        if candidate.kind in ("published", "modified"):
            iso = dates.parse_machine_date(candidate.texts[0], month_first=month_first)
            if iso:
                yield iso[:10], (iso,), replace(candidate, texts=(iso,)), ""


def _is_month_first(blocks: Blocks, candidates: Sequence[Candidate], address: str) -> bool:
    """Whether `3/4/2024` is the fourth of March here.

    The page's unambiguous dates decide, else its language; English below the domain of another
    country than the USA is not American.
    """
    texts = [item.texts[0] for item in candidates if item.kind in ("published", "modified")]
    root = next(iter(blocks.nodes.attributes[:1]), {})
    american = root.get("lang", "").lower() in ("", "en", "en-us", "en_us")
    votes = sum(dates.votes(text) for text in texts)
    return votes > 0 or (votes == 0 and american and not _COUNTRY.search(address))


_COUNTRY = re.compile(
    r"^https?://[^/]+\.(?:uk|au|nz|ie|in|za|eu|nl|fr|de|cz|pl|ru|es|it|se|no|dk)(?:/|$)"
)
