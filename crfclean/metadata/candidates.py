"""Candidates: statements of sources, from which the values are chosen."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from crfclean.io import read_toml
from crfclean.page.chars import spelled_out
from crfclean.page.head import joined_address

MAX_VALUE_CHARS = 1_000  # characters of a value that are read
MAX_LINK_CHARS = 2_000  # a longer address is none
MAX_OF_A_SOURCE = 50  # candidates of one kind from one source

METADATA_SOURCES: Mapping[str, Any] = read_toml(Path(__file__).with_name("sources.toml"))
"""The tables of `sources.toml`."""

_WORDS = re.compile(r"\w+")


def kinds_by_name(table: str) -> dict[str, str]:
    """Map each name in a table of `METADATA_SOURCES`, such as a property, to its value's kind."""
    return {name: kind for kind, names in METADATA_SOURCES[table].items() for name in names.split()}


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
        resolved = joined_address(base, text)
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
