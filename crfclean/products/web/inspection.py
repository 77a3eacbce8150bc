"""Clean a page and describe the result as JSON, with the reasons for every block."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crfclean.decision.rules import CutChoice
from crfclean.document.content import content
from crfclean.document.formats import WRITERS
from crfclean.document.json import block_dicts, block_type_dict, kind_dict, title_of
from crfclean.document.overlay import view_of
from crfclean.document.parts import DEFAULT_SHOW, Show, block_types
from crfclean.metadata.candidates import as_dict
from crfclean.page.blocks import places
from crfclean.pipeline import run
from crfclean.products.corpus.jobs import TASK_BOUNDS, TaskLimits
from crfclean.products.forum.tagger import ForumTagger
from crfclean.products.forum.thread import thread_to_dict
from crfclean.products.papers.by_rules import OF_BLOCKS, ExpertTagger, Roles, SegmentTagger
from crfclean.products.papers.perceptron import Change, MlpTagger, verdict_of, without_post
from crfclean.rules import Step
from crfclean.systems.load import Explains, capability, need, with_choice
from crfclean.types import (
    CrfcleanError,
    Document,
    Label,
    Page,
    Reason,
    Segment,
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
    """Address, limits and models of the server; without `fetching` URLs are refused.

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


# describe what a tagger finds besides labels, as JSON: texts, roles or posts

MAX_REMOVALS = 100
"""At most so many removed candidates of a step are described; there may be thousands."""

_MAX_TEXT = 80  # characters of an element that are quoted

_JsonObject = dict[str, Any]


def picture_name(tagger: Tagger) -> str | None:
    """Return the field of `PICTURES` that a tagger fills, None for a tagger with labels only."""
    names = (name for name, (able, _) in PICTURES.items() if capability(tagger, able) is not None)
    return next(names, None)


# coherent texts


def _segments(
    tagger: SegmentTagger, _page: Page, document: Document, shown: int
) -> list[_JsonObject]:
    """Describe the coherent texts that begin in a block of the answer, in page order."""
    segments = tagger.coherent_texts(document.blocks, document.tags)
    return [_segment(segment, shown) for segment in segments if segment.blocks[0] < shown]


def _segment(segment: Segment, shown: int) -> _JsonObject:
    lines = zip(segment.blocks, segment.text.split("\n"), strict=True)
    return {
        "xpath": segment.xpath,
        "size": segment.size,
        "energy": float(f"{segment.energy:.6g}"),
        "link_share": round(segment.link_share, 4),
        "blocks": len(segment.blocks),
        "kept": sum(label != Label.OTHER for label in segment.labels),
        "parts": [{"block": block, "text": text} for block, text in lines if block < shown],
    }


# roles


def _roles(tagger: ExpertTagger, _page: Page, document: Document, _shown: int) -> _JsonObject:
    roles = tagger.roles(document.blocks)
    kept = roles.kept.nonzero()[0].tolist()
    heading = list(roles.heading.blocks)
    return {
        "heading": _element(roles, roles.heading.node, heading),
        "article": _element(roles, roles.article, [at for at in kept if at not in heading]),
        "comments": roles.comments.nonzero()[0].tolist(),
        "pictures": [document.blocks.xpath(node) for node in roles.pictures],
        "steps": [_step(roles, step) for step in roles.steps],
    }


def _element(roles: Roles, node: int, blocks: list[int]) -> _JsonObject | None:
    """Describe an element and the blocks of its role; None for -1."""
    if node < 0:
        return None
    text = roles.page.text(node)[:_MAX_TEXT]
    return {"xpath": roles.page.blocks.xpath(node), "text": text, "blocks": blocks}


def _step(roles: Roles, step: Step) -> _JsonObject:
    removed = [
        _candidate(roles, step.system, item) | {"why": why}
        for item, why in list(step.removed.items())[:MAX_REMOVALS]
    ]
    return {
        "system": step.system,
        "rule": step.rule,
        "removed": removed,
        "removed_count": len(step.removed),
        "left": step.left,
    }


def _candidate(roles: Roles, system: str, item: int) -> _JsonObject:
    """Describe a block, or an element and its first block (None if it has none)."""
    blocks, nodes = roles.page.blocks, roles.page.blocks.nodes
    if system in OF_BLOCKS:
        xpath, text = blocks.xpath(int(blocks.node[item])), blocks.texts[item]
        return {"xpath": xpath, "text": text[:_MAX_TEXT], "block": item}
    first = int(nodes.first_block[item])
    return {
        "xpath": blocks.xpath(item),
        "text": roles.page.text(item)[:_MAX_TEXT],
        "block": first if first < nodes.end_block[item] else None,
    }


# posts


def _thread(reads: ForumTagger, page: Page, document: Document, _shown: int) -> _JsonObject:
    """Describe the posts of a page, each with its element and its blocks.

    `replyTo` is the index of the post that a post answers, None if the page names none.
    """
    thread, nodes = reads.thread(page, document.blocks), document.blocks.nodes
    described = thread_to_dict(thread)
    del described["pages"], described["joinedTo"]
    for post, fields in zip(thread.posts, described["posts"], strict=True):
        del fields["page"], fields["number"]  # always 1; the index + 1
        fields["replyTo"] = post.reply.place if post.reply and post.reply.place >= 0 else None
        fields["xpath"] = document.blocks.xpath(post.node)
        fields["blocks"] = list(range(nodes.first_block[post.node], nodes.end_block[post.node]))
    return described


PICTURES: Mapping[str, tuple[type, Callable[[Any, Page, Document, int], Any]]] = {
    "segments": (SegmentTagger, _segments),
    "roles": (ExpertTagger, _roles),
    "thread": (ForumTagger, _thread),
}
"""Field of the answer -> the class of the tagger that fills it, and what describes it."""


# Real pages have under 3,000; the XPaths of deep blocks make the answer large.
_MAX_SHOWN_BLOCKS = 5_000
MAX_REASONS = 20


@dataclass(frozen=True, slots=True)
class Inspection:
    """How a page is cleaned, and what the answer includes.

    If `threshold` is None, the tagger or the `convention` decides. `reasons` is the number of
    features per block, `formats` the formats of the text, `show` what they include. With `picture`
    the answer has the texts, roles or posts that the tagger finds; with `view` the page itself,
    painted by what was kept, with the reasons in words. `page_id` is returned, and is in the texts
    that name their page. `within` and `drop` are CSS selectors, as in `CutParams`.
    """

    threshold: float | None = None
    reasons: int = 0
    formats: tuple[str, ...] = ("txt",)
    show: Show = DEFAULT_SHOW
    convention: str = AUTO
    picture: bool = True
    view: bool = False
    page_id: str = ""
    within: str = ""
    drop: str = ""


def inspect(page: Page, tagger: Tagger, inspection: Inspection) -> _JsonObject:
    """Clean a page, and describe every block with its label and the reasons.

    Blocks beyond the first `_MAX_SHOWN_BLOCKS` are only counted. Raises `CrfcleanError` if the
    tagger has no threshold, gives no reasons, or lacks a library.
    """
    adjusted_tagger = adjusted(tagger, inspection)
    document = run(page, adjusted_tagger)
    shown = min(len(document.blocks), _MAX_SHOWN_BLOCKS)
    pictures: _JsonObject = dict.fromkeys(PICTURES)
    name = picture_name(tagger) if inspection.picture else None
    if name is not None:
        pictures[name] = PICTURES[name][1](tagger, page, document, shown)
    metadata = document.metadata if inspection.show.metadata else None
    return {
        "id": inspection.page_id,
        "url": page.url,
        "title": title_of(document, metadata),
        "status": document.status,
        "truncated": document.truncated,
        "encoding": page.encoding,
        "score": round(document.score, 4),
        "presence": document.presence and document.presence._asdict(),
        "source": document.blocks.source,
        "kept": len(document.kept),
        "left_out": len(document.blocks) - shown,
        "blocks": _blocks(document, adjusted_tagger, shown, min(inspection.reasons, MAX_REASONS)),
        **pictures,
        "metadata": metadata and as_dict(metadata),
        "view": view_of(page, document, adjusted_tagger) if inspection.view else None,
        "texts": {
            name: WRITERS[name](document, inspection.show, inspection.page_id)
            for name in inspection.formats
        },
    }


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
