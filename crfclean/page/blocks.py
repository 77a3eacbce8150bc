"""Split a page into blocks: the runs of text between block-level boundaries, in one pass.

The parser's events are read as they come (lxml's target interface), without building a tree: so
libxml2 drops no text at its depth limit, and none after a premature `</html>`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lxml import etree

from crfclean.page.controls import has_controls
from crfclean.page.elements import DROPPED
from crfclean.page.formulas import FormulaWalk, may_have_formulas
from crfclean.page.limits import MAX_BLOCKS, FullError, OverBlocksError
from crfclean.page.walk import Walk, WalkParams
from crfclean.types import Blocks, Page

MIN_NOSCRIPT_CHARS = 500  # less is a notice ("please enable JavaScript")


@dataclass(frozen=True, slots=True)
class SplitParams:
    """How to split a page. `elements` restricts the blocks to the text of these elements.

    `("h1", "p", "li")` is the recipe of Novotny (2014); empty means every block of text.
    """

    elements: tuple[str, ...] = ()


def split(page: Page, params: SplitParams = SplitParams()) -> Blocks:
    """Split a page into its paragraphs, however many; never raises on any page.

    Text inside `noscript` counts only where it holds the article: over 500 characters, and
    more than the rest of the page (forums that need JavaScript keep their threads there).
    """
    return _walked(page, params, None).blocks(page)


def bounded(
    page: Page, params: SplitParams = SplitParams(), max_blocks: int | None = MAX_BLOCKS
) -> tuple[Page, Blocks]:
    """A page and its blocks; with more than `max_blocks`, an empty page "over-blocks".

    Reading ends at the first block too many, so that no table grows beyond it.
    """
    try:
        return page, _walked(page, params, max_blocks).blocks(page)
    except OverBlocksError:
        page = Page("", page.url, status="over-blocks")
        return page, split(page)


def _walked(page: Page, params: SplitParams, max_blocks: int | None) -> Walk:
    """The walk over a page's elements; raises `OverBlocksError`."""
    controls = page.status == "ok" and has_controls(page.html)
    walk_params = WalkParams(params.elements, DROPPED, controls, max_blocks)
    if page.status != "ok":
        return Walk(walk_params)
    walk = _walk(page.html, walk_params)
    if walk.aside.noscript_chars > max(MIN_NOSCRIPT_CHARS, walk.chars):
        walk = _walk(page.html, replace(walk_params, dropped=DROPPED - {"noscript"}))
    return walk


def _walk(html: str, params: WalkParams) -> Walk:
    """Walk a page; again if elements that proved block-level have torn text apart."""
    walk = _parse(html, Walk(params))
    if walk.torn:
        walk = _parse(html, Walk(replace(params, block_level=frozenset(walk.holders))))
    return walk


def _parse(html: str, walk: Walk) -> Walk:
    target = FormulaWalk(walk) if may_have_formulas(html) else walk
    parser = etree.HTMLParser(
        target=target,  # type: ignore[arg-type]  # the stubs ask for bytes and comments, too
        encoding="utf-8",
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        parser.feed(html.encode("utf-8", "replace"))
        parser.close()
    except FullError:
        walk.truncated = "nodes"
        walk.close()
    return walk
