"""Run systems on annotated pages, also models on pages that they have not seen, and score them."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import lxml.html
import numpy as np
from lxml import etree

from crfclean.document.page_text import LOW_SCORE
from crfclean.document.parts import DEFAULT_SHOW, Show
from crfclean.document.text import to_txt
from crfclean.metadata.language import MAX_TEXT_CHARS, identify, judge
from crfclean.metadata.language_claims import claims
from crfclean.metadata.language_tags import language_of
from crfclean.page.align import align
from crfclean.page.blocks import split
from crfclean.page.page_names import is_page, stem
from crfclean.parallel import in_time, map_in_order
from crfclean.pipeline import run
from crfclean.products.teach.gold import GoldPage, gold_labels, is_mismatched
from crfclean.products.teach.metrics import (
    NOTHING_FOUND,
    BlockScores,
    WordScores,
    alignment_scores,
    block_kinds,
    levenshtein,
    metric_values,
    word_scores,
)
from crfclean.products.teach.train import Example, Learner, check_params, fold_of, make_example
from crfclean.systems.load import open_bundle, with_comments
from crfclean.types import Blocks, CrfcleanError, Document, Ints, Label, Tagger, Tags, install

__all__ = ["PageScore", "evaluate"]

# clean annotated pages as the command `clean` would, with its switches

_LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,9}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Cleaning:
    """The switches of `clean` besides the tagger.

    `comments` is a mode of `with_comments`, "" for the tagger's own. A page with a score below
    `min_score` has no text.
    """

    comments: str = ""
    min_score: float = 0.0
    show: Show = field(default_factory=Show)

    def document(self, gold: GoldPage, tagger: Tagger) -> Document:
        """The page, cleaned."""
        document = run(gold.page, tagger)
        if self.comments:
            document = with_comments(document, tagger, self.comments)
        if document.status == "ok" and document.score < self.min_score:
            labels = np.full(len(document.blocks), Label.OTHER, np.int32)
            return replace(document, tags=replace(document.tags, labels=labels), status=LOW_SCORE)
        return document

    def text(self, document: Document, gold: GoldPage) -> str:
        """Return the text to score: the document's text, or the text that the switches write.

        List marks and separate comments are not part of it.
        """
        if self.show == DEFAULT_SHOW:
            return document.text
        alone = replace(document, tags=replace(document.tags, comments=None))
        return without_list_marks(to_txt(alone, self.show), gold.text)


DEFAULT_CLEANING = Cleaning()
"""The switches at their defaults."""


def without_list_marks(text: str, gold: str) -> str:
    r"""Return a text without indents, and without list marks that no gold line has.

    >>> without_list_marks("- one\n2. two\n   three\n3. May", "one\ntwo\nthree\n3. May")
    'one\ntwo\nthree\n3. May'
    """
    gold_lines = {line.strip() for line in gold.splitlines()}
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line if line in gold_lines else _LIST_MARK.sub("", line) for line in lines)


MISSING_TEXT = "missing"
"""Status of a page without a file of cleaned text."""


@dataclass(frozen=True)
class PageScore:
    """Scores of one page; `distance` in characters, `distance_share` in 0..1.

    `words` compares multisets of words, `alignment` sequences. `digest` depends on the page, its
    language and its gold. `status` is "ok", or says why the text is empty. `metrics` are those that
    are asked for by name.
    """

    id: str
    source: str
    site: str
    kind: str
    distance: int
    distance_share: float
    words: WordScores
    status: str = "ok"
    lang: str = ""
    digest: str = ""
    alignment: WordScores = NOTHING_FOUND
    blocks: BlockScores | None = field(default=None, compare=False)
    metrics: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Cleaned:
    """Output of a system for a page: a text, and a document if the system labels blocks."""

    text: str
    status: str = "ok"
    document: Document | None = None


CleaningSystem = Callable[[GoldPage], Cleaned]
"""A function that cleans an annotated page without looking at its gold."""


def score_page(gold: GoldPage, results: Sequence[Cleaned]) -> list[PageScore]:
    """Score the outputs of several systems for a page, in their order; raises `GoldError`."""
    score_of: dict[tuple[str, ...], Callable[[Ints], BlockScores]] = {}
    scores = []
    for result in results:
        document = result.document
        if document is not None and document.shown is not None:  # its blocks are not the page's
            document = None
        blocks = document.blocks if document else split(gold.page)
        if blocks.elements not in score_of:
            score_of[blocks.elements] = _block_scorer(gold, blocks)
        labels = document.tags.labels if document else align(blocks, result.text)
        scores.append(_score(gold, result, score_of[blocks.elements](labels)))
    return scores


def _block_scorer(gold: GoldPage, blocks: Blocks) -> Callable[[Ints], BlockScores]:
    """Return the function that scores labels (n,) of the counted blocks."""
    (gold_of, scored), kinds = gold_labels(gold, blocks), block_kinds(blocks)

    def scores(labels: Ints) -> BlockScores:
        return BlockScores(gold_of[scored], labels[scored], kinds[scored])

    return scores


def _score(gold: GoldPage, cleaned: Cleaned, blocks: BlockScores) -> PageScore:
    text = cleaned.text
    distance, share = levenshtein(text, gold.text)
    return PageScore(
        gold.id,
        gold.source,
        gold.site,
        gold.kind,
        distance,
        share,
        word_scores(text, gold.text, gold.uncounted),
        cleaned.status,
        gold.lang,
        gold_digest(gold),
        alignment_scores(text, gold.text, gold.uncounted),
        blocks,
    )


def gold_digest(gold: GoldPage) -> str:
    """Return twelve hexadecimal digits of everything that a score depends on besides the system."""
    hints = (gold.uncounted, gold.expected_snippets, gold.forbidden_snippets)
    parts = json.dumps((gold.page.html, gold.lang, gold.text, *hints))
    return hashlib.sha256(parts.encode()).hexdigest()[:12]


# systems


def by_tagger(tagger: Tagger, cleaning: Cleaning = DEFAULT_CLEANING) -> CleaningSystem:
    """The system that cleans with a tagger."""
    return partial(_run, tagger, cleaning)


def _run(tagger: Tagger, cleaning: Cleaning, gold: GoldPage) -> Cleaned:
    document = cleaning.document(gold, tagger)
    return Cleaned(cleaning.text(document, gold), document.status, document)


def by_texts(folder: Path) -> CleaningSystem:
    """Return the system that reads the texts `clean` wrote; a missing text counts as empty.

    Marks of list items (`- `, `1. `) are dropped unless the gold has them. Raises `CrfcleanError`
    if the folder is missing.
    """
    if not folder.is_dir():
        raise CrfcleanError(f"{folder}: no such directory")
    return partial(_read_cleaned, folder)


def _read_cleaned(folder: Path, gold: GoldPage) -> Cleaned:
    """Read the text of a page, `site/x.txt` for `site/x.html`, never outside the folder."""
    name = Path(gold.id)
    if not name.name or name.is_absolute() or ".." in name.parts:
        return Cleaned("", MISSING_TEXT)
    base = stem(name) if is_page(gold.id) else name.name
    path = folder / name.with_name(base + ".txt")
    if not path.is_file():
        return Cleaned("", MISSING_TEXT)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CrfcleanError(f"{path}: cannot be read: {error}") from error
    return Cleaned(without_list_marks(text, gold.text))


# other systems as their manuals show (extra `peers`), for comparison
#
# jusText gets the stop list for the page's language, declared or identified; with a list for
# another language it keeps next to nothing. For languages without a list (Chinese), it runs in its
# language-independent mode, `-s None` on its command line. The summary of readability-lxml has no
# title; its HTML becomes text with a line for each block. A page on which a system raises an
# exception, or takes over a minute, counts as empty text.

MAX_SECONDS = 60  # a page: jusText is quadratic in the paragraphs

STOP_LISTS = {
    "ar": "Arabic", "cs": "Czech", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "fr": "French", "id": "Indonesian", "pl": "Polish", "ru": "Russian",
    "sk": "Slovak",
}  # fmt: skip
"""Code of a language -> jusText's list."""

_BLOCK_TAGS = frozenset(
    """
    address article aside blockquote body br caption center dd details dir div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary
    table tbody td tfoot th thead tr ul
""".split()
)
_BREAK = "\N{PARAGRAPH SEPARATOR}"

for _noisy in ("readability", "trafilatura"):
    logging.getLogger(_noisy).setLevel(logging.CRITICAL + 1)


def by_trafilatura(html: str, _lang: str = "") -> str:
    """The text of `trafilatura.extract` with its defaults."""
    import trafilatura

    return trafilatura.extract(html) or ""


def by_resiliparse(html: str, _lang: str = "") -> str:
    """The text of resiliparse's main content extraction."""
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(html, main_content=True) or "")


@lru_cache(maxsize=len(STOP_LISTS))
def stop_words(lang: str) -> frozenset[str]:
    """Return jusText's stop list for a language: English for "", empty if it has none."""
    import justext

    name = STOP_LISTS.get(lang or "en")
    return justext.get_stoplist(name) if name else frozenset()


def by_justext(html: str, lang: str = "") -> str:
    """The good paragraphs of jusText, a line each."""
    import justext

    words = stop_words(lang)
    shares = {} if words else {"stopwords_low": 0.0, "stopwords_high": 0.0}
    paragraphs = justext.justext(html, words, **shares)
    return "\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate)


def by_readability(html: str, _lang: str = "") -> str:
    """The text of readability-lxml's summary, a line for each block."""
    import readability

    return block_text(readability.Document(html).summary())


def block_text(html: str) -> str:
    """Return all text of an HTML document, a line for each block.

    >>> block_text("<div>One <b>a</b>nd<!--no--><p>two, three<br>four</div>five").splitlines()
    ['One and', 'two, three', 'four', 'five']
    """
    parts = []
    tree = lxml.html.document_fromstring(html)
    for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        if element.tag in _BLOCK_TAGS:
            parts.append(_BREAK)
        parts.append((element.text if event == "start" else element.tail) or "")
    lines = (" ".join(line.split()) for line in "".join(parts).split(_BREAK))
    return "\n".join(line for line in lines if line)


EXTRACTORS: Mapping[str, Callable[[str, str], str]] = {
    "trafilatura": by_trafilatura,
    "resiliparse": by_resiliparse,
    "justext": by_justext,
    "readability-lxml": by_readability,
}
"""Name of a distribution -> its extraction, which may raise or hang."""


def extract_guarded(name: str, html: str, lang: str = "") -> tuple[str, str]:
    """A peer's text of a page, and "ok" or why it is empty (see `guarded`)."""
    return guarded(lambda: EXTRACTORS[name](html, lang))


def guarded(work: Callable[[], str]) -> tuple[str, str]:
    """Return a text and "ok", or no text and the exception's name, "OutOfTime" for a long time."""

    def result() -> tuple[str, str]:
        try:
            return work(), "ok"
        except Exception as error:  # noqa: BLE001 - a foreign library may raise anything
            return "", type(error).__name__

    return in_time(MAX_SECONDS, result, lambda: ("", "OutOfTime"))


USE_LANGUAGE = frozenset(["justext"])
"""Systems that need the page's language."""


def guess_language(gold: GoldPage) -> str:
    """Identify a page's language by its longest blocks and its claims, without its gold.

    Return the code of the language, "" without evidence.
    """
    blocks = split(gold.page)
    labels = np.full(len(blocks), Label.OTHER, np.int32)
    document = Document(None, blocks, Tags(labels, np.zeros((len(blocks), len(Label))), 0.0))
    text = "\n".join(sorted(blocks.texts, key=len, reverse=True))[:MAX_TEXT_CHARS]
    value = judge(identify(text), len(text), claims(document))
    return "" if value is None else language_of(value.text)


def system(name: str) -> CleaningSystem:
    """A peer by its name; raises `CrfcleanError` for an unknown or uninstalled one."""
    if name not in EXTRACTORS:
        raise CrfcleanError(f"no system {name!r}; there are {', '.join(EXTRACTORS)}")
    try:
        version(name)
    except PackageNotFoundError as error:
        raise CrfcleanError(
            f"{name} is not installed: pip install {name}, or all peers: {install('peers')}"
        ) from error
    return partial(_cleaned, name)


def _cleaned(name: str, gold: GoldPage) -> Cleaned:
    lang = gold.lang or (guess_language(gold) if name in USE_LANGUAGE else "")
    return Cleaned(*extract_guarded(name, gold.page.html, lang))


# runners


@dataclass(frozen=True)
class Scored:
    """The gold text of a page, and the text and scores of every system, in their order.

    `is_mismatched` says whether most words of the gold are not on the page.
    """

    gold: str
    texts: Sequence[str]
    scores: Sequence[PageScore]
    is_mismatched: bool = False


def evaluate_systems(
    pages: Iterable[GoldPage],
    systems: Mapping[str, CleaningSystem],
    workers: int = 1,
    metrics: tuple[str, ...] = (),
) -> Iterator[Scored]:
    """Clean every annotated page with every system and score it, also by named metrics; lazy."""
    scored = partial(score_systems, metrics=metrics)
    return map_in_order(scored, pages, tuple(systems.values()), workers)


def score_systems(
    gold: GoldPage, systems: Sequence[CleaningSystem], metrics: tuple[str, ...] = ()
) -> Scored:
    """Clean an annotated page with every system and score it."""
    results = [system(gold) for system in systems]
    texts = [result.text for result in results]
    scores = [
        replace(score, metrics=metric_values(text, gold.text, metrics))
        for score, text in zip(score_page(gold, results), texts, strict=True)
    ]
    documents = (result.document.page_blocks for result in results if result.document)
    blocks = next(documents, None) or split(gold.page)
    return Scored(gold.text, texts, scores, is_mismatched(gold, blocks))


def evaluate(pages: Iterable[GoldPage], tagger: Tagger) -> Iterator[PageScore]:
    """Clean every annotated page with a tagger and score it; lazy."""
    return (scored.scores[0] for scored in evaluate_systems(pages, {"": by_tagger(tagger)}))


# cross-validation: every annotated page is scored by a model that was trained without it

UNTRAINED = "untrained"
"""Status of a page whose fold has no model: the training pages have no block, or one label."""


@dataclass(frozen=True)
class Plan:
    """How pages are split into folds (by "site" or "page"), models trained and texts cleaned."""

    folds: int = 5
    by: str = "site"
    learner: Learner = field(default_factory=Learner)
    cleaning: Cleaning = DEFAULT_CLEANING
    metrics: tuple[str, ...] = ()

    def fold(self, gold: GoldPage) -> int:
        """The fold of a page, from a digest of the name of its site or its own."""
        return fold_of(gold.site if self.by == "site" else gold.id, self.folds)


@dataclass(frozen=True)
class PreparedPage:
    """An annotated page with its training example."""

    gold: GoldPage
    example: Example


def prepare(pages: Iterable[GoldPage], plan: Plan, workers: int = 1) -> list[PreparedPage]:
    """Make the training example of each page, once for all folds.

    Raises `CrfcleanError` for bad parameters, and if all pages fall into one fold.
    """
    learner = plan.learner
    check_params(learner.params)
    columns = learner.params.elements, learner.names
    prepared = list(map_in_order(_prepared, pages, columns, workers))
    if len({plan.fold(page.gold) for page in prepared}) < 2:
        raise CrfcleanError(
            f"all {len(prepared)} pages are in one fold of {plan.folds}: add pages"
            + (" of other sites, or use --group-by page" if plan.by == "site" else "")
        )
    return prepared


def _prepared(
    gold: GoldPage, columns: tuple[tuple[str, ...], tuple[str, ...] | None]
) -> PreparedPage:
    return PreparedPage(gold, make_example(gold, *columns))


def cross_validate(pages: Sequence[PreparedPage], plan: Plan, workers: int = 1) -> list[Scored]:
    """Score every page by a model of the other folds, in the order of the pages."""
    folds = sorted({plan.fold(page.gold) for page in pages})
    parts = map_in_order(score_fold, folds, (pages, plan), workers)
    by_place = {place: scored for part in parts for place, scored in part}
    return [by_place[place] for place in range(len(pages))]


def score_fold(fold: int, shared: tuple[Sequence[PreparedPage], Plan]) -> list[tuple[int, Scored]]:
    """Train outside a fold and score inside it; return each page's place in the list and scores."""
    pages, plan = shared
    held_out = [place for place, page in enumerate(pages) if plan.fold(page.gold) == fold]
    training = [page for page in pages if plan.fold(page.gold) != fold]
    try:
        bundle = plan.learner.fit([page.example for page in training])
        tagger = open_bundle(Path("fold"), bundle)
        system: CleaningSystem = by_tagger(tagger, plan.cleaning)
    except CrfcleanError as error:
        system = partial(_untrained, f"{UNTRAINED}: {error}")
    return [(place, score_systems(pages[place].gold, [system], plan.metrics)) for place in held_out]


def _untrained(status: str, _gold: GoldPage) -> Cleaned:
    return Cleaned("", status)
