"""`Document` -> JSON: its text and every kept block with what it became and where it stands.

The shape is that of `schemas/document.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from crfclean.page.offsets import Piece, places
from crfclean.structure.block_types import BlockType, block_types
from crfclean.structure.content import comments_content, content
from crfclean.structure.filter import shown
from crfclean.structure.parts import USUAL, Content, Part, Show, inside
from crfclean.types import Block, Blocks, Document, Tag

_ROW = "id url date title status message truncated score text blocks model".split()


def to_dict(document: Document, show: Show = USUAL) -> dict[str, Any]:
    """What the JSON formats carry; where `show` has `parts`, the tree of its content, too.

    `score` is the page's expected F1 on words, `probability` that of a block to be HEADER or
    TEXT; both in 0..1. `comments` are there only where they were wanted beside the text,
    `metadata` (see `metadata.output.as_dict`) unless its switch is off. Tables and headings that
    are not to be shown are neither in `text` nor in `blocks`.
    """
    tree = content(document)
    seen = shown(tree, show)
    kept = _shown_of(document.kept, tree, seen)
    told: dict[str, Any] = {
        "url": document.url,
        "title": document.blocks.title,
        "status": document.status,
        "truncated": document.truncated,
        "score": round(document.score, 4),
        "text": "\n".join(document.blocks.texts[index] for index in kept),
        "blocks": _blocks(document, kept, tree, spans=True),
    }
    if show.metadata:
        told["metadata"] = _metadata(document)
    if show.parts:
        told["content"] = part_dicts(seen, document.blocks)
    if document.tags.comments is not None:
        beside = comments_content(document)
        seen = shown(beside, show)
        chosen = _shown_of(document.comments, beside, seen)
        told["comments"] = _blocks(document, chosen, beside, spans=False)
        if show.parts:
            told["comments_content"] = part_dicts(seen, document.blocks)
    return told


def _metadata(document: Document) -> dict[str, Any]:
    """What the page says of itself; its models and word lists load with the first page."""
    from crfclean.metadata.output import as_dict
    from crfclean.metadata.read import read

    return as_dict(read(document))


def _shown_of(indices: Sequence[int], tree: Sequence[Part], seen: Sequence[Part]) -> list[int]:
    """The blocks that stand in no part that is left out."""
    gone = _blocks_of(tree) - _blocks_of(seen) if seen is not tree else set()
    return [index for index in indices if index not in gone]


def _blocks_of(tree: Sequence[Part]) -> set[int]:
    return {block for part in tree for one in inside(part) for block in one.blocks}


def _blocks(
    document: Document, indices: Sequence[int], tree: Sequence[Part], *, spans: bool
) -> list[dict[str, Any]]:
    """Some blocks; with `spans` their characters in the document's text, in which they stand."""
    types, found = block_types(tree), places(document.blocks, indices)
    told, start = [], 0
    for index in indices:
        block = document.blocks[index]
        end = start + len(block.text)
        span = {"span": [start, end] if spans else None}
        start = end + 1
        more = typed_dict(types.get(index), found[index])
        told.append(block_dict(block, document.tags[index]) | span | more)
    return told


def block_dict(block: Block, tag: Tag) -> dict[str, Any]:
    """What the JSON formats carry of a block, whether it is kept or not."""
    return {
        "index": block.index,
        "label": tag.label.name,
        "probability": round(tag.probability, 4),
        "tag": block.tag,
        "xpath": block.xpath,
        "text": block.text,
    }


def typed_dict(known: BlockType | None, place: Sequence[Piece]) -> dict[str, Any]:
    """What they carry of what a block became; a block that is left out has no type."""
    return {
        "type": known.kind if known else None,
        "facts": dict(known.facts) if known else {},
        "place": [piece._asdict() for piece in place],
    }


def part_dicts(tree: Sequence[Part], blocks: Blocks) -> list[dict[str, Any]]:
    """The parts of a content, those inside them inside; without recursion."""
    made: list[dict[str, Any]] = []
    todo: list[tuple[Content, list[Any]]] = [(part, made) for part in reversed(tree)]
    while todo:
        part, held = todo.pop()
        if isinstance(part, str):
            held.append(part)
            continue
        children: list[Any] = []
        held.append(_part_dict(part, blocks) | {"children": children})
        todo += [(child, children) for child in reversed(part.children)]
    return made


def _part_dict(part: Part, blocks: Blocks) -> dict[str, Any]:
    facts: Mapping[str, Any] = part.facts
    return {
        "kind": part.kind,
        "facts": dict(facts),
        "xpath": blocks.xpath(part.node) if part.node >= 0 else "",
        "blocks": list(part.blocks),
    }


def to_row(document: Document, show: Show = USUAL, /, **more: str | None) -> bytes:
    """A line of a corpus: `to_dict`, with `id`, `date`, `message` and `model`, which are given.

    What no UTF-8 can hold (lone surrogates) becomes a question mark.
    """
    row = {**dict.fromkeys(_ROW), **to_dict(document, show), **more}
    row["truncated"] = ",".join(filter(None, [more.get("truncated"), document.truncated]))
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def json_row(said: Mapping[str, Any], facts: Mapping[str, str | None], truncated: str) -> bytes:
    """A line of JSON: the id, what is said of a page, then the other facts of its record.

    `truncated` is what cut the page short when it was read, `facts` may say what did so before.
    """
    row = {"id": facts["id"], **said, **facts}
    row["truncated"] = ",".join(filter(None, [facts.get("truncated"), truncated]))
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def to_json(document: Document, show: Show = USUAL) -> str:
    """One indented JSON object."""
    return json.dumps(to_dict(document, show), ensure_ascii=False, indent=1) + "\n"


def to_jsonl(document: Document, show: Show = USUAL) -> str:
    """One JSON object on one line."""
    return json.dumps(to_dict(document, show), ensure_ascii=False) + "\n"
