"""Nothing -> what sources say of a page: the candidates among which values are chosen."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

KINDS = (
    "title author published modified site address description tag category image licence".split()
)
MAX_TEXT = 1_000  # characters of a value that are read
MAX_ADDRESS = 2_000
MAX_OF_A_SOURCE = 50  # candidates of one kind from one source

_ENDS = re.compile(r"\s+")
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one source says: `texts` has one value, of authors, tags and categories each.

    `source` is where it stands (`meta og:title`); `place` what is around it there, which tells
    sources of one name apart (the type of the object in JSON-LD); `node` the page's element.
    """

    kind: str
    texts: tuple[str, ...]
    source: str
    place: str = ""
    node: int = -1

    @property
    def key(self) -> str:
        """The name by which the ranking knows the source."""
        return f"{self.source}@{self.place}" if self.place else self.source


def plain(text: str, limit: int = MAX_TEXT) -> str:
    """The first characters of a text, white space folded, without lone surrogates and controls."""
    cut = text[: limit * 2].encode("utf-8", "ignore").decode().replace("\x00", "")
    return _ENDS.sub(" ", cut).strip()[:limit].rstrip()


@lru_cache(maxsize=2_000)
def folded(text: str) -> str:
    """The words of a text in lower case: what tells two values apart.

    >>> folded("“Tea” — now!")
    'tea now'
    """
    return " ".join(_WORDS.findall(text.casefold()))


def absolute(address: str, base: str) -> str:
    """An address that a browser would load, as seen from `base`; "" for none.

    >>> absolute("/a b", "https://x.org/c")
    'https://x.org/a%20b'
    """
    text = "".join(address.split("\n")).strip()[: MAX_ADDRESS + 1].replace(" ", "%20")
    if not text or len(text) > MAX_ADDRESS:
        return ""
    try:
        joined = urljoin(base, text) if base else text
        parts = urlsplit(joined)
        known = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return ""
    return joined.encode("utf-8", "ignore").decode() if known else ""
