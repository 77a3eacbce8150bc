"""Candidates: the statements of a page's sources, among which values are chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from crfclean.page.chars import spelled_out

MAX_VALUE_CHARS = 1_000  # characters of a value that are read
MAX_LINK_CHARS = 2_000  # a longer address is none
MAX_OF_A_SOURCE = 50  # candidates of one kind from one source

_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one source states: one text, or one for each of several authors, tags or categories.

    `kind` is that of the value ("title", "author", "published" ...); `source` says where it stands
    (`meta og:title`); `place` distinguishes sources of the same name by what surrounds them (the
    type of the object in JSON-LD); `node` is the page's element, -1 for none.
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
    """The words of a text, case folded: texts that differ in nothing else are the same value.

    >>> folded("“Tea” — now!"), folded(f"Tea{chr(0xAD)}pot")
    ('tea now', 'teapot')
    """
    return " ".join(_WORDS.findall(spelled_out((text,))[0].casefold()))


def absolute(address: str, base: str) -> str:
    """An HTTP address resolved against `base`; "" for any other.

    >>> absolute("/a b", "https://x.org/c")
    'https://x.org/a%20b'
    """
    text = "".join(address.split("\n")).strip()[: MAX_LINK_CHARS + 1].replace(" ", "%20")
    if not text or len(text) > MAX_LINK_CHARS:
        return ""
    try:
        joined = urljoin(base, text) if base else text
        parts = urlsplit(joined)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return ""
    return joined.encode("utf-8", "ignore").decode() if is_web else ""
