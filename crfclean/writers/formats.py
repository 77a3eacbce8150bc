"""The table of output formats, whose modules are imported when they first write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crfclean.page.decode import decode
from crfclean.page.elements import MAX_BLOCKS
from crfclean.pipeline import as_tagger, run, tagged
from crfclean.structure.parts import DEFAULT_SHOW, Show
from crfclean.taggers.capabilities import with_convention
from crfclean.types import (
    CrfcleanError,
    Document,
    Kind,
    Label,
    LikelyKind,
    Reason,
    Tagger,
    TextEnd,
)
from crfclean.types.choices import AUTO

if TYPE_CHECKING:
    from crfclean.structure.parts import BlockType


def to_explanation(document: Document, reasons: Sequence[Sequence[Reason]]) -> str:
    """Return the status, score and presence of a page, its rules, every block with its reasons.

    A block has three lines: its label, probability, XPath, kind with its own probability and a
    likelier one if there is any, and type; its text; its reasons.
    """
    from crfclean.kinds.of_blocks import document_kinds
    from crfclean.structure.content import content
    from crfclean.structure.parts import block_types

    types, kinds = block_types(content(document)), document_kinds(document)
    cut = f", truncated ({document.truncated})" if document.truncated else ""
    head = f"{document.status}, {len(document.blocks)} blocks, score {document.score:.4f}{cut}"
    lines = [head + _presence(document), *rules_in_words(document)]
    for block, tag, block_reasons in zip(document.blocks, document.tags, reasons, strict=True):
        clues = (f"{r.feature}={r.value:.3g} {r.weight:+.2f}" for r in block_reasons)
        became = _became(types.get(block.index), kept=tag.label != Label.OTHER)
        kind = kind_phrase(kinds[block.index], kinds.likely[block.index])
        lines.append(f"{tag.label.name:6} {tag.probability:.3f} {block.xpath} {kind}{became}")
        lines.append(f"       {block.text[:100]}")
        lines.append("       " + "  ".join(clues))
    return "\n".join(lines) + "\n"


def rules_in_words(document: Document) -> list[str]:
    """What each rule changed of the text that the model alone would keep, in a line each.

    As in "Rule aside left out 37 words that the model would keep."
    """
    from crfclean.decision.verdict import ruled_words

    lines = []
    for rule, (left_out, added) in ruled_words(document).items():
        for verb, words, own in (("left out", left_out, "keep"), ("added", added, "leave out")):
            if words:
                lines.append(f"Rule {rule} {verb} {words} words that the model would {own}.")
    if document.tags.end is not None:
        lines.append(end_in_words(document.tags.end))
    return lines


def end_in_words(end: TextEnd) -> str:
    """Where a text ends, or might have ended, and which option says otherwise.

    >>> end_in_words(TextEnd(41, 0.93, 212, is_cut=True))
    'The text ends before block 41 (probability 0.93). --as page keeps the 212 words behind it.'
    """
    if end.is_cut:
        verb, other = "ends", f"--as page keeps the {end.words} words behind it"
    else:
        verb, other = "may end", f"{end.words} words stand behind it"
    return f"The text {verb} before block {end.block} (probability {end.probability:.2f}). {other}."


def kind_phrase(kind: Kind, likely: LikelyKind) -> str:
    """A block's kind with its probability, and the likeliest if that is another one.

    >>> kind_phrase(Kind.LIST, LikelyKind(0.2, Kind.TEASER, 0.7))
    'list 0.20 (rather teaser 0.70)'
    """
    name, likeliest = kind.name.lower(), likely.likeliest.name.lower()
    other = f" (rather {likeliest} {likely.likeliest_probability:.2f})" if name != likeliest else ""
    return f"{name} {likely.probability:.2f}{other}"


def _presence(document: Document) -> str:
    """Whether and where the page has its content, as in `, visible 0.998`."""
    presence, source = document.presence, document.blocks.source
    if presence is None:
        return ""
    details = ", ".join(filter(None, (presence.reason, source and f"from {source}")))
    return f", {presence.where} {presence.probability:.3f}" + (f" ({details})" if details else "")


def _became(block_type: BlockType | None, *, kept: bool) -> str:
    """What a block became, as in ` -> item (depth 2, ordered)`; "" for a block that is not kept."""
    if block_type is None:
        return " -> left out" if kept else ""
    pairs = ((name, fact) for name, fact in block_type.facts.items() if fact)
    facts = ", ".join(name if fact is True else f"{name} {fact}" for name, fact in pairs)
    return f" -> {block_type.kind}" + (f" ({facts})" if facts else "")


def _writer(module: str, name: str) -> Callable[..., str]:
    """A function that writes a document, with switches of `Show`."""

    def written(document: Document, show: Show = DEFAULT_SHOW) -> str:
        text: str = getattr(import_module(f"crfclean.writers.{module}"), name)(document, show)
        return text

    return written


WRITERS: Mapping[str, Callable[..., str]] = {
    "txt": _writer("text", "to_txt"),
    "md": _writer("markdown", "to_md"),
    "json": _writer("json", "to_json"),
    "jsonl": _writer("json", "to_jsonl"),
    "html": _writer("html", "to_html"),
    "tei": _writer("tei", "to_tei"),
    "vert": _writer("vert", "to_vert"),
}
"""Format -> writer; the format is also the suffix of output files."""


def write(document: Document, form: str, **switches: bool) -> str:
    """Write a document in a format, with switches of `Show`: `write(document, "md", links=False)`.

    Raises `CrfcleanError` for an unknown format or switch.
    """
    if form not in WRITERS:
        raise CrfcleanError(f"no format {form!r}; there are {', '.join(WRITERS)}")
    return WRITERS[form](document, _show(switches))


def as_dict(document: Document, **switches: bool) -> dict[str, Any]:
    """What the JSON format holds, with switches of `Show`; raises `CrfcleanError`."""
    from crfclean.writers.json import to_dict

    return to_dict(document, _show(switches))


def _show(switches: Mapping[str, bool]) -> Show:
    names = [field.name for field in fields(Show)]
    unknown = sorted(set(switches) - set(names))
    if unknown:
        raise CrfcleanError(f"no switch {unknown[0]!r}; there are {', '.join(names)}")
    return Show(**switches)


# the text of one page, in one call


def extract(  # noqa: PLR0913
    html: bytes | str,
    url: str | None = None,
    model: str | Path | Tagger = "default",
    *,
    as_: str = AUTO,
    format: str = "txt",  # noqa: A002 - the word of the command line
    comments: str = "",
    max_blocks: int | None = MAX_BLOCKS,
) -> str:
    """The main text of one page, "" if it has none.

    Each block is a line; code, poems and addresses keep the lines that they have.

    `format` is "txt", "md", "json", "jsonl", "html", "tei" or "vert". `comments` are kept in the
    text ("keep"), set apart ("separate", as far as the format can) or left out ("drop"); by default
    the tagger decides: kept on threads, left out on articles. The other parameters are those of
    `clean`, which returns the page's blocks and says why a text is empty. Raises `CrfcleanError`
    for an unknown word, `ModelError` for a bad model, `TypeError` for anything but bytes and text.

    >>> extract("<html><body></body></html>")
    ''
    """
    tagger = as_tagger(model)
    make = tagged if format == "txt" else run  # a text has neither presence nor kinds
    document = make(decode(html, url), with_convention(tagger, as_), max_blocks=max_blocks)
    if comments:
        from crfclean.taggers.comments import with_comments

        document = with_comments(document, tagger, comments)
    return document.text if format == "txt" else write(document, format)
