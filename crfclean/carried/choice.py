"""Choose between the text that a page shows and those that it carries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from crfclean.page.blocks import SplitParams, bounded
from crfclean.page.latest import measured
from crfclean.types import Blocks, Document, Page, Tagger
from crfclean.types.light import replace

if TYPE_CHECKING:  # most pages show their text: what reads others is imported when it is needed
    from crfclean.carried.texts import CarriedText


class Rule(NamedTuple):
    """When a carried text replaces the visible one.

    The visible text has at most `most` words that are kept; the carried one has at least `least`,
    `times` as many as the visible text, and `times_all` as many as the page shows at all.
    """

    most: int
    least: int
    times: float
    times_all: float


class Words(NamedTuple):
    """The words of a document: those that are kept, and all."""

    kept: float
    shown: float


RULES = {
    "hidden": Rule(most=60, least=100, times=3.0, times_all=2.0),
    "json-ld": Rule(most=300, least=40, times=2.0, times_all=0.0),
    "state": Rule(most=60, least=100, times=4.0, times_all=1.0),
}
"""Source -> its rule; eval/documents/presence.py has the figures behind them."""

_CHARS_PER_WORD = 2  # at least, in all languages: half an ideograph's word
_MAX_TEXTS = 2  # of each source that are tagged: the longest


def count_words(document: Document) -> Words:
    """The words of a document."""
    if not len(document.blocks):
        return Words(0.0, 0.0)
    page = measured(document.blocks)
    return Words(float(page.words[document.tags.kept].sum()), page.all_words)


def with_carried(
    document: Document, page: Page, tagger: Tagger, params: SplitParams, max_blocks: int | None
) -> Document:
    """The document, or that of a text which the page carries if the page shows far less.

    Data that the page also shows, and a text with more than `max_blocks` blocks, are left out.
    """
    if page.status != "ok":
        return document
    shown = count_words(document)
    for source, carrying_page in _pages(document, page, shown):
        reading = replace(params, hidden=source == "hidden")
        read_page, blocks = bounded(carrying_page, reading, max_blocks)
        if read_page.status == "ok" and len(blocks):
            carried = _tagged(document, replace(blocks, source=source), tagger)
            if is_better(source, shown, count_words(carried).kept) and _is_new(carried):
                return carried
    return document


def _tagged(document: Document, blocks: Blocks, tagger: Tagger) -> Document:
    """The document of a carried text."""
    return replace(
        document,
        blocks=blocks,
        tags=tagger.tag(blocks),
        status="ok",
        truncated=blocks.truncated or document.truncated,
        shown=document.blocks,
    )


def _is_new(carried: Document) -> bool:
    """Whether the page does not show the text that it carries as data."""
    from crfclean.carried.cover import is_shown

    texts = carried.page_blocks.texts
    return carried.blocks.source == "hidden" or not is_shown(carried.blocks.texts, texts)


def is_better(source: str, shown: Words, carried: float) -> bool:
    """Whether a carried text replaces the visible one, by the words that are kept of each."""
    rule = RULES[source]
    least = max(rule.least, rule.times * shown.kept, rule.times_all * shown.shown)
    return shown.kept <= rule.most and carried >= least


def _pages(document: Document, page: Page, shown: Words) -> Iterator[tuple[str, Page]]:
    """The sources of carried texts that may be long enough, with a page of each."""
    if _may_be_better("hidden", shown, document.blocks.hidden_chars):
        yield "hidden", page
    if shown.kept <= RULES["json-ld"].most and document.blocks.json_ld:
        from crfclean.carried.json_ld import json_ld_texts

        yield from _pages_of(json_ld_texts(document.blocks.json_ld), document, shown)
    if shown.kept <= RULES["state"].most:
        from crfclean.carried.state import state_texts

        yield from _pages_of(state_texts(page.html), document, shown)


def _pages_of(
    texts: Sequence[CarriedText], document: Document, shown: Words
) -> Iterator[tuple[str, Page]]:
    """A page of each of the longest texts."""
    from crfclean.carried.texts import page_of

    for text in texts[:_MAX_TEXTS]:
        if _may_be_better(text.source, shown, len(text.text)):
            yield text.source, page_of(text, document.blocks, document.url)


def _may_be_better(source: str, shown: Words, chars: int) -> bool:
    return is_better(source, shown, chars / _CHARS_PER_WORD)
