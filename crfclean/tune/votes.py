"""Learn from corrected texts which kinds of blocks belong to them, and say it in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crfclean.evaluate.plurals import plural
from crfclean.features.zones import kinds_of
from crfclean.page.arrays import among
from crfclean.page.measures import Measures
from crfclean.types import Floats, Ints, Kind, Label

# learn from corrected texts which kinds of blocks belong to them
#
# Every page that has blocks of a kind votes: the share of their words that its text has. A kind
# is in, or out, where pages agree; of a few pages F1 alone cannot tell conventions apart.

Votes = Mapping[Kind, float]
"""Kind -> the share (0..1) of its words on a page that the page's text has."""

FORMS = (Kind.LIST, Kind.TABLE, Kind.CODE, Kind.QUOTE)
"""Forms of text, which a page may have both in its text and beside it."""
TOLD = (Kind.TITLE, Kind.LEAD, Kind.HEADING, *FORMS, Kind.CAPTION, Kind.BYLINE, Kind.COMMENT)
"""Kinds that conventions differ in."""

_LEAST_WORDS = 2  # of a kind on a page: a single word says nothing
_LIKELY = 0.05  # probability of blocks that say something of their kind: others are in a frame
_LEAST_PAGES, _LEAST_OF_FORMS = 3, 4  # with blocks of the kind: two that agree mislead
_AGREED = 0.71  # mean vote, one half vote being for both sides: three against one have 0.7


@dataclass(frozen=True, slots=True)
class Verdict:
    """What pages say of a kind: whether it is in, out (False), or undecided (None), and votes.

    `pages` have blocks of the kind; `kept` is the mean share (0..1) of their words in the texts.
    """

    is_in: bool | None
    pages: int
    kept: float


def votes_of(page: Measures, marginals: Floats, labels: Ints) -> Votes:
    """What a page's gold labels (n,) say of each kind, with a model's marginals (n, 3).

    Blocks that are neither likely nor in the text say nothing: captions of a menu, say. The title
    always does: the default keeps it, however unlikely the model finds it.
    """
    if not len(page):
        return {}
    kinds, words, gold = kinds_of(page), page.words, labels != Label.OTHER
    speaks = gold | (1.0 - marginals[:, Label.OTHER] > _LIKELY) | (kinds == Kind.TITLE)
    speaks &= words > 0
    votes: dict[Kind, float] = {}
    for kind in TOLD:
        of_kind = speaks & among(kinds, [kind])
        total = float(words[of_kind].sum())
        if total >= _LEAST_WORDS:
            votes[kind] = float(words[of_kind & gold].sum()) / total
    return votes


def verdicts(votes: Sequence[Votes]) -> dict[Kind, Verdict]:
    """What pages say of each kind that any of them has."""
    shares = {kind: [vote[kind] for vote in votes if kind in vote] for kind in TOLD}
    return {kind: verdict(kind, values) for kind, values in shares.items() if values}


def verdict(kind: Kind, shares: Sequence[float]) -> Verdict:
    """The verdict of so many pages' shares (0..1), one or more.

    >>> verdict(Kind.LEAD, [1.0, 1.0, 1.0]), verdict(Kind.TITLE, [0.0, 1.0, 0.0])
    (Verdict(is_in=True, pages=3, kept=1.0), Verdict(is_in=None, pages=3, kept=0.3333333333333333))
    """
    count = len(shares)
    mean = (sum(shares) + 0.5) / (count + 1)
    least = _LEAST_OF_FORMS if kind in FORMS else _LEAST_PAGES
    is_in = None
    if count >= least and max(mean, 1.0 - mean) > _AGREED:
        is_in = mean > 0.5
    return Verdict(is_in, count, float(np.mean(shares)))


def undecided(said: Mapping[Kind, Verdict]) -> dict[Kind, Verdict]:
    """The same shares without verdicts: the default decides of every kind."""
    return {kind: replace(of_kind, is_in=None) for kind, of_kind in said.items()}


def chosen(said: Mapping[Kind, Verdict]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds that are in and those that are out, as words of `CutParams.also` and `without`.

    A title that is in needs no word: the default keeps it.
    """
    words: dict[bool, list[str]] = {True: [], False: []}
    for kind, of_kind in said.items():
        if of_kind.is_in is not None and (kind, of_kind.is_in) != (Kind.TITLE, True):
            words[of_kind.is_in].append(kind.name.lower())
    return tuple(words[True]), tuple(words[False])


# say in words what was learnt from corrected texts

NAMES: Mapping[Kind, str] = {
    Kind.TITLE: "title",
    Kind.LEAD: "leads",
    Kind.HEADING: "headings",
    Kind.LIST: "lists",
    Kind.TABLE: "tables",
    Kind.CODE: "code",
    Kind.QUOTE: "quotations",
    Kind.CAPTION: "captions",
    Kind.BYLINE: "bylines",
    Kind.COMMENT: "readers' comments",
}
"""Kind -> what it is called where many are meant."""


def kind_lines(said: Mapping[Kind, Verdict]) -> Iterator[str]:
    """A line for each kind on the pages: in, out, or as the default has it."""
    for kind, of_kind in said.items():
        yield f"{NAMES[kind]} {side(of_kind)} ({_evidence(of_kind)})"


def side(said: Verdict) -> str:
    """Where a verdict puts a kind."""
    if said.is_in is None:
        return "as the default"
    return "in" if said.is_in else "out"


def adaptation_line(*, is_alike: bool) -> str:
    """What an adapted model does of what the lines above say.

    >>> adaptation_line(is_alike=True)
    'adapted: a model of its own, better on held-out pages'
    """
    own = "" if is_alike else " that decides by these texts alone"
    return f"adapted: a model of its own{own}, better on held-out pages"


def _evidence(said: Verdict) -> str:
    return f"{said.kept:.0%} of their words kept on {plural(said.pages, 'page')}"


def f1_line(before: float, after: float, pages: int) -> str:
    """The scores on held-out pages.

    >>> f1_line(0.8983, 0.9221, 10)
    'F1 on 10 held-out pages: 0.898 by default, 0.922 tuned'
    """
    return f"F1 on {plural(pages, 'held-out page')}: {before:.3f} by default, {after:.3f} tuned"
