"""Describe as JSON what a tagger finds on a page beyond labels: texts, roles or posts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crfclean.forum.tagger import ReadsThreads
from crfclean.forum.thread import thread_to_dict
from crfclean.rules import Step
from crfclean.taggers.capabilities import FindsRoles, PartsTexts, capability, need
from crfclean.taggers.expert import OF_BLOCKS, Roles
from crfclean.taggers.postanalysis import without_post
from crfclean.types import Blocks, Document, Label, Page, Segment, Tagger

MAX_REMOVALS = 100
"""Removed candidates that are described of each step; there may be as many as elements."""

_MAX_TEXT = 80  # characters of an element that are quoted

_JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pictured:
    """A cleaned page and its tagger; `shown` is the number of blocks that the answer has."""

    page: Page
    document: Document
    tagger: Tagger
    shown: int

    @property
    def blocks(self) -> Blocks:
        """The page's blocks."""
        return self.document.blocks


def picture_name(tagger: Tagger) -> str | None:
    """The field of the answer that a tagger fills, of `PICTURES`; None if it has labels only.

    A post-analysis changes labels: the picture is that of the tagger before it.
    """
    inner = without_post(tagger)
    names = (name for name, (able, _) in PICTURES.items() if capability(inner, able) is not None)
    return next(names, None)


def picture_fields(pictured: Pictured | None) -> _JsonObject:
    """All fields of `PICTURES`, of which at most one is not None.

    Raises `CrfcleanError` if the tagger lacks a library.
    """
    name = None if pictured is None else picture_name(pictured.tagger)
    return {
        field: describe(pictured) if pictured is not None and field == name else None
        for field, (_, describe) in PICTURES.items()
    }


# coherent texts


def _segments(pictured: Pictured) -> list[_JsonObject]:
    """The page's coherent texts that begin in a block of the answer, in page order."""
    parts = need(without_post(pictured.tagger), PartsTexts)
    segments = parts.coherent_texts(pictured.blocks, pictured.document.tags)
    return [
        _segment(segment, pictured.shown)
        for segment in segments
        if segment.blocks[0] < pictured.shown
    ]


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


def _roles(pictured: Pictured) -> _JsonObject:
    """The conclusions of an expert system, and the steps that led to them."""
    roles = need(without_post(pictured.tagger), FindsRoles).roles(pictured.blocks)
    kept = roles.kept.nonzero()[0].tolist()
    heading = list(roles.heading.blocks)
    return {
        "heading": _element(roles, roles.heading.node, heading),
        "article": _element(roles, roles.article, [at for at in kept if at not in heading]),
        "comments": roles.comments.nonzero()[0].tolist(),
        "pictures": [pictured.blocks.xpath(node) for node in roles.pictures],
        "steps": [_step(roles, step) for step in roles.steps],
    }


def _element(roles: Roles, node: int, blocks: list[int]) -> _JsonObject | None:
    """An element with its role's blocks, None for -1."""
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
    """A block, or an element with its first block (None if it has none)."""
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


def _thread(pictured: Pictured) -> _JsonObject:
    """The posts of a page, each with the element and the blocks of its words.

    `replyTo` is the index of the post that a post answers, None if the page does not say so.
    """
    reads = need(without_post(pictured.tagger), ReadsThreads)
    thread, nodes = reads.thread(pictured.page, pictured.blocks), pictured.blocks.nodes
    described = thread_to_dict(thread)
    del described["pages"], described["joinedTo"]
    for post, fields in zip(thread.posts, described["posts"], strict=True):
        del fields["page"], fields["number"]  # there is one; the index
        fields["replyTo"] = post.reply.place if post.reply and post.reply.place >= 0 else None
        fields["xpath"] = pictured.blocks.xpath(post.node)
        fields["blocks"] = list(range(nodes.first_block[post.node], nodes.end_block[post.node]))
    return described


PICTURES: Mapping[str, tuple[type, Callable[[Pictured], Any]]] = {
    "segments": (PartsTexts, _segments),
    "roles": (FindsRoles, _roles),
    "thread": (ReadsThreads, _thread),
}
"""Field of the answer -> the capability that fills it, and its description."""
