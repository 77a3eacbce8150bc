"""Read corrected pages, score them, and tell a gain from chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.forum.joining import stated_address
from crfclean.gold.align import tokens
from crfclean.gold.pages import GoldPage, gold_labels
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.page.urls import host
from crfclean.pipeline import run, split_params
from crfclean.taggers.capabilities import Judges, need
from crfclean.tune.votes import Votes, votes_of
from crfclean.types import Blocks, CrfcleanError, Tagger
from crfclean.writers.formats import write

# read corrected pages, and refuse those whose text is not of the page

LEAST_PAGES = 2
MIN_ON_PAGE = 0.5  # share of a text's words: with fewer it is another page's
MOST_FOLDS = 10


@dataclass(frozen=True)
class TunedPage:
    """A corrected page: its gold, what it says of each kind, and the default's F1 (0..1).

    `site` groups pages: the gold's, and the host that the page names as its own if it has no
    address. `is_same` says whether the text has the words that the model writes, in their order.
    """

    gold: GoldPage
    site: str
    votes: Votes
    f1: float
    is_same: bool


def read_pages(golds: Iterable[GoldPage], tagger: Tagger) -> list[TunedPage]:
    """The corrected pages that have a text, with the tagger's scores; raises `CrfcleanError`."""
    every = list(golds)
    filled = [gold for gold in every if gold.text.strip()]
    if every and not filled:
        raise CrfcleanError("all texts are empty: correct some of them first")
    if len(filled) < LEAST_PAGES:
        raise CrfcleanError(
            f"{len(filled)} corrected page is not enough to learn from: correct five to ten"
        )
    return [_read(gold, tagger) for gold in filled]


def _read(gold: GoldPage, tagger: Tagger) -> TunedPage:
    blocks = split(gold.page, split_params(tagger))
    share = share_on_page(gold, blocks)
    if share < MIN_ON_PAGE:
        raise CrfcleanError(
            f"{gold.id}: {share:.0%} of its text's words stand on the page: the text of another?"
        )
    marginals = need(tagger, Judges, "tune").marginals(blocks)
    votes = votes_of(measured(blocks), marginals, gold_labels(gold, blocks))
    document = run(gold.page, tagger)
    written = (document.text, write(document, "txt"))
    is_same = tokens(gold.text) in [tokens(text) for text in written]
    return TunedPage(gold, site_of(gold, blocks), votes, f1_of(document.text, gold), is_same)


def site_of(gold: GoldPage, blocks: Blocks) -> str:
    """The site of a page: those of a directory are told apart by the addresses that they state."""
    stated = "" if gold.page.url else host(stated_address(blocks))
    return f"{gold.site} {stated.removeprefix('www.')}".rstrip()


def share_on_page(gold: GoldPage, blocks: Blocks) -> float:
    """The share of a text's words (0..1) that the page shows, or else carries anywhere."""
    words = Counter(tokens(gold.text))
    if not words:
        return 0.0
    for text in (" ".join(blocks.texts), gold.page.html):
        share = (words & Counter(tokens(text))).total() / words.total()
        if share >= MIN_ON_PAGE:
            break
    return share


def f1_of(text: str, gold: GoldPage) -> float:
    """F1 on words (0..1) of a text of the page; on characters where no spaces part words.

    Optional words that the text has beyond the gold are not counted, as in `word_scores`.

    >>> from crfclean import Page
    >>> round(f1_of("河水上涨了", GoldPage("a", Page(""), "河水上涨", "", "")), 3)
    0.889
    """
    words, gold_words, optional = (
        Counter(tokens(part)) for part in (text, gold.text, gold.optional)
    )
    excused = ((words - gold_words) & optional).total()
    total = words.total() - excused + gold_words.total()
    return 2 * (words & gold_words).total() / total if total else 1.0


def scores(pages: Sequence[TunedPage], tagger: Tagger) -> list[float]:
    """F1 (0..1) of each page's text by a tagger."""
    return [f1_of(run(page.gold.page, tagger).text, page.gold) for page in pages]


def sites_of(pages: Sequence[TunedPage]) -> list[str]:
    """The sites of pages, in their order."""
    return list(dict.fromkeys(page.site for page in pages))


def folds_of(pages: Sequence[TunedPage], most: int = MOST_FOLDS) -> list[int]:
    """The fold of each page: pages of a site together if there are three sites or more.

    Otherwise pages are held out alone, or in turn where there are more than `most`.
    """
    sites = sites_of(pages)
    if len(sites) < 3:
        return [index % most for index in range(len(pages))]
    return [sites.index(page.site) % most for page in pages]


# decide by the F1 of held-out pages whether a change is more than chance

TOLERANCE = 0.002  # of F1: what a convention may lose beside its standard error


def gain(new: Sequence[float], old: Sequence[float]) -> tuple[float, float]:
    """The mean gain in F1 over pages, and its standard error: infinite for a single page.

    >>> gain([0.9, 0.8], [0.7, 0.8])
    (0.1, 0.1)
    """
    gains = np.subtract(new, old)
    error = float(gains.std(ddof=1)) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    return round(float(gains.mean()), 6), round(float(error), 6)


def holds(new: Sequence[float], old: Sequence[float]) -> bool:
    """Whether F1 of held-out pages speaks for a convention, or at least not against it.

    The mean gain less its standard error may fall short by `TOLERANCE`: a loss on a single page
    of ten is enough to refuse what gains nothing elsewhere.

    >>> holds([0.9, 0.9, 0.9], [0.9, 0.9, 0.9]), holds([0.9, 0.9, 0.5], [0.9, 0.9, 0.6])
    (True, False)
    """
    mean, error = gain(new, old)
    return mean - error >= -TOLERANCE


def pays(new: Sequence[float], old: Sequence[float], margin: float, errors: float) -> bool:
    """Whether the mean gain in F1 on held-out pages exceeds a margin and its standard errors.

    A single page has no standard error, and shows nothing.

    >>> pays([0.9, 0.9, 0.9], [0.7, 0.8, 0.9], 0.01, 1.0)
    True
    >>> pays([0.9, 0.3, 0.9], [0.7, 0.6, 0.6], 0.01, 1.0)
    False
    """
    mean, error = gain(new, old)
    return len(new) > 1 and mean > max(margin, errors * error)
