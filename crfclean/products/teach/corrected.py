"""Read corrected pages, and refuse texts of other pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from crfclean.decision.places import is_one_site
from crfclean.document.formats import write
from crfclean.metadata.address import stated_address
from crfclean.page.align import tokens
from crfclean.page.head import host
from crfclean.pipeline import run
from crfclean.products.teach.cleaning import Cleaned, counted_part
from crfclean.products.teach.gold import (
    MIN_ON_PAGE,
    GoldPage,
    gold_labels,
    share_on_page,
)
from crfclean.products.teach.lesson import Lesson, lesson
from crfclean.products.teach.metrics import word_scores
from crfclean.types import Blocks, Bools, CrfcleanError, Document, Ints, Label, Tagger

LEAST_TUNED_PAGES = 2
TUNING_FOLDS = 5


@dataclass(frozen=True)
class TunedPage:
    """A corrected page: its gold, and the default's F1 (0..1).

    `site` groups pages: the gold's, and the host that the page names as its own if it has no
    address. `is_same` says whether the default's text has the same words, in the same order.
    `lesson` is what the page teaches a tagger without names.
    """

    gold: GoldPage
    site: str
    f1: float
    is_same: bool
    lesson: Lesson = field(repr=False)


def tuned_pages(golds: Iterable[GoldPage], tagger: Tagger) -> list[TunedPage]:
    """Read the pages with a text or with some labels, and score them; raises `CrfcleanError`."""
    every = list(golds)
    filled = [gold for gold in every if gold.text.strip() or gold.is_partial]
    if every and not filled:
        raise CrfcleanError("all texts are empty: correct some of them first")
    if len(filled) < LEAST_TUNED_PAGES:
        raise CrfcleanError(
            f"{len(filled)} page is not enough to learn from: correct or label five to ten"
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
    if gold.text.strip() and share < MIN_ON_PAGE:
        raise CrfcleanError(
            f"{gold.id}: the page has only {share:.0%} of the text's words: is it another page's?"
        )
    text = counted_text(document, gold)
    written = (text, write(document, "txt"))
    is_same = tokens(gold.text) in [tokens(text) for text in written]
    taught = lesson(blocks, document.tags, *_document_labels(gold, document))
    return TunedPage(gold, gold_site(gold, blocks), f1_of(text, gold), is_same, taught)


def _document_labels(gold: GoldPage, document: Document) -> tuple[Ints, Bools]:
    """Return the labels (n,) of a document's blocks, and which count, as in `gold_labels`.

    Blocks that the page hides are in no label file: they are aligned.
    """
    if document.shown is None:
        return gold_labels(gold, document.blocks)
    by_text = replace(gold, labels=None, optional=gold.uncounted)
    labels, counts = gold_labels(by_text, document.blocks)
    return labels, counts & (labels != Label.OTHER) if gold.is_partial else counts


def gold_site(gold: GoldPage, blocks: Blocks) -> str:
    """Return the site of a page; in a directory, also by the address that the page states."""
    stated = "" if gold.page.url else host(stated_address(blocks))
    return f"{gold.site} {stated.removeprefix('www.')}".rstrip()


def counted_text(document: Document, gold: GoldPage) -> str:
    """Return the text of a document that counts, as in `counted_part`."""
    return counted_part(gold, Cleaned(document.text, document=document)).text


def f1_of(text: str, gold: GoldPage) -> float:
    """Compute F1 on words (0..1) of a text; on characters in scripts without spaces.

    Optional words that the text has beyond the gold do not count, as in `word_scores`.

    >>> from crfclean import Page
    >>> round(f1_of("河水上涨了", GoldPage("a", Page(""), "河水上涨", "", "")), 3)
    0.889
    """
    return word_scores(text, gold.text, gold.excused, tokens).f1


def folds_of(pages: Sequence[TunedPage], most: int = TUNING_FOLDS) -> list[int]:
    """Return the fold of each page: one fold for a site if there are three sites or more.

    Otherwise each page has its own fold, up to `most` folds.
    """
    sites = list(dict.fromkeys(page.site for page in pages))
    if len(sites) < 3:
        return [index % most for index in range(len(pages))]
    return [sites.index(page.site) % most for page in pages]
