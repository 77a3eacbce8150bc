"""The page view: a page with kept and dropped blocks coloured, and the reasons in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import groupby
from typing import Any

from crfclean.document.formats import rules_in_words
from crfclean.document.json import kind_dict
from crfclean.document.phrases import ASKED_REASONS, in_words, words_and_links
from crfclean.document.view import Paint, safe_document
from crfclean.model.columns import FEATURES
from crfclean.page.limits import MAX_BLOCKS as READ_BLOCKS
from crfclean.pipeline import run
from crfclean.shell import (
    file_page,
    html_document,
    policy,
    read_asset,
    script_digest,
    served_page,
)
from crfclean.systems.capabilities import Explains, capability
from crfclean.types import Document, Kind, Page, Reason, Tagger

# paint a page: attributes, style and script that show what was kept

MAX_PAGE_CHARS = 4_000_000  # of markup; real pages stay below 1,000,000
STRENGTHS = 10
"""Steps of the colours."""

_GREEN, _GREY = "0,150,70", "120,120,120"
_FAINTEST, _STRONGEST = 0.06, {"k": 0.42, "d": 0.34}  # opacities of the colours


def paint_of(document: Document, shown: int) -> Paint:
    """Return the paint of the first `shown` blocks of a document, with their kinds."""
    return Paint(tuple(_attributes(document, shown)), _head(), MAX_PAGE_CHARS)


@cache
def _head() -> str:
    script = read_asset("frame.js")
    sheet = read_asset("frame.css") + "".join(_colour_rules())
    return f"{policy(script)}<style data-view>{sheet}</style><script>{script}</script>"


def _colour_rules() -> Iterator[str]:
    for letter, colour in (("k", _GREEN), ("d", _GREY)):
        for step in range(STRENGTHS):
            share = step / (STRENGTHS - 1)
            alpha = _FAINTEST + (_STRONGEST[letter] - _FAINTEST) * share
            yield (
                f"[data-crf-paint={letter}{step}]"
                f"{{background-color:rgba({colour},{alpha:.2f})!important}}"
            )


def _attributes(document: Document, shown: int) -> Iterator[str]:
    """Yield the attributes of each block.

    Of neighbours of one kind, the first shows the kind, with its own probability.
    """
    before = ""
    kept, probabilities = document.tags.kept.tolist(), document.tags.probabilities.tolist()
    kinds = zip(document.kinds[:shown], document.likely_kinds[:shown], strict=True)
    for block, (kind, likely) in enumerate(kinds):
        name = Kind(kind).name.lower()
        share = f" {likely.probability:.0%}" if likely.probability else ""
        is_marked = name not in (before, "paragraph")
        mark = f' data-crf-kind="{escape(name)}{share}"' if is_marked else ""
        before = name
        # "k9": a kept block that surely is content; "d9": a dropped block that surely is not
        sureness = probabilities[block] if kept[block] else 1.0 - probabilities[block]
        strength = min(STRENGTHS - 1, max(0, int(sureness * STRENGTHS)))
        yield f' data-crf-paint="{"k" if kept[block] else "d"}{strength}"{mark}'


# describe a cleaned page for the page view: the page, its blocks, and the reasons in words

MAX_BLOCKS = 5_000
"""Blocks of a page that are shown; real pages have under 3,000."""

_MAX_TEXT_CHARS, _MAX_XPATH_CHARS, _MAX_TITLE_CHARS = 200, 300, 300  # of a block; of the page
_MAX_PLAIN_CHARS = 500  # of a block on a page that is too large to be shown in its own layout

_STATUSES = {
    "empty": "The page is empty.",
    "feed": "This is a feed, not a web page.",
    "no-blocks": "There is no text in the HTML of the page.",
    "nothing-kept": "No block was kept.",
    "below-precision": "No choice of blocks reaches the precision that you asked for.",
    "over-blocks": f"The page has more than {READ_BLOCKS:,} blocks, so it was not read.",
}
"""Statuses of pages without text, in words."""

_JsonObject = dict[str, Any]


def view_of_page(page: Page, tagger: Tagger) -> _JsonObject:
    """Clean a page and describe it; raises `CrfcleanError` if the tagger lacks a library."""
    return view_of(page, run(page, tagger), tagger)


def view_of(page: Page, document: Document, tagger: Tagger) -> _JsonObject:
    """Describe a cleaned page as JSON values, of bounded size.

    The entry `page` is the document to show, `blocks` describes its first `MAX_BLOCKS` blocks, and
    `notes` say what is missing. The reasons of a tagger without reasons are empty.
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
    paint = paint_of(document, min(len(document.blocks), MAX_BLOCKS))
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
    if explains is None or len(document.blocks) > MAX_BLOCKS:  # reasons take longer than the rest
        return [()] * len(document.blocks)
    return explains.explain(document.blocks, ASKED_REASONS)


# write the view of a page as one HTML file that loads nothing


def overlay_html(page: Page, tagger: Tagger) -> str:
    """Clean a page, and return an HTML file that shows it painted.

    >>> from crfclean.systems.load import load
    >>> page = Page("<h1>Ice</h1><p>The ferry stays in its harbour.")
    >>> html = overlay_html(page, load("links"))
    >>> html[:15], html.count("<script")
    ('<!DOCTYPE html>', 2)
    """
    return view_html(view_of_page(page, tagger))


def view_html(view: Mapping[str, Any]) -> str:
    """Return the HTML file of a view."""
    script = read_asset("overlay.js")
    inert = json.dumps(view)  # in ASCII; it must not end the element around it
    inert = inert.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    data = f'<script type="application/json" id="data">{inert}</script>'
    body = f"{read_asset('overlay.html')}{data}<script>{script}</script>"
    title = f"{view['title'] or view['url'] or 'A page'} – what crfclean keeps"
    return file_page(title, body, ["overlay.css"], script, read_asset("frame.js"))


def served_view() -> tuple[str, str]:
    """Return the page of the view for a server, without its data, and its policy."""
    allowed = (
        f"default-src 'none'; script-src 'self' {script_digest(read_asset('frame.js'))}; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'self'"
    )
    page = served_page("What crfclean keeps", "overlay.html", ["overlay.css"], ["overlay.js"])
    return page, allowed
