"""The paint of a page: the attributes, style and script that show in it what was kept."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape

from crfclean.types import Document, Kind
from crfclean.view.assets import read_view_asset
from crfclean.view.document import Paint

MAX_PAGE_CHARS = 4_000_000  # of markup; real pages stay below 1,000,000
STRENGTHS = 10
"""Steps of the colours."""

_GREEN, _GREY = "0,150,70", "120,120,120"
_FAINTEST, _STRONGEST = 0.06, {"k": 0.42, "d": 0.34}  # opacities of the colours


def script_digest(script: str) -> str:
    """The name of a script in a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(script.encode('utf-8')).digest()).decode('ascii')}'"


@cache
def frame_script() -> str:
    """The script inside a painted page."""
    return read_view_asset("frame.js")


Mark = tuple[str, float]
"""A name that stands at a block, "" for none, and its probability, 0 if it is not known."""


def paint_of(document: Document, shown: int, marks: Sequence[Mark] = ()) -> Paint:
    """The paint of the first `shown` blocks of a document, with marks, by default their kinds."""
    marks = marks or kind_marks(document)
    return Paint(tuple(_attributes(document, shown, marks)), _head(), MAX_PAGE_CHARS)


@cache
def _head() -> str:
    """Policy, style sheet and script of a painted page."""
    policy = (
        f"default-src 'none'; script-src {script_digest(frame_script())}; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style data-view>{read_view_asset('frame.css')}{''.join(_colour_rules())}</style>"
        f"<script>{frame_script()}</script>"
    )


def _colour_rules() -> Iterator[str]:
    """A rule for each strength of the two colours."""
    for letter, colour in (("k", _GREEN), ("d", _GREY)):
        for step in range(STRENGTHS):
            share = step / (STRENGTHS - 1)
            alpha = _FAINTEST + (_STRONGEST[letter] - _FAINTEST) * share
            yield (
                f"[data-crf-paint={letter}{step}]"
                f"{{background-color:rgba({colour},{alpha:.2f})!important}}"
            )


def _attributes(document: Document, shown: int, marks: Sequence[Mark]) -> Iterator[str]:
    """The attributes of each block; a mark stands at the first of neighbours that have it.

    The probability beside it is that of the first.
    """
    before = ""
    kept, probabilities = document.tags.kept.tolist(), document.tags.probabilities.tolist()
    for block in range(shown):
        name, probability = marks[block]
        share = f" {probability:.0%}" if probability else ""
        is_marked = name not in (before, "paragraph", "")
        mark = f' data-crf-kind="{escape(name)}{share}"' if is_marked else ""
        before = name
        yield f' data-crf-paint="{_strength(probabilities[block], kept=kept[block])}"{mark}'


def _strength(probability: float, *, kept: bool) -> str:
    """The name of a colour: "k9" for what is kept and surely content, "d9" for surely none."""
    sureness = probability if kept else 1.0 - probability
    return f"{'k' if kept else 'd'}{min(STRENGTHS - 1, max(0, int(sureness * STRENGTHS)))}"


def kind_marks(document: Document) -> list[Mark]:
    """The kinds of all blocks with their probabilities, as far as they are known."""
    count, likely = len(document.blocks), document.likely_kinds
    shares = [kind.probability for kind in likely] if len(likely) == count else [0.0] * count
    kinds = document.kinds if len(document.kinds) == count else ()
    words = [Kind(kind).name.lower() for kind in kinds] or [""] * count
    return list(zip(words, shares, strict=True))
