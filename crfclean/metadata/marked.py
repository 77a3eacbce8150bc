"""Elements of a page's body -> candidates: microdata, RDFa, `rel`, `time`, classes, headings.

Classes are those of microformats (`p-author`, `dt-published`, `entry-title`) and what blogs and
news sites call theirs (`byline`, `post-date`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import MAX_ADDRESS, Candidate, plain
from crfclean.metadata.dates import MAX_CHARS, find, kind_of
from crfclean.metadata.linked import PLACES
from crfclean.metadata.names import MAX_CHARS as MAX_NAMES_CHARS
from crfclean.metadata.survey import Survey
from crfclean.types import Blocks

MAX_WORDS = 40  # characters before a date that say what it is
MAX_EACH = 6  # elements of a source that are read
MAX_UP = 30  # elements around one in which its scope is looked for
MAX_INSIDE = 200  # elements inside a scope in which the name is looked for

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
    "modified": "modified",
    "publisher": "site",
    "description": "description",
    "keywords": "tag",
    "articlesection": "category",
    "image": "image",
    "license": "licence",
}
_ATTRIBUTES = ("content", "datetime", "href", "src")


def said_by_marks(survey: Survey) -> Iterator[Candidate]:
    """The candidates of all elements that a survey found."""
    yield from _properties(survey)
    yield from _rels(survey)
    yield from _times(survey)
    yield from _classed(survey)
    yield from _headings(survey)
    yield from _profiles(survey)


def _near(survey: Survey, node: int) -> str:
    return "near" if survey.is_near(node) else "far"


def _properties(survey: Survey) -> Iterator[Candidate]:
    """`itemprop` and `property` of elements, with what they say or, of a scope, its name."""
    counts: dict[str, int] = {}
    for node in survey.marked:
        attributes = survey.blocks.nodes.attributes[node]
        way = "microdata" if "itemprop" in attributes else "rdfa"
        names = attributes.get("itemprop", attributes.get("property", ""))
        for name in names.split()[:5]:
            bare = name.replace(":", "/").rpartition("/")[2]
            kind = _PROPERTIES.get(bare.lower())
            source = f"{way} {bare}"
            if kind is None or counts.get(source, 0) >= MAX_EACH * 3:
                continue
            text = _said(survey, node, kind)
            if text:
                counts[source] = counts.get(source, 0) + 1
                yield Candidate(kind, (text,), source, _scope(survey.blocks, node), node)


def _said(survey: Survey, node: int, kind: str) -> str:
    """The value of an element: that of an attribute, else the name inside it, else its text."""
    attributes = survey.blocks.nodes.attributes[node]
    wanted = _ATTRIBUTES if kind in ("image", "licence") else _ATTRIBUTES[:2]
    told = next((attributes[name] for name in wanted if attributes.get(name)), "")
    if told:
        return plain(told, MAX_ADDRESS)
    if "itemscope" in attributes or "typeof" in attributes:
        for inner in range(node + 1, min(int(survey.blocks.nodes.end[node]), node + MAX_INSIDE)):
            said = survey.blocks.nodes.attributes[inner]
            if said.get("itemprop") == "name" or said.get("property", "").endswith("name"):
                return plain(said.get("content") or survey.text(inner))
    return survey.text(node)


def _scope(blocks: Blocks, node: int) -> str:
    """The type of the scope around an element: "article", one of `TYPES`, "other" or ""."""
    parent = int(blocks.nodes.parent[node])
    for _ in range(MAX_UP):
        if parent < 0:
            return ""
        attributes = blocks.nodes.attributes[parent]
        told = attributes.get("itemtype") or attributes.get("typeof")
        if told:
            bare = told.split()[0].rpartition("/")[2].rpartition(":")[2].lower()
            if bare.endswith(("article", "blogposting")):
                return "article"
            return PLACES.get(bare, "other")
        parent = int(blocks.nodes.parent[parent])
    return ""


def _rels(survey: Survey) -> Iterator[Candidate]:
    """Links that say that they lead to an author, a keyword, a licence."""
    counts: dict[str, int] = {}
    tags: dict[str, list[str]] = {}
    for rel, node in survey.rels:
        counts[rel] = counts.get(rel, 0) + 1
        href = plain(survey.blocks.nodes.attributes[node].get("href", ""), MAX_ADDRESS)
        if rel == "licence" and href:
            yield Candidate("licence", (href,), "rel license", node=node)
        elif rel in ("tag", "category"):
            tags.setdefault(rel, []).append(survey.text(node))
        elif counts[rel] <= MAX_EACH:
            yield from _shown(survey, node, "author", "rel author")
    for rel, texts in tags.items():
        first = next(node for one, node in survey.rels if one == rel)
        yield Candidate(rel, tuple(filter(None, texts)), f"rel {rel}", node=first)


def _times(survey: Survey) -> Iterator[Candidate]:
    """`time` elements: what they say to programs, else what they show."""
    for order, node in enumerate(survey.times[:20]):
        attributes = survey.blocks.nodes.attributes[node]
        text = plain(attributes.get("datetime") or survey.text(node), MAX_CHARS)
        words = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}"
        kind = _kind_of_date(survey, node, words)
        place = _near(survey, node) + (" first" if not order else "")
        if text:
            yield Candidate(kind, (text,), "time", place, node)


def _classed(survey: Survey) -> Iterator[Candidate]:
    """Elements whose class says what they hold."""
    counts: dict[tuple[str, str], int] = {}
    for kind, node in survey.classed:
        near = _near(survey, node)
        counts[kind, near] = counts.get((kind, near), 0) + 1
        if counts[kind, near] > MAX_EACH or not survey.holds(node):
            continue
        if kind == "author":
            yield from _shown(survey, node, "author", "class author")
        elif kind == "title":
            yield from _shown(survey, node, "title", "class title")
        else:
            text = survey.text(node)
            if len(text) <= MAX_CHARS:
                name = survey.blocks.nodes.attributes[node].get("class", "")
                what = _kind_of_date(survey, node, name)
                yield Candidate(what, (text,), "class date", near, node)


def _kind_of_date(survey: Survey, node: int, name: str) -> str:
    """What the class of an element, else the words before its date, say of the date."""
    told = "published" if "publish" in name.lower() else kind_of(name)
    if told:
        return told
    block = int(survey.blocks.nodes.first_block[node])
    line = survey.blocks.texts[block] if block < len(survey.blocks) else ""
    found = find(line)
    words = line[: found.start] if found else line
    return (kind_of(words) if len(words) <= MAX_WORDS else "") or "published"


def _shown(survey: Survey, node: int, kind: str, source: str) -> Iterator[Candidate]:
    """The first line of an element that is no label on its own ("By", "Author:")."""
    for line in survey.lines(node)[:3]:
        is_label = len(line) > MAX_NAMES_CHARS or line.lower().strip(" :") in _labels()
        if kind == "author" and is_label:
            continue
        yield Candidate(kind, (line,), source, _near(survey, node), node)
        return


@cache
def _labels() -> frozenset[str]:
    """Bylines without a name."""
    return lexicon().phrases(lambda language: language.bylines.labels)


def _headings(survey: Survey) -> Iterator[Candidate]:
    """The main heading, the first `h1`, and the first of the others."""
    ones = [node for node in survey.headings if survey.blocks.nodes.tags[node] == "h1"]
    twos = [node for node in survey.headings if survey.blocks.nodes.tags[node] == "h2"]
    ones = [node for node in ones[:MAX_EACH] if survey.holds(node)]
    named = [("heading", [survey.main] if survey.main >= 0 else []), ("h1", ones), ("h2", twos[:1])]
    for source, nodes in named:
        for order, node in enumerate(nodes):
            text = survey.text(node)
            place = ("only" if len(nodes) == 1 else "first") if not order else "more"
            if text:
                yield Candidate("title", (text,), source, place if source == "h1" else "", node)


def _profiles(survey: Survey) -> Iterator[Candidate]:
    """Links beside the heading whose address is that of a profile."""
    near = [node for node in survey.profiles if survey.is_near(node)]
    for node in near[:MAX_EACH]:
        yield from _shown(survey, node, "author", "profile link")
