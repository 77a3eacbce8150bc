"""`Document` -> what a page says of its language: attributes, meta elements, JSON-LD, addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from crfclean.metadata.language.tags import tag_of
from crfclean.page.head import objects
from crfclean.types import Blocks, Document

_META = {
    "content-language": "meta content-language",
    "og:locale": "meta og:locale",
    "language": "meta language",
    "dc.language": "meta dc.language",
    "dcterms.language": "meta dcterms.language",
}
"""Name, property or `http-equiv` of a `meta` element -> what the claim's source is called."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A language that the page names: its tag, where, and the element (-1: none)."""

    tag: str
    source: str
    node: int = -1


def claims(document: Document) -> list[Claim]:
    """The languages that a page names, the nearest to its text first; no tag is empty."""
    blocks = document.blocks
    wanted = document.kept or range(len(blocks))
    found = [
        *_around(blocks, wanted),
        *_in_head(blocks),
        *_in_json(blocks),
        *_in_links(blocks, document.url),
    ]
    return [one for one in found if one.tag]


def _around(blocks: Blocks, wanted: Iterable[int]) -> Iterator[Claim]:
    """What the elements around most of the text say (`lang`, `xml:lang`)."""
    nodes, sizes = blocks.nodes, Counter[int]()
    known = _inherited(blocks)
    for index in wanted:
        sizes[known[int(blocks.node[index])]] += len(blocks.texts[index])
    best = max(sizes, key=lambda node: (sizes[node], -node), default=-1)
    if best < 0 and nodes.tags[:1] == ("html",):
        best = 0
    if best >= 0:
        source = f"{nodes.tags[best]} lang"
        yield Claim(tag_of(_lang(nodes.attributes[best])), source, best)


def _lang(attributes: Mapping[str, str]) -> str:
    return attributes.get("lang") or attributes.get("xml:lang") or ""


def _inherited(blocks: Blocks) -> list[int]:
    """For every element the nearest one that names a language, itself included; -1: none."""
    nodes = blocks.nodes
    found = np.full(len(nodes), -1, np.int64)
    named = [
        node
        for node, given in enumerate(nodes.attributes)
        if given and ("lang" in given or "xml:lang" in given)
    ]
    for node in named:  # those inside come later
        if tag_of(_lang(nodes.attributes[node])):
            found[node : nodes.end[node]] = node
    inherited: list[int] = found.tolist()
    return inherited


def _in_head(blocks: Blocks) -> Iterator[Claim]:
    """What `meta` elements say, up to `body`."""
    pairs = zip(blocks.nodes.tags, blocks.nodes.attributes, strict=True)
    for node, (tag, given) in enumerate(pairs):
        if tag == "body":
            return
        if tag == "meta" and "content" in given:
            name = given.get("http-equiv") or given.get("property") or given.get("name") or ""
            source = _META.get(name.strip().lower())
            if source:
                yield Claim(tag_of(given["content"]), source, node)


def _in_json(blocks: Blocks) -> Iterator[Claim]:
    """`inLanguage` of the page's structured data, where all agree."""
    found = set()
    for value in objects(blocks.json_ld):
        told = value.get("inLanguage")
        if isinstance(told, dict):
            told = told.get("alternateName") or told.get("name")
        if isinstance(told, str):
            found.add(tag_of(told))
    if len(found) == 1:
        yield Claim(found.pop(), "json-ld inLanguage")


def _in_links(blocks: Blocks, url: str | None) -> Iterator[Claim]:
    """`hreflang` of the alternate that is the page itself, by its canonical or own address."""
    own, alternates = {url} if url else set(), []
    for node in [node for node, tag in enumerate(blocks.nodes.tags) if tag == "link"]:
        given = blocks.nodes.attributes[node]
        if "href" in given:
            relations = given.get("rel", "").lower().split()
            if "canonical" in relations:
                own.add(given["href"])
            if "alternate" in relations and given.get("hreflang", "x-default") != "x-default":
                alternates.append((node, given))
    same = [(node, given) for node, given in alternates if given["href"] in own]
    if len(same) == 1:
        yield Claim(tag_of(same[0][1]["hreflang"]), "link hreflang", same[0][0])
