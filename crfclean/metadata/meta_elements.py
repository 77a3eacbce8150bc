"""Candidates of the elements `meta`, `link` and `title`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import (
    MAX_OF_A_SOURCE,
    METADATA_SOURCES,
    Candidate,
    kinds_by_name,
    single_line,
)
from crfclean.types import Blocks

_MAX_ELEMENTS = 2_000  # `meta` and `link` elements of a page that are read


META = kinds_by_name("meta")
"""Name, property or itemprop of a `meta` element, in lower case -> the kind of its value."""

LINKS = {"canonical": "address", "license": "licence", "image_src": "image"}
"""`rel` of a `link` element -> the kind of its address."""

_NAMES_OF_PAPER = "meta citation_authors"  # "Moor, Ann; Stone, Leo"
_ONE_EACH = frozenset(METADATA_SOURCES["lists"]["one_each"].split())
"""Names of elements that are repeated for several values, which make one candidate."""


def meta_candidates(blocks: Blocks) -> Iterator[Candidate]:
    """The candidates of `meta` and `link` elements and of the `title`."""
    if blocks.title:
        yield Candidate("title", (single_line(blocks.title),), "title")
    elements = _elements(blocks)
    counts: Counter[str] = Counter()
    repeated: dict[str, tuple[list[str], int]] = {}
    for node, name, text in _named(elements):
        counts[name] += 1
        if counts[name] > MAX_OF_A_SOURCE:
            continue
        kind = LINKS[name[5:]] if name.startswith("link ") else META[name[5:]]
        if name[5:] in _ONE_EACH:
            parts = text.split(";") if name == _NAMES_OF_PAPER else [text]
            repeated.setdefault(name, ([], node))[0].extend(filter(None, map(str.strip, parts)))
        else:
            texts = tuple(_listed(text)) if kind == "tag" else (text,)
            yield Candidate(kind, texts, name, node=node)
    for name, (values, node) in repeated.items():
        yield Candidate(META[name[5:]], tuple(values), name, node=node)
    yield from _labelled(elements)


def _elements(blocks: Blocks) -> list[tuple[int, Mapping[str, str]]]:
    """(node, attributes) of the first `meta` and `link` elements."""
    attributes = blocks.table.attributes
    nodes = np.flatnonzero(blocks.table.is_tag("meta", "link"))[:_MAX_ELEMENTS]
    return [(node, attributes[node]) for node in nodes.tolist()]


def _named(elements: Iterable[tuple[int, Mapping[str, str]]]) -> Iterator[tuple[int, str, str]]:
    """(node, source, text) of the elements that `META` and `LINKS` list."""
    for node, attributes in elements:
        if "content" in attributes:
            names = {attributes[key].strip().lower() for key in _KEYS if key in attributes}
            for name in sorted(filter(META.__contains__, names)):
                text = single_line(attributes["content"])
                if text:
                    yield node, f"meta {name}", text
        elif "href" in attributes:
            for rel in attributes.get("rel", "").lower().split()[:5]:
                if rel in LINKS and attributes["href"].strip():
                    yield node, f"link {rel}", attributes["href"].strip()


_KEYS = ("property", "name", "http-equiv")


def _listed(text: str) -> Iterator[str]:
    """The keywords of a list."""
    for part in text.replace("，", ",").replace(";", ",").replace("、", ",").split(","):
        if part.strip():
            yield part.strip()


def _labelled(elements: Iterable[tuple[int, Mapping[str, str]]]) -> Iterator[Candidate]:
    """`twitter:data1` if `twitter:label1` is "Written by"."""
    labels, data = {}, {}
    for node, attributes in elements:
        name = (attributes.get("name") or attributes.get("property") or "").lower()
        if name.startswith("twitter:label"):
            labels[name[13:]] = attributes.get("content", "").strip().lower()
        elif name.startswith("twitter:data"):
            data[name[12:]] = (single_line(attributes.get("content", "")), node)
    for number, label in labels.items():
        if label in _written_by() and data.get(number, ("", 0))[0]:
            text, node = data[number]
            yield Candidate("author", (text,), "meta twitter:data", node=node)


@cache
def _written_by() -> frozenset[str]:
    """Labels of authors on Twitter's cards, in lower case."""
    return lexicon().phrases(lambda language: language.bylines.card_labels)
