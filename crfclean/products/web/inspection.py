"""Clean a page and describe the result as JSON, with the reasons for every block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crfclean import door
from crfclean.decision.rules import CutChoice
from crfclean.document.block_types import block_types
from crfclean.document.content import content
from crfclean.document.formats import WRITERS
from crfclean.document.json import block_dicts, block_type_dict, kind_dict, to_dict
from crfclean.document.page_view import view_of
from crfclean.document.parts import DEFAULT_SHOW, Show
from crfclean.page.places import places
from crfclean.pipeline import run
from crfclean.products.corpus.params import TASK_BOUNDS, TaskLimits
from crfclean.products.papers.perceptron import MlpTagger, without_post
from crfclean.products.papers.post_analysis import Change, verdict_of
from crfclean.systems.capabilities import Explains, need, with_choice
from crfclean.types import (
    CrfcleanError,
    Document,
    Page,
    Reason,
    Tagger,
    check_bounds,
    option,
)
from crfclean.types.choices import AUTO

_TOKEN = re.compile(r"[A-Za-z0-9._~-]{8,}")  # characters that need no escaping in a URL

_BOUNDS = {"workers": (1, 256), "waiting": (0, 10_000)}


@dataclass(frozen=True, slots=True)
class WorkParams(TaskLimits):
    """Limits of a page as in `clean`, with a shorter time, and numbers of processes.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    max_seconds: float = option(30.0, "CPU seconds per page")
    workers: int = option(2, "number of processes, each for one page at a time")
    waiting: int = option(64, "most pages in the queue; more are refused")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS | _BOUNDS)


@dataclass(frozen=True, slots=True)
class ServeParams:
    """Address, limits and taggers of the server; without `fetching` URLs are refused.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    host: str = option(
        "127.0.0.1", "address to listen on; only loopback is closed to other machines"
    )
    port: int = option(8600, "port to listen on; 0: a free one")
    max_mb: int = option(16, "megabytes per request")
    models: tuple[str, ...] = ("default",)
    token: str = field(default="", repr=False)
    work: WorkParams = field(default_factory=WorkParams)
    fetching: Any = None

    def __post_init__(self) -> None:
        check_bounds(self, {"port": (0, 65_535), "max_mb": (1, 10_000)})
        if self.token and not _TOKEN.fullmatch(self.token):
            raise CrfcleanError("token: 8 or more of letters, digits and - . _ ~ are needed")


_JsonObject = dict[str, Any]


def picture_name(tagger: Tagger) -> str | None:
    """Return the name of a tagger's picture in the door, None for a tagger with labels only."""
    name: str | None = getattr(tagger, "picture", None)
    return name


# Real pages have under 3,000; the XPaths of deep blocks make the answer large.
_MAX_SHOWN_BLOCKS = 5_000
MAX_REASONS = 20


@dataclass(frozen=True, slots=True)
class Inspection:
    """How a page is cleaned, and what the answer includes.

    If `threshold` is None, the tagger or the `convention` decides. `reasons` is the number of
    features per block, `formats` the formats of the text, `show` what they and the row include.
    With `blocks` the answer has every block of the page with its label and the reasons. With
    `picture` it has the texts, roles or posts that the tagger finds; with `view` the page itself,
    painted by what was kept, with the reasons in words. `page_id` is returned, and is in the texts
    that name their page. `within` and `drop` are CSS selectors, as in `CutParams`.
    """

    threshold: float | None = None
    reasons: int = 0
    formats: tuple[str, ...] = ()
    blocks: bool = False
    show: Show = DEFAULT_SHOW
    convention: str = AUTO
    picture: bool = False
    view: bool = False
    page_id: str = ""
    within: str = ""
    drop: str = ""


def inspect(page: Page, tagger: Tagger, inspection: Inspection) -> _JsonObject:
    """Clean a page: return its row, and what the inspection asks for.

    Blocks beyond the first `_MAX_SHOWN_BLOCKS` are only counted. Raises `CrfcleanError` if the
    tagger has no threshold, gives no reasons, or lacks a library.
    """
    adjusted_tagger = adjusted(tagger, inspection)
    document = run(page, adjusted_tagger)
    shown = min(len(document.blocks), _MAX_SHOWN_BLOCKS)
    pictures: _JsonObject = dict.fromkeys(door.names("pictures"))
    name = picture_name(tagger) if inspection.picture else None
    if name is not None:
        pictures[name] = door.find("pictures", name)(tagger, page, document, shown)
    answer = to_dict(document, inspection.show) | {"id": inspection.page_id or None}
    if inspection.formats:
        answer["texts"] = {
            name: WRITERS[name](document, inspection.show, inspection.page_id)
            for name in inspection.formats
        }
    if inspection.blocks or inspection.reasons:
        answer |= {
            "kept": len(document.kept),
            "left_out": len(document.blocks) - shown,
            "blocks": _blocks(
                document, adjusted_tagger, shown, min(inspection.reasons, MAX_REASONS)
            ),
        }
    if inspection.picture:
        answer |= pictures
    if inspection.view:
        answer["view"] = view_of(page, document, adjusted_tagger)
    return answer


def adjusted(tagger: Tagger, inspection: Inspection) -> Tagger:
    """Set the convention, the threshold and the selectors; raises `CrfcleanError`."""
    within, drop = inspection.within or None, inspection.drop or None
    choice = CutChoice(
        inspection.convention, threshold=inspection.threshold, within=within, drop=drop
    )
    return with_choice(tagger, choice)


def _blocks(document: Document, tagger: Tagger, count: int, reasons: int) -> list[_JsonObject]:
    changes = _changes(document, tagger)
    reasons_of = _reasons(document, tagger, reasons)
    almost = verdict_of(document.tags).almost.tolist()
    types, positions = (
        block_types(content(document, has_texts=False)),
        places(document.blocks, range(count)),
    )
    return [
        row
        | _explained(changes[place], reasons_of[place])
        | kind_dict(document.kinds[place], document.likely_kinds[place])
        | block_type_dict(types.get(place), positions[place])
        | {"almost": almost[place]}
        for place, row in enumerate(block_dicts(document, range(count)))
    ]


def _changes(document: Document, tagger: Tagger) -> Sequence[Sequence[Change]]:
    if not isinstance(tagger, MlpTagger):
        return [()] * len(document.blocks)
    return tagger.analyse(document.blocks).changes()


def _reasons(document: Document, tagger: Tagger, max_reasons: int) -> Sequence[Sequence[Reason]]:
    """Return the weightiest features of each block, without the steps of the post-analysis."""
    if not max_reasons:
        return [()] * len(document.blocks)
    return need(without_post(tagger), Explains, "reasons").explain(document.blocks, max_reasons)


def _explained(changes: Sequence[Change], reasons: Sequence[Reason]) -> _JsonObject:
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
    return float(f"{value:.4g}")
