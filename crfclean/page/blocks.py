"""Split a page into blocks: the runs of text between block-level boundaries, in one pass.

The parser's events are read as they come (lxml's target interface), without building a tree: so
libxml2 drops no text at its depth limit, and none after a premature `</html>`.
"""

from __future__ import annotations

from dataclasses import dataclass

from lxml import etree

from crfclean.page.controls import has_controls
from crfclean.page.elements import DROPPED
from crfclean.page.walk import FullError, Walk
from crfclean.types import Blocks, Page

MIN_NOSCRIPT_CHARS = 500  # less is a notice ("please enable JavaScript")


@dataclass(frozen=True, slots=True)
class SplitParams:
    """How to split a page. `elements` restricts the blocks to the text of these elements.

    `("h1", "p", "li")` is the recipe of Novotny (2014); empty means every block of text.
    """

    elements: tuple[str, ...] = ()


def split(page: Page, params: SplitParams = SplitParams()) -> Blocks:
    """Split a page into its paragraphs; never raises on any page.

    Text inside `noscript` counts only where it holds the article: over 500 characters, and
    more than the rest of the page (forums that need JavaScript keep their threads there).
    """
    if page.status != "ok":
        return Walk(params.elements, DROPPED).blocks(page)
    controls = has_controls(page.html)
    walk = _parse(page.html, Walk(params.elements, DROPPED, controls))
    if walk.noscript_chars > max(MIN_NOSCRIPT_CHARS, walk.chars):
        walk = _parse(page.html, Walk(params.elements, DROPPED - {"noscript"}, controls))
    return walk.blocks(page)


def _parse(html: str, walk: Walk) -> Walk:
    parser = etree.HTMLParser(
        target=walk,  # type: ignore[arg-type]  # the stubs ask for bytes and comments, too
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
