"""Split a page into blocks: the runs of text between block-level boundaries, in one pass.

The parser's events are read as they come (lxml's target interface), without building a tree: so
libxml2 drops no text at its depth limit, and none after a premature `</html>`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from crfclean.page.code import find_code
from crfclean.page.elements import DROPPED, Look
from crfclean.page.limits import MAX_BLOCKS, OverBlocksError
from crfclean.page.measures import Measures
from crfclean.page.walk import NO_CODE, PageTable, WalkParams, parse, traces
from crfclean.types import Page

_BREAK_END = re.compile(rb"</[bB][rR](?=[\s/>])")
MIN_NOSCRIPT_CHARS = 500  # less is a notice ("please enable JavaScript")


@dataclass(frozen=True, slots=True)
class SplitParams:
    """How to split a page. `elements` restricts the blocks to the text of these elements.

    `("h1", "p", "li")` is the recipe of Novotny (2014); empty means every block of text.
    `hidden`: elements that are hidden from the reader are read as well, save dialogs; or only those
    that look `opened` (see `elements.look`).
    """

    elements: tuple[str, ...] = ()
    hidden: bool = False
    opened: frozenset[Look] = frozenset()


def split(page: Page, params: SplitParams = SplitParams()) -> Measures:
    """Split a page into its paragraphs, however many; never raises on any page.

    Text inside `noscript` counts only where it holds the article: over 500 characters, and
    more than the rest of the page (forums that need JavaScript keep their threads there).
    """
    return _blocks(page, params, None)


def bounded(
    page: Page, params: SplitParams = SplitParams(), max_blocks: int | None = MAX_BLOCKS
) -> tuple[Page, Measures]:
    """A page and its blocks; with more than `max_blocks`, an empty page "over-blocks".

    Reading ends at the first block too many, so that no table grows beyond it.
    """
    try:
        return page, _blocks(page, params, max_blocks)
    except OverBlocksError:
        page = Page("", page.url, status="over-blocks")
        return page, split(page)


def _blocks(page: Page, params: SplitParams, max_blocks: int | None) -> Measures:
    """The blocks of a page, with their source; raises `OverBlocksError`."""
    walk_params = WalkParams(
        params.elements,
        max_blocks=max_blocks,
        hidden=params.hidden,
        opened=params.opened,
    )
    html = page.html.encode("utf-8", "replace") if page.status == "ok" else b""
    page_traces = traces(page.html, html)
    if page_traces.break_ends:  # a line break in browsers, nothing to the parser
        html = _BREAK_END.sub(b"<br", html)
    controls, formulas = page_traces.controls, page_traces.formulas
    if controls or formulas:
        walk_params = replace(walk_params, controls=controls, formulas=formulas)
    table, source = _table(html, walk_params), "hidden" if params.hidden else ""
    if table.aside.noscript_chars > max(MIN_NOSCRIPT_CHARS, table.chars):
        shown_chars = table.chars
        table = _table(html, replace(walk_params, dropped=DROPPED - {"noscript"}))
        if table.chars > 2 * shown_chars:  # there may be nothing but styles in it
            source = "noscript"
    blocks = table.blocks(page.truncated)
    return replace(blocks, source=source) if source else blocks


def _table(source: bytes, params: WalkParams) -> PageTable:
    """Walk a page; again if elements that proved block-level have torn text apart, or for code."""
    table = parse(source, params)
    if table.torn:
        params = replace(params, block_level=frozenset(table.holders.tolist()))
        table = parse(source, params)
    code = NO_CODE if params.elements else find_code(table)
    if code.is_cut:
        return parse(source, replace(params, code=code))
    return table if code is NO_CODE else table.with_code(code)
