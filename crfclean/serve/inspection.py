"""A `Page` + a tagger -> all that can be shown of how it is cleaned, as JSON has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from crfclean.metadata.output import as_dict
from crfclean.metadata.read import read
from crfclean.page.offsets import places
from crfclean.pipeline import run
from crfclean.structure.block_types import block_types
from crfclean.structure.content import content
from crfclean.structure.parts import USUAL, Show
from crfclean.taggers.capabilities import Corrected, Decides, Explains, capability, need
from crfclean.taggers.post import with_post, without_post
from crfclean.taggers.postanalysis import Change, verdict_of
from crfclean.types import Block, Document, Page, Reason, Tag, Tagger
from crfclean.writers.formats import WRITERS
from crfclean.writers.json import block_dict, typed_dict

_MAX_SHOWN_BLOCKS = (
    5_000  # shown of a page: real ones have under 3,000; XPaths of deep ones are long
)
MAX_REASONS = 20

_JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Inspection:
    """What is to be shown of a page.

    `post` None leaves the post-analysis as the model has it, `threshold` None the model's own
    rule. `reasons` is how many features are told of every block, `formats` in which formats the
    text is written, `show` what they show.
    """

    post: bool | None = None
    threshold: float | None = None
    reasons: int = 0
    formats: tuple[str, ...] = ("txt",)
    show: Show = USUAL


def inspect(page: Page, tagger: Tagger, wanted: Inspection) -> _JsonObject:
    """Clean a page and tell of every block what became of it, and why.

    Blocks beyond the first `_MAX_SHOWN_BLOCKS` are counted, not shown. Raises `CrfcleanError` where
    the tagger has no threshold or gives no reasons.
    """
    chosen = adjusted(tagger, wanted)
    document = run(page, chosen)
    shown = min(len(document.blocks), _MAX_SHOWN_BLOCKS)
    return {
        "url": page.url,
        "title": document.blocks.title,
        "status": document.status,
        "truncated": document.truncated,
        "encoding": page.encoding,
        "score": round(document.score, 4),
        "kept": len(document.kept),
        "left_out": len(document.blocks) - shown,
        "blocks": _blocks(document, chosen, shown, min(wanted.reasons, MAX_REASONS)),
        "metadata": as_dict(read(document)) if wanted.show.metadata else None,
        "texts": {name: WRITERS[name](document, wanted.show) for name in wanted.formats},
    }


def adjusted(tagger: Tagger, wanted: Inspection) -> Tagger:
    """The tagger with the post-analysis and the threshold asked for; raises `CrfcleanError`."""
    chosen = with_post(tagger, wanted.post)
    if wanted.threshold is None:
        return chosen
    decides = need(chosen, Decides, "threshold")
    return decides.with_cut(replace(decides.cut, rule="threshold", threshold=wanted.threshold))


def _blocks(document: Document, tagger: Tagger, shown: int, reasons: int) -> list[_JsonObject]:
    changes = _changes(document, tagger)
    told = _reasons(document, tagger, reasons)
    almost = verdict_of(document.tags).almost.tolist()
    types, found = block_types(content(document)), places(document.blocks, range(shown))
    return [
        _block(document.blocks[place], document.tags[place], changes[place], told[place])
        | typed_dict(types.get(place), found[place])
        | {"almost": almost[place]}
        for place in range(shown)
    ]


def _changes(document: Document, tagger: Tagger) -> Sequence[Sequence[Change]]:
    """What the steps of the post-analysis did to each block."""
    behind = capability(tagger, Corrected)
    if behind is None:
        return [()] * len(document.blocks)
    return behind.analyse(document.blocks).changes()


def _reasons(document: Document, tagger: Tagger, most: int) -> Sequence[Sequence[Reason]]:
    """The features that weighed most for each block, without the steps of the post-analysis."""
    if not most:
        return [()] * len(document.blocks)
    return need(without_post(tagger), Explains, "reasons").explain(document.blocks, most)


def _block(
    block: Block, tag: Tag, changes: Sequence[Change], reasons: Sequence[Reason]
) -> _JsonObject:
    return {
        **block_dict(block, tag),
        "steps": [{"step": one.step, "kept": one.kept} for one in changes],
        "reasons": [
            {"feature": one.feature, "value": _number(one.value), "weight": _number(one.weight)}
            for one in reasons
        ],
    }


def _number(value: float) -> float:
    """Four significant digits: what is shown, not what is reckoned with."""
    return float(f"{value:.4g}")
