"""Clean annotated pages as the command `clean` would, with its switches."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from crfclean.corpus.operation import LOW_SCORE
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import SplitParams, split
from crfclean.parallel import map_in_order
from crfclean.pipeline import run, split_params
from crfclean.site import PageNotes, Site, SiteTagger, note_blocks
from crfclean.structure.parts import DEFAULT_SHOW, Show
from crfclean.taggers.capabilities import Judges, need
from crfclean.taggers.comments import with_comments
from crfclean.types import Document, Label, Tagger
from crfclean.writers.text import to_txt

_LIST_MARK = re.compile(r"^(?:[-*•]|\d{1,9}[.)])\s+")


@dataclass(frozen=True, slots=True)
class Cleaning:
    """The switches of `clean` beside the tagger.

    `split` None cuts pages as the tagger requires; `comments` is a mode of `with_comments`, "" the
    tagger's own; a page whose score is below `min_score` has no text.
    """

    split: SplitParams | None = None
    comments: str = ""
    min_score: float = 0.0
    show: Show = field(default_factory=Show)

    def document(self, gold: GoldPage, tagger: Tagger) -> Document:
        """The page, cleaned."""
        document = run(gold.page, tagger, self.split)
        if self.comments:
            document = with_comments(document, tagger, self.comments)
        if document.status == "ok" and document.score < self.min_score:
            return _emptied(document)
        return document

    def text(self, document: Document, gold: GoldPage) -> str:
        """The text to score: that of the document, or as written with switches, without list marks.

        Comments that are separate are no part of it.
        """
        if self.show == DEFAULT_SHOW:
            return document.text
        alone = replace(document, tags=replace(document.tags, comments=None))
        return without_list_marks(to_txt(alone, self.show), gold.text)


DEFAULT_CLEANING = Cleaning()
"""The switches at their defaults."""


def _emptied(document: Document) -> Document:
    """A document that is left out for its score."""
    labels = np.full(len(document.blocks), Label.OTHER, np.int32)
    return replace(document, tags=replace(document.tags, labels=labels), status=LOW_SCORE)


def without_list_marks(text: str, gold: str) -> str:
    r"""A text without indents and without the marks of list items that no gold line has.

    >>> without_list_marks("- one\n2. two\n   three\n3. May", "one\ntwo\nthree\n3. May")
    'one\ntwo\nthree\n3. May'
    """
    gold_lines = {line.strip() for line in gold.splitlines()}
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line if line in gold_lines else _LIST_MARK.sub("", line) for line in lines)


def site_taggers(
    pages: Sequence[GoldPage], tagger: Tagger, cut: SplitParams | None = None, workers: int = 1
) -> Mapping[str, Tagger]:
    """Site -> the tagger with what its pages have in common; raises `CrfcleanError`.

    The pages are tagged once for this. A tagger without marginals cannot use it.
    """
    need(tagger, Judges, "--group-by site")
    sites = dict[str, Site]()
    shared = (tagger, split_params(tagger) if cut is None else cut)
    for gold, notes in zip(pages, map_in_order(_note, pages, shared, workers), strict=True):
        sites.setdefault(gold.site, Site()).add(notes)
    return {name: SiteTagger(tagger, site) for name, site in sites.items()}


def _note(gold: GoldPage, shared: tuple[Tagger, SplitParams]) -> PageNotes:
    tagger, cut = shared
    return note_blocks(split(gold.page, cut), tagger)
