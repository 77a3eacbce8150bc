"""Describe a cleaned page for the page view: the page, its blocks, and the reasons in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Any

from crfclean.document.formats import rules_in_words
from crfclean.document.json import kind_dict
from crfclean.document.paint import MAX_PAGE_CHARS, paint_of
from crfclean.document.phrases import ASKED_REASONS, in_words, words_and_links
from crfclean.document.view import Paint, safe_document
from crfclean.model.columns import FEATURES
from crfclean.page.limits import MAX_BLOCKS
from crfclean.pipeline import run
from crfclean.shell import (
    html_document,
)
from crfclean.systems.capabilities import Explains, capability
from crfclean.types import Document, Page, Reason, Tagger

MAX_SHOWN_BLOCKS = 5_000
"""Blocks of a page that are shown; real pages have under 3,000."""

_MAX_TEXT_CHARS, _MAX_XPATH_CHARS, _MAX_TITLE_CHARS = 200, 300, 300  # of a block; of the page
_MAX_PLAIN_CHARS = 500  # of a block on a page that is too large to be shown in its own layout

_STATUSES = {
    "empty": "The page is empty.",
    "feed": "This is a feed, not a web page.",
    "no-blocks": "There is no text in the HTML of the page.",
    "nothing-kept": "No block was kept.",
    "below-precision": "No choice of blocks reaches the precision that you asked for.",
    "over-blocks": f"The page has more than {MAX_BLOCKS:,} blocks, so it was not read.",
}
"""Statuses of pages without text, in words."""

_JsonObject = dict[str, Any]


def view_of_page(page: Page, tagger: Tagger) -> _JsonObject:
    """Clean a page and describe it; raises `CrfcleanError` if the tagger lacks a library."""
    return view_of(page, run(page, tagger), tagger)


def view_of(page: Page, document: Document, tagger: Tagger) -> _JsonObject:
    """Describe a cleaned page as JSON values, of bounded size.

    The entry `page` is the document to show, `blocks` describes its first `MAX_SHOWN_BLOCKS`
    blocks, and `notes` say what is missing. The reasons of a tagger without reasons are empty.
    """
    shown = min(len(document.blocks), MAX_SHOWN_BLOCKS)
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
    """Return the document to show, and whether it has all blocks."""
    markup = safe_document(page, document.blocks, paint=paint)
    if len(markup) > 2 * MAX_PAGE_CHARS:
        body = "".join(_paragraphs(document, paint))  # the beginning of each block
        return html_document("", paint.head, f"<body>{body}</body>", root=""), False
    return markup, len(markup) <= MAX_PAGE_CHARS


def _paragraphs(document: Document, paint: Paint) -> list[str]:
    texts = document.blocks.texts[: len(paint.attributes)]
    return [
        f'<p id="crf-{block}"{paint.attributes[block]}>{escape(text[:_MAX_PLAIN_CHARS])}</p>'
        for block, text in enumerate(texts)
    ]


def notebook_html(document: Document) -> str:
    """Return the beginning of each block, painted, in a frame without scripts.

    Runs of dropped blocks are folded: most pages begin with a hundred of them.
    """
    paint = paint_of(document, min(len(document.blocks), MAX_SHOWN_BLOCKS))
    paragraphs, parts, kept = _paragraphs(document, paint), list[str](), frozenset(document.kept)
    for is_kept, run_of in groupby(range(len(paragraphs)), kept.__contains__):
        together = [paragraphs[block] for block in run_of]
        parts += together if is_kept else [_folded(together)]
    body = f"<body>{''.join(parts)}</body>"
    frame = escape(html_document("", paint.head, body, root=""))
    style = "width:100%;height:28em;border:1px solid #ccc"
    return f'<iframe sandbox srcdoc="{frame}" style="{style}"></iframe>'


def _folded(paragraphs: Sequence[str]) -> str:
    summary = f"left out: {len(paragraphs)}"
    return f"<details><summary>{summary}</summary>{''.join(paragraphs)}</details>"


def _notes(document: Document, shown: int, *, whole: bool) -> Iterator[str]:
    total = len(document.blocks)
    if shown < total:
        yield f"The view shows the first {shown:,} of {total:,} blocks, without reasons."
    if not whole:
        yield "The page is too large: the view shows only a part of it."
    if document.truncated:
        yield f"Only a part of the page was read ({document.truncated})."
    if document.blocks.source:
        yield (
            f"This text was read from {document.blocks.source}: the page itself shows less. "
            "The view shows the text that was read."
        )
    yield from rules_in_words(document)
    if document.status != "ok":
        yield _STATUSES.get(document.status, f"There is no text: {document.status}.")


def _blocks(document: Document, tagger: Tagger, shown: int) -> Iterator[_JsonObject]:
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
            "figures": [
                [reason.feature, float(f"{reason.value:.3g}"), round(reason.weight, 2)]
                for reason in explanation.figures
            ],
        }


def _block_facts(document: Document, shown: int) -> Iterator[_JsonObject]:
    """Yield tag, XPath, text and size of each of the first `shown` blocks."""
    blocks = document.blocks
    words, links = blocks.words.tolist(), FEATURES["link_density"](blocks).tolist()
    for block in range(shown):
        node, text = int(blocks.node[block]), blocks.texts[block]
        xpath = blocks.xpath(node)
        end = " …" if len(text) > _MAX_TEXT_CHARS else ""
        yield {
            "tag": blocks.table.tags[node][:40],
            "xpath": xpath if len(xpath) <= _MAX_XPATH_CHARS else "…" + xpath[-_MAX_XPATH_CHARS:],
            "text": text[:_MAX_TEXT_CHARS].rstrip() + end if end else text,
            "size": words_and_links(words[block], links[block]),
        }


def _reasons(document: Document, tagger: Tagger) -> Sequence[Sequence[Reason]]:
    explains = capability(tagger, Explains)
    if explains is None or len(document.blocks) > MAX_SHOWN_BLOCKS:
        return [()] * len(document.blocks)  # reasons take longer than the rest
    return explains.explain(document.blocks, ASKED_REASONS)
