"""Learn from corrected pages of a site what belongs to their texts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from crfclean.decision.evidence import Evidence
from crfclean.decision.names import (
    LIMIT,
    block_names,
    block_paths,
    common_path,
    is_one_site,
    names_of,
)
from crfclean.decision.rules import Names, log_odds
from crfclean.document.formats import write
from crfclean.forum.joining import stated_address
from crfclean.model.zones import kinds_of
from crfclean.page.align import tokens
from crfclean.page.chars import plural
from crfclean.page.head import host
from crfclean.page.measures import Measures, measured
from crfclean.pipeline import run
from crfclean.systems.load import Judges, need
from crfclean.teach.gold import GoldPage, gold_labels
from crfclean.teach.metrics import word_scores
from crfclean.types import Blocks, Bools, CrfcleanError, Floats, Ints, Kind, Label, Tagger, Tags

_LAYOUT_PAGES = 2  # of a layout, and with a name of it: one may be a live blog, or have a category
_NAMED = 3  # pages in a message

_Steps = list[set[str]]
Places = Mapping[str, float]
"""Path of a place (see `decision.names.block_paths`) -> the words of a page's text there."""


class Layouts(NamedTuple):
    """The numbers of pages that have another layout than most of their site, and what is said."""

    others: frozenset[int]
    lines: tuple[str, ...]


def layouts_of(sites: Sequence[str], pages: Sequence[Places], names: Sequence[str]) -> Layouts:
    """Compare the pages of each site, given for each page its site, places and name.

    If more than half of the pages of a site have one layout, at least two others are left out.
    """
    others, lines = set[int](), list[str]()
    for site in dict.fromkeys(sites):
        numbers = [number for number, of in enumerate(sites) if of == site]
        groups = _groups({number: pages[number] for number in numbers})
        if len(groups) < 2 or len(groups[1]) < _LAYOUT_PAGES:
            continue
        rest = sorted(set(numbers) - set(groups[0]))
        if len(groups[0]) <= len(rest):
            lines.append(
                f"{site} has several layouts, none of them on most pages: learned from all; tune "
                "for each alone"
            )
            continue
        others.update(rest)
        shown = ", ".join(names[number] for number in rest[:_NAMED])
        more = f" and {len(rest) - _NAMED} more" * (len(rest) > _NAMED)
        lines.append(
            f"{site} has several layouts: learned from the commonest one, on "
            f"{plural(len(groups[0]), 'page')}, and not from {shown}{more}"
        )
    return Layouts(frozenset(others), tuple(lines))


def _groups(pages: Mapping[int, Places]) -> list[list[int]]:
    """Return the numbers of pages by layout, the commonest layout first."""
    counts = Counter(
        name
        for places in pages.values()
        for name in {name for path in places for name in names_of(path)}
    )
    names = {name for name, count in counts.items() if count >= _LAYOUT_PAGES}
    around = {number: _around(places, names) for number, places in pages.items()}
    groups = list[list[int]]()
    for number in sorted(around, key=lambda number: len(around[number])):
        group = next((each for each in groups if _alike(around[each[0]], around[number])), None)
        if group is None:
            groups.append([number])
        else:
            group.append(number)
    return sorted(groups, key=len, reverse=True)


def _around(places: Places, names: set[str]) -> _Steps:
    """Return the elements around most words of a page's text, by the names that pages share."""
    words = defaultdict[str, float](float)
    for path, count in places.items():
        words[common_path(path, names).rpartition(" ")[0]] += count
    place = max(words, key=words.__getitem__, default="")
    return [_selectors(step) for step in place.split()]


def _selectors(step: str) -> set[str]:
    """Return an element as a set of selectors, one for each name.

    >>> sorted(_selectors("div.post.wide")), _selectors("main")
    (['div.post', 'div.wide'], {'main'})
    """
    found = names_of(step)
    tag = step.removesuffix("".join(found))
    return {tag + name for name in found} or {tag}


def _alike(one: _Steps, other: _Steps) -> bool:
    """Return whether the innermost element of either page is around the text of both.

    So a short note directly in `div#main` has the layout of pages with a `div.story` in it.
    """
    if not one or not other:
        return one == other
    return bool(one[-1] & set[str]().union(*other) or other[-1] & set[str]().union(*one))


# learn from labelled pages of a site which names around blocks tell its text
#
# A logistic regression adds to the log-odds of the decision.
# Its L1 penalty (Tibshirani 1996) leaves most names without a weight, so that only names of several
# blocks count. Blocks without a weighted name are decided as before.

_L1, _L2 = 1.0, 0.1  # of 0.25, 0.5, 1 and 2 the first on 27 hosts (eval/FINDINGS.md)
_NAMED_PAGES = 2  # with a name that may get a weight
_MOST = 1000  # names with different blocks: ten pages have a few hundred
_SWEEPS, _CLOSE = 500, 1e-3  # most sweeps; the largest change of a weight that ends them


class Lesson(NamedTuple):
    """Training data from a page: names of its n blocks, log-odds, text mask, weights, (n,)."""

    names: Sequence[frozenset[str]]
    odds: Floats
    is_text: Bools
    weights: Floats


def lesson(blocks: Blocks, tags: Tags, labels: Ints, counts: Bools) -> Lesson:
    """Pair the gold labels (n,) of a page's blocks that count with their names and log-odds."""
    evidence, probability = Evidence(measured(blocks)), tags.probabilities[counts]
    odds = np.clip(log_odds(probability), -LIMIT, LIMIT)
    texts = list(compress(blocks.texts, counts))
    is_text = likeliest_copies(texts, labels[counts] != Label.OTHER, probability)
    names = list(compress(block_names(evidence), counts))
    return Lesson(names, odds, is_text, np.log1p(evidence.words[counts]) / 3.0)


def likeliest_copies(texts: Sequence[str], is_text: Bools, probability: Floats) -> Bools:
    """Move the marks of text (n,) to the likeliest of equal blocks; the gold marks the first.

    >>> values = np.array([True, False]), np.array([0.1, 0.9])
    >>> likeliest_copies(["Rain", "Rain"], *values).tolist()
    [False, True]
    """
    places, moved = defaultdict[str, list[int]](list), is_text.copy()
    for place, text in enumerate(texts):
        places[" ".join(text.lower().split())].append(place)
    for alike in places.values():
        order = sorted(alike, key=lambda place: -probability[place])
        moved[order] = np.arange(len(order)) < is_text[alike].sum()
    return moved


def learn(lessons: Sequence[Lesson]) -> Names:
    """Learn the weights of names that separate text from other blocks, besides the odds."""
    pages = Counter(name for each in lessons for name in frozenset().union(*each.names))
    rows, alike = defaultdict[str, list[int]](list), defaultdict[tuple[int, ...], list[str]](list)
    for row, names in enumerate(names for each in lessons for names in each.names):
        for name in names:
            rows[name].append(row)
    for name in sorted(pages, key=lambda name: (-pages[name], name)):
        if pages[name] >= _NAMED_PAGES and (tuple(rows[name]) in alike or len(alike) < _MOST):
            alike[tuple(rows[name])].append(name)
    odds, is_text, weights = (
        np.concatenate([each[part] for each in lessons]).astype(np.float64) for part in (1, 2, 3)
    )
    columns = [np.array(places) for places in alike]
    fitted = _fit(columns, odds, is_text, weights)
    shared = [
        (name, round(value / len(names), 2))
        for names, value in zip(alike.values(), fitted, strict=True)
        for name in names
    ]
    return tuple(sorted((name, value) for name, value in shared if value))


def _fit(columns: Sequence[Ints], odds: Floats, is_text: Floats, weights: Floats) -> list[float]:
    """Fit a coefficient for each column by coordinate descent; a column is its rows of n.

    The curvature is replaced by its bound, since p * (1 - p) <= 1/4, so that no step overshoots.
    """
    values, sums = [0.0] * len(columns), odds.copy()
    curves = [float(weights[rows].sum()) / 4.0 for rows in columns]
    for _ in range(_SWEEPS):
        largest = 0.0
        for number, (rows, curve) in enumerate(zip(columns, curves, strict=True)):
            wrong = is_text[rows] - 1.0 / (1.0 + np.exp(-sums[rows]))
            pull = float((weights[rows] * wrong).sum()) + curve * values[number]
            new = math.copysign(max(abs(pull) - _L1, 0.0), pull) / (curve + _L2)
            change, values[number] = new - values[number], new
            sums[rows] += change
            largest = max(largest, abs(change))
        if largest < _CLOSE:
            break
    return values


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
    return word_scores(text, gold.text, gold.uncounted, tokens).f1


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
