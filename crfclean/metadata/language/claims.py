"""Collect a page's claims of its language: attributes, meta elements, JSON-LD, links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from crfclean.metadata.language.tags import tag_of
from crfclean.page.arrays import having
from crfclean.page.head import objects
from crfclean.page.measures import measured
from crfclean.types import Blocks, Document, Ints

_META = {
    "content-language": "meta content-language",
    "og:locale": "meta og:locale",
    "language": "meta language",
    "dc.language": "meta dc.language",
    "dcterms.language": "meta dcterms.language",
}
"""Name, property or `http-equiv` of a `meta` element -> the source of the claim."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A language that the page claims: its tag, the source, and the node (-1 for none)."""

    tag: str
    source: str
    node: int = -1


def claims(document: Document) -> list[Claim]:
    """The languages that a page claims, those nearest to its text first; no tag is empty."""
    blocks = document.blocks
    kept = document.kept or range(len(blocks))
    candidates = [
        *_around(blocks, kept),
        *_in_head(blocks),
        *_in_json(blocks),
        *_in_links(blocks, document.url),
    ]
    return [claim for claim in candidates if claim.tag]


def _around(blocks: Blocks, kept: Iterable[int]) -> Iterator[Claim]:
    """`lang` or `xml:lang` of the element around most of the kept text."""
    nodes, sizes = blocks.nodes, Counter[int]()
    around = _inherited(blocks)[blocks.node].tolist()
    for index in kept:
        sizes[around[index]] += len(blocks.texts[index])
    best = max(sizes, key=lambda node: (sizes[node], -node), default=-1)
    if best < 0 and nodes.tags[:1] == ("html",):
        best = 0
    if best >= 0:
        source = f"{nodes.tags[best]} lang"
        yield Claim(tag_of(_lang(nodes.attributes[best])), source, best)


def _lang(attributes: Mapping[str, str]) -> str:
    return attributes.get("lang") or attributes.get("xml:lang") or ""


def _inherited(blocks: Blocks) -> Ints:
    """For every element: the nearest one around it, or itself, that claims a language; or -1."""
    nodes = blocks.nodes
    sources = np.full(len(nodes), -1, np.int64)
    # inner elements come later and overwrite outer ones
    for node in having(nodes.attributes, ("lang", "xml:lang")):
        if tag_of(_lang(nodes.attributes[node])):
            sources[node : nodes.end[node]] = node
    return sources


def _in_head(blocks: Blocks) -> Iterator[Claim]:
    """Claims of `meta` elements before `body`."""
    elements = zip(blocks.nodes.tags, blocks.nodes.attributes, strict=True)
    for node, (tag, pairs) in enumerate(elements):
        if tag == "body":
            return
        if tag == "meta" and "content" in pairs:
            name = pairs.get("http-equiv") or pairs.get("property") or pairs.get("name") or ""
            source = _META.get(name.strip().lower())
            if source:
                yield Claim(tag_of(pairs["content"]), source, node)


def _in_json(blocks: Blocks) -> Iterator[Claim]:
    """`inLanguage` of the page's JSON-LD, if all objects agree."""
    tags = set()
    for item in objects(blocks.json_ld):
        language = item.get("inLanguage")
        if isinstance(language, dict):
            language = language.get("alternateName") or language.get("name")
        if isinstance(language, str):
            tags.add(tag_of(language))
    if len(tags) == 1:
        yield Claim(tags.pop(), "json-ld inLanguage")


def _in_links(blocks: Blocks, url: str | None) -> Iterator[Claim]:
    """`hreflang` of the alternate whose address is the page's URL or its canonical address."""
    addresses, alternates = {url} if url else set(), []
    for node in np.flatnonzero(measured(blocks).is_tag(("link",))).tolist():
        pairs = blocks.nodes.attributes[node]
        if "href" in pairs:
            relations = pairs.get("rel", "").lower().split()
            if "canonical" in relations:
                addresses.add(pairs["href"])
            if "alternate" in relations and pairs.get("hreflang", "x-default") != "x-default":
                alternates.append((node, pairs))
    same = [(node, pairs) for node, pairs in alternates if pairs["href"] in addresses]
    if len(same) == 1:
        node, pairs = same[0]
        yield Claim(tag_of(pairs["hreflang"]), "link hreflang", node)
