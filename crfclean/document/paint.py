"""Paint a page: attributes, style and script that show what was kept."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape

from crfclean.document.view import Paint
from crfclean.shell import (
    policy,
    read_asset,
)
from crfclean.types import Document, Kind

MAX_PAGE_CHARS = 4_000_000  # of markup; real pages stay below 1,000,000
STRENGTHS = 10
"""Steps of the colours."""

_GREEN, _GREY = "0,150,70", "120,120,120"
_FAINTEST, _STRONGEST = 0.06, {"k": 0.42, "d": 0.34}  # opacities of the colours


def paint_of(document: Document, shown: int) -> Paint:
    """Return the paint of the first `shown` blocks of a document, with their kinds."""
    return Paint(tuple(_attributes(document, shown)), _head(), MAX_PAGE_CHARS)


@cache
def _head() -> str:
    script = read_asset("frame.js")
    sheet = read_asset("frame.css") + "".join(_colour_rules())
    return f"{policy(script)}<style data-view>{sheet}</style><script>{script}</script>"


def _colour_rules() -> Iterator[str]:
    for letter, colour in (("k", _GREEN), ("d", _GREY)):
        for step in range(STRENGTHS):
            share = step / (STRENGTHS - 1)
            alpha = _FAINTEST + (_STRONGEST[letter] - _FAINTEST) * share
            yield (
                f"[data-crf-paint={letter}{step}]"
                f"{{background-color:rgba({colour},{alpha:.2f})!important}}"
            )


def _attributes(document: Document, shown: int) -> Iterator[str]:
    """Yield the attributes of each block.

    Of neighbours of one kind, the first shows the kind, with its own probability.
    """
    before = ""
    kept, probabilities = document.tags.kept.tolist(), document.tags.probabilities.tolist()
    kinds = zip(document.kinds[:shown], document.likely_kinds[:shown], strict=True)
    for block, (kind, likely) in enumerate(kinds):
        name = Kind(kind).name.lower()
        share = f" {likely.probability:.0%}" if likely.probability else ""
        is_marked = name not in (before, "paragraph")
        mark = f' data-crf-kind="{escape(name)}{share}"' if is_marked else ""
        before = name
        # "k9": a kept block that surely is content; "d9": a dropped block that surely is not
        sureness = probabilities[block] if kept[block] else 1.0 - probabilities[block]
        strength = min(STRENGTHS - 1, max(0, int(sureness * STRENGTHS)))
        yield f' data-crf-paint="{"k" if kept[block] else "d"}{strength}"{mark}'
