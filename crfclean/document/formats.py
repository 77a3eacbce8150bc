"""The table of output formats, whose modules are imported when they first write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from crfclean import door
from crfclean.decision.rules import CutChoice, Kinds
from crfclean.document.budget import fitted
from crfclean.document.parts import DEFAULT_SHOW, Part, Show, iter_parts
from crfclean.document.shown import filter_parts
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.sources import Source, as_page
from crfclean.parallel import in_time
from crfclean.pipeline import CleanParams, clean_params, over_time, run, tagged
from crfclean.types import (
    CommentMode,
    Convention,
    CrfcleanError,
    Document,
    Format,
    Kind,
    Label,
    LikelyKind,
    Page,
    Reason,
    Switches,
    Tagger,
    TextEnd,
)
from crfclean.types.choices import AUTO

if TYPE_CHECKING:
    from crfclean.document.block_types import BlockType


def to_explanation(document: Document, reasons: Sequence[Sequence[Reason]]) -> str:
    """Return the status, score and presence of a page, its rules, every block with its reasons.

    A block has three lines: its label, probability, XPath, kind with its own probability and a
    likelier one if there is any, and type; its text; its reasons.
    """
    from crfclean.document.block_types import block_types
    from crfclean.document.content import content
    from crfclean.model.kinds import document_kinds

    types = block_types(content(document, has_texts=False))
    kinds = document_kinds(document)
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
    """Return a line for each rule that changed the text that the model alone would keep.

    As in `The rule "aside" dropped 37 words that the model would keep.`
    """
    from crfclean.decision.verdict import ruled_words

    lines = []
    for rule, (dropped, added) in ruled_words(document).items():
        for verb, words, own in (("dropped", dropped, "keep"), ("added", added, "drop")):
            if words:
                lines.append(f'The rule "{rule}" {verb} {words} words that the model would {own}.')
    if document.tags.end is not None:
        lines.append(end_in_words(document.tags.end))
    lines += [f"No element of the page matches {words}" for words in document.tags.unmatched]
    return lines


def end_in_words(end: TextEnd) -> str:
    """Say where a text ends, or might have ended, and which option keeps the rest.

    >>> end_in_words(TextEnd(41, 0.93, 212, is_cut=True))
    'The text ends before block 41 (probability 0.93). --as page keeps the 212 words behind it.'
    """
    if end.is_cut:
        verb, other = "ends", f"--as page keeps the {end.words} words behind it"
    else:
        verb, other = "may end", f"{end.words} words stand behind it"
    return f"The text {verb} before block {end.block} (probability {end.probability:.2f}). {other}."


def kind_phrase(kind: Kind, likely: LikelyKind) -> str:
    """Return a block's kind with its probability, and the likeliest kind if it differs.

    >>> kind_phrase(Kind.LIST, LikelyKind(0.2, Kind.TEASER, 0.7))
    'list 0.20 (rather teaser 0.70)'
    """
    name, likeliest = kind.name.lower(), likely.likeliest.name.lower()
    other = f" (rather {likeliest} {likely.likeliest_probability:.2f})" if name != likeliest else ""
    return f"{name} {likely.probability:.2f}{other}"


def _presence(document: Document) -> str:
    """Return whether and where the page has its content, as in `, visible 0.998`."""
    presence, source = document.presence, document.blocks.source
    if presence is None:
        return ""
    reason = f"{presence.reason} {presence.frame}".strip()
    details = ", ".join(filter(None, (reason, source and f"from {source}")))
    return f", {presence.where} {presence.probability:.3f}" + (f" ({details})" if details else "")


def _became(block_type: BlockType | None, *, kept: bool) -> str:
    """Return the type of a kept block, as in ` -> item (depth 2, ordered)`; "" for other blocks."""
    if block_type is None:
        return " -> left out" if kept else ""
    pairs = ((name, fact) for name, fact in block_type.facts.items() if fact)
    facts = ", ".join(name if fact is True else f"{name} {fact}" for name, fact in pairs)
    return f" -> {block_type.kind}" + (f" ({facts})" if facts else "")


_NAMED = frozenset(["md", "tei", "vert", "vertical", "passages"])
"""Formats that name their page by the `id` that it has in rows."""

CARRYING = ("vert", "vertical", "tei")
"""Formats of texts with a place for values of the input."""

_COUNTED = frozenset(["txt", "vert", "md"])
"""Formats whose whole text has at most the words of a budget, marks and addresses included."""


def _writer(form: str) -> Callable[..., str]:
    """Return the function that writes a format, which is imported when it first writes."""

    def written(
        document: Document,
        show: Show = DEFAULT_SHOW,
        page_id: str = "",
        extra: Mapping[str, str] = {},
    ) -> str:
        to_text = door.find("formats", form)
        facts: dict[str, Any] = {"page_id": page_id} if form in _NAMED else {}
        if extra:
            facts["extra"] = extra  # only formats of `CARRYING` get any
        if show.budget and form in _COUNTED:
            return fitted(lambda cut: to_text(document, cut, **facts), show)
        text: str = to_text(document, show, **facts)
        return text

    return written


WRITERS: Mapping[str, Callable[..., str]] = {name: _writer(name) for name in door.names("formats")}
"""Built-in format -> writer; the format is also the suffix of output files."""


def writer(form: str) -> Callable[..., str]:
    """Return the writer of a format, which may be that of another package; see `door`."""
    return WRITERS[form] if form in WRITERS else _writer(form)


ALIASES: Mapping[str, str] = {"markdown": "md", "text": "txt"}
"""Other names of formats."""


def format_name(name: str) -> str:
    """Return the name of a format in `WRITERS`; raises `CrfcleanError` for an unknown one.

    >>> format_name("markdown"), format_name("json")
    ('md', 'json')
    """
    form = ALIASES.get(name, name)
    if not door.has("formats", form):
        raise CrfcleanError(f"no format {name!r}; there are {', '.join(WRITERS)}")
    return form


def write(document: Document, format: Format, **switches: Unpack[Switches]) -> str:  # noqa: A002
    r"""Write a document in a format, as in `write(document, "md", links=False)`.

    The formats and switches are those of `extract`. Raises `CrfcleanError` for an unknown one.

    >>> from crfclean import clean
    >>> write(clean("<h1>Rain</h1><p>It rained in the <b>north</b>.</p>"), "md")
    '# Rain\n\nIt rained in the **north**.\n'
    """
    return writer(format_name(format))(document, shown_by(switches))


def as_dict(document: Document, **switches: Unpack[Switches]) -> dict[str, Any]:
    """Return the values of the JSON format, with switches of `Show`; raises `CrfcleanError`."""
    from crfclean.document.json import to_dict

    return to_dict(document, shown_by(switches))


def shown_by(switches: Switches) -> Show:
    """Return switches as `Show`, None as the default; raises `CrfcleanError` for an unknown one."""
    names = [field.name for field in fields(Show) if field.metadata]
    unknown = sorted(set(switches) - set(names))
    if unknown:
        raise CrfcleanError(f"no switch {unknown[0]!r}; there are {', '.join(names)}")
    given: dict[str, Any] = {name: on for name, on in switches.items() if on is not None}
    return Show(**given)


# the text of one page, in one call


def extract(  # noqa: PLR0913
    page: Source,
    url: str | None = None,
    model: str | Path | Tagger = "default",
    *,
    format: Format = "txt",  # noqa: A002 - the word of the command line
    as_: Convention = AUTO,
    keep: Kinds | None = None,
    also: Kinds | None = None,
    without: Kinds | None = None,
    precision: float | None = None,
    threshold: float | None = None,
    within: str | None = None,
    drop: str | None = None,
    comments: CommentMode | None = None,
    count: Callable[[str], int] | None = None,
    max_blocks: int | None = MAX_BLOCKS,
    max_seconds: float | None = None,
    **switches: Unpack[Switches],
) -> str:
    r"""Return the main text of one page, "" if it has none.

    `page` is one of:

    - `str` or `bytes`: its HTML, plain or gzipped, or a web archive (MHTML).
    - `pathlib.Path`: a file with such content, which is read.
    - an open file.
    - an element or a tree of lxml, a tag or a soup of Beautiful Soup. It is written as HTML and
      parsed again, which costs time. XPaths are those of the written HTML, and what the other
      parser dropped or repaired stays so.
    - a `Page`.

    A text is always the page, and no file is looked up by it. One line without markup that has the
    form of a URL, or of a page's name such as "a.html", raises `CrfcleanError` unless `url` is
    given. `url` is the address of the page. `max_blocks` is the number of blocks of text
    that a page may have (None: no limit).

    `format` is "txt", "md" (or "markdown"), "json", "jsonl", "html", "tei", "vert",
    "vertical" or "passages".
    In "txt" each block is a line; code, poems and addresses keep the lines that they have. Separate
    comments follow after an empty line.

    These switches say what is written:

    - `links`: the addresses of links; their words always stay.
    - `images`: images; captions stay.
    - `tables`: tables.
    - `formatting`: emphasis, code, subscripts and superscripts inside lines.
    - `headings`: headings.
    - `front_matter`: title, authors, dates and the like, as a YAML header ("md" only).
    - `metadata` (on), `blocks`, `evidence`, `levels`, `parts`, `left_out`, `site_places`: what
      "json" and "jsonl" have of a page.
    - `budget` cuts the text to at most so many words: the headings, and what matters most under
      each, with "[…]" where something is left out. `count` measures a text instead of its words,
      for example the tokens of a model.
    - `passage_words`: the words of a passage.

    After `max_seconds` the page counts as one without text. The other parameters are those of
    `clean`, which returns the blocks of the page and says why a
    text is empty. Raises what `clean` raises.

    >>> extract("<h1>Rain</h1><p>It rained in the <b>north</b>.</p>", format="md", headings=False)
    'It rained in the **north**.\n'
    >>> extract("<html><body></body></html>")
    ''
    """
    form = format_name(format)
    if switches.get("front_matter") and form != "md":
        raise CrfcleanError('front_matter needs format="md"')
    if (budget := switches.get("budget")) is not None and budget < 1:
        raise CrfcleanError(f"budget must be at least 1, not {budget}")
    choice = CutChoice(as_, keep, also, without, threshold, precision, within, drop)
    params = clean_params(model, choice, comments, max_blocks)
    show = replace(shown_by(switches), count=count)
    return in_time(
        max_seconds,
        lambda: extracted(as_page(page, url), params, form, show),
        lambda: extracted_from(over_time(url, max_seconds), form, show),
    )


def extracted(page: Page, params: CleanParams, form: str, show: Show) -> str:
    """The text that `extract` returns for a page, in a format of `WRITERS`."""
    make = tagged if form == "txt" else run  # a text has neither presence nor kinds
    return extracted_from(params.document(page, make), form, show)


def extracted_from(document: Document, form: str, show: Show) -> str:
    """The text that `extract` returns for a document; "txt" does not end with a line feed."""
    return _plain(document, show) if form == "txt" else writer(form)(document, show)


def _plain(document: Document, show: Show) -> str:
    """`Document.text` without the parts that are switched off, and with separate comments."""
    if show.budget:
        return WRITERS["txt"](document, show).rstrip("\n")
    comments = document.comments
    if show.all_text and not comments:
        return document.text
    from crfclean.document.content import comments_content, content

    texts = [_lines(document, document.kept, filter_parts(content(document), show))]
    if comments:
        shown = filter_parts(comments_content(document), show)
        texts.append(_lines(document, comments, shown))
    return "\n\n".join(filter(None, texts))


def _lines(document: Document, blocks: Sequence[int], parts: Sequence[Part]) -> str:
    """Return the lines of the blocks that stand in the parts."""
    from crfclean.document.lines import page_lines

    shown = {block for part in parts for each in iter_parts(part) for block in each.blocks}
    return "\n".join(page_lines(document.blocks, sorted(shown.intersection(blocks))))
