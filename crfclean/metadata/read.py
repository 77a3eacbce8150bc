"""Read the metadata of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crfclean.metadata.candidates import Alternative, Candidate
from crfclean.metadata.gather import (
    PageCandidates,
    best_value,
    gather_candidates,
    last_change,
    listed_values,
    site_value,
)
from crfclean.metadata.language import language
from crfclean.metadata.ranking import Ranked, RankingWeights, rank_values, shipped_weights
from crfclean.pagetype.model import open_page_model, page_type
from crfclean.types import Blocks, Document, Metadata, Value


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
    if not len(blocks.nodes):
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
    """The likeliest date that any source declares as that of publication."""
    for date in dates:
        candidates = [candidate for candidate, _ in date.alternative.candidates]
        sources = [candidate for candidate in candidates if candidate.kind == "published"]
        if date.probability < least:
            return None
        if sources:
            exact = max(sources, key=lambda candidate: len(candidate.texts[0]))
            return _value(exact.texts[0], date, blocks, exact)
    return None


def _best(
    kind: str,
    values: Sequence[Alternative],
    page: PageCandidates,
    blocks: Blocks,
    weights: Mapping[str, RankingWeights],
) -> tuple[Value, ...]:
    """The texts of the likeliest value, () if its probability is below the least."""
    best = next(iter(rank_values(kind, values, page.context, weights[kind])), None)
    if best is None or best.probability < weights[kind].least:
        return ()
    return tuple(_value(text, best, blocks) for text in best.alternative.texts)


def _value(text: str, best: Ranked, blocks: Blocks, source: Candidate | None = None) -> Value:
    """A value with its source: by default the first candidate that states it unchanged."""
    if source is None:
        candidates = best.alternative.candidates
        source = next((candidate for candidate, way in candidates if not way), candidates[0][0])
    xpath = blocks.xpath(source.node) if source.node >= 0 else ""
    return Value(text, source.source, round(best.probability, 4), xpath)
