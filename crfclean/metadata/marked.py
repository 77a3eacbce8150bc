"""Find candidates in the body: in markup, and in bylines and dates near the heading."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, groupby, islice, pairwise
from typing import NamedTuple

import numpy as np

from crfclean.lexicon import lexicon
from crfclean.lexicon.branches import branched
from crfclean.metadata import dates
from crfclean.metadata.candidates import (
    MAX_LINK_CHARS,
    MAX_VALUE_CHARS,
    METADATA_SOURCES,
    Candidate,
    kinds_by_name,
    single_line,
)
from crfclean.metadata.eras import in_common_era
from crfclean.metadata.heading import find_best_header
from crfclean.metadata.json_ld import PLACE_OF_TYPE
from crfclean.metadata.names import (
    MAX_BYLINE_CHARS,
    NEXT,
    UNSPACED_NAME,
    TextRun,
    bare_names,
    by,
    is_label,
    is_of_others,
    names_of,
    parted,
    unspaced_by,
)
from crfclean.page.chars import having_part
from crfclean.types import Blocks, Bools, Ints

# find the elements that may state metadata: headings, times, classes, microdata, links

_MAX_CLASS_CHARS = 300  # of a class or id that are read
_MAX_RUNS = 300  # runs of text of an element that are read
_MAX_MARKED = 1_000  # elements with `itemprop` or `property` that are read
_MAX_NEAR = 2_000  # elements near the heading that may be links to a profile
_MAX_TIMES = 20
_MAX_NODES = 200  # elements of each other kind
NEAR_BEFORE, NEAR_AFTER = 8, 14  # blocks around the main heading that may be its byline

_CLASSES = {
    "title": re.compile(
        r"(?:entry|post|article|page|topic|thread|product|story|content|blog|news)[-_]{0,2}"
        r"(?:title|headline|heading|name)|^headline$|p-name|\bheadline\b",
    ),
    "author": re.compile(
        r"(?<![a-z])(?:p-)?(?:author|byline|autor|auteur|writer|username|user-?_?name|poster|"
        r"contributor|posted-?_?by|creator)|(?<=[a-z])(?:Author|ByLine|Byline|username|User-?[Nn]ame)|by-line",
    ),
    "date": re.compile(
        r"(?<![a-z])(?:dt-|post|entry|article|pub)?[-_]?(?:date|published|pubdate|posted|"
        r"timestamp|datetime|updated|modified|time)(?![a-z])|(?<=[a-z])(?:Date|Published|Time)\b",
    ),
}
"""Kind of value -> classes and ids of elements that hold one; those of titles in lower case."""

_STEMS = {kind: stems.split() for kind, stems in METADATA_SOURCES["stems"].items()}
"""Parts of classes by kind; most classes have none of them, and `_CLASSES` need not be tried."""


_RELS = {"author": "author", "tag": "tag", "category": "category", "license": "licence"}


class Survey(NamedTuple):
    """A page, its `h1` and `h2` in page order, its main heading (-1 for none), and its language.

    The language is a code, "" if unknown.
    """

    blocks: Blocks
    headings: Sequence[int]
    main: int
    language: str

    def lines(self, node: int) -> list[str]:
        """The visible text of an element, one line for each block, up to `MAX_VALUE_CHARS`."""
        texts = self.blocks.table.run_texts
        lines = (single_line("".join(map(texts.__getitem__, runs))) for runs in self._runs(node))
        return [line for line in lines if line]

    def parted_lines(self, node: int) -> list[str]:
        """The lines of an element, with marks between texts of different elements (`parted`)."""
        lines = (self._parted(runs) for runs in self._runs(node))
        return [line for line in lines if line]

    def parted_blocks(self, blocks: range, max_chars: int) -> list[str]:
        """The texts of blocks; texts of elements in short blocks are set apart (`parted`)."""
        of_block, texts = self.blocks.table.run_block, self.blocks.texts
        bounds = np.arange(blocks.start, blocks.stop + 1, dtype=of_block.dtype)
        edges = pairwise(of_block.searchsorted(bounds).tolist())
        return [
            self._parted(range(low, min(high, low + _MAX_RUNS)))
            if len(texts[block]) <= max_chars
            else texts[block]
            for block, (low, high) in zip(blocks, edges, strict=True)
        ]

    def _parted(self, runs: Sequence[int]) -> str:
        """Join runs of one block to a line, with the marks of `parted`."""
        table = self.blocks.table
        texts, tags, attributes = table.run_texts, table.tags, table.attributes
        if len(runs) == 1:
            return single_line(texts[runs[0]])
        pieces = []
        nodes, after = table.run_node, table.run_after
        for run in runs:
            node = int(nodes[run])
            kind = f"{tags[node]} {attributes[node].get('class', '')}"
            pieces.append(TextRun(texts[run], (node, int(after[run])), kind))
        return single_line(parted(pieces))

    def _runs(self, node: int) -> Iterable[list[int]]:
        """The runs of text inside an element, a list for each block."""
        table, end = self.blocks.table, int(self.blocks.table.end[node])
        bounds = np.array([node + 1, end + 1], table.run_after.dtype)
        low, high = table.run_after.searchsorted(bounds).tolist()
        runs, texts = slice(low, min(high, low + _MAX_RUNS)), table.run_texts
        places = zip(table.run_node[runs].tolist(), table.run_block[runs].tolist(), strict=True)
        by_block: dict[int, list[int]] = {}
        size = 0
        for run, (parent, block) in enumerate(places, low):
            if node <= parent < end:
                by_block.setdefault(block, []).append(run)
                size += len(texts[run])
            if size > MAX_VALUE_CHARS:
                break
        return by_block.values()

    def text(self, node: int) -> str:
        """The visible text of an element on one line."""
        return single_line(" ".join(self.lines(node)))

    def longest_part(self, node: int) -> str:
        """The longest text of a single element inside an element, "" if all text is in one."""
        texts, parents = self.blocks.table.run_texts, self.blocks.table.run_node
        runs = chain.from_iterable(self._runs(node))
        filled = [run for run in runs if texts[run].strip()]
        parts = [
            "".join(map(texts.__getitem__, part))
            for _, part in groupby(filled, parents.__getitem__)
        ]
        return single_line(max(parts, key=len)) if len(parts) > 1 else ""

    def where(self, node: int) -> str:
        """Return "near" if an element stands near the main heading, else "far"."""
        first = self.blocks.table.first_block
        distance = int(first[node]) - int(first[self.main])
        is_near = self.main >= 0 and -NEAR_BEFORE <= distance <= NEAR_AFTER
        return "near" if is_near else "far"

    def label(self, node: int) -> str:
        """The start of the line that an element stands in."""
        block = int(self.blocks.table.first_block[node])
        return self.blocks.texts[block][:_MAX_LABEL_CHARS] if block < len(self.blocks) else ""

    def holds(self, node: int) -> bool:
        """Return whether an element shows any text."""
        table = self.blocks.table
        return bool(table.end_block[node] > table.first_block[node])


@lru_cache(maxsize=5_000)
def kind_of_class(name: str) -> str:
    """The kind of value that an element with these classes holds, "" for none.

    >>> [kind_of_class(name) for name in ("entry-title", "post-author vcard", "posted-on", "menu")]
    ['title', 'author', 'date', '']
    """
    lower = name.lower()
    for kind, pattern in _CLASSES.items():
        text = lower if kind == "title" else name
        if any(map(lower.__contains__, _STEMS[kind])) and pattern.search(text):
            return kind
    return ""


def survey(blocks: Blocks, language: str = "") -> Survey:
    """Find the headings of a page; `language` is the code of its text's language."""
    first, second = (_first(blocks.table.is_tag(tag), _MAX_NODES) for tag in ("h1", "h2"))
    headings = sorted(first + second)[:_MAX_NODES]
    return Survey(blocks, headings, _main_heading(blocks, headings), language)


def _first(chosen: Bools, count: int) -> list[int]:
    """The first of the chosen elements (m,)."""
    nodes: list[int] = np.flatnonzero(chosen)[:count].tolist()
    return nodes


def _rels(blocks: Blocks) -> Iterator[tuple[str, int]]:
    """Yield the kind of value that a link's `rel` names, and the link."""
    which, values = blocks.table.attribute("rel")
    named = [
        [name for name in value.lower().split()[:5] if name in _RELS] if value else []
        for value in values
    ]
    links = blocks.table.is_tag("a") & np.array(list(map(bool, named)), np.bool_)[which]
    for node in np.flatnonzero(links).tolist():
        yield from ((_RELS[name], node) for name in named[which[node]])


def _class_codes(blocks: Blocks) -> Ints:
    """The kind of value that each element's class, else its id, names, (m,).

    Kinds are numbered from 1 as in `_CLASSES`; 0 stands for none.
    """
    (which, classes), (of_id, ids) = blocks.table.attribute("class"), blocks.table.attribute("id")
    no_class = classes.index("") if "" in classes else -1
    codes: Ints = np.where(which == no_class, _codes_of(ids)[of_id], _codes_of(classes)[which])
    return codes


def _codes_of(names: Sequence[str]) -> Ints:
    """The number of the kind of each class or id, as in `_class_codes`; (names,)."""
    places = {kind: at for at, kind in enumerate(_CLASSES, 1)}
    codes = np.zeros(len(names), np.int64)
    for place in having_part(names, set().union(*_STEMS.values())):
        codes[place] = places.get(kind_of_class(names[place][:_MAX_CLASS_CHARS]), 0)
    return codes


def _main_heading(blocks: Blocks, headings: Sequence[int]) -> int:
    """The only `h1`, else the heading that the expert system's rules choose; -1 for none."""
    table = blocks.table
    filled = [node for node in headings if table.end_block[node] > table.first_block[node]]
    first_level = [node for node in filled if table.tags[node] == "h1"]
    if len(first_level) == 1:
        return first_level[0]
    return find_best_header(blocks).first if len(blocks) else -1


@cache
def _author_path() -> re.Pattern[str]:
    """Paths of authors' pages: "/people/ann-lee", "member.php?u=7", but not "/user/login"."""
    steps = lexicon().pattern(lambda language: language.bylines.paths)
    members = r"(?:member|user|profile)(?:list)?\.php\?"
    readers = "log-?in|sign[-_]?(?:in|up)|regist|password"
    return re.compile(rf"/(?:{steps})/(?!{readers})[^/?#]+|{members}", re.IGNORECASE)


# candidates of the body's markup: microdata, RDFa, `rel`, `time`, classes, headings
#
# Classes come from microformats (`p-author`, `dt-published`, `entry-title`), or are common on blogs
# and news sites (`byline`, `post-date`).

_MAX_LABEL_CHARS = 40  # of a label: characters before a date, or a block before a name or a date
_MAX_EACH = 6  # elements of a source that are read
_MAX_ANCESTORS = 30  # elements that are searched upwards for a scope
_MAX_INSIDE = 200  # elements of a scope that are searched for its name

_PROPERTIES = kinds_by_name("properties")
_ATTRIBUTES = ("content", "datetime", "href", "src")


def markup_candidates(survey: Survey) -> Iterator[Candidate]:
    """The candidates of all elements of a survey."""
    yield from _properties(survey)
    yield from _related(survey)
    yield from _times(survey)
    yield from _classed(survey)
    yield from _headings(survey)
    yield from _profile_links(survey)


def _properties(survey: Survey) -> Iterator[Candidate]:
    """Elements with `itemprop` or `property`, with their values."""
    counts: dict[str, int] = {}
    table = survey.blocks.table
    tags, all_attributes = table.tags, table.attributes
    # a `meta` element with `property` is OpenGraph's, which `head.py` reads
    marked = (
        node
        for node in all_attributes.having(("itemprop", "property"))
        if "itemprop" in all_attributes[node] or tags[node] != "meta"
    )
    for node in islice(marked, _MAX_MARKED):
        attributes = all_attributes[node]
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
    attributes = survey.blocks.table.attributes[node]
    names = _ATTRIBUTES if kind in ("image", "licence") else _ATTRIBUTES[:2]
    value = next((attributes[name] for name in names if attributes.get(name)), "")
    if value:
        return single_line(value, MAX_LINK_CHARS)
    if "itemscope" in attributes or "typeof" in attributes:
        for inner in range(node + 1, min(int(survey.blocks.table.end[node]), node + _MAX_INSIDE)):
            pairs = survey.blocks.table.attributes[inner]
            if pairs.get("itemprop") == "name" or pairs.get("property", "").endswith("name"):
                return single_line(pairs.get("content") or survey.text(inner))
    return " | ".join(survey.parted_lines(node)) if kind == "author" else survey.text(node)


def _scope(blocks: Blocks, node: int) -> str:
    """The place of an element (see `Candidate`), by the type of its scope; "" outside scopes."""
    parent = int(blocks.table.parent[node])
    for _ in range(_MAX_ANCESTORS):
        if parent < 0:
            return ""
        attributes = blocks.table.attributes[parent]
        types = attributes.get("itemtype") or attributes.get("typeof")
        if types:
            name = types.split()[0].rpartition("/")[2].rpartition(":")[2].lower()
            if name.endswith(("article", "blogposting")):
                return "article"
            return PLACE_OF_TYPE.get(name, "other")
        parent = int(blocks.table.parent[parent])
    return ""


def _related(survey: Survey) -> Iterator[Candidate]:
    """Links whose `rel` is author, tag, category or licence."""
    counts, tags = Counter[str](), dict[str, tuple[int, list[str]]]()
    for rel, node in islice(_rels(survey.blocks), _MAX_NODES):
        counts[rel] += 1
        href = single_line(survey.blocks.table.attributes[node].get("href", ""), MAX_LINK_CHARS)
        if rel == "licence" and href:
            yield Candidate("licence", (href,), "rel license", node=node)
        elif rel in ("tag", "category"):
            tags.setdefault(rel, (node, []))[1].append(survey.text(node))
        elif counts[rel] <= _MAX_EACH:
            yield from _shown(survey, node, "author", "rel author")
    for rel, (first, texts) in tags.items():
        yield Candidate(rel, tuple(filter(None, texts)), f"rel {rel}", node=first)


def _times(survey: Survey) -> Iterator[Candidate]:
    """`time` elements."""
    times = _first(survey.blocks.table.is_tag("time"), _MAX_TIMES)
    for order, node in enumerate(times):
        attributes = survey.blocks.table.attributes[node]
        text = single_line(attributes.get("datetime") or survey.text(node), dates.MAX_DATE_CHARS)
        names = f"{attributes.get('class', '')} {attributes.get('itemprop', '')}"
        place = survey.where(node) + (" first" if not order else "")
        if text and not dates.is_of_member(survey.label(node)):
            yield Candidate(_kind_of_date(names), (text,), "time", place, node)


def _classed(survey: Survey) -> Iterator[Candidate]:
    """Elements whose class names the kind of their value."""
    counts: dict[tuple[str, str], int] = {}
    codes = _class_codes(survey.blocks)
    named = (
        (kind, node)
        for code, kind in enumerate(_CLASSES, 1)
        for node in _first(codes == code, _MAX_NODES)
    )
    for kind, node in named:
        near = survey.where(node)
        counts[kind, near] = counts.get((kind, near), 0) + 1
        if counts[kind, near] > _MAX_EACH or not survey.holds(node):
            continue
        if kind != "date":
            yield from _shown(survey, node, kind, f"class {kind}")
        else:
            text = " ".join(survey.parted_lines(node))
            if len(text) <= dates.MAX_DATE_CHARS:
                name = survey.blocks.table.attributes[node].get("class", "")
                yield Candidate(_kind_of_date(name), (text,), "class date", near, node)


def _kind_of_date(names: str) -> str:
    """The kind of a date, by the class or property of its element."""
    return "published" if "publish" in names.lower() else dates.kind_of(names) or "published"


def _shown(survey: Survey, node: int, kind: str, source: str) -> Iterator[Candidate]:
    """Yield the first line of an element that is not just a label ("By", "Author:")."""
    lines = survey.parted_lines(node) if kind == "author" else survey.lines(node)
    for line in lines[:3]:
        is_label = len(line) > MAX_BYLINE_CHARS or line.lower().strip(" :") in _labels()
        if kind == "author" and (is_label or is_of_others(line)):
            continue
        yield Candidate(kind, (line,), source, survey.where(node), node)
        return


@cache
def _labels() -> frozenset[str]:
    """Labels of bylines, in lower case."""
    return lexicon().phrases(lambda language: language.bylines.labels)


def _headings(survey: Survey) -> Iterator[Candidate]:
    """The main heading, all `h1` and the first `h2`."""
    tags = survey.blocks.table.tags
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
    for part in filter(None, map(survey.longest_part, main)):
        yield Candidate("title", (part,), "part of heading", node=main[0])


def _profile_links(survey: Survey) -> Iterator[Candidate]:
    """Links to profiles near the main heading."""
    table, pattern = survey.blocks.table, _author_path()
    if survey.main < 0:
        return
    first = table.first_block
    heading = int(first[survey.main])
    bounds = np.array([heading - NEAR_BEFORE, heading + NEAR_AFTER + 1], first.dtype)
    start, end = first.searchsorted(bounds).tolist()
    links = start + np.flatnonzero(table.is_tag("a")[start : min(end, start + _MAX_NEAR)])
    attributes = table.attributes
    own = (
        node for node in links.tolist() if pattern.search(attributes[node].get("href", "")[:500])
    )
    for node in islice(own, _MAX_EACH):
        yield from _shown(survey, node, "author", "profile link")


# candidates in bylines and dates near the heading
#
# The words before bylines and dates tell what they are, in the languages of the lexicon.

_MAX_LINE_CHARS = 160  # of a block that may be a byline or a date
_MAX_DATELINE_CHARS = 70  # of a paragraph that may begin with a date
_MAX_PLAIN_CHARS = 60  # of a line in which a name may begin in lower case
_MAX_FAR = 12  # bylines and dates far from the heading

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NAME = re.compile(r"(?:[^\W\d_][\w'’.-]{0,20} ){1,3}[^\W\d_][\w'’.-]{0,20}")


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    """Patterns of bylines: with names, far from the heading, inside a line."""
    words = lexicon()
    nouns = branched(words.pattern(lambda language: language.bylines.nouns))
    sure = words.pattern(lambda language: language.bylines.sure)
    author = words.pattern(lambda language: language.bylines.author)
    inside = words.pattern(lambda language: language.bylines.inside)
    return {
        "byline": re.compile(
            rf"(?!(?:{nouns})\s(?!by\b))(?P<by>(?:{by()})(?:\(s\))?(?:\s*+[:：]|(?=\s))|"
            rf"(?:{unspaced_by()})(?:\s*+[:：/｜]|\s(?={UNSPACED_NAME}(?:\s|$))))\s*+(?P<who>\S.*)",
            re.IGNORECASE,
        ),
        "sure": re.compile(branched(rf"{sure}|(?:{author})\s*(?:[:：]|$)"), re.IGNORECASE),
        "inside": re.compile(rf"(?<=[\s|•·])(?:{inside})(?:\s+|(?<=[:：]))(?=[^\W\d_])"),
    }


def visible_candidates(survey: Survey) -> Iterator[Candidate]:
    """Bylines and dates in short blocks; far from the main heading only clear ones count."""
    blocks = survey.blocks
    main = int(blocks.table.first_block[survey.main]) if survey.main >= 0 else -1
    first, last = max(0, main - NEAR_BEFORE), min(main + NEAR_AFTER, len(blocks) - 1)
    near = survey.parted_blocks(range(first, last + 1), _MAX_LINE_CHARS)
    label, is_byline, left = "", False, _MAX_FAR
    is_sure, in_form = _patterns()["sure"].match, _in_form(survey)[blocks.node].tolist()
    texts = (
        in_common_era(text, survey.language) if len(text) <= _MAX_LINE_CHARS else text
        for text in blocks.texts
    )
    for block, (text, node) in enumerate(zip(texts, blocks.node.tolist(), strict=True)):
        if block > last and not left:
            return
        is_short = len(text) <= _MAX_LINE_CHARS
        has_year = is_short and ("20" in text or "19" in text) and bool(_YEAR.search(text))
        was_byline = is_byline
        # far from the heading, where the last line near it counts as well
        is_byline = not first <= block < main + NEAR_AFTER and is_short and bool(is_sure(text))
        if block == main:
            yield from _dates(text, "", "heading", node)
        elif first <= block <= main + NEAR_AFTER:
            shown = in_common_era(near[block - first], survey.language)
            before = (label, blocks.texts[block - 1] if block else "")
            yield from _near(shown, before, block - main, node)
        elif left and (has_year or is_byline or (was_byline and is_short)):
            left -= 1
            where = "far first" if left == _MAX_FAR - 1 else "far"
            yield from _byline(text, label, where, node)
            yield from _dates(text, label, where, node)
        is_label = len(text) <= _MAX_LABEL_CHARS and not has_year and not in_form[block]
        label = text if is_label else ""


def _in_form(survey: Survey) -> Bools:
    """Mark each element of a form, (m,): "Author:" in a form asks readers for their names.

    Elements of a form that holds the main heading are not marked: some sites put whole pages in it.
    """
    inside: Bools = survey.blocks.table.within("form") > 0
    holds_page = survey.main >= 0 and inside[survey.main]
    return np.zeros_like(inside) if holds_page else inside


def _dateline(text: str, node: int) -> Iterator[Candidate]:
    """The date at the start of a paragraph: "Berlin, 7 May 2024. The city ..."."""
    day = dates.find_date(text[:_MAX_DATELINE_CHARS])
    if day and day.start <= _MAX_LABEL_CHARS:
        kind = dates.kind_of(text[: day.start]) or "published"
        place = "dateline" if day.start < 3 else "dateline inside"
        yield Candidate(kind, (text[day.start : day.end],), "date", place, node)


def _near(text: str, before: tuple[str, str], distance: int, node: int) -> Iterator[Candidate]:
    """Candidates of a block near the heading; `before` is the label and the block before it."""
    where = "after" if distance > 0 else "before"
    if len(text) <= _MAX_LINE_CHARS:
        yield from _byline(text, before[0], where, node)
        right_below = "next" if 0 < distance <= NEXT else where
        yield from _dates(text, before[0], right_below, node)
        for name, other in ((text, before[1]), (before[1], text)):  # each in its own block
            is_dated = len(other) <= _MAX_LABEL_CHARS and dates.find_date(other)
            if is_dated and _NAME.fullmatch(name):
                yield Candidate("author", (name,), "name", f"{right_below} date", node)
        yield from bare_names(text, distance, node)
    elif distance > 0:
        yield from _dateline(text, node)


def _byline(text: str, label: str, where: str, node: int) -> Iterator[Candidate]:
    """The byline of a short block; `label` is the text of a short block before it, or ""."""
    if is_of_others(f"{label} {text}" if label and is_label(label) else text):
        return
    byline = _patterns()["byline"].match(text)
    if byline and (":" in byline["by"] or not byline["who"][0].islower()):  # "by day" names nobody
        yield Candidate("author", (byline["who"],), "byline", where, node)
    elif label and is_label(label):
        yield Candidate("author", (text,), "byline", f"{where} label", node)
    else:
        inner = _patterns()["inside"].search(text)
        if inner and not _is_prose(text, inner.end()):
            yield Candidate("author", (text[inner.end() :],), "byline", f"{where} inside", node)


def _is_prose(text: str, start: int) -> bool:
    """Return whether what begins here is no name but prose: "improved by the late Ann Lee."."""
    if not text[start].islower():
        return False
    is_long = len(text) > _MAX_PLAIN_CHARS or text.endswith(".")
    return is_long or any(" " in name for name in names_of(text[start:]))


def _dates(text: str, label: str, where: str, node: int) -> Iterator[Candidate]:
    """The dates of a short block; the words before a date tell its kind."""
    start, days = 0, dates.find_dates(text)
    short = None if days else dates.find_short_date(text)
    for span in [short] if short else days:
        words = text[start : span.start]
        if not start and len(words.strip()) < 3:
            words = f"{label} {words}"
        start = span.end
        if dates.is_of_member(words):
            continue
        kind = dates.kind_of(words)
        named = "named" if kind else "bare"
        alone = "alone" if len(text) - (span.end - span.start) <= 30 else "in text"
        date = text[span.start : span.end]
        yield Candidate(kind or "published", (date,), "date", f"{where} {named} {alone}", node)
