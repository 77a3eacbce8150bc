"""`Metadata` -> lines for people: name, value, how sure it is, where it was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from crfclean.metadata.values import Metadata, PageType, Value

MAX_CHARS = 100  # of a value
LEAST_SHARE = 0.05  # of a page type that is told


def lines(metadata: Metadata) -> list[str]:
    """A line a value, names in the order of `Metadata`; none of what nothing is known of.

    >>> lines(Metadata(title=Value("Tea", "h1", 0.9, "/html[1]/body[1]/h1[1]")))
    ['title        0.900 Tea (h1, /html[1]/body[1]/h1[1])']
    """
    return [f"{name:12} {probability:.3f} {text}" for name, probability, text in _values(metadata)]


def _values(metadata: Metadata) -> Iterator[tuple[str, float, str]]:
    """Name, probability and text of every value."""
    for one in fields(metadata):
        value = getattr(metadata, one.name)
        for told in value if isinstance(value, tuple) else (value,):
            if isinstance(told, Value):
                where = ", ".join(filter(None, (told.source, told.xpath)))
                text = " ".join(told.text.split())[:MAX_CHARS]
                yield one.name, told.probability, f"{text} ({where})"
            elif isinstance(told, PageType):
                yield one.name, told.probabilities[told.name], _type(told)


def _type(told: PageType) -> str:
    """The likeliest type, and the others that are likely at all."""
    ranked = sorted(told.probabilities.items(), key=lambda pair: (-pair[1], pair[0]))
    others = [
        f"{name} {share:.2f}"
        for name, share in ranked
        if name != told.name and share >= LEAST_SHARE
    ]
    return f"{told.name} (model{''.join(f', {one}' for one in others)})"
