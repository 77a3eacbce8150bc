"""Describe a cleaned page for the page view: the page, its blocks, and the reasons in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

from crfclean.features.table import FEATURES
from crfclean.page.limits import MAX_BLOCKS as READ_BLOCKS
from crfclean.page.measures import measured
from crfclean.pipeline import run
from crfclean.taggers.capabilities import Explains, capability
from crfclean.types import Document, Page, Reason, Tagger
from crfclean.view.document import Paint, safe_document
from crfclean.view.paint import MAX_PAGE_CHARS, paint_of
from crfclean.view.reasons import ASKED_REASONS, in_words, words_and_links
from crfclean.writers.formats import rules_in_words
from crfclean.writers.json import kind_dict

MAX_BLOCKS = 5_000
"""Blocks of a page that are shown; real pages have under 3,000."""

_MAX_TEXT_CHARS, _MAX_XPATH_CHARS, _MAX_TITLE_CHARS = 200, 300, 300  # of a block; of the page
_MAX_PLAIN_CHARS = 500  # of a block on a page that is too large to be shown as it looks

_STATUSES = {
    "empty": "The page is empty.",
    "feed": "This is a feed, not a page.",
    "no-blocks": "The page shows no text.",
    "nothing-kept": "No block was kept.",
    "below-precision": "No choice of blocks has the precision that was asked for.",
    "over-blocks": f"The page has more than {READ_BLOCKS:,} blocks: it was not read.",
}
"""Statuses of pages without text, in words."""

_JsonObject = dict[str, Any]


def view_of_page(page: Page, tagger: Tagger) -> _JsonObject:
    """Clean a page and describe it; raises `CrfcleanError` where the tagger lacks a library."""
    return view_of(page, run(page, tagger), tagger)


def view_of(page: Page, document: Document, tagger: Tagger) -> _JsonObject:
    """Describe a cleaned page as JSON values, of bounded size.

    `page` is the document to show, `blocks` are its first `MAX_BLOCKS`, and `notes` say what is not
    shown. A tagger without reasons leaves the words empty.
    """
    shown = min(len(document.blocks), MAX_BLOCKS)
    markup, whole = _page(page, document, paint_of(document, shown))
    blocks = list(_blocks(document, tagger, shown))
    return {
        "title": document.page_blocks.title[:_MAX_TITLE_CHARS],
        "url": (page.url or "")[:_MAX_XPATH_CHARS],
        "status": document.status,
        "score": round(document.score, 4),
        "kept": len(document.kept),
        "total": len(document.blocks),
        "notes": list(_notes(document, len(blocks), whole=whole)),
        "blocks": blocks,
        "page": markup,
    }


def _page(page: Page, document: Document, paint: Paint) -> tuple[str, bool]:
    """The document to show, and whether all of its blocks are in it."""
    markup = safe_document(page, document.blocks, paint=paint)
    if len(markup) > 2 * MAX_PAGE_CHARS:
        return _plain_document(document, paint), False
    return markup, len(markup) <= MAX_PAGE_CHARS


def _plain_document(document: Document, paint: Paint) -> str:
    """The beginning of each block as a paragraph, for pages that are too large."""
    texts = document.blocks.texts[: len(paint.attributes)]
    paragraphs = (
        f'<p id="crf-{block}"{paint.attributes[block]}>{escape(text[:_MAX_PLAIN_CHARS])}</p>'
        for block, text in enumerate(texts)
    )
    head = f'<meta charset="utf-8">{paint.head}<title></title>'
    return f"<!DOCTYPE html><html><head>{head}</head><body>{''.join(paragraphs)}</body></html>"


def _notes(document: Document, shown: int, *, whole: bool) -> Iterator[str]:
    """What a reader should know of what is shown."""
    total = len(document.blocks)
    if shown < total:
        yield f"The view shows the first {shown:,} of {total:,} blocks, and no reasons."
    if not whole:
        yield "The page is too large to be shown whole: a part of it is missing from the view."
    if document.truncated:
        yield f"Only a part of the page was read ({document.truncated})."
    if document.blocks.source:
        yield (
            f"This text was read from {document.blocks.source}: the page itself shows less, and "
            "the view shows what was read."
        )
    yield from rules_in_words(document)
    if document.status != "ok":
        yield _STATUSES.get(document.status, f"There is no text: {document.status}.")


def _blocks(document: Document, tagger: Tagger, shown: int) -> Iterator[_JsonObject]:
    """The blocks that are shown."""
    tags, reasons = document.tags, _reasons(document, tagger)
    kept, probabilities = tags.kept.tolist(), tags.probabilities.tolist()
    for block, facts in enumerate(_block_facts(document, shown)):
        explanation = in_words(reasons[block], kept=kept[block])
        yield {
            "kept": kept[block],
            "probability": round(probabilities[block], 4),
            **kind_dict(document.kinds[block], document.likely_kinds[block]),
            **facts,
            "because": list(explanation.because),
            "but": list(explanation.but),
            "figures": [_figure(reason) for reason in explanation.figures],
        }


def _block_facts(document: Document, shown: int) -> Iterator[_JsonObject]:
    """What the first `shown` blocks are, whatever was decided: tag, place, text and size."""
    blocks = document.blocks
    page = measured(blocks)
    words, links = page.words.tolist(), FEATURES["link_density"](page).tolist()
    for block in range(shown):
        node = int(blocks.node[block])
        yield {
            "tag": blocks.nodes.tags[node][:40],
            "xpath": _shortened(blocks.xpath(node)),
            "text": _beginning(blocks.texts[block]),
            "size": words_and_links(words[block], links[block]),
        }


def _reasons(document: Document, tagger: Tagger) -> Sequence[Sequence[Reason]]:
    explains = capability(tagger, Explains)
    if explains is None or len(document.blocks) > MAX_BLOCKS:  # reasons take longer than the rest
        return [()] * len(document.blocks)
    return explains.explain(document.blocks, ASKED_REASONS)


def _beginning(text: str) -> str:
    """A text, cut if it is long."""
    return text if len(text) <= _MAX_TEXT_CHARS else text[:_MAX_TEXT_CHARS].rstrip() + " …"


def _shortened(xpath: str) -> str:
    """An XPath without its beginning, if it is long."""
    return xpath if len(xpath) <= _MAX_XPATH_CHARS else "…" + xpath[-_MAX_XPATH_CHARS:]


def _figure(reason: Reason) -> list[str | float]:
    return [reason.feature, float(f"{reason.value:.3g}"), round(reason.weight, 2)]
