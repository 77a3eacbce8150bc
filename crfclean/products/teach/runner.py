"""Score systems on annotated pages, in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from crfclean.page.blocks import split
from crfclean.parallel import map_in_order
from crfclean.products.teach.cleaning import (
    CleaningSystem,
    PageScore,
    by_tagger,
    counted_part,
    score_page,
)
from crfclean.products.teach.gold import GoldPage, is_mismatched
from crfclean.products.teach.metrics import (
    metric_values,
)
from crfclean.types import Tagger

__all__ = ["PageScore", "evaluate"]

# runners


@dataclass(frozen=True)
class Scored:
    """The gold text of a page, and the counted text and scores of every system, in their order.

    `is_mismatched` says whether most words of the gold are not on the page.
    """

    gold: str
    texts: Sequence[str]
    scores: Sequence[PageScore]
    is_mismatched: bool = False


def evaluate_systems(
    pages: Iterable[GoldPage],
    systems: Mapping[str, CleaningSystem],
    workers: int = 1,
    metrics: tuple[str, ...] = (),
) -> Iterator[Scored]:
    """Clean every annotated page with every system and score it, also by named metrics; lazy."""
    scored = partial(score_systems, metrics=metrics)
    return map_in_order(scored, pages, tuple(systems.values()), workers)


def score_systems(
    gold: GoldPage, systems: Sequence[CleaningSystem], metrics: tuple[str, ...] = ()
) -> Scored:
    """Clean an annotated page with every system and score it."""
    results = [counted_part(gold, system(gold)) for system in systems]
    texts = [result.text for result in results]
    scores = [
        replace(score, metrics=metric_values(text, gold.text, metrics))
        for score, text in zip(score_page(gold, results), texts, strict=True)
    ]
    documents = (result.document.page_blocks for result in results if result.document)
    blocks = next(documents, None) or split(gold.page)
    return Scored(gold.text, texts, scores, is_mismatched(gold, blocks))


def evaluate(pages: Iterable[GoldPage], tagger: Tagger) -> Iterator[PageScore]:
    """Clean every annotated page with a tagger and score it; lazy."""
    return (scored.scores[0] for scored in evaluate_systems(pages, {"": by_tagger(tagger)}))
