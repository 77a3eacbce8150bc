"""Evidence about a page's blocks besides a model's probabilities."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfclean.core import words
from crfclean.decision.sums import (
    HEADING_REACH,
    INPUTS,
    SCORE_INPUTS,
    borders_of,
    highest_score,
    smoothed_odds,
)
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.model.folder import BIAS, Weights, load_logistic, probability
from crfclean.model.markup import title_likeness, with_markup
from crfclean.model.networks import Singles
from crfclean.model.pagetype import open_page_model, row_without_address
from crfclean.model.zones import (
    is_comment,
    main_heading,
    parts_of,
    zones,
)
from crfclean.page.chars import among
from crfclean.page.elements import Elements
from crfclean.page.head import ARTICLE_TYPES, THREAD_TYPES, head_metadata
from crfclean.page.measures import Measures
from crfclean.page.site import text_keys
from crfclean.rules import Conclusion, Rule, System, best, first_only, several, some, unless
from crfclean.types import Bools, Floats, Ints, Kind, TextEnd
from crfclean.types.choices import AUTO

RUNNING_CHARS = 40  # outside links, from which a block is an article's text, not a byline
_MAX_CHARS = 120  # of a block that may be a heading: longer ones merely mention comments
_STRIPPED = re.compile(r"[\W\d_]+")
_SENTENCE_END = r"[.!?。！？…][\"'”»)]*$"


def _words(text: str) -> list[str]:
    return [word for word in _STRIPPED.split(text.lower()) if word]


def mentions_comments(text: str) -> bool:
    """Return whether a text has a word for comments in any language of the lexicon.

    >>> mentions_comments("Комментарии (12)"), mentions_comments("Commentary")
    (True, False)
    """
    bits = _comment_phrases().within(text.lower())
    if bits & _UNSPACED or _counted().search(text):
        return True
    return bits > 0 and not lexicon().comments.isdisjoint(_STRIPPED.split(text.lower()))


_SPACED, _UNSPACED = 1, 2  # bits of words that count only whole, and of those that count anywhere


@cache
def _comment_phrases() -> words.Phrases:
    spaced, unspaced = lexicon().comments, lexicon().unspaced.comments
    return words.Phrases(dict.fromkeys(spaced, _SPACED) | dict.fromkeys(unspaced, _UNSPACED))


@cache
def _counted() -> re.Pattern[str]:
    """Counted nouns above comments, as in WordPress's "19 thoughts on ..."."""
    counted = lexicon().pattern(lambda language: language.counted_comments)
    return re.compile(rf"\b(?:{counted})\b", re.IGNORECASE)


def is_single_word(text: str) -> bool:
    """Return whether a text is one word for comments, apart from numbers and punctuation.

    >>> is_single_word("12 Comments:"), is_single_word("Comments on the ferry")
    (True, False)
    """
    words = _words(text)
    return len(words) == 1 and words[0] in lexicon().comments


@dataclass(frozen=True, repr=False, eq=False)
class CommentFacts:
    """A page and the block at which its main heading ends (0 without one)."""

    page: Elements
    heading_end: int

    @cached_property
    def running(self) -> Floats:
        """Characters of running text before each block, (n + 1,)."""
        chars = np.where(self.page.own >= RUNNING_CHARS, self.page.own, 0.0)
        return np.concatenate([[0.0], np.cumsum(chars)])

    def text(self, block: int) -> str:
        """The text of a block."""
        return self.page.page.texts[block]

    def article_above(self, block: int) -> bool:
        """Return whether there is running text between the main heading and a block."""
        return bool(self.running[block] > self.running[min(self.heading_end, block)])


COMMENT_RULES = System(
    "comments' heading",
    (
        unless("link", some, lambda page, block: page.page.linked[block] < 0.5, "it is a link"),
        unless(
            "apart",
            some,
            lambda page, block: not page.page.apart[block],
            "it stands in a form, navigation or the like",
        ),
        unless(
            "sentence",
            some,
            lambda page, block: (
                not re.search(_SENTENCE_END, page.text(block)) or is_single_word(page.text(block))
            ),
            "it is a sentence of some text",
        ),
        unless(
            "above the article",
            some,
            lambda page, block: page.article_above(block),
            "no text stands between the main heading and it",
        ),
        unless(
            "long",
            some,
            lambda page, block: (
                is_single_word(page.text(block))
                or page.page.heading_rank[block] < 8
                or len(_words(page.text(block))) <= 3
            ),
            "neither a heading nor short",
        ),
        Rule(
            "single word",
            several,
            best(
                lambda store, block: float(is_single_word(store.facts.text(block))),
                lambda *_: "another is the word alone",
            ),
        ),
        Rule(
            "higher rank",
            several,
            best(
                lambda store, block: -float(store.facts.page.heading_rank[block]),
                lambda value, most: f"its element has rank {-value:.0f}, another's {-most:.0f}",
            ),
        ),
        Rule("first", several, first_only("it stands below another as good")),
    ),
)


def find_comment_heading(page: Elements, heading: int) -> Conclusion:
    """Find the block that heads the comments; `heading` is the main heading's element or -1."""
    end = int(page.blocks.nodes.end_block[heading]) if heading >= 0 else 0
    short, texts = np.flatnonzero(page.page.chars <= _MAX_CHARS).tolist(), page.page.plain_texts
    words = [block for block in short if mentions_comments(texts[block])]
    return COMMENT_RULES.run(CommentFacts(page, end), words)


# evidence about a page's blocks besides a model's probabilities

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

    page: Measures

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

        It is that of `kind_probabilities`, of which few blocks of few pages are asked here.
        """
        from crfclean.model.kinds import by_kind, open_kind_model

        kinds = by_kind(open_kind_model().shares(self._kind_columns[run]))
        of_lists: Floats = kinds[:, [Kind.LIST, Kind.TABLE]].sum(1)
        unknown = among(parts_of(self.page)[run], (Kind.FORMULA, Kind.NOTE))
        return np.where(unknown, 0.0, of_lists)

    @cached_property
    def _kind_columns(self) -> Singles:
        from crfclean.model.kinds import kind_columns, open_kind_model

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


def signed_comments(page: Measures) -> Bools:
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


def _signed_until(page: Measures, head: int) -> int:
    """Return the end of the element in which signed comments follow a heading, 0 if none do."""
    short, texts, nodes = page.words <= _MAX_SIGNATURE_WORDS, page.plain_texts, page.nodes
    times = [at for at in range(head + 1, len(page)) if short[at] and _TIME.search(texts[at])]
    if len(times) < _LEAST_SIGNED or times[0] - head > _MOST_APART:
        return 0
    node = int(page.node[head])
    while node > 0 and nodes.end_block[node] <= times[_LEAST_SIGNED - 1]:
        node = int(nodes.parent[node])
    end = int(nodes.end_block[node])
    apart = np.diff([at for at in times if at < end])
    return end if np.median(apart) <= _MOST_APART else 0


@cache
def shipped_weights() -> Mapping[str, Weights]:
    """The shipped weights of the regressions "thread" and "score"; raises `ModelError`."""
    return load_logistic(SHIPPED, KIND, {"thread": THREAD_INPUTS, "score": SCORE_INPUTS})


# find where the main text of a page ends, and another section begins

SHIPPED_ENDS = Path(__file__).parent / "ends.json"
_ENDS_KIND = "ends"
"""The kind that the file of weights states."""

TYPES = ("listing", "forum", "article")
END_INPUTS = (*INPUTS, *TYPES)
"""The inputs that predict whether the text ends at a border.

They are: figures of the blocks before and after it (`sums.pyx`); the type of the page."""

WEIGHTED = (*END_INPUTS, *(f"{name}_of_article" for name in END_INPUTS))
"""`END_INPUTS`, then each of them times the probability that the page is an article."""

ENDING = (AUTO, "article", "body")
"""Conventions by which the text ends with the main text; others keep the sections after it."""

LEAST_CUT = 0.4
"""Probability of an end from which the text is cut. Of the values .3 to .6, .3 and .4 had the best
means on sixteen sets, and .4 had fewer bad pages."""

_ARTICLE = (0.01, 0.01, 1.0)  # `TYPES` of a page that is read as an article
_LOG_AFTER = INPUTS.index("log_after")
_DOUBTFUL = -2.0  # log-odds: an end below it, whatever the type of the page, is not reported
_HEADED = INPUTS.index("headed_comments")


class Borders(NamedTuple):
    """Places where a text may end: the kept block after each, (k,), and inputs without `TYPES`."""

    after: Ints
    inputs: Floats


def text_end(
    evidence: Evidence, model: Floats, kept: Bools, *, article: bool
) -> tuple[TextEnd, Floats] | None:
    """Find the likeliest end of a text of kept blocks (n,).

    Also return the probability that the text ends before each block, (n,). The text is cut if the
    end's probability is above `LEAST_CUT`. `model` (n,) are the probabilities of blocks to be text
    before any rule. With `article` the page is read as an article, whatever its type. None if no
    end is likely, or if it would cut a table. Raises `ModelError` for damaged weights.
    """
    places = borders(evidence, model, kept)
    if places is None:
        return None
    if highest_score(places.inputs, _weights(), len(END_INPUTS)) < _DOUBTFUL:
        return None  # as on most pages: types take time to compute
    types = _ARTICLE if article else [evidence.types[name] for name in TYPES]
    shares = end_shares(end_scores(with_types(places.inputs, types), _weights()))
    at = int(shares.argmax())
    block, likely = int(places.after[at]), float(shares[at])
    if likely > LEAST_CUT and _in_table(evidence, kept, block):
        return None
    words = round(np.expm1(places.inputs[at, _LOG_AFTER]))
    passed = np.zeros(len(kept))
    passed[places.after] = shares
    return TextEnd(block, likely, words, is_cut=likely > LEAST_CUT), passed.cumsum()


def _in_table(evidence: Evidence, kept: Bools, block: int) -> bool:
    """Return whether a kept block and the one before it are cells of a data table.

    "Comment" may head a column. Few pages need this check, which computes the kinds of all blocks.
    """
    before = np.flatnonzero(kept[:block])[-1]
    return bool((parts_of(evidence.page)[[before, block]] == Kind.TABLE).all())


def end_shares(scores: Floats) -> Floats:
    """Turn scores into the probability of an end at each border, (k,); the rest is for no end.

    >>> end_shares(np.array([0.0, 0.0])).round(2).tolist()
    [0.33, 0.33]
    """
    top = max(0.0, float(scores.max()))
    shares = np.exp(scores - top)
    of_borders: Floats = shares / (shares.sum() + np.exp(-top))
    return of_borders


def with_types(inputs: Floats, types: Sequence[float]) -> Floats:
    """Add the probabilities (0..1) of `TYPES` to the inputs (k, inputs) of a page."""
    return np.hstack([inputs, np.tile(types, (len(inputs), 1))])


def end_scores(inputs: Floats, weights: Floats) -> Floats:
    """Compute the log-odds (k,) of an end at each border against no end, from (k, inputs)."""
    count = inputs.shape[1]
    of_article = inputs[:, -1] * (inputs @ weights[count:-1])
    scores: Floats = inputs @ weights[:count] + of_article + weights[-1]
    return scores


@cache
def _weights() -> Floats:
    weights = load_logistic(SHIPPED_ENDS, _ENDS_KIND, {_ENDS_KIND: WEIGHTED})[_ENDS_KIND]
    return np.array([weights[name] for name in (*WEIGHTED, BIAS)])


def borders(evidence: Evidence, model: Floats, kept: Bools) -> Borders | None:
    """Find the borders between kept blocks (n,), None if there are none.

    `model` (n,) are probabilities to be text. A recipe has no borders: its ingredients stand after
    its story, and after links to its comments.
    """
    page = evidence.page
    if "recipe" in head_metadata(page).types:
        return None
    before, after, inputs, asked = borders_of(with_markup(page), model, kept, zones(page))
    if not len(after):
        return None
    texts = page.plain_texts
    if mentions_comments("\n".join([texts[block] for block in asked])):  # as on few pages
        heads = np.array([block for block in asked if mentions_comments(texts[block])])
        inputs[:, _HEADED : _HEADED + 2] = _headed(heads, before + 1, after)
    return Borders(after, inputs)


def _headed(heads: Ints, starts: Ints, ends: Ints) -> Bools:
    """Return whether a block heads comments near each border, and early in its gap; (k, 2)."""
    starts, ends = starts[:, None], ends[:, None]
    before, behind = HEADING_REACH
    near = (heads >= np.maximum(starts, ends - before)) & (heads <= ends)
    far = (heads >= starts) & (heads < np.minimum(ends, starts + behind))
    return np.stack([near.any(1), far.any(1)], 1)
