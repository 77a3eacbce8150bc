"""Values of a page among which to choose: candidates that state the same are one value."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from crfclean.metadata.candidates import Candidate

_MAX_VALUES = 60  # values of a kind that are ranked

KeyedCandidate = tuple[str, tuple[str, ...], Candidate, str]
"""Key of a value, its texts, a candidate that states it, and how the texts were made from the
candidate's ("" for unchanged, "head" for a title without its last part)."""


@dataclass(slots=True)
class Alternative:
    """A value to choose: its key (equal for equal values), its texts, the candidates that state it.

    Every candidate comes with how the texts were made from it, as in `KeyedCandidate`.
    """

    key: str
    texts: tuple[str, ...]
    candidates: list[tuple[Candidate, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Context:
    """What features need besides the candidates."""

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
    """The family of a source, for sources too rare to have a weight."""
    first = candidate.source.split()[0]
    return "marks" if first in ("microdata", "rdfa") else first
