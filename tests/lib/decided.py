"""Pages whose blocks have probabilities set by hand, and what is decided about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from htmlpages import measures_of

from crfclean.decision.ends import TYPES
from crfclean.decision.evidence import Evidence
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import decide
from crfclean.types import Blocks, Document, Floats, Label, Rule, Tags

Likely = float | Mapping[str, float]
"""The probability of all blocks, or of those with a text; "" stands for the others."""


@dataclass(frozen=True)
class Decided:
    """A page and the tags that were decided on."""

    page: Blocks
    tags: Tags

    @property
    def document(self) -> Document:
        """The page as a document."""
        return Document(None, self.page, self.tags)

    @property
    def text(self) -> str:
        """The text that is kept, a block a line."""
        return self.document.text

    def rule(self, text: str) -> Rule:
        """The rule that changed the first block with a text last."""
        return Rule.NONE if self.tags.rules is None else Rule(self.tags.rules[self.place(text)])

    def probability(self, text: str) -> float:
        """The probability of the first block with a text."""
        return float(self.tags.probabilities[self.place(text)])

    def place(self, text: str) -> int:
        """The first block with a text."""
        return next(at for at, block in enumerate(self.page.texts) if text in block)


def marginals_of(page: Blocks, likely: Likely) -> Floats:
    """Marginals (n, 3): of headings as HEADER, of others as TEXT."""
    known = likely if isinstance(likely, Mapping) else {"": likely}
    text = np.array(
        [
            next((known[key] for key in known if key and key in block), known[""])
            for block in page.texts
        ]
    )
    header = page.table.in_heading if len(page) else np.zeros(0, np.bool_)
    return np.column_stack([text * header, text * ~header, 1.0 - text]).reshape(-1, 3)


ARTICLE: Mapping[str, Any] = {"types": {"article": 1.0, "forum": 0.0}}
"""What is known of an article beside its blocks; see `Evidence`."""


def knowing(page: Blocks, **known: Any) -> Evidence:
    """The evidence of a page, some of it set by hand; `thread` is the probability of a thread."""
    evidence = Evidence(page)
    if "types" in known:
        known["types"] = {**dict.fromkeys((*TYPES, "product"), 0.0), **known["types"]}
    if "thread" in known:
        thread = known.pop("thread")
        known["thread"] = lambda _kept: thread if evidence.comments.any() else None
    vars(evidence).update(known)
    return evidence


def decided(
    html: str, likely: Likely, known: Mapping[str, Any] = ARTICLE, **params: Any
) -> Decided:
    """What is decided about a page whose blocks have these probabilities."""
    page = measures_of(html)
    marginals = marginals_of(page, likely)
    evidence = knowing(page, **known)
    return Decided(page, decide(evidence, marginals, CutParams(**params)))


def kept_share(made: Decided, text: str) -> float:
    """The share of the words of blocks with a text that is kept."""
    has = np.array([text in block for block in made.page.texts])
    assert has.any()
    words = made.page.words * has
    return float((words * made.tags.kept).sum() / words.sum())


def is_kept(made: Decided, text: str) -> bool:
    """Whether the first block with a text is kept."""
    return bool(made.tags.labels[made.place(text)] != Label.OTHER)
