"""Clean annotated pages as the command `clean` would, with its switches, and score them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from pathlib import Path

import numpy as np

from crfclean.document.page_text import LOW_SCORE
from crfclean.document.parts import DEFAULT_SHOW, Show
from crfclean.document.text import to_txt
from crfclean.page.align import align
from crfclean.page.blocks import split
from crfclean.page.page_names import is_page, stem
from crfclean.pipeline import run
from crfclean.products.teach.block_metrics import BlockScores, block_kinds
from crfclean.products.teach.gold import GoldPage, gold_labels
from crfclean.products.teach.metrics import (
    NOTHING_FOUND,
    WordScores,
    alignment_scores,
    levenshtein,
    word_scores,
)
from crfclean.systems.comments import with_comments
from crfclean.types import Blocks, CrfcleanError, Document, Ints, Label, Tagger

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
        blocks, labels = _labelled(gold, result, result.document)
        if blocks.elements not in score_of:
            score_of[blocks.elements] = _block_scorer(gold, blocks)
        scores.append(_score(gold, result, score_of[blocks.elements](labels)))
    return scores


def _labelled(gold: GoldPage, result: Cleaned, document: Document | None) -> tuple[Blocks, Ints]:
    """Return the page's blocks and their labels (n,): the document's, or else by alignment."""
    if document is not None and document.shown is None:  # else its blocks are not the page's
        return document.blocks, document.tags.labels
    blocks = split(gold.page)
    return blocks, align(blocks, result.text)


def counted_part(gold: GoldPage, result: Cleaned) -> Cleaned:
    """Return an output with the text that counts: of a partly labelled page, its labelled blocks.

    Words of other blocks must not stand for missing ones: every page has "the" somewhere.
    """
    if not gold.is_partial:
        return result
    document = result.document
    is_whole = document is not None and document.text == result.text
    blocks, labels = _labelled(gold, result, document if is_whole else None)
    kept = gold_labels(gold, blocks)[1] & (labels != Label.OTHER)
    return replace(result, text="\n".join(compress(blocks.texts, kept)))


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
        word_scores(text, gold.text, gold.excused),
        cleaned.status,
        gold.lang,
        gold_digest(gold),
        alignment_scores(text, gold.text, gold.excused),
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
