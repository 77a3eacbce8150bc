"""Decide what of a page is its text: the probabilities of a model, weighed with other evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from crfclean.decision.ends import ENDING, text_end
from crfclean.decision.evidence import Evidence, shipped_weights
from crfclean.decision.rules import (
    BELOW_PRECISION,
    KINDS_OF,
    LEVELS,
    CutParams,
    choose,
    expected_f1,
    kept_at,
    log_odds,
)
from crfclean.decision.sums import (
    best_expected_f,
    copied_blocks,
    expected_scores,
    labelled,
    score_inputs,
)
from crfclean.decision.wholes import completed
from crfclean.model.folder import probability
from crfclean.model.markup import elements_for
from crfclean.model.zones import (
    apart_kinds,
    coarse_kinds,
    in_named,
    kinds_of,
    main_heading,
)
from crfclean.page.chars import among
from crfclean.page.measures import Measures, measured
from crfclean.page.selectors import Chosen, chosen
from crfclean.types import (
    Bools,
    CoarseKind,
    Document,
    Floats,
    Ints,
    Kind,
    Label,
    Reason,
    Rule,
    Tags,
    TextEnd,
)
from crfclean.types.choices import AUTO, COMMENTS_OF_THREADS

# decide which blocks are the text: the model's probabilities, weighed once with other evidence
#
# Each rule changes the probabilities of some blocks. Only a choice by the user makes them 0: names
# in the markup, headings and page types are right on most sites, and wrong on all pages of others.
# (`<p class="paywall">` marks the free paragraphs of some magazines.) So a rule that would take
# most of a page's text takes nothing.

ASIDE = (Kind.CAPTION, Kind.TEASER, Kind.PROMO, Kind.NOTICE, Kind.NAVIGATION)
"""Kinds of blocks that annotators of articles leave out; comments are another one."""

_RELIABLE = 0.95  # probability that a kind by markup and place is right
_MOST, _ENOUGH = 0.5, 300.0  # share of the expected words, or words, that rules must leave
_THREAD = 0.4  # probability of a thread from which comments are text: .5 cost a forum's whole page
_COMMENT_OF_ARTICLE = 0.02  # share of its probability that a comment keeps outside threads
_LEAST_OUTSIDE = 30.0  # expected words outside comments; with fewer, their number must head them
_POST = 20.0  # expected words of a post, with comments below it
_LATE = 0.5  # share of the expected words above a heading that heads something else
_SURE_F1 = 0.9  # expected F1 from which hardly any block is in doubt
_RECALL = 0.5  # added to beta on other page types; 1 gained more on new sets, less on training sets
_UNLIKELY, _ALIKE = 0.1, 0.7  # a heading must be this probable, or this like a declared title
ALSO_ODDS = 1.0
"""Log-odds that kinds gain if the user asks for them: of 0, 1 and 2, 1 was best on the mean of six
sets (eval/accuracy/README.md)."""
_SIDES = (Kind.CAPTION, Kind.BYLINE)  # on request they are kept anywhere in the text
_EVEN = 0.5
RULE_PREFIX = "rule."
"""The prefix of a rule's reason: "rule.comment"."""

_COARSE = {kind.name.lower(): kind for kind in CoarseKind} | {
    COMMENTS_OF_THREADS: CoarseKind.COMMENTS
}
"""Word in `CutParams.keep` -> coarse kind; comments of threads count as comments."""


@cache
def kinds_named(*words: str) -> tuple[Kind, ...]:
    """Return the kinds of some words; "post" stands for comments, until a page is a thread."""
    names = {"COMMENT" if word == "post" else word.upper() for word in words}
    return tuple(kind for kind in Kind if kind.name in names)


def decide(evidence: Evidence, marginals: Floats, params: CutParams) -> Tags:
    """Decide the tags of a page from a model's marginals (n, 3).

    The marginals in the tags include the evidence. Raises `ModelError` for damaged weights.
    """
    if not len(evidence):
        return Tags(np.zeros(0, np.int32), marginals, 0.0)
    model = np.ascontiguousarray(1.0 - marginals[:, Label.OTHER], np.float64)
    weighed = Weighing(evidence, model, params)
    weighed.run()
    kept = weighed.kept()
    title = weighed.title if kept.any() else -1
    if title >= 0:
        kept[title] = True
    kept = weighed.named(kept)
    labels, rows = labelled(marginals, model, weighed.probability, kept)
    if title >= 0:
        value = weighed.probability[title]
        rows[title] = (value, 0.0, 1.0 - value)
        labels[title] = Label.HEADER if kept[title] else Label.OTHER
    refused = params.rule == "precision" and not kept.any()
    return Tags(
        labels,
        rows,
        page_score(evidence, weighed.probability, kept),
        refusal=BELOW_PRECISION if refused else "",
        thread=weighed.thread,
        rules=weighed.rules if weighed.rules.any() else None,
        model=marginals,
        end=weighed.end,
        chosen=weighed.chosen.elements if weighed.chosen else None,
        unmatched=weighed.chosen.unmatched if weighed.chosen else (),
    )


class Weighing:
    """The probabilities of a page's blocks to be text, (n,), while rules change them."""

    def __init__(self, evidence: Evidence, model: Floats, params: CutParams) -> None:
        self.evidence, self.page = evidence, evidence.page
        self.model, self.params, self.words = model, params, evidence.words
        self.asks_for_comments = params.asks_for_comments
        self.probability = model
        self.rules = np.zeros(len(model), np.int8)
        self.barred: Bools | None = None
        self.thread: float | None = None
        self.end: TextEnd | None = None
        self.title = -1
        self.chosen: Chosen | None = None

    @property
    def expected(self) -> Floats:
        """The expected words of text of each block, (n,)."""
        return self.words * self.probability

    def run(self) -> None:
        """Apply the rules that need no kept blocks; `kept` applies the others."""
        self._selectors()
        self._also()
        self._copies()
        self._comments()
        self._reviews()
        if self.params.convention:
            self._aside()
        self._of_site()
        self._choice()
        if self.params.forces_titles:
            self._title()

    def kept(self) -> Bools:
        """Return the blocks that the decision rule keeps, with lists and records completed."""
        kept = self._chosen()
        if self.params.rule == "precision":
            return self._allowed(kept)
        self._sides(kept)
        kept, probability, rules = completed(self.evidence, kept, self.probability)
        if rules.any():
            self.change(rules > 0, probability, rules)
            self._choice()
        if self.params.rule == "threshold":
            return self._allowed(kept) & (self.probability >= self.params.threshold)
        return self._until_end(self._allowed(kept))

    def _allowed(self, kept: Bools) -> Bools:
        return kept if self.barred is None else kept & ~self.barred

    def _chosen(self) -> Bools:
        """Choose blocks (n,) by the decision rule, and more doubtful ones on some types of pages.

        On services, documentation, listings and collections, models leave out too much. On articles
        and threads, doubtful blocks are mostly boilerplate.
        """
        words = self.words
        kept = choose(self.probability, words, self.params)
        if self.params.rule != "expected_f1" or self.params.convention != AUTO:
            return kept
        if expected_f1(self.probability, words, kept) >= _SURE_F1:
            return kept
        types = self.evidence.types
        other = 1.0 - types["article"] - types["forum"] - types["product"]
        return best_expected_f(self.probability, words, 1.0 + _RECALL * other * other)

    def _until_end(self, kept: Bools) -> Bools:
        """Cut the kept blocks (n,) at the end of the text, if one is likely."""
        convention = self.params.convention
        behind_end = self.asks_for_comments or (self.thread or 0.0) >= _THREAD
        if convention not in ENDING or behind_end:
            return kept
        ending = text_end(self.evidence, self.model, kept, article=convention != AUTO)
        if ending is None:
            return kept
        self.end, passed = ending
        if not self.end.is_cut:
            return kept
        behind = np.arange(len(kept)) >= self.end.block
        self.change(behind, self.probability * (1.0 - passed), Rule.END)
        return kept & ~behind

    def named(self, kept: Bools) -> Bools:
        """Decide anew about blocks with weighted names, and return the kept blocks (n,)."""
        if not self.params.names:
            return kept
        from crfclean.decision.names import LIMIT, shifts  # few models weigh names

        added = shifts(self.evidence, dict(self.params.names))
        moved = self._allowed(added != 0.0)
        odds = np.clip(log_odds(self.probability), -LIMIT, LIMIT) + added
        self.change(moved, 1.0 / (1.0 + np.exp(-odds)), Rule.NAMES)
        chosen = choose(self.probability, self.words, self.params)
        return np.where(moved, chosen, kept)

    def change(self, blocks: Bools, values: Floats | float, rule: Rule | Ints) -> None:
        """Change the probabilities of k of n blocks, and note the rule, one for all or (n,).

        `blocks` is a mask (n,), `values` are (n,) or one for all. Selectors are final.
        """
        if self.chosen is not None:
            blocks = blocks & ~self.chosen.outside
        if blocks.any():
            self.probability = np.where(blocks, values, self.probability)
            self.rules[blocks] = rule if isinstance(rule, Rule) else rule[blocks]

    def _selectors(self) -> None:
        """Leave out the blocks that the user's selectors leave out."""
        if self.params.within or self.params.drop:
            choice = chosen(self.page, self.params.within, self.params.drop)
            self.change(choice.outside, 0.0, Rule.SELECTOR)
            self.chosen, self.barred = choice, choice.outside

    def _also(self) -> None:
        """Raise the probability of the kinds in `also`."""
        if self.params.also:
            blocks = among(kinds_of(self.page), kinds_named(*self.params.also))
            odds = math.exp(ALSO_ODDS)
            raised = self.probability * odds / (1.0 + self.probability * (odds - 1.0))
            self.change(blocks, raised, Rule.ALSO)

    def _sides(self, kept: Bools) -> None:
        """Keep the captions and bylines that the user asked for, (n,), among kept blocks.

        The text begins at the main heading, even if the heading itself is left out: the picture of
        an article often stands between the two.
        """
        asked = [kind for kind in kinds_named(*self.params.also) if kind in _SIDES]
        if asked and kept.any():
            places, main = np.flatnonzero(kept), main_heading(self.page)
            first = min(places[0], main) if main >= 0 else places[0]
            blocks = among(kinds_of(self.page), asked) & ~kept & (self.probability < _EVEN)
            blocks[:first] = blocks[places[-1] :] = False
            self.change(blocks, _EVEN, Rule.ALSO)
            kept |= blocks

    def _comments(self) -> None:
        """Keep or drop all readers' comments, by the probability that the page is a thread.

        Their blocks err together: at a probability of .2 each, a thousand words of comments were
        kept for an article of 73 words. On threads they are posts, unless they stand below several
        posts: remarks on a question and its answers. On a page with hardly any other text, only
        comments below a heading such as "17 comments" can be dropped: `<p class="comment-body">` on
        all paragraphs.
        """
        comments = self.evidence.comments
        if self.asks_for_comments or not comments.any():
            return
        if not self.params.bars_comments:
            self.thread = self.evidence.thread(self.model)
            if self.thread is None or (self.thread >= _THREAD and not self._are_below_posts()):
                return
        is_alone = float(self.expected[~comments].sum()) < _LEAST_OUTSIDE
        if not is_alone or self.evidence.counts_comments:
            self.change(comments, self.probability * _COMMENT_OF_ARTICLE, Rule.COMMENT)

    def _are_below_posts(self) -> bool:
        """Return whether comments stand below several posts, such as a question and its answers."""
        comments = self.evidence.comments
        outside = np.cumsum(self.expected * ~comments)
        starts = np.flatnonzero(np.diff(comments, prepend=False) & comments)
        return int((np.diff(outside[starts], prepend=0.0) >= _POST).sum()) > 1

    def _copies(self) -> None:
        """Drop texts that the page hides and also shows.

        A large forum platform repeats the first post in `<div class="hidden">`. An element of which
        less is shown elsewhere keeps all: cells such as "Yes" stand in each panel of a tab list.
        """
        page, hidden = self.page, elements_for(self.page, "for_hidden") & ~self.page.nodes.inline
        if not hidden.any():
            return
        box = page.table.nearest(hidden)[page.node]
        copies = copied_blocks(page.table, box, page.table.text_numbers, self.probability)
        self.change(copies, self.probability * (1.0 - _RELIABLE), Rule.COPY)

    def _reviews(self) -> None:
        """Drop customers' reviews from a product's text, unless they are most of it."""
        if self.params.convention != AUTO or self.asks_for_comments:
            return
        reviews = in_named(self.page, "for_review")
        taken = float(self.expected[reviews].sum())
        if 1.0 <= taken <= _MOST * float(self.expected.sum()):
            product = self.evidence.types["product"]
            if product >= _EVEN:
                left = self.probability * (1.0 - _RELIABLE * product)
                self.change(reviews, left, Rule.COMMENT)

    def _aside(self) -> None:
        """Make kinds unlikely that the convention excludes; by "auto", the convention of articles.

        All kinds share one budget, so that no page loses its text, however many kinds take a part:
        on some pages the class of every paragraph names a notice.
        """
        if self.params.convention == AUTO:
            kinds, of_blocks = list(ASIDE), apart_kinds(self.page)
        else:
            named = kinds_named("comment", *KINDS_OF[self.params.convention])
            kinds, of_blocks = [kind for kind in Kind if kind not in named], kinds_of(self.page)
        by_kind = np.bincount(of_blocks, self.expected, len(Kind)).tolist()
        left = float(self.expected.sum())
        enough = least_left(left)
        least = 1.0 if self.params.convention == AUTO else 0.0  # page types take time to compute
        taken, share = [], 0.0
        for kind in kinds:
            if by_kind[kind] >= least and left - by_kind[kind] >= enough:
                share = share or _RELIABLE * self._article()
                left -= share * by_kind[kind]
                taken.append(kind)
        if taken:
            self.change(among(of_blocks, taken), self.probability * (1.0 - share), Rule.ASIDE)

    def _of_site(self) -> None:
        """Make texts unlikely that many pages of the site have, as far as the page is an article.

        Headings and sure blocks keep their probability. With sure ones, the rule would have taken
        most text of a Greek health site's pages, and so it took nothing. On services and in
        documentation, such texts are often gold.
        """
        if not self.page.repeated:
            return
        blocks = self.evidence.repeated & ~self.page.table.in_heading & (self.model < _RELIABLE)
        taken, left = float(self.expected[blocks].sum()), float(self.expected.sum())
        if left - taken >= least_left(left):
            taken_share = _RELIABLE * self._article()
            self.change(blocks, self.probability * (1.0 - taken_share), Rule.SITE)

    def _article(self) -> float:
        """Return the probability that the convention of articles applies to the page."""
        if self.params.convention != AUTO:
            return 1.0
        return self.evidence.types["article"] * (1.0 - (self.thread or 0.0))

    def _choice(self) -> None:
        """Apply the kinds that the user chose by name; nothing overrules them."""
        keep, without = self.params.keep, self.params.without
        if not keep and not without:
            return
        barred = np.zeros(len(self.model), np.bool_)
        if keep:
            implied = () if self.params.by_kinds else ("body",)
            coarse = [_COARSE[word] for word in (*implied, *keep) if word in _COARSE]
            barred = ~among(kinds_of(self.page), [*kinds_named(*keep, *self.params.also), -1])
            barred &= ~among(coarse_kinds(self.page), [*coarse, -1])
        if without:
            barred |= among(kinds_of(self.page), kinds_named(*without))
            if "title" in without:  # also the title of coarse kinds, which models use
                barred |= coarse_kinds(self.page) == CoarseKind.TITLE
        self.change(barred, 0.0, Rule.CHOICE)
        self.barred = barred if self.chosen is None else barred | self.chosen.outside

    def _title(self) -> None:
        """Keep the main heading if any block is kept, unless it heads something else."""
        main = main_heading(self.page)
        if main < 0 or "title" in self.params.without:
            return
        if self.chosen is not None and self.chosen.outside[main]:
            return
        if not self.params.keep:
            if float(self.expected[:main].sum()) > _LATE * float(self.expected.sum()):
                return
            if self.model[main] < _UNLIKELY and self.evidence.title_likeness < _ALIKE:
                return
        self.title = main
        is_main = np.arange(len(self.model)) == main
        self.change(is_main, self.probability.max(), Rule.TITLE)


def least_left(expected: float) -> float:
    """Return how many of a page's expected words excluded kinds must leave."""
    return min(_ENOUGH, _MOST * expected)


def page_score(evidence: Evidence, after: Floats, kept: Bools) -> float:
    """Predict the F1 on words of the kept blocks (n,), 0..1, from `sums.score_inputs`.

    `after` (n,) are the probabilities of blocks to be text after all rules: they order pages better
    than those before. 0 if nothing is kept.
    """
    if not kept.any():
        return 0.0
    inputs = score_inputs(evidence.page.table, evidence.comments, after, kept)
    return probability(shipped_weights()["score"], inputs)


def with_rules(tags: Tags, reasons: Sequence[list[Reason]]) -> list[list[Reason]]:
    """Put the rule that changed a block's probability before the block's reasons.

    The value of the rule is the new probability, its weight the change in log-odds.
    """
    if tags.rules is None or tags.model is None:
        return list(reasons)
    after, rows = tags.probabilities, []
    change = log_odds(after) - log_odds(1.0 - tags.model[:, Label.OTHER])
    for rule, value, weight, own in zip(tags.rules, after, change, reasons, strict=True):
        said = Reason(RULE_PREFIX + Rule(rule).name.lower(), float(value), float(weight))
        rows.append([said, *own] if rule else own)
    return rows


def ruled_words(document: Document) -> dict[str, tuple[int, int]]:
    """Return, by rule, the words that it left out and those that it added.

    The model's own choice is the reference. Rules that changed no words are missing.
    """
    tags = document.tags
    if tags.rules is None or tags.model is None:
        return {}
    words = measured(document.blocks).words
    alone = best_expected_f(1.0 - tags.model[:, Label.OTHER], words)
    changed = {}
    for rule in Rule:
        by_rule = (tags.rules == rule) & (rule != Rule.NONE)
        left_out = int(words[by_rule & alone & ~tags.kept].sum())
        added = int(words[by_rule & tags.kept & ~alone].sum())
        if left_out or added:
            changed[rule.name.lower()] = (left_out, added)
    return changed


def relabelled(tags: Tags, page: Measures, labels: Ints) -> Tags:
    """Return the tags of a page with other labels (n,), and the score of these."""
    if not len(labels):
        return tags
    kept = labels != Label.OTHER
    if tags.model is None:
        score = expected_f1(tags.probabilities, page.words, kept)
    else:
        score = page_score(Evidence(page), tags.probabilities, kept)
    return replace(tags, labels=labels.astype(np.int32), score=score)


def levels(document: Document) -> dict[str, Document]:
    """The document at each level, by its name: the same blocks with other labels."""
    return {name: _at(document, name) for name in LEVELS}


def _at(document: Document, level: str) -> Document:
    tags = document.tags
    is_emptied = document.lacks_content and not tags.kept.any()
    if is_emptied or not len(tags) or LEVELS[level] == 1:
        return document
    page = measured(document.blocks)
    marked = Evidence(page).comments
    comments = marked if tags.comments is None else marked | tags.comments
    kept = kept_at(level, tags, page.words, comments)
    likelier = tags.marginals[:, : Label.OTHER].argmax(1)
    labels = np.where(kept, np.where(tags.kept, tags.labels, likelier), Label.OTHER)
    return replace(document, tags=relabelled(tags, page, labels))


def expected(document: Document) -> dict[str, float]:
    """The expected precision and recall on words of the kept blocks (0..1)."""
    words, tags = measured(document.blocks).words, document.tags
    precision, recall, _ = expected_scores(tags.probabilities, words, tags.kept)
    return {"precision": precision, "recall": recall}
