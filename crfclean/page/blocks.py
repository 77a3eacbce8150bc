"""Split a page into blocks: the runs of text between block-level boundaries, in one pass.

The parser's events are read as they come (lxml's target interface), without building a tree: so
libxml2 drops no text at its depth limit, and none after a premature `</html>`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from crfclean.page.code_lines import find_code
from crfclean.page.core_parse import feed, feed_core
from crfclean.page.core_walk import core_walk, take_over
from crfclean.page.elements import DROPPED, Look
from crfclean.page.limits import MAX_BLOCKS, OverBlocksError
from crfclean.page.open_code import NO_CODE
from crfclean.page.page_table import PageTable
from crfclean.page.traces import traces
from crfclean.page.walk import Walk
from crfclean.page.walk_params import WalkParams
from crfclean.types import Blocks, Page

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


def split(page: Page, params: SplitParams = SplitParams()) -> Blocks:
    """Split a page into its paragraphs, however many; never raises on any page.

    Text inside `noscript` counts only where it holds the article: over 500 characters, and
    more than the rest of the page (forums that need JavaScript keep their threads there).
    """
    return _blocks(page, params, None)


def bounded(
    page: Page, params: SplitParams = SplitParams(), max_blocks: int | None = MAX_BLOCKS
) -> tuple[Page, Blocks]:
    """A page and its blocks; with more than `max_blocks`, an empty page "over-blocks".

    Reading ends at the first block too many, so that no table grows beyond it.
    """
    try:
        return page, _blocks(page, params, max_blocks)
    except OverBlocksError:
        page = Page("", page.url, status="over-blocks")
        return page, split(page)


def _blocks(page: Page, params: SplitParams, max_blocks: int | None) -> Blocks:
    """The blocks of a page, with their source; raises `OverBlocksError`."""
    walk_params = WalkParams(
        params.elements,
        DROPPED,
        max_blocks=max_blocks,
        hidden=params.hidden,
        opened=params.opened,
    )
    if page.status != "ok":
        return Walk(walk_params).blocks(page)
    html = page.html.encode("utf-8", "replace")
    page_traces = traces(page.html, html)
    if page_traces.break_ends:  # a line break in browsers, nothing to the parser
        html = _BREAK_END.sub(b"<br", html)
    controls, formulas = page_traces.controls, page_traces.formulas
    if controls or formulas:
        walk_params = replace(walk_params, controls=controls, formulas=formulas)
    walk, source = _walk(html, walk_params), "hidden" if params.hidden else ""
    if walk.aside.noscript_chars > max(MIN_NOSCRIPT_CHARS, walk.chars):
        shown_chars = walk.chars
        walk = _walk(html, replace(walk_params, dropped=DROPPED - {"noscript"}))
        if walk.chars > 2 * shown_chars:  # there may be nothing but styles in it
            source = "noscript"
    blocks = walk.blocks(page)
    walk.table = PageTable()  # a parser of lxml may keep the walk until garbage is searched for
    return replace(blocks, source=source) if source else blocks


def _walk(source: bytes, params: WalkParams) -> Walk:
    """Walk a page; again if elements that proved block-level have torn text apart, or for code."""
    walk = _parse(source, Walk(params))
    if walk.torn:
        params = replace(params, block_level=frozenset(walk.holders))
        walk = _parse(source, Walk(params))
    if params.elements:
        return walk
    code = find_code(walk.table)
    if code is NO_CODE:
        return walk
    walk.params = replace(params, code=code)
    return _parse(source, Walk(walk.params)) if code.is_cut else walk


def _parse(source: bytes, walk: Walk) -> Walk:
    """Walk a page by the core, or in Python where the core does not do it."""
    walked = core_walk(walk)
    if walked is None:
        return _parse_in_python(source, walk)
    is_full = feed_core(source, walked)
    if is_full:
        walked.close()
    take_over(walk, walked)
    walk.truncated = "nodes" if is_full else walk.truncated
    return walk


def _parse_in_python(source: bytes, walk: Walk) -> Walk:
    from crfclean.page.formulas import FormulaWalk  # the core imports it for pages with formulas

    if feed(source, FormulaWalk(walk) if walk.params.formulas else walk):
        walk.close()
        walk.truncated = "nodes"
    return walk
