"""Tell which pictures of a page belong to a text, of which some blocks are kept."""

from __future__ import annotations

import re

import numpy as np

from crfclean.core.table import Table
from crfclean.page.decoration import decoration
from crfclean.page.elements import held
from crfclean.page.head import media, media_source
from crfclean.types import Blocks, Bools

_TINY_PIXELS = 32  # smaller pictures are icons and tracking pixels
_ICON_PIXELS = 4  # still smaller ones are tracking pixels
_MAX_RUNS = 3  # of text beside a picture, that may be white space
_MAX_ANCESTORS = 4  # of a picture, that may be a link
_WORD = re.compile(r"\w")
_NUMBER = re.compile(r"\s*(\d{1,5})")


def text_pictures(page: Blocks, kept: Bools, root: int) -> list[int]:
    """Return the pictures inside an element that belong to the kept blocks (n,).

    They have an address, are not tiny, and most of the text around them is kept. These are rules of
    Golovko and Lapin (2015); `products/papers/article.py` has all of them. A tiny one stays inside
    a sentence that needs it; counters, buttons and banners are left out.
    """
    table, inside = page.table, range(root + 1, int(page.table.end[root]))
    nodes = [node for node in media(table) if node in inside and media_source(table, node)]
    if not nodes:
        return []
    among, apart = is_among_kept(page, kept), decoration(page, nodes)
    shown = (node for node in nodes if not is_tiny(table, node) or in_sentence(table, node))
    return [node for node in shown if among[node] and node not in apart]


def in_sentence(table: Table, node: int) -> bool:
    """Return whether a picture with a description has text of one block before and after it.

    It stands for words, as `press <img src="gear.png" alt="Settings" width="16"> twice`; in or
    beside links it is an icon.
    """
    alt, sizes = table.attributes[node].get("alt") or "", _sizes(table, node)
    if _is_linked(table, node) or not _WORD.search(alt) or min(sizes, default=0) < _ICON_PIXELS:
        return False
    at = int(table.run_after.searchsorted(node, "right"))
    before, after = range(at - 1, -1, -1)[:_MAX_RUNS], range(at, len(table.run_texts))[:_MAX_RUNS]
    beside = [
        next((run for run in runs if table.run_texts[run].strip()), -1) for runs in (before, after)
    ]
    if min(beside) < 0 or table.run_block[beside[0]] != table.run_block[beside[1]]:
        return False
    return not any(_is_linked(table, int(table.run_node[run])) for run in beside)


def _is_linked(table: Table, node: int) -> bool:
    return any(table.tags[around] == "a" for around in table.around(node, _MAX_ANCESTORS))


def is_tiny(table: Table, node: int) -> bool:
    """Return whether a picture's attributes make it only a few pixels wide or high."""
    return any(size < _TINY_PIXELS for size in _sizes(table, node))


def _sizes(table: Table, node: int) -> list[int]:
    """The width and height that a picture's attributes state."""
    values = map(table.attributes[node].get, ("width", "height"))
    return [int(match[1]) for value in values if (match := _NUMBER.match(value or ""))]


def is_among_kept(page: Blocks, kept: Bools) -> Bools:
    """Mark each element around which at least half of the characters are kept, (m,).

    They are those of the nearest element that has text beside captions; captions do not count,
    unless there is nothing else.
    """
    is_caption = page.table.within("figcaption")[page.node] > 0
    chars = np.where(is_caption, 0.0, page.chars)
    chars = chars if chars.any() else page.chars
    all_chars = held(page, chars)
    shares = held(page, np.where(kept, chars, 0.0)) / np.maximum(all_chars, 1.0)
    frames = page.table.is_tag("figure", "figcaption", "picture")
    among: Bools = shares[page.table.nearest((all_chars > 0) & ~frames)] >= 0.5
    return among
