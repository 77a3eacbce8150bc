"""Read the metadata of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from crfclean.metadata import dates
from crfclean.metadata.candidates import (
    METADATA_SOURCES,
    Alternative,
    Candidate,
    absolute,
    folded,
)
from crfclean.metadata.gathering import PageCandidates, gather_candidates
from crfclean.metadata.language import language
from crfclean.metadata.ranking import Ranked, RankingWeights, rank_values, ranking_weights
from crfclean.metadata.title_parts import host_names, host_of, is_site, title_cuts
from crfclean.model.pagetype import open_page_model, page_type
from crfclean.types import Blocks, Document, Metadata, Value

# choose site, address, image, keywords and the like by the order of their sources
#
# There is no gold for these values, so their probabilities are set by hand: `DECLARED` for metadata
# for programs, `VISIBLE` for text of the body, `BY_HOST` for a host in place of the site's name.

DECLARED, VISIBLE, BY_HOST = 0.9, 0.7, 0.5
_MAX_SITE_WORDS = 5
_MAX_LISTED = 50  # keywords and categories of a page
_MAX_KEYWORD_CHARS = 100

_ORDER: Mapping[str, Sequence[str]] = METADATA_SOURCES["order"]
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


def _in_order(kind: str, candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """The candidates of a kind from the sources in `_ORDER`; the best source comes first."""
    left = [item for item in candidates if item.kind == kind and item.place != "foreign"]
    for prefix in _ORDER[kind] if left else ():
        yield from (item for item in left if item.key.startswith(prefix))
        left = [item for item in left if not item.key.startswith(prefix)]


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
    for way, kept, gone in title_cuts(candidates.context.title):
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
    weights = ranking_weights() if weights is None else weights
    spoken = language(document)
    page = gather_candidates(blocks, document.url or "", spoken.text if spoken else "")
    dates = rank_values("date", page.dates, page.context, weights["date"])
    published = _published(dates, blocks, weights["date"].least)
    probabilities = {date.alternative.key: date.probability for date in dates}
    title = next(iter(_best("title", page.titles, page, blocks, weights)), None)
    return Metadata(
        title=title,
        authors=_best("author", page.authors, page, blocks, weights),
        published=published,
        modified=last_change(page, published, probabilities, blocks),
        language=spoken,
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
    ranking_weights()
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
