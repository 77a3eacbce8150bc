"""Candidates of the body's markup: microdata, RDFa, `rel`, `time`, classes, headings.

Classes are those of microformats (`p-author`, `dt-published`, `entry-title`) and those that are
common on blogs and news sites (`byline`, `post-date`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import MAX_LINK_CHARS, Candidate, single_line
from crfclean.metadata.dates import MAX_DATE_CHARS, find_date, kind_of
from crfclean.metadata.linked import PLACE_OF_TYPE
from crfclean.metadata.names import MAX_BYLINE_CHARS
from crfclean.metadata.survey import STAMPS, Survey
from crfclean.types import Blocks

_MAX_LABEL_CHARS = 40  # characters before a date that say of what kind it is
_MAX_EACH = 6  # elements of a source that are read
_MAX_ANCESTORS = 30  # elements that are searched upwards for a scope
_MAX_INSIDE = 200  # elements of a scope that are searched for its name

_PROPERTIES: Mapping[str, str] = {
    "headline": "title",
    "name": "title",
    "title": "title",
    "author": "author",
    "creator": "author",
    "datepublished": "published",
    "datecreated": "published",
    "issued": "published",
    "date": "published",
    "datemodified": "modified",
    "dateupdate": "modified",
    "dateupdated": "modified",
    "modified": "modified",
    "publisher": "site",
    "description": "description",
    "keywords": "tag",
    "articlesection": "category",
    "image": "image",
    "license": "licence",
}
_ATTRIBUTES = ("content", "datetime", "href", "src")


def markup_candidates(survey: Survey) -> Iterator[Candidate]:
    """The candidates of all elements of a survey."""
    yield from _properties(survey)
    yield from _rels(survey)
    yield from _times(survey)
    yield from _stamps(survey)
    yield from _classed(survey)
    yield from _headings(survey)
    yield from _profiles(survey)


def _near(survey: Survey, node: int) -> str:
    return "near" if survey.is_near(node) else "far"


def _properties(survey: Survey) -> Iterator[Candidate]:
    """Elements with `itemprop` or `property`, with their values."""
    counts: dict[str, int] = {}
    for node in survey.marked:
        attributes = survey.blocks.nodes.attributes[node]
        syntax = "microdata" if "itemprop" in attributes else "rdfa"
        names = attributes.get("itemprop", attributes.get("property", ""))
        for name in names.split()[:5]:
            local_name = name.replace(":", "/").rpartition("/")[2]
            kind = _PROPERTIES.get(local_name.lower())
            source = f"{syntax} {local_name}"
            if kind is None or counts.get(source, 0) >= _MAX_EACH * 3:
                continue
            text = _property_value(survey, node, kind)
            if text:
                counts[source] = counts.get(source, 0) + 1
                yield Candidate(kind, (text,), source, _scope(survey.blocks, node), node)


def _property_value(survey: Survey, node: int, kind: str) -> str:
    """The value of an element: an attribute, else the name inside a scope, else the text."""
    attributes = survey.blocks.nodes.attributes[node]
    names = _ATTRIBUTES if kind in ("image", "licence") else _ATTRIBUTES[:2]
    value = next((attributes[name] for name in names if attributes.get(name)), "")
    if value:
        return single_line(value, MAX_LINK_CHARS)
    if "itemscope" in attributes or "typeof" in attributes:
        for inner in range(node + 1, min(int(survey.blocks.nodes.end[node]), node + _MAX_INSIDE)):
            pairs = survey.blocks.nodes.attributes[inner]
            if pairs.get("itemprop") == "name" or pairs.get("property", "").endswith("name"):
                return single_line(pairs.get("content") or survey.text(inner))
    return " | ".join(survey.parted_lines(node)) if kind == "author" else survey.text(node)


def _scope(blocks: Blocks, node: int) -> str:
    """The place of an element, as in `linked.py`, by the type of its scope; "" outside scopes."""
    parent = int(blocks.nodes.parent[node])
    for _ in range(_MAX_ANCESTORS):
        if parent < 0:
            return ""
        attributes = blocks.nodes.attributes[parent]
        types = attributes.get("itemtype") or attributes.get("typeof")
        if types:
            name = types.split()[0].rpartition("/")[2].rpartition(":")[2].lower()
            if name.endswith(("article", "blogposting")):
                return "article"
            return PLACE_OF_TYPE.get(name, "other")
        parent = int(blocks.nodes.parent[parent])
    return ""


def _rels(survey: Survey) -> Iterator[Candidate]:
    """Links whose `rel` is author, tag, category or licence."""
    counts: dict[str, int] = {}
    tags: dict[str, list[str]] = {}
    for rel, node in survey.rels:
        counts[rel] = counts.get(rel, 0) + 1
        href = single_line(survey.blocks.nodes.attributes[node].get("href", ""), MAX_LINK_CHARS)
        if rel == "licence" and href:
            yield Candidate("licence", (href,), "rel license", node=node)
        elif rel in ("tag", "category"):
            tags.setdefault(rel, []).append(survey.text(node))
        elif counts[rel] <= _MAX_EACH:
            yield from _shown(survey, node, "author", "rel author")
    for rel, texts in tags.items():
        first = next(node for name, node in survey.rels if name == rel)
        yield Candidate(rel, tuple(filter(None, texts)), f"rel {rel}", node=first)


def _times(survey: Survey) -> Iterator[Candidate]:
    """`time` elements: the attribute `datetime`, else the text."""
    for order, node in enumerate(survey.times[:20]):
        attributes = survey.blocks.nodes.attributes[node]
        text = single_line(attributes.get("datetime") or survey.text(node), MAX_DATE_CHARS)
        words = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}"
        kind = _kind_of_date(survey, node, words)
        place = _near(survey, node) + (" first" if not order else "")
        if text:
            yield Candidate(kind, (text,), "time", place, node)


def _stamps(survey: Survey) -> Iterator[Candidate]:
    """Dates in attributes that scripts show to the reader as "3 days ago"."""
    for order, node in enumerate(survey.stamps):
        attributes = survey.blocks.nodes.attributes[node]
        text = next(attributes[name] for name in STAMPS if attributes.get(name))
        kind = _kind_of_date(survey, node, attributes.get("class", ""))
        place = _near(survey, node) + (" first" if not order else "")
        yield Candidate(kind, (single_line(text, MAX_DATE_CHARS),), "stamp", place, node)


def _classed(survey: Survey) -> Iterator[Candidate]:
    """Elements whose class names the kind of their value."""
    counts: dict[tuple[str, str], int] = {}
    for kind, node in survey.classed:
        near = _near(survey, node)
        counts[kind, near] = counts.get((kind, near), 0) + 1
        if counts[kind, near] > _MAX_EACH or not survey.holds(node):
            continue
        if kind == "author":
            yield from _shown(survey, node, "author", "class author")
        elif kind == "title":
            yield from _shown(survey, node, "title", "class title")
        else:
            text = _shown_date(survey, node)
            if len(text) <= MAX_DATE_CHARS:
                name = survey.blocks.nodes.attributes[node].get("class", "")
                date_kind = _kind_of_date(survey, node, name)
                yield Candidate(date_kind, (text,), "class date", near, node)


def _shown_date(survey: Survey, node: int) -> str:
    """The text of an element, or its tooltip where that alone has a date: "3 days ago"."""
    text = " ".join(survey.parted_lines(node))
    title = survey.blocks.nodes.attributes[node].get("title", "")
    return single_line(title) if title and not find_date(text) and find_date(title) else text


def _kind_of_date(survey: Survey, node: int, name: str) -> str:
    """The kind of a date, by the class of its element, else by the words before it."""
    kind = "published" if "publish" in name.lower() else kind_of(name)
    if kind:
        return kind
    block = int(survey.blocks.nodes.first_block[node])
    line = survey.blocks.texts[block] if block < len(survey.blocks) else ""
    date = find_date(line)
    words = line[: date.start] if date else line
    return (kind_of(words) if len(words) <= _MAX_LABEL_CHARS else "") or "published"


def _shown(survey: Survey, node: int, kind: str, source: str) -> Iterator[Candidate]:
    """The first line of an element that is more than a label ("By", "Author:")."""
    lines = survey.parted_lines(node) if kind == "author" else survey.lines(node)
    for line in lines[:3]:
        is_label = len(line) > MAX_BYLINE_CHARS or line.lower().strip(" :") in _labels()
        if kind == "author" and is_label:
            continue
        yield Candidate(kind, (line,), source, _near(survey, node), node)
        return


@cache
def _labels() -> frozenset[str]:
    """Labels of bylines, in lower case."""
    return lexicon().phrases(lambda language: language.bylines.labels)


def _headings(survey: Survey) -> Iterator[Candidate]:
    """The main heading, all `h1` and the first `h2`."""
    tags = survey.blocks.nodes.tags
    main = [survey.main] if survey.main >= 0 else []
    first_level = [node for node in survey.headings if tags[node] == "h1"][:_MAX_EACH]
    first_level = [node for node in first_level if survey.holds(node)]
    second_level = [node for node in survey.headings if tags[node] == "h2"][:1]
    sources = {"heading": main, "h1": first_level, "h2": second_level}
    for source, nodes in sources.items():
        for order, node in enumerate(nodes):
            text = survey.text(node)
            place = ("only" if len(nodes) == 1 else "first") if not order else "more"
            if text:
                yield Candidate("title", (text,), source, place if source == "h1" else "", node)


def _profiles(survey: Survey) -> Iterator[Candidate]:
    """Links to profiles near the main heading."""
    near = [node for node in survey.profiles if survey.is_near(node)]
    for node in near[:_MAX_EACH]:
        yield from _shown(survey, node, "author", "profile link")
