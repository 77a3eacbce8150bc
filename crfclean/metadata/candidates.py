"""Candidates for metadata: statements of a page's sources, grouped by the value they state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from crfclean.io import read_toml
from crfclean.page.chars import spelled_out

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


@dataclass(frozen=True, slots=True)
class Candidate:
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
        joined = urljoin(base, text) if base else text
        parts = urlsplit(joined)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return ""
    return joined.encode("utf-8", "ignore").decode() if is_web else ""


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
    r"\s+(?:[|‖¦·•»«›‹~/\\]|[-–—]{1,2}|:{1,2}|>|//)\s+|\s*(?:\||｜|_(?=[^\W_])|::)\s*|:\s+"
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
