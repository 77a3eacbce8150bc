"""Collect a page's claims of its language: attributes and meta elements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from crfclean.metadata.language_tags import tag_of
from crfclean.page.head import in_head
from crfclean.types import Blocks, Document, Ints

_META = frozenset("content-language og:locale language dc.language dcterms.language".split())
"""Names, properties or `http-equiv` of `meta` elements that claim a language."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A language that the page claims: its tag, the source, and the node (-1 for none)."""

    tag: str
    source: str
    node: int = -1


def claims(document: Document) -> list[Claim]:
    """The languages that a page claims; the claim nearest to its text comes first."""
    blocks = document.blocks
    kept = document.kept or range(len(blocks))
    return [claim for claim in (*_around(blocks, kept), *_in_head(blocks)) if claim.tag]


def _around(blocks: Blocks, kept: Iterable[int]) -> Iterator[Claim]:
    """`lang` or `xml:lang` of the element around most of the kept text."""
    table, texts, sizes = blocks.table, blocks.texts, dict[int, int]()
    around = _inherited(blocks)[blocks.node].tolist()
    for index in kept:
        sizes[around[index]] = sizes.get(around[index], 0) + len(texts[index])
    best = max(sizes, key=lambda node: (sizes[node], -node), default=-1)
    if best < 0 and table.tags[:1] == ("html",):
        best = 0
    if best >= 0:
        source = f"{table.tags[best]} lang"
        yield Claim(tag_of(_lang(table.attributes[best])), source, best)


def _lang(attributes: Mapping[str, str]) -> str:
    return attributes.get("lang") or attributes.get("xml:lang") or ""


def _inherited(blocks: Blocks) -> Ints:
    """The nearest element with a valid language at or around each element, -1 for none; (m,)."""
    table = blocks.table
    sources = np.full(len(table.parent), -1, np.int64)
    # inner elements come later and overwrite outer ones
    for node in table.attributes.having(("lang", "xml:lang")):
        if tag_of(_lang(table.attributes[node])):
            sources[node : table.end[node]] = node
    return sources


def _in_head(blocks: Blocks) -> Iterator[Claim]:
    """Claims of `meta` elements before `body`."""
    for node, tag, pairs in in_head(blocks.table, "content"):
        if tag == "meta":
            name = pairs.get("http-equiv") or pairs.get("property") or pairs.get("name") or ""
            name = name.strip().lower()
            if name in _META:
                yield Claim(tag_of(pairs["content"]), f"meta {name}", node)
