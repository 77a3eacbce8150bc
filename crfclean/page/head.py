"""Read the metadata that a page declares, and resolve its addresses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from crfclean.core.table import Table
from crfclean.page.chars import visible_json
from crfclean.page.effects import PICTURE_ADDRESSES
from crfclean.page.measures import once
from crfclean.types import Blocks

MAX_ITEMS = 5_000  # objects and lists of structured data that are read

_META = {
    "og:title": "title",
    "twitter:title": "title",
    "description": "description",
    "og:description": "description",
    "og:type": "type",
}
"""Name or property of a `meta` element -> its field."""

_JSON_LD = {
    "headline": "title",
    "alternativeHeadline": "title",
    "description": "description",
    "articleBody": "body",
    "text": "body",
    "@type": "type",
}
"""Key of JSON-LD -> its field."""

THREAD_TYPES = frozenset(["discussionforumposting", "qapage", "question", "answer"])
ARTICLE_TYPES = frozenset(
    (
        "article newsarticle blogposting reportagenewsarticle analysisnewsarticle "
        "opinionnewsarticle liveblogposting og:article"
    ).split()
)
"""Declared types of pages that are threads, and that are articles."""


class HeadMetadata(NamedTuple):
    """The metadata that a page declares.

    The first of `titles` is that of the `title` element. `types` are in lower case; types of
    OpenGraph have the prefix `og:`.
    """

    titles: tuple[str, ...]
    descriptions: tuple[str, ...]
    bodies: tuple[str, ...]
    types: frozenset[str]


@once
def head_metadata(page: Blocks) -> HeadMetadata:
    """Read `title`, `meta` elements and JSON-LD; broken parts are left out."""
    texts: dict[str, list[str]] = {"title": [page.title], "description": [], "body": []}
    texts["type"] = []
    for name, text in _meta_texts(page.table):
        texts[_META[name]].append(f"og:{text.strip()}" if name == "og:type" else text)
    for value in json_objects(page):
        for key, text in _texts_of(value):
            texts[_JSON_LD[key]].append(text)
    types = frozenset(name.lower() for name in texts["type"])
    return HeadMetadata(
        tuple(texts["title"]), tuple(texts["description"]), tuple(texts["body"]), types
    )


def _meta_texts(table: Table) -> Iterator[tuple[str, str]]:
    """Yield names in `_META` with their contents, up to `body`."""
    for _, tag, attributes in in_head(table, "content"):
        if tag == "meta":
            name = attributes.get("property") or attributes.get("name") or ""
            if name in _META:
                yield name, attributes["content"]


def in_head(table: Table, *names: str) -> Iterator[tuple[int, str, Mapping[str, str]]]:
    """Yield the elements before `body` with one of the named attributes, their tags and all."""
    body = table.tags.index("body") if "body" in table.tags else len(table.parent)
    for node in table.attributes[:body].having(names):
        yield node, table.tags[node], table.attributes[node]


@once
def json_ld(page: Blocks) -> tuple[str, ...]:
    """Return the scripts of a page's structured data, without control characters."""
    return tuple(map(visible_json, page.table.json_ld))


@once
def json_values(page: Blocks) -> tuple[Any, ...]:
    """Read the values of these scripts, None for one that is not JSON; callers change nothing."""
    return tuple(map(read_json, json_ld(page)))


@once
def json_objects(page: Blocks) -> tuple[dict[str, Any], ...]:
    """Return the objects of these values."""
    return tuple(objects(json_values(page)))


def objects(values: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the objects of JSON values, nested ones included, the last value first.

    Reads at most `MAX_ITEMS` objects and lists.
    """
    pending = [value for value in values if isinstance(value, dict | list)]
    for _ in range(MAX_ITEMS):
        if not pending:
            return
        value = pending.pop()
        if isinstance(value, dict):
            yield value
            value = list(value.values())
        pending.extend(inner for inner in value if isinstance(inner, dict | list))


def _texts_of(value: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield an object's keys in `_JSON_LD` with their texts, each text of a list."""
    for key in filter(_JSON_LD.__contains__, value):
        texts = value[key] if isinstance(value[key], list) else [value[key]]
        yield from ((key, text) for text in texts if isinstance(text, str))


def read_json(script: str) -> Any:
    """Read the value of a script, None if it is not JSON."""
    script = script.lstrip()
    start = _VALUE.search(script)
    try:
        return _DECODER.raw_decode(script, start.start())[0] if start else None
    except (ValueError, RecursionError):
        return None


_VALUE = re.compile(r"(?<!.)\[|\{", re.DOTALL)  # some scripts have a comment before their value
_DECODER = json.JSONDecoder(strict=False)  # `raw_decode` ignores a brace too many behind it


# resolve the addresses on a page to absolute ones that are safe to show

SCHEMES = frozenset(["http", "https", "mailto"])
_MAX_ADDRESS = 8_192  # longer addresses are data; a long base would lengthen every address
_LATE = ("data-src", "data-original", "data-lazy-src")  # a value with braces is a template
MEDIA = (
    "img",
    "video",
    "audio",
    "iframe",
    "image",
    "amp-img",
    "amp-anim",
    "amp-video",
    "amp-audio",
)
_CUSTOM = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_PLAYED = re.compile(r"video|audio|iframe|player")
# the address of a picture or video in an element that a page defines: `<lazy-image src="a.jpg">`
_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|avif|svg|mp4|webm|mp3)(?:$|[?#])", re.IGNORECASE)
_PLAYER = re.compile(
    r"(?:https?:)?//(?:[\w-]+\.)*"
    r"(?:youtube(?:-nocookie)?|vimeo|dailymotion|soundcloud|spotify|bilibili)\.com/",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_ABSOLUTE = re.compile(r"https?://[^\s/?#\[\]]+(?:[/?#]|\Z)")
_IGNORED = re.compile(r"[\t\n\r]")  # WHATWG URL: removed at any position
_CONTROLS = "".join(map(chr, range(33)))


class Addresses(NamedTuple):
    """A page's addresses: its `url`, the `base` of relative ones, the `canonical` one; or ""."""

    url: str
    base: str
    canonical: str = ""

    @classmethod
    def of(cls, blocks: Blocks, url: str | None) -> Addresses:
        """Return the addresses of a page; the base is that of its `base` element, or its URL."""
        table, url = blocks.table, _short(url or "")
        base, canonical = url, ""
        for _, tag, attributes in in_head(table, "href", "rel"):
            address = _short(attributes.get("href") or "")
            if tag == "base" and address and base == url:
                base = _joined(url, address)
            elif attributes.get("rel") == "canonical":
                canonical = address
        return cls(url, base, canonical)

    def absolute(self, address: str | None) -> str:
        """Return the absolute form of an address; "" if broken, too long or of another scheme.

        >>> Addresses("", "http://x.example/a/").absolute(" ../b ")
        'http://x.example/b'
        >>> Addresses("", "").absolute("javascript:alert(1)")
        ''
        """
        clean = _IGNORED.sub("", (address or "").strip(_CONTROLS))
        if not clean or len(clean) > _MAX_ADDRESS:
            return ""
        url = clean if _ABSOLUTE.match(clean) else _joined(self.base, clean)
        scheme = _SCHEME.match(url)
        return url if scheme is None or scheme[1].lower() in SCHEMES else ""

    def fragment(self, address: str | None) -> str:
        """Return the fragment of an address on this page, "" for an address elsewhere.

        >>> Addresses("http://x.example/", "").fragment("http://x.example/#a")
        'a'
        """
        page, _, name = (address or "").strip(_CONTROLS).partition("#")
        return name if not page or page == self.url.partition("#")[0] else ""

    def is_page(self, address: str | None) -> bool:
        """Return whether an address is that of the page itself.

        >>> Addresses("", "", "https://x.example/a/").is_page("/a"), Addresses("", "").is_page("/a")
        (True, False)
        """
        path, own = (address or "").strip(_CONTROLS), {*map(_bare, (self.url, self.canonical))}
        absolute = _joined(self.base or self.canonical, path) if path else ""
        return _bare(absolute) in own - {""}


def _bare(address: str) -> str:
    """An address without its scheme, its fragment and a last slash."""
    return address.partition("#")[0].partition("//")[2].removesuffix("/")


def _short(address: str) -> str:
    return address if len(address) <= _MAX_ADDRESS else ""


def joined_address(base: str, address: str) -> str:
    """Make a relative address absolute, without empty parameters, query or fragment.

    Python 3.14 keeps them, earlier versions do not. Raises `ValueError` for a broken address.

    >>> joined_address("https://x.example/a?b", "#"), joined_address("https://x.example/a", "d;?#e")
    ('https://x.example/a?b', 'https://x.example/d#e')
    """
    if not base:
        return address
    front, _, fragment = urljoin(base, address).partition("#")
    path, _, query = front.partition("?")
    path = path.removesuffix(";")
    return path + (f"?{query}" if query else "") + (f"#{fragment}" if fragment else "")


def _joined(base: str, address: str) -> str:
    """Make a relative address absolute; "" for a broken one."""
    try:
        return joined_address(base, address.strip())
    except ValueError:
        return ""


def picture_source(attributes: Mapping[str, str]) -> str:
    """Return a picture's address: one that a script loads later, else the first other one."""
    for name in (*_LATE, *PICTURE_ADDRESSES):
        value = attributes.get(name) or ""
        words = value.split(maxsplit=1)
        if words and not words[0].startswith("data:") and not (name in _LATE and "{" in value):
            return words[0].rstrip(",") if "srcset" in name else value.strip()
    return ""


def media(table: Table) -> list[int]:
    """Return the pictures, videos, audios and frames of a page, in page order.

    An element that a page defines is one of them if it has such an address, and no text inside.
    """
    is_media = table.is_tag(*MEDIA).copy()
    custom = [tag for tag in table.tag_names if _CUSTOM.fullmatch(tag) and tag not in MEDIA]
    for node in table.is_tag(*custom).nonzero()[0].tolist() if custom else ():
        is_empty = table.first_block[node] == table.end_block[node]
        is_media[node] = is_empty and bool(_FILE.search(picture_source(table.attributes[node])))
    nodes, end = list[int](), 0
    for node in is_media.nonzero()[0].tolist():
        if node >= end:  # `<amp-img><img>`: a script has put a picture into it
            nodes.append(node)
            end = int(table.end[node]) if "-" in table.tags[node] else end
    return nodes


def is_played(table: Table, node: int) -> bool:
    """Return whether an element of `media` is a video, audio or frame, not a picture."""
    return bool(_PLAYED.search(table.tags[node]))


def media_source(table: Table, node: int) -> str:
    """Return the address of a picture, video or audio, "" for other frames and decoration.

    A picture without an address of its own has that of the first `source` before it. A video that
    plays by itself is decoration.
    """
    source = picture_source(table.attributes[node])
    if table.tags[node] == "iframe":
        return source if _PLAYER.match(source) else ""
    if table.tags[node] in ("video", "amp-video") and "autoplay" in table.attributes[node]:
        return ""
    first = node
    while table.tags[node] == "img" and first and table.tags[first - 1] == "source":
        first -= 1
    return source or picture_source(table.attributes[first])


def host(url: str | None) -> str:
    """Return the host of a URL, "" if it has none.

    >>> host("https://Forum.example:8443/t/1"), host("about:blank"), host(None)
    ('forum.example', '', '')
    """
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
