"""Candidates of the elements `meta`, `link` and `title`.

Names are those of OpenGraph, article:*, Dublin Core, citation_* (Highwire), parsely, sailthru,
twitter, and plain ones. Elements in the body count as well: many pages have them there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import MAX_OF_A_SOURCE, Candidate, single_line
from crfclean.page.measures import measured
from crfclean.types import Blocks

_MAX_ELEMENTS = 2_000  # `meta` and `link` elements of a page that are read

_LISTED: Mapping[str, str] = {
    "title": (
        "og:title twitter:title dc.title dcterms.title citation_title parsely-title "
        "sailthru.title title headline"
    ),
    "author": (
        "author article:author og:article:author dc.creator dcterms.creator citation_author "
        "parsely-author sailthru.author byl byline article:author_name creator rbauthors "
        "twitter:creator dc.contributor authors article.author"
    ),
    "published": (
        "article:published_time og:published_time og:article:published_time datepublished dc.date "
        "dc.date.issued dc.date.created dcterms.date dcterms.created dcterms.issued "
        "citation_publication_date citation_date citation_online_date parsely-pub-date "
        "sailthru.date pubdate publishdate publish-date publish_date date article.published "
        "publication_date published-date published_date date.created release_date created "
        "cxenseparse:recs:publishtime article_date_original originalpublicationdate "
        "bt:pubdate article:published timestamp published ms.date publicationdate published_at"
    ),
    "modified": (
        "article:modified_time og:updated_time og:modified_time lastmod last-modified "
        "dcterms.modified dc.date.modified datemodified revised date.updated article.updated "
        "article:modified modified_time dateupdate last_updated updated_at updated last_modified"
    ),
    "site": "og:site_name application-name apple-mobile-web-app-title citation_journal_title",
    "address": "og:url twitter:url",
    "description": (
        "description og:description twitter:description dc.description dcterms.abstract "
        "dcterms.description sailthru.description"
    ),
    "tag": (
        "article:tag keywords news_keywords parsely-tags sailthru.tags citation_keywords "
        "dc.subject dcterms.subject"
    ),
    "category": "article:section parsely-section category",
    "image": (
        "og:image og:image:url og:image:secure_url twitter:image twitter:image:src "
        "parsely-image-url sailthru.image.full thumbnail"
    ),
    "licence": "dcterms.license dc.rights.license dcterms.rights dc.rights",
}
_OWN_DATE = "publication date"
"""What stands for the names that single sites give the day of publication: "w-published-date"."""

_PUBLICATION = re.compile(
    r"publi(?:sh|c)\w{0,8}?(?:[-_.: ]?(?:date|time)|[-_.: ](?:at|on))\b|"
    r"(?:date|time)[-_.: ]?publi|pub[-_.]?date"
)
_MAX_NAME_CHARS = 100  # of a name that is read

META = {name: kind for kind, names in _LISTED.items() for name in names.split()} | {
    _OWN_DATE: "published"
}
"""Name, property or itemprop of a `meta` element, in lower case -> the kind of its value."""

LINKS = {"canonical": "address", "license": "licence", "image_src": "image"}
"""`rel` of a `link` element -> the kind of its address."""

_ONE_EACH = frozenset(
    "article:tag citation_author dc.creator dc.contributor author parsely-author "
    "article:section".split()
)
"""Names of repeated elements: each has one value, and together they are one candidate."""


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
            repeated.setdefault(name, ([], node))[0].append(text)
        else:
            texts = tuple(_listed(text)) if kind == "tag" else (text,)
            yield Candidate(kind, texts, name, node=node)
    for name, (values, node) in repeated.items():
        yield Candidate(META[name[5:]], tuple(values), name, node=node)
    yield from _labelled(elements)


def _elements(blocks: Blocks) -> list[tuple[int, Mapping[str, str]]]:
    """(node, attributes) of the first `meta` and `link` elements."""
    attributes = blocks.nodes.attributes
    nodes = np.flatnonzero(measured(blocks).is_tag(("meta", "link")))[:_MAX_ELEMENTS]
    return [(node, attributes[node]) for node in nodes.tolist()]


def _named(elements: Iterable[tuple[int, Mapping[str, str]]]) -> Iterator[tuple[int, str, str]]:
    """(node, source, text) of the elements that `META` and `LINKS` list."""
    for node, attributes in elements:
        if "content" in attributes:
            for name in _known_names(attributes):
                text = single_line(attributes["content"])
                if text:
                    yield node, f"meta {name}", text
        elif "href" in attributes:
            for rel in attributes.get("rel", "").lower().split()[:5]:
                if rel in LINKS and attributes["href"].strip():
                    yield node, f"link {rel}", attributes["href"].strip()


def _known_names(attributes: Mapping[str, str]) -> list[str]:
    """The names of a `meta` element that `META` lists, else `_OWN_DATE` for a name like them."""
    names = {attributes[key].strip().lower() for key in _KEYS if key in attributes}
    listed = sorted(filter(META.__contains__, names))
    is_date = not listed and any(_PUBLICATION.search(name[:_MAX_NAME_CHARS]) for name in names)
    return [_OWN_DATE] if is_date else listed


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
