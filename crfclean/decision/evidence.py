"""Evidence about a page's blocks besides a model's probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from crfclean.decision.comments import mentions_comments
from crfclean.decision.sums import SCORE_INPUTS, smoothed_odds
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.model.block_kinds import parts_of
from crfclean.model.coarse_kinds import is_comment
from crfclean.model.layers import Singles
from crfclean.model.logistic import Weights, load_logistic, probability
from crfclean.model.markup import title_likeness, with_markup
from crfclean.model.page_features import row_without_address
from crfclean.model.pagetype import open_page_model
from crfclean.model.zones import main_heading
from crfclean.page.chars import among
from crfclean.page.head import ARTICLE_TYPES, THREAD_TYPES, head_metadata
from crfclean.page.site import text_keys
from crfclean.types import Blocks, Bools, Floats, Kind

DECISION_WEIGHTS = Path(__file__).parent / "weights.json"
DECISION_KIND = "decision"
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
"forum"; whether the comments begin with their number ("17 comments"), or below a heading that
names them. (Of pages with such a heading without a number, 121 were articles, 5 threads.)"""

LEAST_COMMENTS = 10.0  # expected words of comments: fewer change no text by much
_FEW_WORDS = 10.0  # added before a logarithm
_MIDDLE = 4.0  # a logarithm of words in the middle of its range
_FIRST_BLOCKS = 3  # of the comments; their heading is there, or in the block before
_MAX_COUNT_WORDS = 25  # of a block that says how many comments there are, and on what
_DIGIT = re.compile(r"\d")
_TIME = re.compile(r"\d:\d\d")
_MAX_SIGNATURE_WORDS = 15  # "Posted by: Snarki, child of Loki at November 8, 2012 7:12 AM" has 12
_LEAST_SIGNED, _MOST_APART = 3, 10  # signatures below a heading of comments; blocks between two
_COMMENTS = PHRASE_GROUPS.index("comments")
_MOST_HEADS = 8  # headings that are tried: a hostile page may have thousands


@dataclass(frozen=True, repr=False, eq=False)
class Evidence:
    """Evidence about a page's n blocks; each item is computed on first use.

    Probabilities are in 0..1.
    """

    page: Blocks

    def __len__(self) -> int:
        return len(self.page)

    @property
    def words(self) -> Floats:
        """The words of each block, (n,)."""
        return self.page.words

    @cached_property
    def comments(self) -> Bools:
        """Mark readers' comments (n,): by elements, or if they mark none, by `signed_comments`."""
        marked = is_comment(self.page)
        has_marks = float(self.words[marked].sum()) >= LEAST_COMMENTS
        return marked if has_marks else marked | signed_comments(self.page)

    @cached_property
    def repeated(self) -> Bools:
        """Mark the blocks (n,) whose text many pages of the site have."""
        known = self.page.repeated
        return np.array([key in known for key in text_keys(self.page)], np.bool_)

    @cached_property
    def title_likeness(self) -> float:
        """Likeness of the main heading to a title that the page declares (0..1)."""
        return float(title_likeness(self.page)[main_heading(self.page)])

    def listed(self, run: slice) -> Floats:
        """Probability that each block of a run belongs to a list or table of the content.

        It is that of `kind_probabilities`, asked for few blocks, on few pages.
        """
        from crfclean.model.kind_model import by_kind, open_kind_model

        kinds = by_kind(open_kind_model().shares(self._kind_columns[run]))
        of_lists: Floats = kinds[:, [Kind.LIST, Kind.TABLE]].sum(1)
        unknown = among(parts_of(self.page)[run], (Kind.FORMULA, Kind.NOTE))
        return np.where(unknown, 0.0, of_lists)

    @cached_property
    def _kind_columns(self) -> Singles:
        from crfclean.model.kind_columns import kind_columns
        from crfclean.model.kind_model import open_kind_model

        return kind_columns(self.page, open_kind_model().features)

    @cached_property
    def types(self) -> Mapping[str, float]:
        """Type of pages -> its probability if the page is no form, whatever its address is."""
        model = open_page_model()
        probabilities = model(row_without_address(self.page)[None, :])[0].tolist()
        types = dict(zip(model.types, probabilities, strict=True))
        content = 1.0 - types.pop("form", 0.0)
        return {name: value / max(content, 1e-9) for name, value in types.items()}

    @cached_property
    def thread_clues(self) -> tuple[float, float, float, float]:
        """The last four of `THREAD_INPUTS`."""
        types, forum = head_metadata(self.page).types, self.types["forum"]
        declared = bool(types & THREAD_TYPES), bool(types & ARTICLE_TYPES)
        counts = float(self.heads_comments)
        return (float(declared[0]), float(declared[1]), smoothed_odds(forum), counts)

    @cached_property
    def heads_comments(self) -> bool:
        """True if the comments begin with their number, or below a heading that names them.

        Words are those of any language of the lexicon.
        """
        first, table = int(np.argmax(self.comments)), self.page.table
        blocks = range(max(0, first - 1), min(len(self), first + _FIRST_BLOCKS))
        return any(
            mentions_comments(table.plain_texts[at])
            for at in blocks
            if self.words[at] <= _MAX_COUNT_WORDS
            and (table.in_heading[at] or _DIGIT.search(table.plain_texts[at]))
        )

    def thread(self, kept: Floats) -> float | None:
        """Return the probability that the page is a thread, whose comments are its text.

        `kept` (n,) are the probabilities of blocks to be text. None if the comments have fewer than
        `LEAST_COMMENTS` expected words. Raises `ModelError`.
        """
        inside = self.comments
        if not inside.any() or float((self.words * kept)[inside].sum()) < LEAST_COMMENTS:
            return None
        return probability(decision_weights()["thread"], self.thread_inputs(kept))

    def thread_inputs(self, kept: Floats) -> list[float]:
        """Compute `THREAD_INPUTS` from the probabilities of blocks to be text (n,)."""
        inside, expected = self.comments, self.words * kept
        sure = float(expected[inside].sum()) / max(float(self.words[inside].sum()), 1.0)
        outside = float(expected[~inside].sum())
        return [math.log(outside + _FEW_WORDS) - _MIDDLE, sure, *self.thread_clues]


def signed_comments(page: Blocks) -> Bools:
    """Mark the comments (n,) below a heading such as "Comments", by the times below each of them.

    Templates of some blogs have no class for them. The heading must follow running text: news
    portals name a section "Comments" above the article.
    """
    signed, main = np.zeros(len(page), np.bool_), main_heading(page)
    said = (with_markup(page).phrase == _COMMENTS).nonzero()[0].tolist()
    heads = [block for block in said if block > main and page.table.in_heading[block]]
    for head in heads[:_MOST_HEADS]:
        if page.table.is_long[max(main, 0) : head].any():
            signed[head : _signed_until(page, head)] = True
    return signed


def _signed_until(page: Blocks, head: int) -> int:
    """Return the end of the element in which signed comments follow a heading, 0 if none do."""
    short, texts, table = page.words <= _MAX_SIGNATURE_WORDS, page.table.plain_texts, page.table
    times = [at for at in range(head + 1, len(page)) if short[at] and _TIME.search(texts[at])]
    if len(times) < _LEAST_SIGNED or times[0] - head > _MOST_APART:
        return 0
    node = int(page.node[head])
    while node > 0 and table.end_block[node] <= times[_LEAST_SIGNED - 1]:
        node = int(table.parent[node])
    end = int(table.end_block[node])
    apart = np.diff([at for at in times if at < end])
    return end if np.median(apart) <= _MOST_APART else 0


@cache
def decision_weights() -> Mapping[str, Weights]:
    """The shipped weights of the regressions "thread" and "score"; raises `ModelError`."""
    return load_logistic(
        DECISION_WEIGHTS, DECISION_KIND, {"thread": THREAD_INPUTS, "score": SCORE_INPUTS}
    )
