"""`Document` -> str: the output formats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from crfclean.htmlwriter import to_html
from crfclean.types import Block, Document, Label, Reason, Tag

_INLINE_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_ROW = "id url date title status message truncated score text blocks model".split()
_ITEMS = frozenset(["li", "dd", "dt"])


def to_txt(document: Document) -> str:
    """The kept blocks, one a line; comments beside the text follow after an empty line."""
    return _txt_lines(document, document.kept) + (
        "\n" + _txt_lines(document, document.comments) if document.comments else ""
    )


def _txt_lines(document: Document, indices: Sequence[int]) -> str:
    return "".join(document.blocks.texts[index] + "\n" for index in indices)


def to_md(document: Document) -> str:
    """The kept blocks as Markdown: headings by their level, list items, paragraphs.

    Comments beside the text follow after a rule.
    """
    text = _md_lines(document, document.kept)
    if not document.comments:
        return text
    return text + ("\n" if text else "") + "---\n\n" + _md_lines(document, document.comments)


def _md_lines(document: Document, indices: Sequence[int]) -> str:
    parts = [_md_block(document, index) for index in indices]
    lines = []
    for (item, text), before in zip(parts, [(False, ""), *parts], strict=False):
        lines.append(("" if item and before[0] else "\n") + text + "\n")
    return "".join(lines).lstrip("\n")


def _md_block(document: Document, index: int) -> tuple[bool, str]:
    """Whether a block is a list item, and its Markdown."""
    block = document.blocks[index]
    text = _escape(block.text)
    if document.tags.labels[index] == Label.HEADER:
        return False, "#" * _LEVELS.get(block.tag, 2) + " " + text
    return (True, "- " + text) if block.tag in _ITEMS else (False, text)


def _escape(text: str) -> str:
    """Protect what Markdown would read as marks."""
    text = _INLINE_MARKS.sub(r"\\\1", text)
    text = re.sub(r"&(?=#?\w+;)", r"\\&", text)
    text = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", text)
    return re.sub(r"^([#+=~-])", r"\\\1", text)


def to_dict(document: Document) -> dict[str, Any]:
    """What the JSON formats carry.

    `score` is the page's expected F1 on words, `probability` that of a block to be HEADER or
    TEXT; both in 0..1. `comments` are there only where they were wanted beside the text.
    """
    told = {
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
    return told


def to_row(document: Document, **more: str) -> bytes:
    """A line of a corpus: `to_dict`, with `id`, `date`, `message` and `model`, which are given.

    What no UTF-8 can hold (lone surrogates) becomes a question mark.
    """
    row = {**dict.fromkeys(_ROW), **to_dict(document), **more}
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


def to_json(document: Document) -> str:
    """One indented JSON object."""
    return json.dumps(to_dict(document), ensure_ascii=False, indent=1) + "\n"


def to_jsonl(document: Document) -> str:
    """One JSON object on one line."""
    return json.dumps(to_dict(document), ensure_ascii=False) + "\n"


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


WRITERS: Mapping[str, Callable[[Document], str]] = {
    "txt": to_txt,
    "md": to_md,
    "json": to_json,
    "jsonl": to_jsonl,
    "html": to_html,
}
"""Format -> writer; the format is also the ending of the output files."""
