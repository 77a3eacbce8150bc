"""Split a page into blocks: the runs of text between block-level boundaries, in one pass."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from crfclean.core import read
from crfclean.core.table import Table
from crfclean.page.buttons import buttons_in_text
from crfclean.page.code import find_code
from crfclean.page.effects import Look
from crfclean.page.limits import MAX_BLOCKS, OverBlocksError
from crfclean.page.places import words_at as words_at  # noqa: PLC0414 - its documented place
from crfclean.page.selectors import pieces
from crfclean.page.sources import Source, as_page
from crfclean.page.walk import NO_CODE, WalkParams, blocks_of, parse
from crfclean.types import Blocks, CrfcleanError, Page

_BREAK_END = re.compile(rb"</[bB][rR](?=[\s/>])")
# `<img src="data:…"><noscript><img src="/bridge.jpg"></noscript>`
_PLACEHOLDER = re.compile(
    rb"<(?i:img)\b([^<>]{0,2000})>(\s*<(?i:noscript)[^<>]{0,200}>)\s*(<(?i:img)\b[^<>]{0,2000}>)"
    rb"\s*(</(?i:noscript)>)"
)
_NOFRAMES = re.compile(rb"(</?)(?i:noframes)\b")
_PICTURE = re.compile(rb"<noscript[^<>]{0,200}>\s*<(?i:img)\b")
_CLASS_RULE = re.compile(rb"\.(c\d{1,4})\{([^{}]{0,1000})\}")  # `.c1{font-weight:700}`
MIN_NOSCRIPT_CHARS = 500  # a shorter text is a notice ("please enable JavaScript")


class SplitParams(NamedTuple):
    """Parameters of `split`. `elements` restricts the blocks to the text of these elements.

    `("h1", "p", "li")` is the recipe of Novotny (2014); empty means every block of text. With
    `hidden`, hidden elements are read as well, except dialogs. `opened` are the looks of hidden
    elements to read (see `elements.look`). `drop` are CSS selectors: elements with a part of a
    block's text lose it.
    """

    elements: tuple[str, ...] = ()
    hidden: bool = False
    opened: frozenset[Look] = frozenset()
    drop: str = ""


def split(page: Page, params: SplitParams = SplitParams()) -> Blocks:
    """Split a page into its paragraphs, however many; never raises on any page.

    Text inside `noscript` counts only where it holds the article: over 500 characters, and
    more than the rest of the page (forums that need JavaScript keep their threads there). So does
    text inside `noframes`, on a page with nothing else.

    >>> split(Page("<h1>Rain</h1><p>It rained.</p>")).texts
    ('Rain', 'It rained.')
    """
    return _blocks(page, params, None)


def as_blocks(source: Blocks | Source, elements: tuple[str, ...] = ()) -> Blocks:
    """Return blocks as they are, or those of a page; raises as `as_page` does."""
    if isinstance(source, Blocks):
        return source
    return split(as_page(source), SplitParams(elements))


def bounded(
    page: Page, params: SplitParams = SplitParams(), max_blocks: int | None = MAX_BLOCKS
) -> tuple[Page, Blocks]:
    """Return a page and its blocks; with more than `max_blocks`, an empty page "over-blocks".

    Reading stops after `max_blocks` blocks, so that no table grows further.
    """
    try:
        return page, _blocks(page, params, max_blocks)
    except OverBlocksError:
        page = Page("", page.url, status="over-blocks")
        return page, split(page)


_UNREADABLE = "\ufffd".encode()


def _blocks(page: Page, params: SplitParams, max_blocks: int | None) -> Blocks:
    """Split a page into blocks with their source; raises `OverBlocksError`."""
    walk_params = WalkParams(
        params.elements,
        max_blocks=max_blocks,
        hidden=params.hidden,
        opened=params.opened,
        drop=params.drop,
    )
    if not isinstance(page.html, str):
        kind = type(page.html).__name__
        raise CrfcleanError(f"Page takes text, not {kind}: use crfclean.page.decode.decode")
    html = _readable(page)
    walked, source = _walked(html, walk_params), "hidden" if params.hidden else ""
    table = walked.table
    if not table.chars_read and _NOFRAMES.search(html):  # the parser reads no tags in it
        framed = _walked(_NOFRAMES.sub(rb"\1div", html), walk_params)
        if framed.table.chars_read > MIN_NOSCRIPT_CHARS:
            walked, source = framed, "noscript"
    if table.noscript_chars > max(MIN_NOSCRIPT_CHARS, table.chars_read):
        walk_params = walk_params._replace(dropped=walk_params.dropped - {"noscript"})
        walked = _walked(html, walk_params)
        if walked.table.chars_read > 2 * table.chars_read:  # there may be only styles in it
            source = "noscript"
    blocks = blocks_of(*walked, page.truncated, source, page.repeated)
    rules = _class_rules(html, blocks.table)
    return replace(blocks, class_rules=rules) if rules else blocks


def _readable(page: Page) -> bytes:
    """Return a page in UTF-8, without what the parser reads in other ways than browsers."""
    html = read.encoded(page.html) if page.status == "ok" else b""
    if b"\0" in html:  # libxml2 2.14 reads the sign, 2.15 nothing, 2.9 a space
        html = html.replace(b"\0", _UNREADABLE)
    has_break_ends, has_noscript = read.signs(html)
    if has_break_ends:  # browsers break the line, the parser ignores it
        html = _BREAK_END.sub(b"<br", html)
    if has_noscript and _has_picture_in_noscript(html):
        html = _PLACEHOLDER.sub(_loaded, html)
    return html


def _class_rules(html: bytes, table: Table) -> dict[str, str]:
    """Return the styles of classes that are numbered as by Google Docs, which writes no `<b>`."""
    if not any(name[:1] == "c" and name[1:2].isdecimal() for name in table.classes):
        return {}
    rules = _CLASS_RULE.findall(html)
    return {name.decode(): style.decode("utf-8", "replace") for name, style in rules}


def _has_picture_in_noscript(html: bytes) -> bool:
    """Return whether any `noscript` begins with a picture; `_PLACEHOLDER` takes far longer."""
    at = html.find(b"<noscript")
    while at >= 0 and not _PICTURE.match(html, at):
        at = html.find(b"<noscript", at + 1)
    return at >= 0


def _loaded(placeholder: re.Match[bytes]) -> bytes:
    """Return the picture in a `noscript` in the place of its placeholder, if that has no address.

    The `noscript` stays, so that the places of elements are those of the page.
    """
    attributes, noscript, picture, end = placeholder.groups()
    is_empty = b"data:" in attributes or b"src" not in attributes
    return picture + noscript + end if is_empty else placeholder[0]


class _Walked(NamedTuple):
    """A page's table of the core, and the settings of its walk."""

    table: Table
    params: WalkParams


def _walked(source: bytes, params: WalkParams) -> _Walked:
    """Walk a page; again if text was joined across a boundary, or has buttons in it, or is code."""
    table = parse(source, params)
    if table.has_frames and "iframe" in params.dropped:
        params = params._replace(dropped=params.dropped - {"iframe"})
        table = parse(source, params)
    if table.torn:
        params = params._replace(block_level=frozenset(table.holder.tolist()))
        table = parse(source, params)
    if in_text := buttons_in_text(table):
        params = params._replace(in_text=in_text)
        table = parse(source, params)
    code = NO_CODE if params.elements else find_code(table)
    if params.drop:
        cut = pieces(blocks_of(table, params, "", ""), params.drop).tolist()
        if cut:
            code = code._replace(numbers=code.numbers.union(cut), is_cut=True)
    if code is NO_CODE:
        return _Walked(table, params)
    params = params._replace(code=code)
    return _Walked(parse(source, params) if code.is_cut else table, params)
