"""Tell which pictures of a page belong to a text, of which some blocks are kept."""

from __future__ import annotations

import re

import numpy as np

from crfclean.core.table import Table
from crfclean.page.elements import held
from crfclean.page.head import MEDIA, media_source
from crfclean.types import Blocks, Bools

_TINY_PIXELS = 32  # smaller pictures are icons and tracking pixels
_NUMBER = re.compile(r"\s*(\d{1,5})")


def text_pictures(page: Blocks, kept: Bools, root: int) -> list[int]:
    """Return the pictures inside an element that belong to the kept blocks (n,).

    They have an address, are not tiny, and most of the text around them is kept. These are rules of
    Golovko and Lapin (2015); `products/papers/article.py` has all of them.
    """
    table, inside = page.table, range(root + 1, int(page.table.end[root]))
    media = [node for node in np.flatnonzero(page.table.is_tag(*MEDIA)).tolist() if node in inside]
    if not media:
        return []
    among = is_among_kept(page, kept)
    seen = (node for node in media if media_source(table, node) and not is_tiny(table, node))
    return [node for node in seen if among[node]]


def is_tiny(table: Table, node: int) -> bool:
    """Return whether a picture's attributes make it only a few pixels wide or high."""
    values = map(table.attributes[node].get, ("width", "height"))
    sizes = [_NUMBER.match(value or "") for value in values]
    return any(size is not None and int(size[1]) < _TINY_PIXELS for size in sizes)


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
