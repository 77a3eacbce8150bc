"""Write a document for corpus managers: as a prevertical, or as a vertical.

A page is a `doc` element with its metadata as attributes. It has a `p` for each paragraph, heading,
item of a list, row of a table and line of code. In a prevertical, a `p` is its text on one line;
headings have `heading="1"`, as in the output of jusText. A tokeniser and tagger turn this into a
vertical. In a vertical, each token has a line; `s` are sentences, and `g` stands between two tokens
without a space between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from crfclean.document.content import shown_content
from crfclean.document.parts import DEFAULT_SHOW, Part, Show, split_inline
from crfclean.document.sentences import sentence_spans
from crfclean.document.tei_header import xml_date
from crfclean.document.text import SEPARATOR, line_text, plain_text
from crfclean.document.xml import named_attributes, xml_attributes, xml_text
from crfclean.page.chars import WITHOUT_WIDTH
from crfclean.types import Document

MAX_TOKEN_CHARS = 1_000
"""Characters of a token; CWB cuts values at 4,095 bytes. A longer word becomes several tokens."""
MAX_DOC_CHARS = 1_000
"""Characters of an attribute of `doc`, for the same reason."""

_WHOLE = frozenset(["codeblock", "table"])
"""Kinds of parts whose lines are paragraphs of their own."""


class _Line(NamedTuple):
    """A paragraph: the kind of its part, its text in one line, and whether it is a comment."""

    kind: str
    text: str
    is_comment: bool = False


def to_vert(
    document: Document,
    show: Show = DEFAULT_SHOW,
    *,
    page_id: str = "",
    extra: Mapping[str, str] = {},
) -> str:
    """Return the prevertical, "" without text; comments set apart are `p` with `comment="1"`.

    `page_id` becomes the attribute `id` of `doc`; it names the page in a file of many. `extra` are
    further attributes, with names that neither `doc` has already nor XML forbids.
    """
    return _doc(document, show, page_id, extra, _paragraph)


def to_vertical(
    document: Document,
    show: Show = DEFAULT_SHOW,
    *,
    page_id: str = "",
    extra: Mapping[str, str] = {},
) -> str:
    """Return the vertical, "" without text; comments set apart are `p` with `comment="1"`.

    The `type` of a `p` is the kind of its part: `paragraph`, `heading`, `item`, `table` ...
    """
    return _doc(document, show, page_id, extra, _tokenised)


def _doc(
    document: Document,
    show: Show,
    page_id: str,
    extra: Mapping[str, str],
    write: Callable[[_Line], str],
) -> str:
    parts, comments = shown_content(document, show)
    lines = [write(line) for line in _lines(parts)]
    lines += [write(line._replace(is_comment=True)) for line in _lines(comments)]
    if not lines:
        return ""
    values = {"id": page_id, **_stated(document, show), **extra}
    cut = {name: _folded(value)[:MAX_DOC_CHARS] for name, value in values.items()}
    attributes = named_attributes({name: value for name, value in cut.items() if value})
    return f"<doc{attributes}>\n{''.join(lines)}</doc>\n"


def _lines(parts: Sequence[Part]) -> Iterator[_Line]:
    for part in parts:
        if part.kind in _WHOLE:
            lines = (_folded(line) for line in plain_text([part]).split("\n"))
            yield from (_Line(part.kind, line) for line in lines if line)
            continue
        inline, others = split_inline(part)
        if line := _folded(line_text(inline)):
            yield _Line(part.kind, line)
        yield from _lines(others)


def _folded(text: str) -> str:
    return " ".join(text.split())


DOC_ATTRIBUTES = ("id", "url", "title", "author", "date", "year", "lang", "site", "type")
"""The attributes of `doc`, those that have a value."""


def _stated(document: Document, show: Show) -> dict[str, str]:
    """Return the attributes of `doc` from the metadata; the page may state its address."""
    if not show.metadata:
        return {"url": document.url or ""}
    from crfclean.metadata.read import read  # plain text needs none of it

    metadata = read(document)
    address = metadata.address.text if metadata.address else ""
    day = iso_day(metadata.published.text) if metadata.published else ""
    return {
        "url": document.url or address,
        "title": metadata.title.text if metadata.title else "",
        "author": SEPARATOR.join(author.text for author in metadata.authors),
        "date": day,
        "year": day[:4],
        "lang": metadata.language.text if metadata.language else "",
        "site": metadata.site.text if metadata.site else "",
        "type": metadata.page_type.name if metadata.page_type else "",
    }


def iso_day(text: str) -> str:
    """Return the day, month or year of an ISO 8601 date, without its time; "" if it is not valid.

    >>> iso_day("2024-05-07T10:30+02:00"), iso_day("2024-05"), iso_day("7 May")
    ('2024-05-07', '2024-05', '')
    """
    return (xml_date(text) or "")[: len("2024-05-07")]


# preverticals


def _paragraph(line: _Line) -> str:
    heading = "1" if line.kind == "heading" and not line.is_comment else None
    comment = "1" if line.is_comment else None
    attributes = xml_attributes(heading=heading, comment=comment)
    return f"<p{attributes}>\n{xml_text(line.text)}\n</p>\n"


# verticals

_GLUE = "<g/>"
_INVISIBLE = dict.fromkeys(map(ord, WITHOUT_WIDTH))  # "co\u00adoperate" is "cooperate"


def _tokenised(line: _Line) -> str:
    comment = "1" if line.is_comment else None
    rows, last = [f"<p{xml_attributes(type=line.kind, comment=comment)}>"], None
    for start, end in sentence_spans(line.text):
        rows += [_GLUE] * (last == start) + ["<s>", *_rows(line.text[start:end]), "</s>"]
        last = end
    return "\n".join([*rows, "</p>", ""])


def _rows(sentence: str) -> Iterator[str]:
    is_glued = False
    for token in vertical_tokens(sentence):
        row = xml_text(token.translate(_INVISIBLE)).strip()
        if row:
            yield from [_GLUE, row] if is_glued else [row]
            is_glued = True
        elif token.isspace():
            is_glued = False


def vertical_tokens(text: str) -> Iterator[str]:
    """Yield what stands between word boundaries of UAX #29: words, marks, spaces.

    A token has at most `MAX_TOKEN_CHARS` characters.

    >>> [token for token in vertical_tokens("Don't pay $3.50, Ann!") if token != " "]
    ["Don't", 'pay', '$', '3.50', ',', 'Ann', '!']
    """
    for at, word in enumerate(text.split(" ")):
        yield from " " * bool(at)
        for token in _in_word(word):
            for start in range(0, len(token), MAX_TOKEN_CHARS):
                yield token[start : start + MAX_TOKEN_CHARS]


def _in_word(word: str) -> Iterator[str]:
    """Yield the tokens of a text without spaces.

    `regex` takes a time that grows with the square of a row of flags, so it reads little at once.
    """
    if word.isascii() and word.isalnum():
        yield word
        return
    rest = ""
    for start in range(0, len(word), MAX_TOKEN_CHARS):
        *whole, rest = filter(None, _boundary().split(rest + word[start : start + MAX_TOKEN_CHARS]))
        yield from whole
        if len(rest) >= MAX_TOKEN_CHARS:
            yield rest
            rest = ""
    yield rest


@cache
def _boundary() -> Any:
    import regex  # takes 27 ms, which other formats need not

    return regex.compile(r"(?V1w)\b")
