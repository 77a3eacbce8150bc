"""What `serve` shows of coherent texts and of the roles of the expert system, as JSON."""

from __future__ import annotations

from typing import Any

from crfclean.products.papers.expert import OF_BLOCKS, ExpertTagger, Roles
from crfclean.products.papers.main_text import SegmentTagger
from crfclean.rules import Step
from crfclean.types import Document, Label, Page, Segment

MAX_REMOVALS = 100
"""At most so many removed candidates of a step are described; there may be thousands."""

_MAX_TEXT = 80  # characters of an element that are quoted

_JsonObject = dict[str, Any]


def described_segments(
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


def roles(tagger: ExpertTagger, _page: Page, document: Document, _shown: int) -> _JsonObject:
    """Describe the conclusions of the expert system, and the steps that led to them."""
    found = tagger.roles(document.blocks)
    kept = found.kept.nonzero()[0].tolist()
    heading = list(found.heading.blocks)
    return {
        "heading": _element(found, found.heading.node, heading),
        "article": _element(found, found.article, [at for at in kept if at not in heading]),
        "comments": found.comments.nonzero()[0].tolist(),
        "pictures": [document.blocks.xpath(node) for node in found.pictures],
        "steps": [_step(found, step) for step in found.steps],
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
    blocks, table = roles.page.blocks, roles.page.blocks.table
    if system in OF_BLOCKS:
        xpath, text = blocks.xpath(int(blocks.node[item])), blocks.texts[item]
        return {"xpath": xpath, "text": text[:_MAX_TEXT], "block": item}
    first = int(table.first_block[item])
    return {
        "xpath": blocks.xpath(item),
        "text": roles.page.text(item)[:_MAX_TEXT],
        "block": first if first < table.end_block[item] else None,
    }
