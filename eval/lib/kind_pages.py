"""The pages whose blocks are labelled by kind: how they are drawn.

Three strata take turns, so that any beginning of the list has the same mix: news of fundus-dev,
other articles, and pages that are no articles by the model of page types (home pages, lists,
products, forums, documentation, as far as the sets have them). In each stratum the languages take
turns; a site gives one page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.pagetype.figures import page_row
from crfclean.pagetype.model import load_page_model
from crfclean.types import Blocks

SEED = "kinds 1"
SETS = ("trafilatura-dev", "htmldate-dev", "fundus-dev")
STRATA = ("news", "article", "other")
PAGES = 150
BLOCKS = range(8, 351)
"""Blocks of a page that may be drawn: a page with more takes as long as five others."""

MAIN_LANGUAGES = ("de", "en")
MAIN_TURNS = 3
"""Turns of each main language to one of every other."""


@dataclass(frozen=True)
class Candidate:
    """A page that may be drawn."""

    set: str
    gold: GoldPage
    blocks: int
    is_article: bool

    @property
    def stratum(self) -> str:
        """What kind of page it is drawn as."""
        if self.set == "fundus-dev":
            return "news"
        return "article" if self.is_article else "other"


def candidate(gold: GoldPage, name: str) -> Candidate:
    """A page with its number of blocks and its type."""
    blocks = split(gold.page)
    return Candidate(name, gold, len(blocks), _is_article(gold, blocks))


def _is_article(gold: GoldPage, blocks: Blocks) -> bool:
    model = load_page_model()
    row = page_row(measured(blocks), gold.page.url)
    return model.types[int(model(row[None]).argmax())] == "article"


def draw(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The pages in the order in which they are labelled."""
    usable = [page for page in candidates if page.blocks in BLOCKS]
    usable.sort(key=lambda page: hashlib.sha256(f"{SEED} {page.gold.id}".encode()).digest())
    queues = [_by_languages([p for p in usable if p.stratum == name]) for name in STRATA]
    sites: set[str] = set()
    fresh = (_fresh(queue, sites) for queue in queues)
    turns = (page for turn in zip_longest(*fresh) for page in turn if page is not None)
    return list(islice(turns, PAGES))


def _fresh(queue: Sequence[Candidate], sites: set[str]) -> Iterator[Candidate]:
    """The pages of sites that no earlier page is of."""
    for page in queue:
        if page.gold.site not in sites:
            sites.add(page.gold.site)
            yield page


def _by_languages(pages: Sequence[Candidate]) -> list[Candidate]:
    """The pages, languages taking turns."""
    queues: dict[str, list[Candidate]] = {}
    for page in pages:
        queues.setdefault(page.gold.lang[:2], []).append(page)
    order: list[Candidate] = []
    while any(queues.values()):
        for lang in sorted(queues):
            turns = MAIN_TURNS if lang in MAIN_LANGUAGES else 1
            order += queues[lang][:turns]
            del queues[lang][:turns]
    return order
