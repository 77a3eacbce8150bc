"""Write what was learnt from corrected texts as an HTML page that loads nothing and runs no script.

It shows the kinds of blocks with the share of their words that the texts have, F1 before and now,
and of each page the blocks that the user, the default and the tuned model decide on differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby, islice
from pathlib import Path

from crfclean.evaluate.plurals import plural
from crfclean.gold.pages import gold_labels
from crfclean.io import write_text
from crfclean.page.blocks import split
from crfclean.pipeline import split_params
from crfclean.shell import report_page, shortened_name
from crfclean.tune.pages import NAMES, TunedPage, Verdict, f1_line, kind_lines, side
from crfclean.tune.tuning import Tuned
from crfclean.types import Kind, Label, Tagger

MAX_PAGES = 200
"""Pages that are shown: texts of more are not corrected by hand."""
MAX_ROWS = 1_000
"""Rows of a page; runs of blocks that nobody keeps are one row."""
_MAX_TEXT_CHARS = 200  # of a block
_SHARE = "share of its words that your texts have"


@dataclass(frozen=True, slots=True)
class BlockRow:
    """A block of a page, and whether the user's text, the default and the tuned model keep it."""

    text: str
    by_user: bool
    before: bool
    now: bool


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


def write_tuned(path: Path, tuned: Tuned, base: Tagger) -> None:
    """Write the page of what a base was tuned to; raises `CrfcleanError`."""
    write_text(path, tuned_html(tuned, base))


def tuned_html(tuned: Tuned, base: Tagger) -> str:
    """The page of what was learnt; the pages are cleaned once more by both models."""
    subtitle = f"What {plural(len(tuned.pages), 'page')} with corrected texts taught. "
    of_pages = zip(tuned.pages, tuned.held_out, strict=True)
    pages = [
        page_details(page.gold.id, page.f1, f1, block_rows(page, tuned.tagger, base))
        for page, f1 in islice(of_pages, MAX_PAGES)
    ]
    sections = (
        _scores(tuned.before, tuned.after),
        kinds_section(tuned.kinds),
        _pages(pages, len(tuned.pages) - MAX_PAGES),
    )
    title = "What corrected texts taught"
    return report_page(title, subtitle + " ".join(_notes(tuned)), "".join(sections), "tuned.css")


def block_rows(page: TunedPage, tagger: Tagger, base: Tagger) -> list[BlockRow]:
    """The blocks of a page, with the decisions of the user, the base and the tuned model."""
    blocks = split(page.gold.page, split_params(base))
    by_user = gold_labels(page.gold, blocks) != Label.OTHER
    kept = (by_user, base.tag(blocks).kept, tagger.tag(blocks).kept)
    return list(map(BlockRow, blocks.texts, *(decision.tolist() for decision in kept)))


def _notes(tuned: Tuned) -> Iterator[str]:
    """What was understood beside the kinds and the scores, which have places of their own."""
    scores = f1_line(tuned.before, tuned.after, len(tuned.pages))
    elsewhere = {*kind_lines(tuned.kinds), scores}
    return (f"{line[0].upper()}{line[1:]}." for line in tuned.understood if line not in elsewhere)


def _scores(before: float, after: float) -> str:
    rows = "".join(
        f'<li><span class="name">{name}</span>{_meter(f1, f"{f1:.3f}", "F1")}</li>'
        for name, f1 in (("By default", before), ("Tuned", after))
    )
    gain = f"{after - before:+.3f}".replace("-", "−")
    head = f"F1 on held-out pages: {gain}"
    return f'<section class="scores"><h2>{head}</h2><ul>{rows}</ul></section>'


def _meter(share: float, words: str, label: str) -> str:
    return (
        f'<span class="score">{words}<meter value="{share:.3f}" '
        f'aria-label="{escape(label)}"></meter></span>'
    )


def kinds_section(kinds: Mapping[Kind, Verdict]) -> str:
    """The kinds that the pages have, with their votes as bars."""
    if not kinds:
        return ""
    rows = "".join(
        f'<li><span class="name">{escape(NAMES[kind])} '
        f'<b class="side {side(verdict).split()[0]}">{side(verdict)}</b></span>'
        f"{_meter(verdict.kept, f'{verdict.kept:.0%}', _SHARE)}"
        f'<span class="blocks">on {plural(verdict.pages, "page")}</span></li>'
        for kind, verdict in kinds.items()
    )
    hint = "<p>The share of their words that your texts have, where the page has any.</p>"
    return f'<section class="kinds"><h2>Kinds of blocks</h2>{hint}<ul>{rows}</ul></section>'


def _pages(pages: Sequence[str], left: int) -> str:
    legend = "".join(
        f'<li><b class="state {name}">{escape(words)}</b> <span>{escape(meaning)}</span></li>'
        for name, (words, meaning) in _LEGEND.items()
    )
    note = f"<p>{left:,} further pages are not shown.</p>" if left > 0 else ""
    return (
        '<section class="pages"><h2>Pages</h2>'
        "<p>F1 is that of models that have not seen the page; the blocks are those that the "
        f'final one keeps.</p><ul class="legend">{legend}</ul>'
        '<p><label><input type="checkbox" id="all"> also show blocks on which all agree</label></p>'
        f"{''.join(pages)}{note}</section>"
    )


def page_details(name: str, before: float, after: float, blocks: Sequence[BlockRow]) -> str:
    """A page with its F1 (0..1) by default and tuned without it: what changed, and its blocks."""
    counts = Counter(_state(block) for block in blocks)
    badges = " ".join(
        f'<b class="state {state}">{count:,} {escape(words)}</b>'
        for (state, words), count in ((key, counts[key]) for key in _STATES.values())
        if count and state != _SAME
    )
    is_open = " open" if badges else ""
    return (
        f"<details{is_open}><summary>"
        f'<span class="name">{escape(shortened_name(name))}</span> '
        f'<span class="score">F1 {before:.3f} → {after:.3f}</span> '
        f'<span class="badges">{badges or "no block differs from your text"}</span></summary>'
        f"{_table(blocks)}</details>"
    )


def _state(block: BlockRow) -> tuple[str, str]:
    return _STATES[block.by_user, block.before, block.now]


def _table(blocks: Sequence[BlockRow]) -> str:
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
        words = f"{plural(sum(1 for _ in run), 'block')} that nobody keeps"
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
