"""`Document` -> str: the output formats."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Protocol

from crfclean.htmlwriter import to_html
from crfclean.mdwriter import to_md
from crfclean.metadata.output import as_dict, front_matter
from crfclean.metadata.read import read
from crfclean.parts import EVERYTHING, Show
from crfclean.txtwriter import to_txt
from crfclean.types import Block, CrfcleanError, Document, Reason, Tag


class Writer(Protocol):
    """What writes a document in a format."""

    def __call__(self, document: Document, show: Show = ..., /) -> str:
        """The text of a file."""
        ...


_ROW = "id url date title status message truncated score text blocks model".split()


def to_dict(document: Document, show: Show = EVERYTHING) -> dict[str, Any]:
    """What the JSON formats carry.

    `score` is the page's expected F1 on words, `probability` that of a block to be HEADER or
    TEXT; both in 0..1. `comments` are there only where they were wanted beside the text,
    `metadata` (see `metadata.output.as_dict`) unless its switch is off.
    """
    told: dict[str, Any] = {
        "url": document.url,
        "title": document.blocks.title,
        "status": document.status,
        "truncated": document.truncated,
        "score": round(document.score, 4),
        "text": document.text,
        "blocks": [
            block_dict(document.blocks[index], document.tags[index]) for index in document.kept
        ],
    }
    if document.tags.comments is not None:
        told["comments"] = [
            block_dict(document.blocks[index], document.tags[index]) for index in document.comments
        ]
    if show.metadata:
        told["metadata"] = as_dict(read(document))
    return told


def to_row(document: Document, show: Show = EVERYTHING, /, **more: str) -> bytes:
    """A line of a corpus: `to_dict`, with `id`, `date`, `message` and `model`, which are given.

    What no UTF-8 can hold (lone surrogates) becomes a question mark.
    """
    row = {**dict.fromkeys(_ROW), **to_dict(document, show), **more}
    row["truncated"] = ",".join(filter(None, [more.get("truncated"), document.truncated]))
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def block_dict(block: Block, tag: Tag) -> dict[str, Any]:
    """What the JSON formats carry of a block."""
    return {
        "index": block.index,
        "label": tag.label.name,
        "probability": round(tag.probability, 4),
        "tag": block.tag,
        "xpath": block.xpath,
        "text": block.text,
    }


def to_json(document: Document, show: Show = EVERYTHING) -> str:
    """One indented JSON object."""
    return json.dumps(to_dict(document, show), ensure_ascii=False, indent=1) + "\n"


def to_jsonl(document: Document, show: Show = EVERYTHING) -> str:
    """One JSON object on one line."""
    return json.dumps(to_dict(document, show), ensure_ascii=False) + "\n"


def to_explanation(document: Document, reasons: Sequence[Sequence[Reason]]) -> str:
    """Status and score of the page, then every block, kept or not, and the reasons for it.

    A block has three lines: label, probability and XPath; text; reasons.
    """
    cut = f", truncated ({document.truncated})" if document.truncated else ""
    head = f"{document.status}, {len(document.blocks)} blocks, score {document.score:.4f}{cut}"
    lines = [head]
    for block, tag, why in zip(document.blocks, document.tags, reasons, strict=True):
        told = (f"{one.feature}={one.value:.3g} {one.weight:+.2f}" for one in why)
        lines.append(f"{tag.label.name:6} {tag.probability:.3f} {block.xpath}")
        lines.append(f"       {block.text[:100]}")
        lines.append("       " + "  ".join(told))
    return "\n".join(lines) + "\n"


def with_header(document: Document, show: Show = EVERYTHING) -> str:
    """Markdown, under a YAML header where it is wanted."""
    header = front_matter(read(document)) + "\n" if show.front_matter else ""
    return header + to_md(document, show)


WRITERS: Mapping[str, Writer] = {
    "txt": to_txt,
    "md": with_header,
    "json": to_json,
    "jsonl": to_jsonl,
    "html": to_html,
}
"""Format -> writer; the format is also the ending of the output files."""


def write(document: Document, form: str, **switches: bool) -> str:
    """A document in a format, with switches of `Show`: `write(document, "md", links=False)`.

    Raises `CrfcleanError` for a format or a switch that there is not.
    """
    if form not in WRITERS:
        raise CrfcleanError(f"no format {form!r}; there are {', '.join(WRITERS)}")
    known = [one.name for one in fields(Show)]
    wrong = sorted(set(switches) - set(known))
    if wrong:
        raise CrfcleanError(f"no switch {wrong[0]!r}; there are {', '.join(known)}")
    return WRITERS[form](document, Show(**switches))
