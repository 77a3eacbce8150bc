"""`Document` -> `Metadata`: of the candidates of all sources those that are likeliest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crfclean.metadata.candidates import Candidate
from crfclean.metadata.declared import first, last_changed, listed
from crfclean.metadata.gather import Gathered, gather
from crfclean.metadata.language.identify import has_library
from crfclean.metadata.language.read import language
from crfclean.metadata.pagetype.read import open_model, page_type
from crfclean.metadata.ranking import Ranked, Said, Weights, ranked
from crfclean.metadata.values import Metadata, Value
from crfclean.metadata.weights import shipped
from crfclean.types import Blocks, Document


def read(document: Document, weights: Mapping[str, Weights] | None = None) -> Metadata:
    """What a document says of itself; never raises on any page.

    Title, authors and dates are chosen by `weights` (those in the box where none are given); the
    other values come from the best source that has one.
    """
    blocks = document.blocks
    if not len(blocks.nodes):
        return Metadata()
    weights = shipped() if weights is None else weights
    found = gather(blocks, document.url or "")
    days = ranked("date", found.dates, found.context, weights["date"])
    published = _published(days, blocks, weights["date"].least)
    chances = {one.said.key: one.probability for one in days}
    return Metadata(
        title=_title(found, blocks, weights["title"]),
        authors=_authors(found, blocks, weights["author"]),
        published=published,
        modified=last_changed(found, published, chances, blocks),
        language=language(document),
        site=first("site", found, blocks),
        address=first("address", found, blocks),
        description=first("description", found, blocks),
        tags=listed("tag", found, blocks),
        categories=listed("category", found, blocks),
        image=first("image", found, blocks),
        licence=first("licence", found, blocks),
        page_type=page_type(document),
    )


def open_models() -> None:
    """Open what `read` needs, once a process: the weights, models of languages and page types."""
    shipped()
    has_library()
    open_model()


def _title(found: Gathered, blocks: Blocks, weights: Weights) -> Value | None:
    best = _best("title", found.titles, found, weights)
    return None if best is None else _value(best.said.texts[0], best, blocks)


def _authors(found: Gathered, blocks: Blocks, weights: Weights) -> tuple[Value, ...]:
    best = _best("author", found.authors, found, weights)
    if best is None:
        return ()
    return tuple(_value(name, best, blocks) for name in best.said.texts)


def _published(days: Sequence[Ranked], blocks: Blocks, least: float) -> Value | None:
    """The likeliest of the days that any source takes for that of publication."""
    for one in days:
        mine = [said for said, _ in one.said.candidates if said.kind == "published"]
        if one.probability < least:
            return None
        if mine:
            exact = max(mine, key=lambda said: len(said.texts[0]))
            return _value(exact.texts[0], one, blocks, exact)
    return None


def _best(kind: str, values: Sequence[Said], found: Gathered, weights: Weights) -> Ranked | None:
    """The likeliest value, None where none is likely enough."""
    order = ranked(kind, values, found.context, weights)
    return order[0] if order and order[0].probability >= weights.least else None


def _value(text: str, best: Ranked, blocks: Blocks, where: Candidate | None = None) -> Value:
    said = best.said.candidates
    whole = next((one for one, way in said if not way), said[0][0])
    one = whole if where is None else where
    xpath = blocks.xpath(one.node) if one.node >= 0 else ""
    return Value(text, one.source, round(best.probability, 4), xpath)
