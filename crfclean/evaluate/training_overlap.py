"""Count the scored pages that a model was trained on, and say what their scores are worth."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.folder import page_digest
from crfclean.taggers.capabilities import HasModel, Wraps, capability
from crfclean.types import Tagger


@dataclass
class Overlap:
    """Digests of training pages, and how many of the pages that passed have one of them."""

    digests: frozenset[bytes]
    pages: int = 0

    def count(self, pages: Iterable[GoldPage]) -> Iterator[GoldPage]:
        """Pass pages on, counting those trained on."""
        for gold in pages:
            self.pages += page_digest(gold.page.html) in self.digests
            yield gold


def trained_on(tagger: Tagger) -> frozenset[bytes]:
    """Digests of the pages that a tagger's model was trained on, as far as it tells.

    Models of forums tell nothing; of `auto` the model for other pages does.
    """
    if isinstance(tagger, Wraps):
        return trained_on(tagger.inner)
    model = capability(tagger, HasModel)
    return frozenset() if model is None else model.bundle.pages


def overlap_note(trained: int, pages: int, *, base: bool = False) -> str:
    """A line that warns of scores on training pages, "" where there are none.

    With `base` they are those of the model that training started from.

    >>> overlap_note(0, 12)
    ''
    """
    if not trained:
        return ""
    whose, remedy = ("the training data of --from's model", "score other pages")
    if not base:
        whose, remedy = "this model's training data", "use --cv, or other pages"
    return (
        f"note: {trained} of {pages} pages were in {whose}: these scores are not what new pages "
        f"get; {remedy}\n"
    )
