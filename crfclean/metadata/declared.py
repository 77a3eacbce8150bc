"""Candidates -> what a page declares and nobody else can know: site, address, image, keywords.

No annotated pages have these values, so their probabilities are set by hand: `TOLD` for what the
page tells programs, `SEEN` for what was read off its body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crfclean.metadata.candidates import Candidate, absolute, folded
from crfclean.metadata.gather import Gathered
from crfclean.metadata.titles import host_name, is_site, parts_of
from crfclean.metadata.values import Value
from crfclean.types import Blocks

TOLD, SEEN = 0.9, 0.7
MAX_LISTED = 50  # keywords and categories of a page
MAX_WORD = 100  # characters of a keyword

ORDER: Mapping[str, tuple[str, ...]] = {
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
"""Kind -> its sources, the best first; the beginning of a name stands for all that have it."""

ADDRESSES = frozenset(["address", "image"])


def first(kind: str, found: Gathered, blocks: Blocks) -> Value | None:
    """The value of a kind from the best source that has one."""
    for one in _in_order(kind, found.candidates):
        text = one.texts[0] if one.texts else ""
        if kind in ADDRESSES or (kind == "licence" and not one.source.startswith("meta")):
            text = absolute(text, found.base)
        if text:
            return _value(text, one, blocks)
    return _site_of_title(found) if kind == "site" else None


def listed(kind: str, found: Gathered, blocks: Blocks) -> tuple[Value, ...]:
    """The values of a kind from the best source that has any, each once."""
    for one in _in_order(kind, found.candidates):
        texts = {folded(text): text for text in reversed(one.texts) if len(text) <= MAX_WORD}
        kept = [text for key, text in reversed(texts.items()) if key]
        if kept:
            return tuple(_value(text, one, blocks) for text in kept[:MAX_LISTED])
    return ()


def last_changed(
    found: Gathered, published: Value | None, chances: Mapping[str, float], blocks: Blocks
) -> Value | None:
    """The day of the last change: that most sources name, else the latest; none before `published`.

    Without a day of publication its probability is that of being the page's date (`chances`, by
    day), which annotated pages have.
    """
    options = []
    for said in found.dates:
        mine = [one for one, _ in said.candidates if one.kind == "modified"]
        if mine and len(said.key) == 10 and (not published or said.key >= published.text[:10]):
            told = any(one.source.startswith(("json-ld", "meta")) for one in mine)
            options.append((told, len({one.source for one in mine}), said.key, mine))
    if not options:
        return None
    told, _, _, mine = max(options, key=lambda option: option[:3])
    best = max(mine, key=lambda one: len(one.texts[0]))
    value = _value(best.texts[0], best, blocks)
    if published:
        return value
    return replace(value, probability=round(chances.get(value.text[:10], 0.0), 4))


def _in_order(kind: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates of a kind, the best source first, without those that nobody asked for."""

    def place(one: Candidate) -> int:
        known = enumerate(ORDER[kind])
        return next((at for at, name in known if one.key.startswith(name)), len(ORDER[kind]))

    mine = [one for one in candidates if one.kind == kind and one.place != "foreign"]
    return sorted((one for one in mine if place(one) < len(ORDER[kind])), key=place)


def _value(text: str, one: Candidate, blocks: Blocks) -> Value:
    sure = TOLD if one.source.split()[0] in ("meta", "link", "json-ld", "rel") else SEEN
    return Value(text, one.source, sure, blocks.xpath(one.node) if one.node >= 0 else "")


def _site_of_title(found: Gathered) -> Value | None:
    """The part of the title that is the host's name."""
    address = next((one.texts[0] for one in found.candidates if one.kind == "address"), "")
    names = frozenset([host_name(found.base or address)]) - {""}
    for _, left, _ in parts_of(found.context.title):
        if names and is_site(left, names) and len(folded(left).split()) <= 5:
            return Value(left, "title", SEEN)
    return None
