"""Decide what of a page is its text: the probabilities of a model, weighed with other evidence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from crfclean.decision.boxes import shared
from crfclean.decision.choosing import BELOW_PRECISION, LEVELS, choose_blocks, kept_at, log_odds
from crfclean.decision.ends import ENDING, text_end
from crfclean.decision.evidence import Evidence, decision_weights
from crfclean.decision.expected import expected_f1
from crfclean.decision.further import further_articles
from crfclean.decision.rules import KINDS_OF, CutParams
from crfclean.decision.scraps import scraps
from crfclean.decision.stray import stray_runs
from crfclean.decision.sums import (
    best_expected_f,
    copied_blocks,
    expected_scores,
    labelled,
    score_inputs,
)
from crfclean.decision.wholes import MAX_FORUM, completed
from crfclean.model.block_kinds import in_named, kinds_of
from crfclean.model.coarse_kinds import coarse_kinds
from crfclean.model.logistic import probability
from crfclean.model.markup import elements_for
from crfclean.model.zones import apart_kinds, main_heading
from crfclean.page.chars import among
from crfclean.page.head import head_metadata
from crfclean.page.selectors import Chosen, chosen
from crfclean.types import (
    Blocks,
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
_LEAST_OUTSIDE = 30.0  # expected words outside comments; with fewer, a heading must name them
_LEAST_BESIDE = 10.0  # expected words of a page beside its scraps
_POST = 20.0  # expected words of a post, with comments below it
_LATE = 0.5  # share of the expected words above a heading that heads something else
_SURE_F1 = 0.9  # expected F1 from which hardly any block is in doubt
_RECALL = 0.5  # added to beta on other page types; 1 gained more on new sets, less on training sets
_UNLIKELY, _ALIKE = 0.1, 0.7  # a heading must be this probable, or this like a declared title
ALSO_ODDS = 1.0
"""Log-odds that kinds gain if the user asks for them: of 0, 1 and 2, 1 was best on the mean of six
sets (eval/accuracy/README.md)."""
_LEAD_ODDS = 1.5  # that the lead of an article gains; with 1.75 a set of articles lost .0012
_MAX_LEAD_WORDS = 60  # an author's biography in a box of the header has more
_SIDES = (Kind.CAPTION, Kind.BYLINE)  # on request they are kept anywhere in the text
_ARTICLE = 0.9  # probability of an article, on which doubtful parts far from the text are left out
_EVEN = 0.5
_SHOWN = re.compile(r"(?i)(?:overflow(?:-[xy])?-hidden|hidden-(?:xs|sm|md|lg|xl|print))(?!\S)")
"""Classes that hide nothing, or only on some screens."""
_HIDING = re.compile(r"(?i)hid|none|invisible|reader|sr-?only")
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


@dataclass(frozen=True, repr=False, eq=False)
class Case:
    """A page, a model's probabilities of its n blocks to be text, and what the user asks for.

    Other items follow from these three; each is computed on first use.
    """

    evidence: Evidence
    model: Floats
    params: CutParams

    @property
    def page(self) -> Blocks:
        """The page."""
        return self.evidence.page

    @property
    def words(self) -> Floats:
        """The words of each block, (n,)."""
        return self.evidence.words

    @cached_property
    def chosen(self) -> Chosen | None:
        """What the user's selectors let in and leave out, None without selectors."""
        params = self.params
        return (
            chosen(self.page, params.within, params.drop) if params.within or params.drop else None
        )

    @cached_property
    def unwanted(self) -> Bools | None:
        """Mark the blocks (n,) of kinds that the user does not want, None if all may be."""
        keep, without = self.params.keep, self.params.without
        if not keep and not without:
            return None
        unwanted = np.zeros(len(self.model), np.bool_)
        if keep:
            implied = () if self.params.by_kinds else ("body",)
            coarse = [_COARSE[word] for word in (*implied, *keep) if word in _COARSE]
            unwanted = ~among(kinds_of(self.page), [*kinds_named(*keep, *self.params.also), -1])
            unwanted &= ~among(coarse_kinds(self.page), [*coarse, -1])
        if without:
            unwanted |= among(kinds_of(self.page), kinds_named(*without))
            if "title" in without:  # also the title of coarse kinds, which models use
                unwanted |= coarse_kinds(self.page) == CoarseKind.TITLE
        return unwanted

    @cached_property
    def barred(self) -> Bools:
        """Mark the blocks (n,) that the user leaves out, by kinds or selectors: this is final."""
        unwanted = self.unwanted
        barred = np.zeros(len(self.model), np.bool_) if unwanted is None else unwanted
        return barred | self.chosen.outside if self.chosen else barred

    @cached_property
    def thread(self) -> float | None:
        """The probability that the page is a thread, None if its comments do not depend on it."""
        params = self.params
        if params.asks_for_comments or params.bars_comments or not self.evidence.comments.any():
            return None
        return self.evidence.thread(self.model)

    @property
    def article(self) -> float:
        """The probability that the convention of articles applies to the page."""
        if self.params.convention != AUTO:
            return 1.0
        return self.evidence.types["article"] * (1.0 - (self.thread or 0.0))


class Revision(NamedTuple):
    """What a rule changes: a mask of blocks (n,), and their probabilities, (n,) or one for all."""

    blocks: Bools
    values: Floats | float


@dataclass(frozen=True, repr=False, eq=False)
class Weighed:
    """The probabilities of blocks to be text, (n,), and the `Rule` that changed each last, (n,)."""

    probability: Floats
    rules: Ints

    def revised(self, rule: Rule | Ints, revision: Revision | None) -> Weighed:
        """Return the probabilities as a rule revises them; `rule` is one for all or (n,)."""
        if revision is None:
            return self
        blocks = revision.blocks & (self.rules != Rule.SELECTOR)  # selectors are final
        if not blocks.any():
            return self
        rules = self.rules.copy()
        rules[blocks] = rule if isinstance(rule, Rule) else rule[blocks]
        return Weighed(np.where(blocks, revision.values, self.probability), rules)


def decide(evidence: Evidence, marginals: Floats, params: CutParams) -> Tags:
    """Decide the tags of a page from a model's marginals (n, 3).

    The marginals in the tags include the evidence. Raises `ModelError` for damaged weights.
    """
    if not len(evidence):
        return Tags(np.zeros(0, np.int32), marginals, 0.0)
    case = Case(evidence, np.ascontiguousarray(1.0 - marginals[:, Label.OTHER], np.float64), params)
    weighed = weigh(case)
    has_title = bool((weighed.rules == Rule.TITLE).any())
    weighed, kept, end = _text(case, weighed)
    title = main_heading(evidence.page) if has_title and kept.any() else -1
    if title >= 0:
        kept[title] = True
    weighed, kept = _renamed(case, weighed, kept)
    labels, rows = labelled(marginals, case.model, weighed.probability, kept)
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
        thread=case.thread,
        rules=weighed.rules if weighed.rules.any() else None,
        model=marginals,
        end=end,
        chosen=case.chosen.elements if case.chosen else None,
        unmatched=case.chosen.unmatched if case.chosen else (),
    )


def weigh(case: Case) -> Weighed:
    """Apply the rules that need no kept blocks, `REVISIONS`; `_text` applies the others."""
    weighed = Weighed(case.model, np.zeros(len(case.model), np.int8))
    for rule, revise in REVISIONS:
        weighed = weighed.revised(rule, revise(case, weighed.probability))
    return weighed


# rules that need no kept blocks


def _outside(case: Case, _: Floats) -> Revision | None:
    """Leave out the blocks that the user's selectors leave out."""
    return Revision(case.chosen.outside, 0.0) if case.chosen else None


def _also(case: Case, probability: Floats) -> Revision | None:
    """Raise the probability of the kinds in `also`."""
    if not case.params.also:
        return None
    asked = among(kinds_of(case.page), kinds_named(*case.params.also))
    return Revision(asked, _raised(probability, ALSO_ODDS))


def _raised(probability: Floats, added: float) -> Floats:
    """Add log-odds to probabilities.

    >>> _raised(np.array([0.5, 1.0]), math.log(3.0))
    array([0.75, 1.  ])
    """
    odds = math.exp(added)
    raised: Floats = probability * odds / (1.0 + probability * (odds - 1.0))
    return raised


def _copies(case: Case, probability: Floats) -> Revision | None:
    """Drop texts that the page hides and also shows.

    A large forum platform repeats the first post in `<div class="hidden">`. An element of which
    less is shown elsewhere keeps all: cells such as "Yes" stand in each panel of a tab list.
    """
    page = case.page
    hidden = elements_for(page, "for_hidden") & ~page.table.is_inline
    if not hidden.any():
        return None
    names, numbers = page.table.classes, page.table.class_number
    is_shown = np.zeros(len(names), np.bool_)
    for number in {*numbers[hidden].tolist()}:
        is_shown[number] = _is_shown(names[number])
    hidden &= ~is_shown[numbers]
    if not hidden.any():
        return None
    box = page.table.nearest(hidden)[page.node]
    copies = copied_blocks(page.table, box, page.table.text_numbers, probability)
    return Revision(copies, probability * (1.0 - _RELIABLE))


def _is_shown(classes: str) -> bool:
    """Return whether classes hide an element at most on some screens."""
    rest = _SHOWN.sub("", classes)
    return rest != classes and not _HIDING.search(rest)


def _scraps(case: Case, probability: Floats) -> Revision | None:
    """Drop boxes of consent, and lines such as "Loading ...", on pages with other text."""
    if "notice" in (*case.params.keep, *case.params.also):
        return None
    marked = scraps(case.page, probability)
    if float((case.words * probability)[~marked].sum()) < _LEAST_BESIDE:
        return None
    return Revision(marked, probability * (1.0 - _RELIABLE))


def _comments(case: Case, probability: Floats) -> Revision | None:
    """Keep or drop all readers' comments, by the probability that the page is a thread.

    Their blocks err together: at a probability of .2 each, a thousand words of comments were
    kept for an article of 73 words. On threads they are posts, unless they stand below several
    posts: remarks on a question and its answers. On a page with hardly any other text, only
    comments below a heading such as "17 comments" or "Comments" can be dropped: `<p
    class="comment-body">` on all paragraphs.
    """
    evidence, comments, thread = case.evidence, case.evidence.comments, case.thread
    if thread is None and not case.params.bars_comments:
        return None
    if not comments.any():
        return None
    expected = case.words * probability
    if thread is not None and thread >= _THREAD and not _are_below_posts(comments, expected):
        return None
    is_alone = float(expected[~comments].sum()) < _LEAST_OUTSIDE
    if is_alone and not evidence.heads_comments:
        return None
    return Revision(comments, probability * _COMMENT_OF_ARTICLE)


def _are_below_posts(comments: Bools, expected: Floats) -> bool:
    """Return whether comments stand below several posts, such as a question and its answers."""
    outside = np.cumsum(expected * ~comments)
    starts = np.flatnonzero(np.diff(comments, prepend=False) & comments)
    return int((np.diff(outside[starts], prepend=0.0) >= _POST).sum()) > 1


def _reviews(case: Case, probability: Floats) -> Revision | None:
    """Drop customers' reviews from a product's text, unless they are most of it."""
    if case.params.convention != AUTO or case.params.asks_for_comments:
        return None
    reviews, expected = in_named(case.page, "for_review"), case.words * probability
    if not 1.0 <= float(expected[reviews].sum()) <= _MOST * float(expected.sum()):
        return None
    product = case.evidence.types["product"]
    return (
        Revision(reviews, probability * (1.0 - _RELIABLE * product)) if product >= _EVEN else None
    )


def _aside(case: Case, probability: Floats) -> Revision | None:
    """Lower the probability of kinds that the convention excludes; by "auto", that of articles.

    All kinds share one budget, so that no page loses its text, however many kinds take a part:
    on some pages the class of every paragraph names a notice.
    """
    if not case.params.convention:
        return None
    kinds, of_blocks = _excluded(case)
    expected = case.words * probability
    by_kind = np.bincount(of_blocks, expected, len(Kind)).tolist()
    left = float(expected.sum())
    enough = least_left(left)
    least = 1.0 if case.params.convention == AUTO else 0.0  # page types take time to compute
    taken, share = [], 0.0
    for kind in kinds:
        if by_kind[kind] >= least and left - by_kind[kind] >= enough:
            share = share or _RELIABLE * case.article
            left -= share * by_kind[kind]
            taken.append(kind)
    return Revision(among(of_blocks, taken), probability * (1.0 - share)) if taken else None


def _excluded(case: Case) -> tuple[Sequence[Kind], Ints]:
    """Return the kinds that the convention excludes, and the kinds of blocks (n,) to compare."""
    if case.params.convention == AUTO:
        return ASIDE, apart_kinds(case.page)
    named = kinds_named("comment", *KINDS_OF[case.params.convention])
    return [kind for kind in Kind if kind not in named], kinds_of(case.page)


def _further(case: Case, probability: Floats) -> Revision | None:
    """Drop whole articles below the page's own: they are the next pages."""
    if case.params.convention not in ENDING:
        return None
    behind = further_articles(case.page)
    if float((case.words * probability)[~behind].sum()) < _LEAST_OUTSIDE:
        return None
    return Revision(behind, probability * (1.0 - _RELIABLE))


def _of_site(case: Case, probability: Floats) -> Revision | None:
    """Lower the probability of texts that many pages of the site have, as far as it is an article.

    Headings and sure blocks keep their probability. With sure ones, the rule would have taken
    most text of a Greek health site's pages, and so it took nothing. On services and in
    documentation, such texts are often gold.
    """
    page = case.page
    if not page.repeated:
        return None
    blocks = case.evidence.repeated & ~page.table.in_heading & (case.model < _RELIABLE)
    expected = case.words * probability
    left = float(expected.sum())
    if left - float(expected[blocks].sum()) < least_left(left):
        return None
    return Revision(blocks, probability * (1.0 - _RELIABLE * case.article))


def _unwanted(case: Case, _: Floats) -> Revision | None:
    """Leave out the kinds that the user's choice leaves out; nothing overrules it."""
    return None if case.unwanted is None else Revision(case.unwanted, 0.0)


def _title(case: Case, probability: Floats) -> Revision | None:
    """Keep the main heading if any block is kept, unless it heads something else."""
    params = case.params
    if not params.forces_titles or "title" in params.without:
        return None
    main = main_heading(case.page)
    if main < 0 or (case.chosen and case.chosen.outside[main]):
        return None
    if not params.keep and not _heads_the_text(case, main, case.words * probability):
        return None
    return Revision(np.arange(len(case.model)) == main, float(probability.max()))


def _heads_the_text(case: Case, main: int, expected: Floats) -> bool:
    """Return whether the main heading stands above most of the text, and is likely or a title."""
    if float(expected[:main].sum()) > _LATE * float(expected.sum()):
        return False
    return not (case.model[main] < _UNLIKELY and case.evidence.title_likeness < _ALIKE)


REVISIONS: tuple[tuple[Rule, Callable[[Case, Floats], Revision | None]], ...] = (
    (Rule.SELECTOR, _outside),
    (Rule.ALSO, _also),
    (Rule.COPY, _copies),
    (Rule.SCRAP, _scraps),
    (Rule.COMMENT, _comments),
    (Rule.COMMENT, _reviews),
    (Rule.ASIDE, _aside),
    (Rule.END, _further),
    (Rule.SITE, _of_site),
    (Rule.CHOICE, _unwanted),
    (Rule.TITLE, _title),
)
"""The rules that need no kept blocks, in their order; each gets the probabilities so far, (n,)."""


# rules that need the kept blocks


def _text(case: Case, weighed: Weighed) -> tuple[Weighed, Bools, TextEnd | None]:
    """Choose the blocks (n,) that the decision rule keeps, complete them, and find their end.

    Boxes behind the text do not say where it ends: as one, a table of currencies with 18 cells of
    .4 was left out, and readers' comments before it were kept.
    """
    boxed, seen = _completed(case, weighed)
    kept = seen
    if boxes := _boxes(case, weighed, seen):
        boxed, kept = _completed(case, weighed.revised(Rule.RECORD, boxes))
    if case.params.rule != "expected_f1":
        return boxed, kept, None
    boxed, kept, end = _until_end(case, boxed, kept, seen)
    if stray := _stray(case, boxed, kept):
        return boxed.revised(Rule.STRAY, stray), kept & ~stray.blocks, end
    return boxed, kept, end


def _boxes(case: Case, weighed: Weighed, kept: Bools) -> Revision | None:
    """Give the cells of a box of keys and values one probability, by which all are kept or none.

    Of the box beside an article of an encyclopedia, values were left out below kept keys: cells
    had .10 to .72. On forums, such lists are topics with their numbers of posts.
    """
    boxes = shared(case.page, weighed.probability, kept)
    if boxes is None or case.evidence.types["forum"] >= MAX_FORUM:
        return None
    blocks, values = boxes
    return Revision(blocks & ~case.barred & (weighed.rules != Rule.TITLE), values)


def _completed(case: Case, weighed: Weighed) -> tuple[Weighed, Bools]:
    """Choose the blocks (n,) that the decision rule keeps, and complete them."""
    kept = _chosen(case, weighed.probability)
    if case.params.rule == "precision":
        return weighed, kept & ~case.barred
    sides = _sides(case, weighed.probability, kept)
    kept, weighed = kept | sides, weighed.revised(Rule.ALSO, Revision(sides, _EVEN))
    if leads := _leads(case, weighed.probability, kept):
        kept, weighed = kept | leads.blocks, weighed.revised(Rule.LEAD, leads)
    kept, probability, rules = completed(case.evidence, kept, weighed.probability)
    if rules.any():
        weighed = weighed.revised(rules, Revision(rules > 0, probability))
        weighed = weighed.revised(Rule.CHOICE, _unwanted(case, weighed.probability))
    kept = kept & ~case.barred
    if case.params.rule == "threshold":
        kept &= weighed.probability >= case.params.threshold
    return weighed, kept


def _chosen(case: Case, probability: Floats) -> Bools:
    """Choose blocks (n,) by the decision rule, and more doubtful ones on some types of pages.

    On services, documentation, listings and collections, models leave out too much. On articles
    and threads, doubtful blocks are mostly boilerplate.
    """
    kept = choose_blocks(probability, case.words, case.params)
    if case.params.rule != "expected_f1" or case.params.convention != AUTO:
        return kept
    if expected_f1(probability, case.words, kept) >= _SURE_F1:
        return kept
    types = case.evidence.types
    other = 1.0 - types["article"] - types["forum"] - types["product"]
    return best_expected_f(probability, case.words, 1.0 + _RECALL * other * other)


def _sides(case: Case, probability: Floats, kept: Bools) -> Bools:
    """Mark the captions and bylines (n,) among kept blocks that the user asked for.

    The text begins at the main heading, even if the heading itself is left out: the picture of
    an article often stands between the two.
    """
    asked = [kind for kind in kinds_named(*case.params.also) if kind in _SIDES]
    if not asked or not kept.any():
        return np.zeros(len(kept), np.bool_)
    places, main = np.flatnonzero(kept), main_heading(case.page)
    first = min(places[0], main) if main >= 0 else places[0]
    sides = among(kinds_of(case.page), asked) & ~kept & (probability < _EVEN)
    sides[:first] = sides[places[-1] :] = False
    return sides


def _leads(case: Case, probability: Floats, kept: Bools) -> Revision | None:
    """Add the lead of an article to its kept blocks (n,).

    Models also learned from collections without leads: they gave .14 to .47 to leads of news that
    annotators keep. Raised before the choice, a lead let other doubtful blocks in: a thousand words
    of code. A lead that the page prints again, as in a card or a caption, is not added.
    """
    leads = (kinds_of(case.page) == Kind.LEAD) & ~kept & (case.words <= _MAX_LEAD_WORDS)
    if not case.params.wants_leads or not leads.any() or not kept.any():
        return None
    numbers = case.page.table.text_numbers
    raised = _raised(probability, _LEAD_ODDS * case.article)
    leads &= (np.bincount(numbers)[numbers] == 1) & (raised >= _EVEN)
    return Revision(leads, raised) if leads.any() else None


def _until_end(
    case: Case, weighed: Weighed, kept: Bools, seen: Bools
) -> tuple[Weighed, Bools, TextEnd | None]:
    """Cut the kept blocks (n,) at the end of the text, if the blocks `seen` (n,) show one."""
    if _keeps_sections(case):
        return weighed, kept, None
    is_article = case.params.convention != AUTO
    ending = text_end(case.evidence, case.model, seen, article=is_article)
    if ending is None:
        return weighed, kept, None
    end, passed = ending
    if not end.is_cut:
        return weighed, kept, end
    behind = np.arange(len(kept)) >= end.block
    cut = Revision(behind, weighed.probability * (1.0 - passed))
    return weighed.revised(Rule.END, cut), kept & ~behind, end


def _stray(case: Case, weighed: Weighed, kept: Bools) -> Revision | None:
    """Leave out doubtful kept blocks (n,) that stand far from the text of an article."""
    if _keeps_sections(case):
        return None
    paths = case.page.table.path_keys
    stray = stray_runs(kept, weighed.probability, case.words, paths) & (weighed.rules != Rule.ALSO)
    if not stray.any() or case.article < _ARTICLE:
        return None
    if "recipe" in head_metadata(case.page).types:
        return None
    return Revision(stray, weighed.probability * (1.0 - _RELIABLE))


def _keeps_sections(case: Case) -> bool:
    """Return whether what follows the main text is kept, by the user's choice or in a thread."""
    keeps_comments = case.params.asks_for_comments or (case.thread or 0.0) >= _THREAD
    return case.params.convention not in ENDING or keeps_comments


def _renamed(case: Case, weighed: Weighed, kept: Bools) -> tuple[Weighed, Bools]:
    """Decide anew about blocks with weighted names."""
    if not case.params.names:
        return weighed, kept
    from crfclean.decision.names import MAX_LOG_ODDS, shifts  # few models weigh names

    added = shifts(case.evidence, dict(case.params.names))
    moved = (added != 0.0) & ~case.barred
    odds = np.clip(log_odds(weighed.probability), -MAX_LOG_ODDS, MAX_LOG_ODDS) + added
    weighed = weighed.revised(Rule.NAMES, Revision(moved, 1.0 / (1.0 + np.exp(-odds))))
    return weighed, np.where(
        moved, choose_blocks(weighed.probability, case.words, case.params), kept
    )


def least_left(expected: float) -> float:
    """Return the expected words that must remain when kinds are excluded."""
    return min(_ENOUGH, _MOST * expected)


def page_score(evidence: Evidence, after: Floats, kept: Bools) -> float:
    """Predict the F1 on words of the kept blocks (n,), 0..1, from `sums.score_inputs`.

    `after` (n,) are the probabilities of blocks to be text after all rules: they order pages better
    than those before. 0 if nothing is kept.
    """
    if not kept.any():
        return 0.0
    inputs = score_inputs(evidence.page.table, evidence.comments, after, kept)
    return probability(decision_weights()["score"], inputs)


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
    words = document.blocks.words
    alone = best_expected_f(1.0 - tags.model[:, Label.OTHER], words)
    changed = {}
    for rule in Rule:
        by_rule = (tags.rules == rule) & (rule != Rule.NONE)
        left_out = int(words[by_rule & alone & ~tags.kept].sum())
        added = int(words[by_rule & tags.kept & ~alone].sum())
        if left_out or added:
            changed[rule.name.lower()] = (left_out, added)
    return changed


def relabelled(tags: Tags, page: Blocks, labels: Ints) -> Tags:
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
    page = document.blocks
    marked = Evidence(page).comments
    comments = marked if tags.comments is None else marked | tags.comments
    kept = kept_at(level, tags, page.words, comments)
    likelier = tags.marginals[:, : Label.OTHER].argmax(1)
    labels = np.where(kept, np.where(tags.kept, tags.labels, likelier), Label.OTHER)
    return replace(document, tags=relabelled(tags, page, labels))


def expected(document: Document) -> dict[str, float]:
    """The expected precision and recall on words of the kept blocks (0..1)."""
    words, tags = document.blocks.words, document.tags
    precision, recall, _ = expected_scores(tags.probabilities, words, tags.kept)
    return {"precision": precision, "recall": recall}
