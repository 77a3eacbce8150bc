"""`Document` -> str: the output formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from crfclean.content import content
from crfclean.htmlwriter import to_html
from crfclean.jsonwriter import to_json, to_jsonl
from crfclean.teiwriter import to_tei
from crfclean.typed import BlockType, block_types
from crfclean.types import Document, Label, Reason

_INLINE_MARKS = re.compile(r"([\\`*_\[\]<>])")
_LEVELS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
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


def to_explanation(document: Document, reasons: Sequence[Sequence[Reason]]) -> str:
    """Status and score of the page, then every block, kept or not, and the reasons for it.

    A block has three lines: label, probability, XPath and what it became; text; reasons.
    """
    types = block_types(content(document))
    cut = f", truncated ({document.truncated})" if document.truncated else ""
    head = f"{document.status}, {len(document.blocks)} blocks, score {document.score:.4f}{cut}"
    lines = [head]
    for block, tag, why in zip(document.blocks, document.tags, reasons, strict=True):
        told = (f"{one.feature}={one.value:.3g} {one.weight:+.2f}" for one in why)
        became = _became(types.get(block.index), kept=tag.label != Label.OTHER)
        lines.append(f"{tag.label.name:6} {tag.probability:.3f} {block.xpath}{became}")
        lines.append(f"       {block.text[:100]}")
        lines.append("       " + "  ".join(told))
    return "\n".join(lines) + "\n"


def _became(known: BlockType | None, *, kept: bool) -> str:
    """What a block became, as in ` -> item (depth 2, ordered)`; "" for one that was not kept."""
    if known is None:
        return " -> left out" if kept else ""
    told = (
        name if fact is True else f"{name} {fact}" for name, fact in known.facts.items() if fact
    )
    facts = ", ".join(told)
    return f" -> {known.kind}" + (f" ({facts})" if facts else "")


WRITERS: Mapping[str, Callable[[Document], str]] = {
    "txt": to_txt,
    "md": to_md,
    "json": to_json,
    "jsonl": to_jsonl,
    "html": to_html,
    "tei": to_tei,
}
"""Format -> writer; the format is also the ending of the output files."""
