"""`Document` -> str: the output formats, whose modules are imported when they first write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Protocol

from crfclean.structure.parts import USUAL, Show
from crfclean.types import CrfcleanError, Document, Label, Reason

if TYPE_CHECKING:
    from crfclean.structure.block_types import BlockType


class Writer(Protocol):
    """What writes a document in a format."""

    def __call__(self, document: Document, show: Show = ..., /) -> str:
        """The text of a file."""
        ...


def to_explanation(document: Document, reasons: Sequence[Sequence[Reason]]) -> str:
    """Status and score of the page, then every block, kept or not, and the reasons for it.

    A block has three lines: label, probability, XPath and what it became; text; reasons.
    """
    from crfclean.structure.block_types import block_types
    from crfclean.structure.content import content

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
    """What a block became, as in ` -> item (depth 2, ordered)`; "" for one that is no content."""
    if known is None:
        return " -> left out" if kept else ""
    told = (
        name if fact is True else f"{name} {fact}" for name, fact in known.facts.items() if fact
    )
    facts = ", ".join(told)
    return f" -> {known.kind}" + (f" ({facts})" if facts else "")


def to_txt(document: Document, show: Show = USUAL) -> str:
    """Plain text; see `txtwriter`."""
    from crfclean.writers.text import to_txt as write_document

    return write_document(document, show)


def to_md(document: Document, show: Show = USUAL) -> str:
    """Markdown; see `mdwriter`."""
    from crfclean.writers.markdown import to_md as write_document

    return write_document(document, show)


def with_header(document: Document, show: Show = USUAL) -> str:
    """Markdown, under a YAML header where it is wanted."""
    if not show.front_matter:
        return to_md(document, show)
    from crfclean.metadata.output import front_matter
    from crfclean.metadata.read import read

    return front_matter(read(document)) + "\n" + to_md(document, show)


def to_json(document: Document, show: Show = USUAL) -> str:
    """JSON; see `jsonwriter`."""
    from crfclean.writers.json import to_json as write_document

    return write_document(document, show)


def to_jsonl(document: Document, show: Show = USUAL) -> str:
    """JSON on one line; see `jsonwriter`."""
    from crfclean.writers.json import to_jsonl as write_document

    return write_document(document, show)


def to_html(document: Document, show: Show = USUAL) -> str:
    """HTML; see `htmlwriter`."""
    from crfclean.writers.html import to_html as write_document

    return write_document(document, show)


def to_tei(document: Document, show: Show = USUAL) -> str:
    """TEI; see `teiwriter`."""
    from crfclean.writers.tei.writer import to_tei as write_document

    return write_document(document, show)


WRITERS: Mapping[str, Writer] = {
    "txt": to_txt,
    "md": with_header,
    "json": to_json,
    "jsonl": to_jsonl,
    "html": to_html,
    "tei": to_tei,
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
