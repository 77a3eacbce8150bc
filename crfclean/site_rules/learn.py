"""Learn from the pages of a site where its text stands, and what it repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace
from math import ceil

from crfclean._version import __version__
from crfclean.page.latest import measured
from crfclean.site_rules.fields import field_paths, field_places
from crfclean.site_rules.names import site_of
from crfclean.site_rules.regions import strip_regions, text_regions
from crfclean.site_rules.stable import block_paths, common_path, names_of, text_digest
from crfclean.site_rules.values import TEXT_SHARE, PageNotes, Place, Places, RepeatedText, SiteRules
from crfclean.types import Document

LEAST_PAGES = 3  # of a site that have a place or a text, below which it says nothing
LEAST_SHARE = 0.1  # of the site's pages that have it
MAX_PLACES = 500  # places that a file holds, those with most words
MAX_REPEATED = 2_000  # texts that a file holds, those on most pages
_MAX_READ = 2_000  # places of a page: a template has some hundred
_MAX_TEXTS = 5_000  # of a page that are compared with those of others
_SHOWN = 60  # characters of a repeated text that its file shows


def page_notes(document: Document, folder: str = "") -> PageNotes:
    """What a page says of its site; nothing if its text is no part of what it shows."""
    blocks, tags, url = document.blocks, document.tags, document.url or ""
    site = site_of(url, document.page_blocks) or folder
    if blocks.source or not len(blocks):
        return PageNotes(site, url)
    words, places = measured(blocks).words.tolist(), Places()
    paths = block_paths(blocks)
    rows = zip(paths, words, tags.probabilities.tolist(), strict=True)
    for path, count, probability in rows:
        all_words, kept = places.get(path, (0.0, 0.0))
        if path in places or len(places) < _MAX_READ:
            places[path] = all_words + count, kept + count * probability
    texts = {text_digest(text): text[:_SHOWN] for text in blocks.texts[:_MAX_TEXTS]}
    return PageNotes(site, url, places, texts, tags.score, field_paths(document, paths))


def learn(site: str, notes: Iterable[PageNotes], learned: str = "", model: str = "") -> SiteRules:
    """The rules of a site; equal pages count once."""
    distinct = {frozenset(page.texts): page for page in notes if page.texts}
    pages = list(distinct.values())
    least = max(LEAST_PAGES, ceil(LEAST_SHARE * len(pages)))
    pages = _named_alike(pages, least)
    text = text_regions(pages, least)
    places = _places(pages, least)
    return SiteRules(
        site,
        len(pages),
        learned,
        __version__,
        model,
        _mean([page.score for page in pages]),
        _mean([fit_of_notes(page, places) for page in pages]),
        next((page.url for page in pages if page.url), ""),
        text,
        strip_regions(pages, text, least),
        field_places(pages, least),
        places,
        _repeated(pages, least),
    )


def _named_alike(pages: Sequence[PageNotes], least: int) -> list[PageNotes]:
    """The same pages with their places by the names that enough of them have."""
    holders = Counter[str]()
    for page in pages:
        steps = {step for path in page.places for step in path.split(" ")}
        holders.update({name for step in steps for name in names_of(step)})
    names = {name for name, count in holders.items() if count >= least}
    return [
        replace(
            page,
            places=_merged(page.places, names),
            fields={name: common_path(path, names) for name, path in page.fields.items()},
        )
        for page in pages
    ]


def _merged(places: Places, names: Container[str]) -> Places:
    """Places by common names; those that are one then have their sums."""
    merged: Places = {}
    for path, (words, kept) in places.items():
        common = common_path(path, names)
        all_words, all_kept = merged.get(common, (0.0, 0.0))
        merged[common] = all_words + words, all_kept + kept
    return merged


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4) if values else 0.0


def _places(pages: Sequence[PageNotes], least: int) -> tuple[Place, ...]:
    """The places of enough pages, those with most words first."""
    holders, words, kept = Counter[str](), Counter[str](), Counter[str]()
    for page in pages:
        for path, (count, expected) in page.places.items():
            holders[path] += 1
            words[path] += count  # type: ignore[assignment]  # whole numbers in floats
            kept[path] += expected  # type: ignore[assignment]
    enough = [path for path in holders if holders[path] >= least and words[path] > 0]
    enough.sort(key=lambda path: (-words[path], path))
    return tuple(
        Place(path, holders[path], round(words[path]), round(kept[path] / words[path], 4))
        for path in enough[:MAX_PLACES]
    )


def _repeated(pages: Sequence[PageNotes], least: int) -> tuple[RepeatedText, ...]:
    """The texts of enough pages, those of most pages first."""
    holders, shown = Counter[str](), dict[str, str]()
    for page in pages:
        holders.update(page.texts.keys())
        for digest, text in page.texts.items():
            shown.setdefault(digest, text)
    enough = [digest for digest in holders if holders[digest] >= least]
    enough.sort(key=lambda digest: (-holders[digest], digest))
    return tuple(
        RepeatedText(shown[digest], holders[digest], digest) for digest in enough[:MAX_REPEATED]
    )


def fit_of_notes(page: PageNotes, places: Iterable[Place]) -> float:
    """The share (0..1) of a page's expected text that stands where its site's text stands."""
    text_paths = {place.path for place in places if place.kept >= TEXT_SHARE}
    total = sum(kept for _, kept in page.places.values())
    inside = sum(kept for path, (_, kept) in page.places.items() if path in text_paths)
    return inside / total if total else 0.0
