"""Candidates for metadata: what the head and the address of a page state, grouped by value."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import numpy as np

from crfclean.io import read_toml
from crfclean.lexicon import lexicon
from crfclean.metadata.dates import iso_date
from crfclean.page.chars import spelled_out
from crfclean.page.head import joined, json_values
from crfclean.types import Blocks, Document, Metadata, PageType, Value


def as_dict(metadata: Metadata) -> dict[str, Any]:
    """Return all fields as plain data: a value becomes a dictionary; None and [] stand for none.

    >>> as_dict(Metadata(title=Value("Tea", "h1", 0.9)))["title"]
    {'text': 'Tea', 'source': 'h1', 'probability': 0.9, 'xpath': ''}
    """
    return {name: _plain(value) for name, value in metadata._asdict().items()}


def _plain(value: Any) -> Any:
    if isinstance(value, PageType):
        return {"name": value.name, "probabilities": dict(value.probabilities)}
    if isinstance(value, Value):
        return value._asdict()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def front_matter(document: Document, page_id: str = "") -> str:
    """Return a YAML header between `---` lines: the page's id, its metadata, and its score.

    A value that is not known has no line. A page that states no address has the given one. Texts
    are in double quotes, with the escapes of JSON, which YAML 1.2 shares.
    """
    metadata = document.metadata
    values: dict[str, Any] = {"id": page_id, **metadata._asdict()}
    values["address"] = metadata.address or document.url
    lines = [f"{name}: {_quoted(value)}" for name, value in values.items() if value]
    return "\n".join(["---", *lines, f"score: {document.score:.4f}", "---", ""])


def _quoted(value: Any) -> str:
    if isinstance(value, PageType):
        value = value.name
    text = value.text if isinstance(value, Value) else value
    if isinstance(text, tuple):
        return "[" + ", ".join(map(_quoted, text)) + "]"
    quoted = json.dumps(text, ensure_ascii=False).encode("utf-8", "replace").decode()
    return "".join(
        char if char.isprintable() or ord(char) > 0xFFFF else f"\\u{ord(char):04x}"
        for char in quoted
    )


# candidates: statements of sources, from which the values are chosen

MAX_VALUE_CHARS = 1_000  # characters of a value that are read
MAX_LINK_CHARS = 2_000  # a longer address is none
MAX_OF_A_SOURCE = 50  # candidates of one kind from one source

SOURCES: Mapping[str, Any] = read_toml(Path(__file__).with_name("sources.toml"))
"""The tables of `sources.toml`."""

_WORDS = re.compile(r"\w+")


def kinds_of(table: str) -> dict[str, str]:
    """Map each name in a table of `SOURCES`, such as a property, to the kind of its value."""
    return {name: kind for kind, names in SOURCES[table].items() for name in names.split()}


class Candidate(NamedTuple):
    """The statement of one source: a text, or one for each of several authors, tags or categories.

    `kind` is the kind of the value ("title", "author", "published" ...). `source` says where it
    stands (`meta og:title`). `place` tells sources of the same name apart by their surroundings,
    such as the type of the object in JSON-LD. `node` is the page's element, -1 for none.
    """

    kind: str
    texts: tuple[str, ...]
    source: str
    place: str = ""
    node: int = -1

    @property
    def key(self) -> str:
        """The name of the source in features of the ranking."""
        return f"{self.source}@{self.place}" if self.place else self.source


def single_line(text: str, limit: int = MAX_VALUE_CHARS) -> str:
    """The first characters of a text on one line, without lone surrogates and NUL."""
    cut = text[: limit * 2].replace("\x00", "")
    if not cut.isascii():
        cut = cut.encode("utf-8", "ignore").decode()
    return " ".join(cut.split())[:limit].rstrip()


@lru_cache(maxsize=2_000)
def folded(text: str) -> str:
    """The words of a text, case folded: texts with equal words are the same value.

    >>> folded("“Tea” — now!"), folded(f"Tea{chr(0xAD)}pot")
    ('tea now', 'teapot')
    """
    return " ".join(_WORDS.findall(spelled_out((text,))[0].casefold()))


def absolute(address: str, base: str) -> str:
    """Resolve an HTTP address against `base`; "" for any other address.

    >>> absolute("/a b", "https://x.org/c")
    'https://x.org/a%20b'
    """
    text = "".join(address.split("\n")).strip()[: MAX_LINK_CHARS + 1].replace(" ", "%20")
    if not text or len(text) > MAX_LINK_CHARS:
        return ""
    try:
        resolved = joined(base, text)
        parts = urlsplit(resolved)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return ""
    return resolved.encode("utf-8", "ignore").decode() if is_web else ""


# alternatives: candidates with the same value

_MAX_VALUES = 60  # values of a kind that are ranked

KeyedCandidate = tuple[str, tuple[str, ...], Candidate, str]
"""Key of a value, its texts, a candidate that states it, and how the candidate's texts were changed
("" for unchanged, "head" for a title without its last part)."""


@dataclass(slots=True)
class Alternative:
    """A value that may be chosen: its key (equal for equal values), its texts and its candidates.

    Each candidate comes with the way its texts were changed, as in `KeyedCandidate`.
    """

    key: str
    texts: tuple[str, ...]
    candidates: list[tuple[Candidate, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Context:
    """Facts of the page that features need in addition to the candidates."""

    sites: frozenset[str] = frozenset()  # names of the site, letters and digits only
    page: str = ""  # kind of the page, by its structured data and its address
    title: str = ""


def alternatives(candidates: Iterable[KeyedCandidate]) -> list[Alternative]:
    """Group candidates by key into values, in order of their first occurrence."""
    values: dict[str, Alternative] = {}
    for key, texts, candidate, way in candidates:
        if key not in values and len(values) >= _MAX_VALUES:
            continue
        values.setdefault(key, Alternative(key, texts)).candidates.append((candidate, way))
    return list(values.values())


def family(candidate: Candidate) -> str:
    """The family of a source, which has a weight even if the source is too rare."""
    first = candidate.source.split()[0]
    return "marks" if first in ("microdata", "rdfa") else first


# split a title that contains the site's name

# "Tea - The Leaf", "Tea | The Leaf", "Tea: a history"; not the hyphen of "tea-time"
_SEPARATOR = re.compile(
    r"(?<!\s)\s++(?:[|‖¦·•»«›‹~/\\]|[-–—]{1,2}|:{1,2}|>|//)\s+"
    r"|(?:(?<!\s)\s++)?(?:\||｜|_(?=[^\W_])|::)\s*|:\s+"
)


def parts_of(text: str) -> list[tuple[str, str, str]]:
    """Leave out a title's last or first part: (way, the part that stays, the part that goes).

    >>> parts_of("Tea - The Leaf")
    [('head', 'Tea', 'The Leaf'), ('tail', 'The Leaf', 'Tea')]
    """
    text = text[:MAX_VALUE_CHARS]
    cuts = list(_SEPARATOR.finditer(text))
    if not cuts:
        return []
    parts = []
    for cut in dict.fromkeys((cuts[-1], cuts[0])) if len(cuts) > 1 else cuts:
        head, tail = text[: cut.start()], text[cut.end() :]
        way = "" if len(cuts) == 1 else (" last" if cut is cuts[-1] else " first")
        parts += [("head" + way, head, tail), ("tail" + way, tail, head)]
    return [(way, kept, gone) for way, kept, gone in parts if folded(kept)]


def host_of(address: str) -> str:
    """The host of an address, "" if it has none."""
    try:
        return urlsplit(address[:2_000]).hostname or ""
    except ValueError:
        return ""


def host_names(address: str) -> frozenset[str]:
    """The site's names in an address, letters and digits only.

    >>> sorted(host_names("https://www.the-leaf.co.uk/x"))
    ['theleaf', 'theleafcouk']
    """
    labels = [
        label for label in host_of(address).split(".") if label not in ("www", "m", "blog", "en")
    ]
    count = len(labels)
    while count > 1 and len(labels[count - 1]) <= 3:
        count -= 1
    own = labels[max(0, count - 1) :]
    names = ("".join(filter(str.isalnum, "".join(part))) for part in (own[:1], own))
    return frozenset(filter(None, names))


def is_site(text: str, names: frozenset[str]) -> bool:
    """Return whether a part of a title is one of the site's names, by letters and digits only.

    >>> is_site("The Leaf", frozenset(["theleaf"]))
    True
    """
    joined = folded(text).replace(" ", "")
    return bool(joined) and any(
        joined == name or (len(name) > 3 and name in joined) for name in names
    )


def variants(text: str, names: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Yield (way, text): the title, then its parts; a way ends in "site" if the site is cut off."""
    yield "", text
    for way, kept, gone in parts_of(text):
        yield way + (" site" if is_site(gone, names) else ""), kept


# candidates of the elements `meta`, `link` and `title`
#
# Names come from OpenGraph, article:*, Dublin Core, citation_* (Highwire), parsely, sailthru and
# twitter, and there are plain ones. Elements in the body count as well, since many pages have them
# there.

_MAX_ELEMENTS = 2_000  # `meta` and `link` elements of a page that are read


META = kinds_of("meta")
"""Name, property or itemprop of a `meta` element, in lower case -> the kind of its value."""

LINKS = {"canonical": "address", "license": "licence", "image_src": "image"}
"""`rel` of a `link` element -> the kind of its address."""

_ONE_EACH = frozenset(SOURCES["lists"]["one_each"].split())
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
            repeated.setdefault(name, ([], node))[0].append(text)
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


# candidates of JSON-LD: from graphs, references by `@id`, and lists
#
# The place of a candidate is the type of its object: the author of an article counts more than the
# author of a web page. Objects inside comments, lists of items or breadcrumbs are "foreign": they
# do not describe the page.

_MAX_OBJECTS = 5_000  # objects and lists that are read
_MAX_KEYS = 200  # of an object that others refer to

PLACE_OF_TYPE = kinds_of("types")
"""Type of schema.org in lower case -> the place of its candidates."""

_ARTICLE = re.compile(r"article|posting$|report|review$|analysis")
_FOREIGN = frozenset(SOURCES["lists"]["foreign"].split())
"""Keys whose objects do not describe the page."""

_FIELDS = kinds_of("keys")
_ADDRESS_KEYS = ("url", "contentUrl", "@id")
_NAME_KEYS = ("name", "legalName", "alternateName", "@value", "@id", "url")
_TAG = re.compile(r"<[^<>]*>")


def json_ld_candidates(blocks: Blocks) -> Iterator[Candidate]:
    """The candidates of a page's JSON-LD; a broken script has none."""
    objects = list(_objects(json_values(blocks)))
    by_id = {
        item["@id"]: item
        for _, item in objects
        if isinstance(item.get("@id"), str) and 1 < len(item) <= _MAX_KEYS
    }
    seen: dict[str, int] = {}
    for foreign, item in objects:
        place = "foreign" if foreign else _place(item)
        for key in filter(_FIELDS.__contains__, item):
            kind = "site" if (key, place) == ("name", "website") else _FIELDS[key]
            if _is_irrelevant(kind, key, place):
                continue
            texts = tuple(_texts(item[key], kind, by_id))
            source = f"json-ld {key}"
            seen[source] = seen.get(source, 0) + 1
            if texts and seen[source] <= MAX_OF_A_SOURCE:
                yield Candidate(kind, texts, source, place)


def _is_irrelevant(kind: str, key: str, place: str) -> bool:
    """Return whether a key of an object in this place says nothing about the page."""
    if place == "foreign":
        return kind not in ("author", "published", "title") or key == "name"
    return place in ("site", "website") and kind not in ("site", "title")


def _place(item: Mapping[str, Any]) -> str:
    """The place of an object by its type: "article", one of `PLACE_OF_TYPE`, or "other"."""
    types = item.get("@type")
    types = types if isinstance(types, list) else [types]
    names = [name for name in types if isinstance(name, str)]
    bare_names = [re.split(r"[/#:]", name)[-1].lower() for name in names[:10]]
    if any(_ARTICLE.search(name) and name not in PLACE_OF_TYPE for name in bare_names):
        return "article"
    return next((PLACE_OF_TYPE[name] for name in bare_names if name in PLACE_OF_TYPE), "other")


def _objects(values: Iterable[Any]) -> Iterator[tuple[bool, dict[str, Any]]]:
    """Yield (is it foreign, object) for all objects of all scripts in their order."""
    stack = [(False, value) for value in values if isinstance(value, dict | list)][::-1]
    for _ in range(_MAX_OBJECTS):
        if not stack:
            return
        foreign, value = stack.pop()
        if isinstance(value, dict):
            yield foreign, value
            inner = [
                (foreign or key.lower() in _FOREIGN or key in _FIELDS, child)
                for key, child in value.items()
                if isinstance(child, dict | list)
            ]
        else:
            inner = [(foreign, child) for child in value if isinstance(child, dict | list)]
        inner = inner[:_MAX_OBJECTS]
        for outside, child in reversed(inner):
            is_person = isinstance(child, dict) and child.get("@type") == "Person"
            stack.append((outside or is_person, child))


def _texts(value: Any, kind: str, by_id: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a value: a string, the strings of a list, or an object's name or address."""
    values = value if isinstance(value, list) else [value]
    for item in values[:MAX_OF_A_SOURCE]:
        text = _text(item, kind, by_id)
        if text and kind == "tag":
            yield from (part.strip() for part in text.split(",") if part.strip())
        elif text:
            yield text


def _text(value: Any, kind: str, by_id: Mapping[str, Any]) -> str:
    if isinstance(value, dict):
        if isinstance(value.get("@id"), str) and value["@id"] in by_id and "name" not in value:
            value = {**by_id[value["@id"]], **value}
        keys = _ADDRESS_KEYS if kind in ("image", "address", "licence") else _NAME_KEYS
        value = next((value[key] for key in keys if isinstance(value.get(key), str | list)), "")
        if isinstance(value, list):
            value = value[0] if value else ""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if is_number and kind in ("published", "modified"):  # seconds or milliseconds since 1970
        value = str(value)[:20] if abs(value) < 10**14 else ""
    text = unescape(value[:2_000]) if isinstance(value, str) else ""
    return single_line(_TAG.sub(" ", text) if "<" in text and ">" in text else text)


# the date in a page's address

# "/2024/05/07/tea", "/2024-05/tea"
_PATH = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})(?:[/-](\d{1,2}))?(?=[/_.+ -]|$)")
# "/tea-20240507.html"; "/1234567890" is no date
_PATH_DIGITS = re.compile(r"(?<!\d)((?:19|20)\d\d)-?([01]\d)-?([0-3]\d)(?!\d)")


def address_candidates(address: str) -> Iterator[Candidate]:
    """The date in a page's address.

    >>> [date.texts for date in address_candidates("https://x.org/2024/05/07/tea")]
    [('2024-05-07',)]
    """
    try:
        path = unquote(urlsplit(address[:2_000]).path)
    except ValueError:
        return
    match = _PATH.search(path) or _PATH_DIGITS.search(path)
    if match:
        day = int(match[3]) if match[3] else None
        iso = iso_date(int(match[1]), int(match[2]), day)
        if iso:
            yield Candidate("published", (iso,), "url", "day" if day else "month")
