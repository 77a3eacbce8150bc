"""Choose between the text that a page shows and the text that it carries."""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.effects import Look
from crfclean.systems.hidden import (
    CHARS_PER_WORD,
    are_content,
    closed_panels,
    controlled_panels,
    hidden_blocks,
)
from crfclean.types import Blocks, Document, Page, Tagger

MAX_COMPARED_WORDS = 50_000  # words of each text that are compared
MIN_COVER = 0.5  # share of a text's runs on the page from which the text counts as shown
_LENGTH = 4  # words in a run; any two texts share shorter runs

_WORD = r"[\u3040-\u30ff\u3400-\u9fff]|[^\W\u3040-\u30ff\u3400-\u9fff]+"


def shown_share(carried: Iterable[str], shown: Iterable[str]) -> float:
    """Return the share of the word runs of a carried text that the visible texts contain (0..1).

    >>> shown_share(["Rain came late in May."], ["News", "Rain came late in May. Then sun."])
    1.0
    """
    runs = _runs(carried)
    return len(runs & _runs(shown)) / len(runs) if runs else 0.0


def _runs(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """Return the distinct runs of words of texts; an ideograph is a word."""
    found = (token[0] for text in texts for token in re.finditer(_WORD, text.lower()))
    tokens = list(islice(found, MAX_COMPARED_WORDS))
    return set(zip(*(tokens[start:] for start in range(_LENGTH)), strict=False))


# choose between the text that a page shows and its hidden text


class ReplacementRule(NamedTuple):
    """The conditions under which hidden text replaces visible text.

    At most `most` words of the visible text are kept. Of the hidden text at least `least` are kept:
    at least `times` the kept words of the visible text, and `times_all` all words of the page.
    """

    most: int
    least: int
    times: float
    times_all: float


REPLACEMENT_RULES = (
    ReplacementRule(most=60, least=100, times=3.0, times_all=0.5),
    ReplacementRule(most=300, least=200, times=2.5, times_all=2.0),
)
"""One of the rules must hold; eval/FINDINGS.md has the figures."""

MIN_HIDDEN_CHARS = 40  # scripts and styles included; less is no panel of a text


def kept_and_all_words(document: Document) -> tuple[float, float]:
    """Return the numbers of kept words and of all words of a document."""
    if not len(document.blocks):
        return 0.0, 0.0
    page = document.blocks
    return float(page.words[document.tags.kept].sum()), page.all_words


def with_carried(
    document: Document, page: Page, tagger: Tagger, params: SplitParams, max_blocks: int | None
) -> Document:
    """Return the document, or that of the page's hidden text if the page shows far less.

    Hidden text does not count if the page also shows it, or if it has more than `max_blocks`
    blocks.
    """
    if page.status != "ok":
        return document
    words = kept_and_all_words(document)
    if is_better(*words, document.blocks.hidden_chars / CHARS_PER_WORD):
        read_page, blocks = bounded(page, params._replace(hidden=True), max_blocks)
        if read_page.status == "ok" and len(blocks):
            carried = _tagged(document, replace(blocks, source="hidden"), tagger)
            kept = blocks.words[carried.tags.kept & hidden_blocks(blocks)]
            if is_better(*words, float(kept.sum())) and _is_new(carried):
                return carried
    return _with_panels(document, page, tagger, params, max_blocks)


def _with_panels(
    document: Document, page: Page, tagger: Tagger, params: SplitParams, max_blocks: int | None
) -> Document:
    """Return the document, with closed panels open if they belong to its text."""
    if document.blocks.source or document.blocks.hidden_chars < MIN_HIDDEN_CHARS:
        return document
    alike, controlled = closed_panels(document), controlled_panels(document)
    for looks in filter(None, dict.fromkeys((alike | controlled, controlled, alike))):
        read_page, blocks = bounded(page, params._replace(opened=looks), max_blocks)
        if read_page.status != "ok":
            return document
        opened = _tagged(document, replace(blocks, source="panels"), tagger)
        if are_content(opened, looks) and _is_new(opened, looks):
            return opened
    return document


def _tagged(document: Document, blocks: Blocks, tagger: Tagger) -> Document:
    return replace(
        document,
        blocks=blocks,
        tags=tagger.tag(blocks),
        status="ok",
        truncated=blocks.truncated or document.truncated,
        shown=document.blocks,
    )


def _is_new(carried: Document, looks: AbstractSet[Look] | None = None) -> bool:
    """Return whether the page does not also show its hidden text."""
    texts = carried.blocks.texts
    new = (texts[index] for index in np.flatnonzero(hidden_blocks(carried.blocks, looks)).tolist())
    return shown_share(new, carried.page_blocks.texts) < MIN_COVER


def is_better(kept: float, shown: float, hidden: float) -> bool:
    """Return whether `hidden` kept words replace a page with `kept` words of `shown` words."""
    return any(
        kept <= rule.most and hidden >= max(rule.least, rule.times * kept, rule.times_all * shown)
        for rule in REPLACEMENT_RULES
    )
