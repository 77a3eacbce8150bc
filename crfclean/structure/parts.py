"""The tree of a document's content: parts such as headings, lists, tables, code and links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from crfclean.types import option

INLINE_KINDS = frozenset(
    "emphasis strong code deleted inserted marked subscript superscript "
    "link image break note formula ruby reading".split()
)
"""Kinds of parts inside a line of text; all others are blocks of their own."""

FACTS: Mapping[str, tuple[str, ...]] = {
    "heading": ("level",),
    "paragraph": (),
    "list": ("ordered", "start"),
    "item": ("number",),
    "definitions": (),
    "term": (),
    "definition": (),
    "table": (),
    "caption": (),
    "row": (),
    "cell": ("header", "colspan", "rowspan"),
    "codeblock": ("language",),
    "quote": ("callout",),
    "figure": (),
    "image": ("source", "description", "title"),
    "rule": (),
    "footnotes": (),
    "footnote": ("id",),
    "emphasis": (),
    "strong": (),
    "code": (),
    "deleted": (),
    "inserted": (),
    "marked": (),
    "subscript": (),
    "superscript": (),
    "link": ("address", "title"),
    "note": ("id",),
    "formula": ("tex", "mathml", "display"),
    "ruby": (),
    "reading": ("text",),
    "break": (),
}
"""Kind of part -> the facts that it may carry."""


class Part(NamedTuple):
    """A piece of a document's content: its kind, its facts and its children in page order.

    `kind` is a key of `FACTS`, which names the keys of `facts`; `children` are parts and text.
    Text is as a reader sees it: white space is folded (but kept in a `codeblock`), and there is
    none at the ends of a part that is not inline. `node` is the index of the page's element that
    the part comes from, -1 if there is none; `blocks` are the indices of the blocks whose text
    stands in the part itself or in its inline parts.
    """

    kind: str
    children: tuple[Part | str, ...] = ()
    facts: Mapping[str, Any] = MappingProxyType({})
    node: int = -1
    blocks: tuple[int, ...] = ()


Content: TypeAlias = "Part | str"


@dataclass(frozen=True, slots=True)
class Show:
    """Switches for what a writer writes.

    Tables, images and headings that are switched off go with everything inside them; links and
    formatting that are switched off leave their words.
    """

    links: bool = option(True, "keep the addresses of links")
    images: bool = option(True, "keep images")
    tables: bool = option(True, "keep tables")
    formatting: bool = option(True, "keep emphasis, code, subscripts and superscripts inside lines")
    headings: bool = option(True, "keep headings")
    metadata: bool = option(True, "title, authors, dates and the like, with sources (JSON formats)")
    places: bool = option(True, "kept blocks, with type, probability and place (JSON formats)")
    levels: bool = option(
        False, "a strict and a generous text beside the balanced one (JSON formats)"
    )
    left_out: bool = option(
        False, "the blocks that were left out, for `crfclean audit` (JSON formats)"
    )
    site_places: bool = option(
        False, "where the page has its text, for `crfclean drift` (JSON formats)"
    )
    front_matter: bool = option(False, "metadata without sources, as a YAML header (md)")
    parts: bool = option(False, "the tree of the content (JSON formats)")
    identify_language: bool = option(
        False, "identify the language by py3langid (extra language) as well"
    )

    @property
    def all_text(self) -> bool:
        """Whether no part of the text is switched off."""
        return self.links and self.images and self.tables and self.formatting and self.headings


DEFAULT_SHOW = Show()
"""The switches at their defaults."""


def iter_parts(part: Part) -> Iterator[Part]:
    """Yield a part and all parts inside it in page order, without recursion."""
    stack = [part]
    while stack:
        current = stack.pop()
        yield current
        stack += [child for child in reversed(current.children) if isinstance(child, Part)]
