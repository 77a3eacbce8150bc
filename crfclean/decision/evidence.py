"""Evidence about a page's blocks besides a model's probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from crfclean.expert.comments import mentions_comments
from crfclean.features.wording import title_likeness
from crfclean.features.zones import (
    is_comment,
    main_heading,
)
from crfclean.modelfiles.plain import Weights, load_logistic, probability
from crfclean.page.head import ARTICLE_TYPES, THREAD_TYPES, head_metadata
from crfclean.page.measures import Measures
from crfclean.pagetype.figures import row_without_address
from crfclean.pagetype.model import open_page_model
from crfclean.types import Bools, Floats, Kind

SHIPPED = Path(__file__).parent / "weights.json"
KIND = "decision"
"""The kind that the file of weights states."""

THREAD_INPUTS = (
    "log_outside",
    "sure_inside",
    "declares_thread",
    "declares_article",
    "forum",
    "counts_comments",
)
"""The inputs of the regression that tells threads from other pages with comments.

They are: the logarithm of the expected words outside comments; the mean probability of the words
inside them; whether the page declares to be a thread, or an article; the log-odds of the type
"forum"; whether the comments begin with their number ("17 comments")."""

SCORE_INPUTS = ("expected", "share", "comments_left", "gaps", "few", "links")
"""The inputs from which the score is predicted; see `verdict.score_inputs`."""

LEAST_COMMENTS = 10.0  # expected words of comments: fewer change no text by much
_FEW_WORDS = 10.0  # added before a logarithm
_MIDDLE = 4.0  # a logarithm of words in the middle of its range
_LEAST = 0.01  # added to both parts of the odds of a share
_FIRST_BLOCKS = 3  # of the comments; their heading is there, or in the block before
_MAX_COUNT_WORDS = 25  # of a block that says how many comments there are, and on what
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, repr=False, eq=False)
class Evidence:
    """Evidence about a page's n blocks; each item is computed on first use.

    Probabilities are in 0..1.
    """

    page: Measures

    def __len__(self) -> int:
        return len(self.page)

    @property
    def words(self) -> Floats:
        """The words of each block, (n,)."""
        return self.page.words

    @property
    def comments(self) -> Bools:
        """Mark each block inside an element for readers' comments, (n,)."""
        return is_comment(self.page)

    @cached_property
    def title_likeness(self) -> float:
        """Likeness of the main heading to a title that the page declares (0..1)."""
        return float(title_likeness(self.page)[main_heading(self.page)])

    @cached_property
    def listed(self) -> Floats:
        """Probability that each block belongs to a list or table of the content, (n,)."""
        from crfclean.kinds.model import kind_probabilities  # few pages ask for it

        of_lists: Floats = kind_probabilities(self.page)[:, [Kind.LIST, Kind.TABLE]].sum(1)
        return of_lists

    @cached_property
    def types(self) -> Mapping[str, float]:
        """Type of pages -> its probability, whatever the page's address is."""
        model = open_page_model()
        probabilities = model(row_without_address(self.page)[None, :])[0].tolist()
        return dict(zip(model.types, probabilities, strict=True))

    @cached_property
    def thread_clues(self) -> tuple[float, float, float, float]:
        """The last four of `THREAD_INPUTS`."""
        types, forum = head_metadata(self.page).types, self.types["forum"]
        declared = bool(types & THREAD_TYPES), bool(types & ARTICLE_TYPES)
        counts = float(self.counts_comments)
        return (float(declared[0]), float(declared[1]), smoothed_odds(forum), counts)

    @cached_property
    def counts_comments(self) -> bool:
        """True if the comments begin with their number, in any language of the lexicon."""
        first = int(np.argmax(self.comments))
        blocks = range(max(0, first - 1), min(len(self), first + _FIRST_BLOCKS))
        texts = [self.page.plain_texts[at] for at in blocks if self.words[at] <= _MAX_COUNT_WORDS]
        return any(bool(_DIGIT.search(text)) and mentions_comments(text) for text in texts)

    def thread(self, kept: Floats) -> float | None:
        """Return the probability that the page is a thread, whose comments are its text.

        `kept` (n,) are the probabilities of blocks to be text. None if the comments have fewer than
        `LEAST_COMMENTS` expected words. Raises `ModelError`.
        """
        inside = self.comments
        if not inside.any() or float((self.words * kept)[inside].sum()) < LEAST_COMMENTS:
            return None
        return probability(shipped_weights()["thread"], self.thread_inputs(kept))

    def thread_inputs(self, kept: Floats) -> list[float]:
        """Compute `THREAD_INPUTS` from the probabilities of blocks to be text (n,)."""
        inside, expected = self.comments, self.words * kept
        sure = float(expected[inside].sum()) / max(float(self.words[inside].sum()), 1.0)
        outside = float(expected[~inside].sum())
        return [math.log(outside + _FEW_WORDS) - _MIDDLE, sure, *self.thread_clues]


def smoothed_odds(share: float, least: float = _LEAST) -> float:
    """Compute the log-odds of a share (0..1), with `least` added to both parts: finite at 0 and 1.

    >>> round(smoothed_odds(1.0), 3), smoothed_odds(0.5)
    (4.615, 0.0)
    """
    return math.log((share + least) / (1.0 - share + least))


@cache
def shipped_weights() -> Mapping[str, Weights]:
    """The shipped weights of the regressions "thread" and "score"; raises `ModelError`."""
    return load_logistic(SHIPPED, KIND, {"thread": THREAD_INPUTS, "score": SCORE_INPUTS})
