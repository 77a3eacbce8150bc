"""Annotated pages + what systems make of them -> page scores."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from crfclean.evaluate.block_metrics import BlockScores, block_kinds
from crfclean.evaluate.metrics import (
    NO_SNIPPETS,
    NOTHING_FOUND,
    Snippets,
    WordScores,
    alignment_scores,
    levenshtein,
    snippet_scores,
    word_scores,
)
from crfclean.gold.align import align
from crfclean.gold.pages import GoldPage, counted, gold_labels, is_page, stem
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.parallel import map_in_order
from crfclean.pipeline import run
from crfclean.types import Blocks, Bools, CrfcleanError, Document, Floats, Ints, Tagger

MISSING_TEXT = "missing"
"""Status of a page whose cleaned text is not there."""
_LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,9}[.)])\s+")


@dataclass(frozen=True)
class PageScore:
    """One page's scores. `distance` in characters, `distance_share` in 0..1.

    `words` compares multisets of words, `alignment` their order too. `digest` stands for the
    page, its language and its gold; `status` is "ok", or says why the text is empty.
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
    snippets: Snippets = NO_SNIPPETS
    blocks: BlockScores | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Cleaned:
    """What a system makes of a page: a text, and its blocks' labels where it has some."""

    text: str
    status: str = "ok"
    document: Document | None = None


CleaningSystem = Callable[[GoldPage], Cleaned]
"""Anything that cleans an annotated page without looking at its gold."""


@dataclass(frozen=True)
class GoldTarget:
    """What a page's blocks should be: gold labels, which of them count, kinds and words; (n,)."""

    gold: GoldPage
    blocks: Blocks
    labels: Ints
    told: Bools
    kinds: Ints
    words: Floats


def target(gold: GoldPage, blocks: Blocks) -> GoldTarget:
    """Gold and blocks of a page -> its `GoldTarget`; raises `GoldError` where they do not fit."""
    labels, page = gold_labels(gold, blocks), Measures(blocks)
    told = counted(gold, blocks, labels)
    return GoldTarget(gold, blocks, labels, told, block_kinds(page), page.words)


def block_scores(
    wanted: GoldTarget, labels: Ints, probability: Floats | None = None
) -> BlockScores:
    """Labels (n,) of a page's blocks -> their scores, without the blocks that do not count."""
    told = wanted.told
    sure = None if probability is None else probability[told]
    return BlockScores(
        wanted.labels[told], labels[told], wanted.kinds[told], wanted.words[told], sure
    )


def score_page(gold: GoldPage, cleaned: Sequence[Cleaned]) -> list[PageScore]:
    """Score what several systems make of a page, in their order; raises `GoldError`."""
    targets: dict[tuple[str, ...], GoldTarget] = {}
    scores = []
    for one in cleaned:
        elements = one.document.blocks.elements if one.document else ()
        if elements not in targets:
            blocks = one.document.blocks if one.document else split(gold.page)
            targets[elements] = target(gold, blocks)
        scores.append(_score(targets[elements], one))
    return scores


def _score(wanted: GoldTarget, cleaned: Cleaned) -> PageScore:
    gold, text = wanted.gold, cleaned.text
    distance, share = levenshtein(text, gold.text)
    return PageScore(
        gold.id,
        gold.source,
        gold.site,
        gold.kind,
        distance,
        share,
        word_scores(text, gold.text, gold.optional),
        cleaned.status,
        gold.lang,
        gold_digest(gold),
        alignment_scores(text, gold.text, gold.optional),
        snippet_scores(text, gold.wanted, gold.unwanted),
        _blocks_of(wanted, cleaned),
    )


def _blocks_of(wanted: GoldTarget, cleaned: Cleaned) -> BlockScores:
    if cleaned.document is None:
        return block_scores(wanted, align(wanted.blocks, cleaned.text))
    tags = cleaned.document.tags
    return block_scores(wanted, tags.labels, tags.probabilities)


def gold_digest(gold: GoldPage) -> str:
    """Twelve hex digits for all that a score depends on besides the system."""
    more = (gold.optional, gold.wanted, gold.unwanted)
    parts = json.dumps((gold.page.html, gold.lang, gold.text, *more))
    return hashlib.sha256(parts.encode()).hexdigest()[:12]


# systems


def by_tagger(tagger: Tagger) -> CleaningSystem:
    """A tagger's documents."""
    return partial(_run, tagger)


def _run(tagger: Tagger, gold: GoldPage) -> Cleaned:
    return _cleaned(run(gold.page, tagger))


def _cleaned(document: Document) -> Cleaned:
    return Cleaned(document.text, document.status, document)


def by_texts(folder: Path) -> CleaningSystem:
    """The texts that `clean` wrote for the pages; a missing one counts as empty.

    Marks of list items (`- `, `1. `) are no words, unless the gold has them.

    Raises `CrfcleanError` where the folder is missing.
    """
    if not folder.is_dir():
        raise CrfcleanError(f"{folder}: no such directory")
    return partial(_read_cleaned, folder)


def _read_cleaned(folder: Path, gold: GoldPage) -> Cleaned:
    path = _text_path(gold.id)
    if path is not None and (folder / path).is_file():
        return Cleaned(without_list_marks(_read(folder / path), gold.text))
    return Cleaned("", MISSING_TEXT)


def without_list_marks(text: str, gold: str) -> str:
    r"""A text without the marks of list items and the indents that the gold's line has not.

    >>> without_list_marks("- one\n2. two\n   three\n3. May", "one\ntwo\nthree\n3. May")
    'one\ntwo\nthree\n3. May'
    """
    wanted = {line.strip() for line in gold.splitlines()}
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line if line in wanted else _LIST_MARK.sub("", line) for line in lines)


def _text_path(name: str) -> Path | None:
    """`site/x.html` -> `site/x.txt`; None for a name that leads out of its directory."""
    path = Path(name)
    if not path.name or path.is_absolute() or ".." in path.parts:
        return None
    known = is_page(name)
    return path.with_name((stem(path) if known else path.name) + ".txt")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CrfcleanError(f"{path}: cannot be read: {error}") from error


# runners


@dataclass(frozen=True)
class Scored:
    """A page's gold text, and every system's text and scores, in the systems' order."""

    gold: str
    texts: Sequence[str]
    scores: Sequence[PageScore]


def evaluate_systems(
    pages: Iterable[GoldPage], systems: Mapping[str, CleaningSystem], workers: int = 1
) -> Iterator[Scored]:
    """Clean every annotated page with every system and score it; lazy."""
    return map_in_order(_scored, pages, tuple(systems.values()), workers)


def _scored(gold: GoldPage, systems: Sequence[CleaningSystem]) -> Scored:
    cleaned = [system(gold) for system in systems]
    return Scored(gold.text, [one.text for one in cleaned], score_page(gold, cleaned))


def evaluate(pages: Iterable[GoldPage], tagger: Tagger) -> Iterator[PageScore]:
    """Clean every annotated page with a tagger and score it; lazy."""
    return (one.scores[0] for one in evaluate_systems(pages, {"": by_tagger(tagger)}))
