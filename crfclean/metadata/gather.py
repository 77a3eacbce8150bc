"""`Blocks` -> `Gathered`: all candidates of a page; its titles, authors and dates as values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata import dates
from crfclean.metadata.candidates import Candidate, absolute, folded
from crfclean.metadata.linked import said_by_json_ld
from crfclean.metadata.marked import said_by_marks
from crfclean.metadata.meta import said_by_meta
from crfclean.metadata.names import is_name, name_key, names_of
from crfclean.metadata.ranking import Context, Said, gathered
from crfclean.metadata.survey import survey
from crfclean.metadata.titles import host_name, parts_of, variants
from crfclean.metadata.visible import said_by_address, said_by_footer, said_to_readers
from crfclean.page.urls import Addresses
from crfclean.types import Blocks

MAX_CANDIDATES = 2_000

_PERSON = re.compile(r"(?:[^\W\d_][\w'’.-]{0,20} ){1,2}[^\W\d_][\w'’.-]{1,20}")

Made = tuple[str, tuple[str, ...], Candidate, str]


@dataclass(frozen=True, slots=True)
class Gathered:
    """The candidates of a page, its base address, and its titles, authors and dates as values."""

    candidates: tuple[Candidate, ...]
    base: str
    context: Context
    titles: list[Said]
    authors: list[Said]
    dates: list[Said]


def gather(blocks: Blocks, url: str) -> Gathered:
    """All that a page says of itself; `url` is its address, "" if unknown."""
    seen = survey(blocks)
    found = [
        *said_by_json_ld(blocks.json_ld),
        *said_by_meta(blocks),
        *said_by_marks(seen),
        *said_to_readers(seen),
        *said_by_footer(seen),
    ][:MAX_CANDIDATES]
    base = Addresses.of(blocks, url).base
    address = url or next(
        (absolute(one.texts[0], base) for one in found if one.kind == "address"), ""
    )
    found += said_by_address(address)
    context = Context(_site_names(found, address), _page(found, address), blocks.title)
    return Gathered(
        tuple(found),
        base,
        context,
        gathered(_titles(found, context)),
        gathered(_authors(found)),
        gathered(_dates(found, _is_month_first(blocks, found, address))),
    )


def _site_names(found: Sequence[Candidate], address: str) -> frozenset[str]:
    """The site's names, letters alone."""
    told = [one.texts[0] for one in found if one.kind == "site"]
    told += [one.texts[0] for one in found if one.key == "json-ld name@site"][:3]
    bare = {folded(text).replace(" ", "") for text in told}
    return frozenset((bare | {host_name(address)}) - {""})


def _page(found: Sequence[Candidate], address: str) -> str:
    """The kind of page: "home", or what structured data tell ("article", "thread"), else ""."""
    places = {one.place for one in found if one.source.startswith(("json-ld", "microdata"))}
    if _HOME.fullmatch(address[:300]):
        return "home"
    if "article" not in places and any("article:" in one.source for one in found):
        return "article by name"
    kinds = ("article", "thread", "product", "list", "page")
    return next((one for one in kinds if one in places), "")


_HOME = re.compile(r"https?://[^/]+/?(?:(?:en|de|us|index\.\w+)/?)*(?:[?#].*)?")


def _titles(found: Sequence[Candidate], context: Context) -> Iterator[Made]:
    for one in found:
        if one.kind == "title":
            for way, text in variants(one.texts[0], context.sites):
                if folded(text):
                    yield folded(text), (text,), one, way


def _authors(found: Sequence[Candidate]) -> Iterator[Made]:
    for one in found:
        if one.kind == "author":
            names = tuple(dict.fromkeys(name for text in one.texts for name in names_of(text)))
            if names:
                yield name_key(names), names, one, ""
    yield from _named_after(found)


def _named_after(found: Sequence[Candidate]) -> Iterator[Made]:
    """The site's name and the end of the title, which on many a blog are the author's name."""
    for one in found:
        if one.kind == "site" and one.source.startswith("meta"):
            made = one.texts[0]
        elif one.source == "title":
            made = next((left for way, left, _ in parts_of(one.texts[0]) if "tail" in way), "")
        else:
            continue
        made = _possessive().sub("", made)
        if _PERSON.fullmatch(made) and is_name(made):
            yield name_key((made,)), (made,), one, "as a name"


@cache
def _possessive() -> re.Pattern[str]:
    """What a site adds to its owner's name."""
    ends = lexicon().pattern(lambda language: language.bylines.site_ends)
    return re.compile(rf"['’]s (?:{ends})$", re.IGNORECASE)


def _dates(found: Sequence[Candidate], month_first: bool) -> Iterator[Made]:  # noqa: FBT001
    for one in found:
        if one.kind in ("published", "modified"):
            iso = dates.machine(one.texts[0], month_first=month_first)
            if iso:
                yield iso[:10], (iso,), replace(one, texts=(iso,)), ""


def _is_month_first(blocks: Blocks, found: Sequence[Candidate], address: str) -> bool:
    """Whether `3/4/2024` is the fourth of March here: by dates without doubt, else the language.

    English of a site under a country's name is not American.
    """
    texts = [one.texts[0] for one in found if one.kind in ("published", "modified")]
    language = next((one.get("lang", "") for one in blocks.nodes.attributes[:1]), "").lower()
    american = language in ("", "en", "en-us", "en_us") and not _COUNTRY.search(address)
    votes = sum(dates.votes(text) for text in texts)
    return votes > 0 or (votes == 0 and american)


_COUNTRY = re.compile(
    r"^https?://[^/]+\.(?:uk|au|nz|ie|in|za|eu|nl|fr|de|cz|pl|ru|es|it|se|no|dk)(?:/|$)"
)
