"""Show what was learnt from corrected texts as an HTML page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crfclean.gold.pages import gold_labels
from crfclean.io import write_text
from crfclean.page.blocks import split
from crfclean.pipeline import split_params
from crfclean.tune.pages import TunedPage
from crfclean.tune.tuning import Tuned
from crfclean.tune.words import NAMES, f1_line, kind_lines, side
from crfclean.types import Label, Tagger
from crfclean.view.tuned_page import BlockRow, KindRow, PageRow, TunedView, tuned_html


def write_tuned(path: Path, tuned: Tuned, base: Tagger) -> None:
    """Write the page of what a base was tuned to; raises `CrfcleanError`."""
    write_text(path, tuned_html(view_of_tuned(tuned, base)))


def view_of_tuned(tuned: Tuned, base: Tagger) -> TunedView:
    """What the page shows: each page is cleaned once more by both models."""
    kinds = [
        KindRow(NAMES[kind], side(verdict), verdict.kept, verdict.pages)
        for kind, verdict in tuned.kinds.items()
    ]
    pages = [
        PageRow(page.gold.id, page.f1, after, tuple(_blocks(page, tuned.tagger, base)))
        for page, after in zip(tuned.pages, tuned.held_out, strict=True)
    ]
    return TunedView(tuned.before, tuned.after, kinds, pages, tuple(_notes(tuned)))


def _blocks(page: TunedPage, tagger: Tagger, base: Tagger) -> Iterator[BlockRow]:
    """The blocks of a page, with the decisions of the user, the base and the tuned model."""
    blocks = split(page.gold.page, split_params(base))
    by_user = gold_labels(page.gold, blocks) != Label.OTHER
    kept = (by_user, base.tag(blocks).kept, tagger.tag(blocks).kept)
    return map(BlockRow, blocks.texts, *(decision.tolist() for decision in kept))


def _notes(tuned: Tuned) -> Iterator[str]:
    """What was understood beside the kinds and the scores, which have places of their own."""
    elsewhere = {
        *kind_lines(tuned.kinds),
        f1_line(tuned.before, tuned.after, len(tuned.pages)),
    }
    for line in tuned.understood:
        if line not in elsewhere:
            yield f"{line[0].upper()}{line[1:]}."
