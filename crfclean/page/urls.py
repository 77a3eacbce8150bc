"""`Blocks` -> their base address; an address on the page -> an absolute one that may be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urljoin

from crfclean.page.elements import PICTURE_ADDRESSES
from crfclean.types import Blocks

SCHEMES = frozenset(["http", "https", "mailto"])
MAX_ADDRESS_CHARS = 8_192  # longer ones are data; a base is part of every address of the page
_LATE = ("data-src", "data-original", "data-lazy-src")  # with braces they are templates
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_WHOLE = re.compile(r"https?://[^\s/?#\[\]]+(?:[/?#]|\Z)")
_IGNORED = re.compile(r"[\t\n\r]")  # WHATWG URL: removed wherever they stand
_AROUND = "".join(map(chr, range(33)))


@dataclass(frozen=True, slots=True)
class Addresses:
    """A page's addresses: `url` its own, `base` what others are relative to, "" if unknown."""

    url: str
    base: str

    @classmethod
    def of(cls, blocks: Blocks, url: str | None) -> Addresses:
        """Those of a page: by the `base` element in its head, else by its own address."""
        nodes, url = blocks.nodes, _short(url or "")
        for tag, attributes in zip(nodes.tags, nodes.attributes, strict=True):
            if tag == "body":
                break
            if tag == "base" and attributes.get("href"):
                return cls(url, _joined(url, _short(attributes["href"])))
        return cls(url, url)

    def absolute(self, address: str | None) -> str:
        """An address as it is from the page; "" for one that is none, or no page's or picture's.

        >>> Addresses("", "http://x.example/a/").absolute(" ../b ")
        'http://x.example/b'
        >>> Addresses("", "").absolute("javascript:alert(1)")
        ''
        """
        clean = _IGNORED.sub("", (address or "").strip(_AROUND))
        if not clean or len(clean) > MAX_ADDRESS_CHARS:
            return ""
        found = clean if _WHOLE.match(clean) else _joined(self.base, clean)
        scheme = _SCHEME.match(found)
        return found if scheme is None or scheme[1].lower() in SCHEMES else ""

    def fragment(self, address: str | None) -> str:
        """The name that an address has on this page, "" for one that leads elsewhere.

        >>> Addresses("http://x.example/", "").fragment("http://x.example/#a")
        'a'
        """
        page, _, name = (address or "").strip(_AROUND).partition("#")
        return name if not page or page == self.url.partition("#")[0] else ""


def _short(address: str) -> str:
    return address if len(address) <= MAX_ADDRESS_CHARS else ""


def _joined(base: str, address: str) -> str:
    """An address as it is from a base; "" for one that is none."""
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return ""


def picture_source(attributes: Mapping[str, str]) -> str:
    """A picture's address: the one that a script would put in its place, else its own."""
    for name in (*_LATE, *PICTURE_ADDRESSES):
        known = attributes.get(name) or ""
        words = known.split(maxsplit=1)
        if words and not words[0].startswith("data:") and not (name in _LATE and "{" in known):
            return words[0].rstrip(",") if "srcset" in name else known.strip()
    return ""
