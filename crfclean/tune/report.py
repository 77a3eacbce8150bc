"""Write what was learnt from corrected texts as an HTML page that loads nothing and runs no script.

It shows the kinds of blocks with the share of their words that the texts have, F1 before and now,
and of each page the blocks that the user, the default and the tuned model decide on differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from crfclean.gold.pages import gold_labels
from crfclean.io import write_text
from crfclean.page.blocks import split
from crfclean.pipeline import split_params
from crfclean.shell import report_page, shortened_name
from crfclean.tune.pages import TunedPage
from crfclean.tune.tuning import Tuned
from crfclean.tune.votes import NAMES, f1_line, kind_lines, side
from crfclean.types import Label, Tagger

MAX_PAGES = 200
"""Pages that are shown: texts of more are not corrected by hand."""
MAX_ROWS = 1_000
"""Rows of a page; runs of blocks that nobody keeps are one row."""
_MAX_TEXT_CHARS = 200  # of a block


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of blocks: where it was put, and the share (0..1) of its words that the texts have."""

    name: str
    side: str
    kept: float
    pages: int


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A block of a page, and whether the user's text, the default and the tuned model keep it."""

    text: str
    by_user: bool
    before: bool
    now: bool


@dataclass(frozen=True, slots=True)
class PageRow:
    """A corrected page: its F1 (0..1) by default and tuned without it, and its blocks."""

    name: str
    before: float
    after: float
    blocks: Sequence[BlockRow]


@dataclass(frozen=True, slots=True)
class TunedView:
    """All that the page shows; `notes` are sentences about the model, F1 is a mean (0..1)."""

    before: float
    after: float
    kinds: Sequence[KindRow]
    pages: Sequence[PageRow]
    notes: Sequence[str] = ()


_SAME = "same"
_STATES: Mapping[tuple[bool, bool, bool], tuple[str, str]] = {
    (True, True, True): (_SAME, "kept"),
    (False, False, False): (_SAME, "left out"),
    (True, False, True): ("better", "now in"),
    (False, True, False): ("better", "now out"),
    (True, True, False): ("worse", "lost"),
    (False, False, True): ("worse", "let in"),
    (True, False, False): ("against", "still missing"),
    (False, True, True): ("against", "still in"),
}
"""Kept by the user's text, by default, now -> the class of the row, and its words."""

_LEGEND = {
    "better": ("now as your text", "The default differed from your text, and this model does not."),
    "worse": ("no longer as your text", "The default was as your text, and this model is not."),
    "against": ("still not as your text", "Neither the default nor this model is as your text."),
}
"""Class of a row -> its name, and what it means."""


def tuned_html(view: TunedView) -> str:
    """The page of what was learnt, as the content of an HTML file.

    >>> row = PageRow("a.html", 0.8, 1.0, [BlockRow("Share this", False, True, False)])
    >>> "now out" in tuned_html(TunedView(0.8, 1.0, [], [row]))
    True
    """
    count = f"{len(view.pages):,} page{'' if len(view.pages) == 1 else 's'}"
    subtitle = f"What {count} with corrected texts taught. " + " ".join(view.notes)
    sections = (_scores(view), _kinds(view.kinds), _pages(view.pages))
    title = "What corrected texts taught"
    return report_page(title, subtitle, "".join(sections), "tuned.css")


def _scores(view: TunedView) -> str:
    """F1 on held-out pages, before and now."""
    rows = "".join(
        f'<li><span class="name">{name}</span>{_meter(f1, f"{f1:.3f}", "F1")}</li>'
        for name, f1 in (("By default", view.before), ("Tuned", view.after))
    )
    gain = f"{view.after - view.before:+.3f}".replace("-", "−")
    head = f"F1 on held-out pages: {gain}"
    return f'<section class="scores"><h2>{head}</h2><ul>{rows}</ul></section>'


def _meter(share: float, words: str, label: str) -> str:
    """A share (0..1) as a number and a bar."""
    return (
        f'<span class="score">{words}<meter value="{share:.3f}" '
        f'aria-label="{escape(label)}"></meter></span>'
    )


def _kinds(kinds: Sequence[KindRow]) -> str:
    """The kinds that the pages have, with their votes as bars."""
    if not kinds:
        return ""
    rows = "".join(
        f'<li><span class="name">{escape(kind.name)} '
        f'<b class="side {kind.side.split()[0]}">{escape(kind.side)}</b></span>'
        f"{_meter(kind.kept, f'{kind.kept:.0%}', 'share of its words that your texts have')}"
        f'<span class="blocks">on {kind.pages:,} page{"" if kind.pages == 1 else "s"}</span></li>'
        for kind in kinds
    )
    hint = "<p>The share of their words that your texts have, where the page has any.</p>"
    return f'<section class="kinds"><h2>Kinds of blocks</h2>{hint}<ul>{rows}</ul></section>'


def _pages(pages: Sequence[PageRow]) -> str:
    """Every page, with what changed on it."""
    legend = "".join(
        f'<li><b class="state {name}">{escape(words)}</b> <span>{escape(meaning)}</span></li>'
        for name, (words, meaning) in _LEGEND.items()
    )
    left = len(pages) - MAX_PAGES
    note = f"<p>{left:,} further pages are not shown.</p>" if left > 0 else ""
    return (
        '<section class="pages"><h2>Pages</h2>'
        "<p>F1 is that of models that have not seen the page; the blocks are those that the "
        f'final one keeps.</p><ul class="legend">{legend}</ul>'
        '<p><label><input type="checkbox" id="all"> also show blocks on which all agree</label></p>'
        f"{''.join(map(_page, pages[:MAX_PAGES]))}{note}</section>"
    )


def _page(page: PageRow) -> str:
    """A page: what changed in a line, and its blocks."""
    counts = Counter(_state(block) for block in page.blocks)
    badges = " ".join(
        f'<b class="state {name}">{count:,} {escape(words)}</b>'
        for (name, words), count in ((state, counts[state]) for state in _STATES.values())
        if count and name != _SAME
    )
    is_open = " open" if badges else ""
    return (
        f"<details{is_open}><summary>"
        f'<span class="name">{escape(shortened_name(page.name))}</span> '
        f'<span class="score">F1 {page.before:.3f} → {page.after:.3f}</span> '
        f'<span class="badges">{badges or "no block differs from your text"}</span></summary>'
        f"{_table(page.blocks)}</details>"
    )


def _state(block: BlockRow) -> tuple[str, str]:
    return _STATES[block.by_user, block.before, block.now]


def _table(blocks: Sequence[BlockRow]) -> str:
    """The blocks of a page in their order, each with the three decisions."""
    rows = list(_rows(blocks))
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Yours", "Before", "Now", "Block"))
    more = len(rows) - MAX_ROWS
    note = f"<p>{more:,} further rows are not shown.</p>" if more > 0 else ""
    return (
        f"<table><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(rows[:MAX_ROWS])}</tbody></table>{note}"
    )


def _rows(blocks: Sequence[BlockRow]) -> Iterator[str]:
    """A row for each block, and one for a run of blocks that nobody keeps."""
    for is_kept, run in groupby(blocks, lambda b: b.by_user or b.before or b.now):
        if is_kept:
            yield from map(_row, run)
            continue
        count = sum(1 for _ in run)
        words = f"{count:,} block{'' if count == 1 else 's'} that nobody keeps"
        yield f'<tr class="{_SAME}">{_MARKS[False] * 3}<td class="blocks">{words}</td></tr>'


_MARKS = {
    True: '<td><span role="img" aria-label="kept">✓</span></td>',
    False: '<td><span role="img" aria-label="left out">–</span></td>',
}


def _row(block: BlockRow) -> str:
    name, words = _state(block)
    marks = "".join(_MARKS[kept] for kept in (block.by_user, block.before, block.now))
    text = block.text[:_MAX_TEXT_CHARS] + (" …" if len(block.text) > _MAX_TEXT_CHARS else "")
    badge = "" if name == _SAME else f'<b class="state {name}">{escape(words)}</b> '
    return f'<tr class="{name}">{marks}<td>{badge}<span dir="auto">{escape(text)}</span></td></tr>'


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
