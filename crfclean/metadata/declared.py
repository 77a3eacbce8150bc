"""Values that only the page itself can declare: site, address, image, keywords.

There is no gold for these values, so their probabilities are set by hand: `DECLARED` for metadata
written for programs, `VISIBLE` for what was read from the body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crfclean.metadata.candidates import Candidate, absolute, folded
from crfclean.metadata.gather import PageCandidates
from crfclean.metadata.titles import host_name, is_site, parts_of
from crfclean.metadata.values import Value
from crfclean.types import Blocks

DECLARED, VISIBLE = 0.9, 0.7
_MAX_LISTED = 50  # keywords and categories of a page
_MAX_KEYWORD_CHARS = 100

_ORDER: Mapping[str, tuple[str, ...]] = {
    "site": (
        "meta og:site_name",
        "json-ld publisher@article",
        "meta application-name",
        "json-ld publisher",
        "microdata publisher",
        "meta citation_journal_title",
        "meta apple-mobile-web-app-title",
    ),
    "address": ("link canonical", "meta og:url", "json-ld mainEntityOfPage", "json-ld url@article"),
    "description": (
        "meta description",
        "meta og:description",
        "json-ld description@article",
        "json-ld description@page",
        "meta twitter:description",
        "meta",
        "json-ld description",
        "microdata description",
    ),
    "image": (
        "meta og:image",
        "json-ld image@article",
        "meta twitter:image",
        "link image_src",
        "meta",
        "json-ld image",
        "microdata image",
        "rdfa image",
    ),
    "licence": ("link license", "rel license", "json-ld license", "microdata license", "meta"),
    "tag": (
        "meta article:tag",
        "json-ld keywords@article",
        "meta news_keywords",
        "meta parsely-tags",
        "meta citation_keywords",
        "json-ld keywords",
        "rel tag",
        "meta keywords",
        "meta",
        "microdata keywords",
    ),
    "category": (
        "meta article:section",
        "json-ld articleSection",
        "meta",
        "rel category",
        "microdata",
    ),
}
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
