"""Format metadata as lines for a terminal: name, probability, value, source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from crfclean.metadata.values import Metadata, Value
from crfclean.pagetype.model import PageType

_MAX_CHARS = 100  # of a value
_LEAST_PROBABILITY = 0.05  # of a page type that is listed


def lines(metadata: Metadata) -> list[str]:
    """One line for each value, in the order of `Metadata`'s fields.

    >>> lines(Metadata(title=Value("Tea", "h1", 0.9, "/html[1]/body[1]/h1[1]")))
    ['title        0.900 Tea (h1, /html[1]/body[1]/h1[1])']
    """
    return [f"{name:12} {probability:.3f} {text}" for name, probability, text in _values(metadata)]


def _values(metadata: Metadata) -> Iterator[tuple[str, float, str]]:
    """Name, probability and text of every value."""
    for field in fields(metadata):
        values = getattr(metadata, field.name)
        for value in values if isinstance(values, tuple) else (values,):
            if isinstance(value, Value):
                source = ", ".join(filter(None, (value.source, value.xpath)))
                text = " ".join(value.text.split())[:_MAX_CHARS]
                yield field.name, value.probability, f"{text} ({source})"
            elif isinstance(value, PageType):
                yield field.name, value.probabilities[value.name], _type(value)


def _type(page_type: PageType) -> str:
    """The likeliest type, and the others of at least `_LEAST_PROBABILITY`."""
    ranking = sorted(page_type.probabilities.items(), key=lambda pair: (-pair[1], pair[0]))
    others = "".join(
        f", {name} {probability:.2f}"
        for name, probability in ranking
        if name != page_type.name and probability >= _LEAST_PROBABILITY
    )
    return f"{page_type.name} (model{others})"
