"""Locate the words of each block in the page's elements, and read them back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from crfclean.core.rows import Paths
from crfclean.page.chars import visible
from crfclean.page.measures import count_texts, once
from crfclean.types import Blocks

_NAME = re.compile(r"[a-z_][\w.-]*", re.ASCII | re.IGNORECASE)


class Piece(NamedTuple):
    """A piece of a block's text."""

    path: str
    start: int
    end: int


def places(blocks: Blocks, indices: Iterable[int]) -> dict[int, list[Piece]]:
    """Return the pieces of the text of some blocks, by index; linear in the page."""
    table = blocks.table
    # its counts are without soft hyphens
    counts = count_texts((), tuple(table.run_texts)) if table.has_marks else table
    found = paths(blocks).places(indices, table.discarded, counts)
    return {index: list(map(Piece._make, pieces)) for index, pieces in found.items()}


@once
def paths(page: Blocks) -> Paths:
    """Return the XPaths of the elements of a page, which are made when they are asked for."""
    return Paths(page.table, list(map(_node_test, page.table.tag_names)))


def _node_test(tag: str) -> str:
    """A node test for a tag, even one that XPath would read as something else (`o:p`)."""
    if _NAME.fullmatch(tag):
        return tag
    quote = "'" if '"' in tag else '"'
    return f"*[name()={quote}{tag.replace(quote, '')}{quote}]"


def words_at(tree: Any, block: Mapping[str, Any]) -> str:
    """Return the characters of a block in a parsed page, without white space.

    `block` has `xpath` and `place` as in the JSON formats; `tree` is the page as parsed by `lxml`.
    Pieces that are not in the tree are left out, since parsers build different trees.
    """
    words = []
    for element in tree.xpath(block["xpath"]):
        for piece in block["place"]:
            text = "".join(visible("".join(element.xpath(f"{piece['path']}/text()"))).split())
            words.append(text[piece["start"] : piece["end"]])
    return "".join(words)
