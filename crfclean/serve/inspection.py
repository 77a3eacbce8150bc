"""Clean a page and describe the result as JSON, with the reasons for every block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from crfclean.metadata.output import as_dict
from crfclean.metadata.read import read
from crfclean.page.offsets import places
from crfclean.pipeline import run
from crfclean.serve.pictures import Pictured, picture_fields
from crfclean.structure.block_types import block_types
from crfclean.structure.content import outline
from crfclean.structure.parts import DEFAULT_SHOW, Show
from crfclean.taggers.capabilities import (
    Decides,
    Explains,
    need,
    with_convention,
)
from crfclean.taggers.postanalysis import Change, PostTagger, verdict_of, with_post, without_post
from crfclean.types import Document, Page, Reason, Tagger
from crfclean.types.choices import AUTO
from crfclean.view.overlay import view_of
from crfclean.writers.formats import WRITERS
from crfclean.writers.json import block_dicts, block_type_dict, kind_dict, presence_dict

# Real pages have under 3,000; the XPaths of deep blocks make the answer large.
_MAX_SHOWN_BLOCKS = 5_000
MAX_REASONS = 20

_JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inspection:
    """How a page is cleaned and what the answer includes.

    `post` None keeps the model's default for the post-analysis, `threshold` None its decision
    rule, or that of the `convention` (see `conventions`). `reasons` is the number of features per
    block, `formats` the formats of the text, `show` what they include. With `picture` the answer
    has the texts, roles or posts that the tagger finds; with `view` the page itself, with what was
    kept and the reasons in words.
    """

    post: bool | None = None
    threshold: float | None = None
    reasons: int = 0
    formats: tuple[str, ...] = ("txt",)
    show: Show = DEFAULT_SHOW
    convention: str = AUTO
    picture: bool = True
    view: bool = False


def inspect(page: Page, tagger: Tagger, inspection: Inspection) -> _JsonObject:
    """Clean a page and report what became of every block, and why.

    Blocks beyond the first `_MAX_SHOWN_BLOCKS` are counted, not shown. Raises `CrfcleanError` where
    the tagger has no threshold, gives no reasons, or lacks a library.
    """
    adjusted_tagger = adjusted(tagger, inspection)
    document = run(page, adjusted_tagger)
    shown = min(len(document.blocks), _MAX_SHOWN_BLOCKS)
    pictured = Pictured(page, document, tagger, shown) if inspection.picture else None
    return {
        "url": page.url,
        "title": document.page_blocks.title,
        "status": document.status,
        "truncated": document.truncated,
        "encoding": page.encoding,
        "score": round(document.score, 4),
        "presence": presence_dict(document),
        "source": document.blocks.source,
        "kept": len(document.kept),
        "left_out": len(document.blocks) - shown,
        "blocks": _blocks(document, adjusted_tagger, shown, min(inspection.reasons, MAX_REASONS)),
        **picture_fields(pictured),
        "metadata": _metadata(document, inspection.show),
        "view": view_of(page, document, adjusted_tagger) if inspection.view else None,
        "texts": {name: WRITERS[name](document, inspection.show) for name in inspection.formats},
    }


def _metadata(document: Document, show: Show) -> _JsonObject | None:
    """What the page states about itself, None if that is switched off."""
    if not show.metadata:
        return None
    return as_dict(read(document, identify_language=show.identify_language))


def adjusted(tagger: Tagger, inspection: Inspection) -> Tagger:
    """Set post-analysis, convention and threshold of a tagger; raises `CrfcleanError`."""
    corrected = with_convention(with_post(tagger, inspection.post), inspection.convention)
    if inspection.threshold is None:
        return corrected
    decides = need(corrected, Decides, "threshold")
    return decides.with_cut(replace(decides.cut, rule="threshold", threshold=inspection.threshold))


def _blocks(document: Document, tagger: Tagger, count: int, reasons: int) -> list[_JsonObject]:
    changes = _changes(document, tagger)
    reasons_of = _reasons(document, tagger, reasons)
    almost = verdict_of(document.tags).almost.tolist()
    types, positions = block_types(outline(document)), places(document.blocks, range(count))
    return [
        row
        | _explained(changes[place], reasons_of[place])
        | kind_dict(document.kinds[place], document.likely_kinds[place])
        | block_type_dict(types.get(place), positions[place])
        | {"almost": almost[place]}
        for place, row in enumerate(block_dicts(document, range(count)))
    ]


def _changes(document: Document, tagger: Tagger) -> Sequence[Sequence[Change]]:
    """The changes that the steps of the post-analysis made to each block."""
    if not isinstance(tagger, PostTagger):
        return [()] * len(document.blocks)
    return tagger.analyse(document.blocks).changes()


def _reasons(document: Document, tagger: Tagger, max_reasons: int) -> Sequence[Sequence[Reason]]:
    """The features that weighed most for each block, without the steps of the post-analysis."""
    if not max_reasons:
        return [()] * len(document.blocks)
    return need(without_post(tagger), Explains, "reasons").explain(document.blocks, max_reasons)


def _explained(changes: Sequence[Change], reasons: Sequence[Reason]) -> _JsonObject:
    """What the post-analysis did to a block, and why it has its label."""
    return {
        "steps": [{"step": change.step, "kept": change.kept} for change in changes],
        "reasons": [
            {
                "feature": reason.feature,
                "value": _number(reason.value),
                "weight": _number(reason.weight),
            }
            for reason in reasons
        ],
    }


def _number(value: float) -> float:
    """Round to four significant digits, for display only."""
    return float(f"{value:.4g}")
