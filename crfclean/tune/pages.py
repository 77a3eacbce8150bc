"""Read corrected pages, score them, and learn which kinds of blocks belong to their texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from crfclean.decision.rules import Names
from crfclean.features.zones import kinds_of
from crfclean.forum.joining import stated_address
from crfclean.gold.align import tokens
from crfclean.gold.pages import GoldPage, gold_labels
from crfclean.page.chars import plural
from crfclean.page.measures import Measures, measured
from crfclean.page.urls import host
from crfclean.pipeline import run
from crfclean.site_places import block_paths, is_one_site
from crfclean.taggers.capabilities import Judges, need
from crfclean.tune.layouts import Places
from crfclean.types import Blocks, Bools, CrfcleanError, Floats, Kind, Label, Tagger
from crfclean.writers.formats import write

# learn from corrected texts which kinds of blocks belong to them
#
# Every page with blocks of a kind votes, by the share of their words in its text. A kind is a
# candidate if pages agree on it: on a few pages, F1 alone cannot tell conventions apart.

Votes = Mapping[Kind, float]
"""Kind -> the share (0..1) of its words on a page that the page's text has."""

FORMS = (Kind.LIST, Kind.TABLE, Kind.CODE, Kind.QUOTE)
"""Forms that a page may have both inside and outside its text."""
TOLD = (Kind.TITLE, Kind.LEAD, Kind.HEADING, *FORMS, Kind.CAPTION, Kind.BYLINE, Kind.COMMENT)
"""Kinds that conventions differ in."""

_LEAST_WORDS = 2  # of a kind on a page that votes
_LIKELY = 0.05  # least probability of blocks that vote: others belong to the frame of the page
_LEAST_PAGES, _LEAST_OF_FORMS = 3, 4  # pages that vote: two that agree mislead
_AGREED = 0.71  # mean of the votes and one vote of 0.5: three against one have 0.7


@dataclass(frozen=True, slots=True)
class Verdict:
    """The pages' verdict on a kind: in (True), out (False) or undecided (None).

    `pages` have blocks of the kind; `kept` is the mean share (0..1) of their words in the texts.
    `is_default` is true if the default's texts have the same verdict.
    """

    is_in: bool | None
    pages: int
    kept: float
    is_default: bool = False


def speaking(page: Measures, marginals: Floats, gold: Bools) -> Bools:
    """Mark the blocks (n,) that vote, from the gold text (n,) and a model's marginals (n, 3).

    Blocks that are neither likely nor in the text do not vote, such as captions of a menu. The
    title always votes: the default keeps it, even if the model finds it unlikely.
    """
    likely = 1.0 - marginals[:, Label.OTHER] > _LIKELY
    speaks: Bools = (gold | likely | (kinds_of(page) == Kind.TITLE)) & (page.words > 0)
    return speaks


def votes_of(page: Measures, speaks: Bools, text: Bools) -> Votes:
    """Return the share of each kind's words that a text has; both are masks of blocks (n,)."""
    votes: dict[Kind, float] = {}
    for kind in TOLD:
        of_kind = speaks & (kinds_of(page) == kind)
        total = float(page.words[of_kind].sum())
        if total >= _LEAST_WORDS:
            votes[kind] = float(page.words[of_kind & text].sum()) / total
    return votes


def verdict(kind: Kind, shares: Sequence[float], by_default: Sequence[float] = ()) -> Verdict:
    """Return the verdict of one or more pages, from their shares (0..1) and the default's.

    >>> verdict(Kind.LEAD, [1.0, 1.0, 1.0], [1.0, 1.0, 0.8])
    Verdict(is_in=True, pages=3, kept=1.0, is_default=True)
    >>> verdict(Kind.TITLE, [0.0, 0.9, 0.0])
    Verdict(is_in=None, pages=3, kept=0.3, is_default=False)
    """
    least = _LEAST_OF_FORMS if kind in FORMS else _LEAST_PAGES
    is_in = _side(shares) if len(shares) >= least else None
    is_default = is_in is not None and is_in is _side(by_default)
    return Verdict(is_in, len(shares), float(np.mean(shares)), is_default)


def _side(shares: Sequence[float]) -> bool | None:
    """Return the side on which shares (0..1) agree, or None."""
    mean = (sum(shares) + 0.5) / (len(shares) + 1)
    return mean > 0.5 if max(mean, 1.0 - mean) > _AGREED else None


# say in words what `tune` learned

_SHOWN = 6  # names on a line
_SIDES = {True: "kept", False: "dropped"}

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
"""Kind -> its name in the plural."""


def kind_lines(of_kinds: Mapping[Kind, Verdict], kinds: Mapping[Kind, bool]) -> Iterator[str]:
    """Yield a line for each kind on the pages; `kinds` are those that are now kept or dropped."""
    for kind, of_kind in of_kinds.items():
        side = "unchanged"
        if kind in kinds:
            side = _SIDES[kinds[kind]]
        elif of_kind.is_in is not None and of_kind.is_default:
            side = f"{_SIDES[of_kind.is_in]}, as by default"
        yield (
            f"{NAMES[kind]}: {side} (your texts keep {100 * of_kind.kept:.0f} % of the words, on "
            f"{plural(of_kind.pages, 'page')})"
        )


def unused_line(kind: Kind, before: Sequence[float], after: Sequence[float], *, is_in: bool) -> str:
    """Say that pages agree on a kind that does not help on held-out pages.

    >>> unused_line(Kind.CAPTION, [0.98, 1.0], [0.97, 1.0], is_in=True)
    'unused: captions kept (F1 on held-out pages: 0.990 without, 0.985 with)'
    """
    f1 = f"{np.mean(before):.3f} without, {np.mean(after):.3f} with"
    return f"unused: {NAMES[kind]} {_SIDES[is_in]} (F1 on held-out pages: {f1})"


def names_line(names: Names) -> Iterator[str]:
    """Yield the weightiest names on each side.

    >>> list(names_line(((".score", -2.0), ("#text", 1.5), (".tags", -3.0))))
    ['names in: #text', 'names out: .tags, .score']
    """
    for side_name, sign in (("in", 1.0), ("out", -1.0)):
        heavy = sorted((-sign * weight, name) for name, weight in names if sign * weight > 0)
        more = f" and {len(heavy) - _SHOWN} more" if len(heavy) > _SHOWN else ""
        if heavy:
            yield f"names {side_name}: {', '.join(name for _, name in heavy[:_SHOWN])}{more}"


def f1_line(before: float, after: float, pages: int) -> str:
    """Return a line with the scores on held-out pages.

    >>> f1_line(0.8983, 0.9221, 10)
    'F1 on 10 held-out pages: 0.898 by default, 0.922 tuned'
    """
    return f"F1 on {plural(pages, 'held-out page')}: {before:.3f} by default, {after:.3f} tuned"


# read corrected pages, and refuse texts of other pages

LEAST_PAGES = 2
MIN_ON_PAGE = 0.5  # least share of a text's words on its page
MOST_FOLDS = 10


@dataclass(frozen=True)
class TunedPage:
    """A corrected page: its gold, and the default's F1 (0..1).

    `votes` and `by_default` are the shares of each kind's words in the corrected text and in that
    of the default. `site` groups pages: the gold's, and the host that the page names as its own if
    it has no address. `places` are those of its text. `is_same` says whether both texts have the
    same words, in the same order.
    """

    gold: GoldPage
    site: str
    votes: Votes
    by_default: Votes
    f1: float
    is_same: bool
    places: Places = field(default_factory=dict, repr=False)


def read_pages(golds: Iterable[GoldPage], tagger: Tagger) -> list[TunedPage]:
    """Read the corrected pages with a text, and score them; raises `CrfcleanError`."""
    every = list(golds)
    filled = [gold for gold in every if gold.text.strip()]
    if every and not filled:
        raise CrfcleanError("all texts are empty: correct some of them first")
    if len(filled) < LEAST_PAGES:
        raise CrfcleanError(
            f"{len(filled)} corrected page is not enough to learn from: correct five to ten"
        )
    return list(_in_directories([_read(gold, tagger) for gold in filled]))


def _in_directories(pages: Sequence[TunedPage]) -> Iterator[TunedPage]:
    """Yield the pages; a directory is the site of its pages if they name it differently."""
    hosts = dict[str, Counter[str]]()
    for page in pages:
        stated = page.site.removeprefix(page.gold.site)
        hosts.setdefault(page.gold.site, Counter())[stated] += 1
    for page in pages:
        one_site = is_one_site(hosts[page.gold.site])
        yield replace(page, site=page.gold.site) if one_site else page


def _read(gold: GoldPage, tagger: Tagger) -> TunedPage:
    document = run(gold.page, tagger)
    blocks = document.blocks
    share = share_on_page(gold, blocks)
    if share < MIN_ON_PAGE:
        raise CrfcleanError(
            f"{gold.id}: the page has only {share:.0%} of the text's words: is it another page's?"
        )
    page, marginals = measured(blocks), need(tagger, Judges, "tune").marginals(blocks)
    labels, counts = gold_labels(gold, blocks)
    is_text = labels != Label.OTHER
    speaks = counts & speaking(page, marginals, is_text)
    votes, by_default = (votes_of(page, speaks, text) for text in (is_text, document.tags.kept))
    written = (document.text, write(document, "txt"))
    is_same = tokens(gold.text) in [tokens(text) for text in written]
    f1, places = f1_of(document.text, gold), Counter[str]()
    for path, words, is_in in zip(block_paths(blocks), page.words, is_text, strict=True):
        places[path] += words * is_in
    return TunedPage(gold, site_of(gold, blocks), votes, by_default, f1, is_same, places)


def verdicts(pages: Sequence[TunedPage]) -> dict[Kind, Verdict]:
    """Return the pages' verdict on each kind that any of them has."""
    voters = {kind: [page for page in pages if kind in page.votes] for kind in TOLD}
    return {
        kind: verdict(
            kind, [page.votes[kind] for page in by], [page.by_default[kind] for page in by]
        )
        for kind, by in voters.items()
        if by
    }


def supported(kinds: Mapping[Kind, bool], pages: Sequence[TunedPage]) -> dict[Kind, bool]:
    """Return the kinds on whose side, in or out, some pages agree, however few have the kind."""
    shares = {kind: [page.votes[kind] for page in pages if kind in page.votes] for kind in kinds}
    return {kind: is_in for kind, is_in in kinds.items() if _side(shares[kind]) is is_in}


def site_of(gold: GoldPage, blocks: Blocks) -> str:
    """Return the site of a page; in a directory, also by the address that the page states."""
    stated = "" if gold.page.url else host(stated_address(blocks))
    return f"{gold.site} {stated.removeprefix('www.')}".rstrip()


def share_on_page(gold: GoldPage, blocks: Blocks) -> float:
    """Return the share of a text's words (0..1) that are in the blocks, or else in the HTML."""
    words = Counter(tokens(gold.text))
    if not words:
        return 0.0
    for text in (" ".join(blocks.texts), gold.page.html):
        share = (words & Counter(tokens(text))).total() / words.total()
        if share >= MIN_ON_PAGE:
            break
    return share


def f1_of(text: str, gold: GoldPage) -> float:
    """Compute F1 on words (0..1) of a text; on characters in scripts without spaces.

    Optional words that the text has beyond the gold do not count, as in `word_scores`.

    >>> from crfclean import Page
    >>> round(f1_of("河水上涨了", GoldPage("a", Page(""), "河水上涨", "", "")), 3)
    0.889
    """
    words, gold_words, optional = (
        Counter(tokens(part)) for part in (text, gold.text, gold.uncounted)
    )
    excused = ((words - gold_words) & optional).total()
    total = words.total() - excused + gold_words.total()
    return 2 * (words & gold_words).total() / total if total else 1.0


def scores(pages: Sequence[TunedPage], tagger: Tagger) -> list[float]:
    """Compute F1 (0..1) of each page's text by a tagger."""
    return [f1_of(run(page.gold.page, tagger).text, page.gold) for page in pages]


def sites_of(pages: Sequence[TunedPage]) -> list[str]:
    """Return the sites of pages, each once, in order."""
    return list(dict.fromkeys(page.site for page in pages))


def folds_of(pages: Sequence[TunedPage], most: int = MOST_FOLDS) -> list[int]:
    """Return the fold of each page: one fold for a site if there are three sites or more.

    Otherwise each page has its own fold, up to `most` folds.
    """
    sites = sites_of(pages)
    if len(sites) < 3:
        return [index % most for index in range(len(pages))]
    return [sites.index(page.site) % most for page in pages]


# decide by the F1 of held-out pages whether a change is more than chance

TOLERANCE = 0.002  # of F1: what a kind may gain less than its standard error


def gain(new: Sequence[float], old: Sequence[float]) -> tuple[float, float]:
    """Return the mean gain in F1 over pages, and its standard error, infinite for a single page.

    >>> gain([0.9, 0.8], [0.7, 0.8])
    (0.1, 0.1)
    """
    gains = np.subtract(new, old)
    error = float(gains.std(ddof=1)) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    return round(float(gains.mean()), 6), round(float(error), 6)


def gains(new: Sequence[float], old: Sequence[float]) -> bool:
    """Return whether F1 of held-out pages speaks for a kind.

    The mean gain is above 0, and less its standard error it falls short by at most `TOLERANCE`: a
    large loss on a page is enough to refuse what gains little elsewhere.

    >>> gains([0.9, 0.9, 0.9], [0.9, 0.9, 0.8]), gains([0.9, 1.0, 0.5], [0.8, 0.8, 0.6])
    (True, False)
    """
    mean, error = gain(new, old)
    return mean > 0 and mean - error >= -TOLERANCE


def pays(new: Sequence[float], old: Sequence[float], errors: float) -> bool:
    """Return whether the mean F1 gain on two or more held-out pages exceeds its standard errors.

    >>> pays([0.9, 0.9, 0.9], [0.7, 0.8, 0.9], 1.0), pays([0.9, 0.3, 0.9], [0.7, 0.6, 0.6], 1.0)
    (True, False)
    """
    mean, error = gain(new, old)
    return len(new) > 1 and mean > max(0.0, errors * error)
