"""Count the scored pages that a model was trained on, and warn of their scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crfclean.model.page_digests import page_digest
from crfclean.products.teach.gold import GoldPage
from crfclean.systems.capabilities import HasModel, capability
from crfclean.types import Tagger


@dataclass
class Overlap:
    """Digests of training pages, and the number of scored pages that have one of them."""

    digests: frozenset[bytes]
    pages: int = 0

    def count(self, pages: Iterable[GoldPage]) -> Iterator[GoldPage]:
        """Yield the pages, and count the training pages among them."""
        for gold in pages:
            self.pages += page_digest(gold.page.html) in self.digests
            yield gold


def trained_on(tagger: Tagger) -> frozenset[bytes]:
    """Return digests of a tagger's training pages; models of forums do not record them."""
    model = capability(tagger, HasModel)
    return frozenset() if model is None else model.bundle.pages


def overlap_note(trained: int, pages: int, *, base: bool = False) -> str:
    """Return a warning of scores on training pages, "" without such pages.

    With `base`, the training pages are those of the model that training started from.

    >>> overlap_note(0, 12)
    ''
    """
    if not trained:
        return ""
    model = "the model of --from" if base else "this model"
    what = "this page" if pages == 1 else f"{trained} of {pages} pages"
    remedy = "score other pages" if base else "use --cv, or other pages"
    return (
        f"note: {model} was trained on {what}: these scores are not what new pages get; {remedy}\n"
    )
