"""The tree of a document's content: parts such as headings, lists, tables, code and links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from crfclean.types import check_bounds, option

INLINE_KINDS = frozenset(
    "emphasis strong code deleted inserted marked subscript superscript "
    "link image break note formula ruby reading".split()
)
"""Kinds of parts inside a line of text; all others are blocks of their own."""


class Part(NamedTuple):
    """A piece of a document's content: its kind, its facts and its children in page order.

    `docs/formats.md` lists kinds and facts; `children` are parts and text.
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

_MOST_WORDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Show:
    """Switches for what a writer writes.

    `count` measures the budget instead of words. Tables, images and headings that are switched off
    go with everything inside them; links and
    formatting that are switched off leave their words.
    """

    links: bool = option(True, "write the addresses of links")
    images: bool = option(True, "keep images")
    tables: bool = option(True, "keep tables")
    formatting: bool = option(True, "keep emphasis, code, subscripts and superscripts inside lines")
    headings: bool = option(True, "keep headings")
    metadata: bool = option(True, "write title, authors, dates and more (JSON)")
    blocks: bool = option(False, "write kept blocks with type, probability and XPath (JSON)")
    evidence: bool = option(False, "write source, probability and XPath of metadata (JSON)")
    levels: bool = option(False, "a strict and a generous text (JSON)")
    left_out: bool = option(False, "dropped blocks, for crfclean audit (JSON)")
    site_places: bool = option(False, "places of the text, for crfclean drift (JSON)")
    front_matter: bool = option(False, "metadata as a YAML header (md)")
    parts: bool = option(False, "the text as a tree (JSON)")
    passage_words: int = option(400, "most words of a passage (passages)")
    budget: int = option(0, "most words of the text, with its headings and what matters; 0: all")
    count: Any = None

    def __post_init__(self) -> None:
        check_bounds(self, {"passage_words": (1, _MOST_WORDS), "budget": (0, _MOST_WORDS)})

    @property
    def all_text(self) -> bool:
        """True if no part of the text is switched off."""
        on = self.links and self.images and self.tables and self.formatting and self.headings
        return on and not self.budget


DEFAULT_SHOW = Show()
"""The switches at their defaults."""


def split_inline(part: Part) -> tuple[Sequence[Content], list[Part]]:
    """Return the text and inline parts that a part begins with, and its other parts."""
    children = (child for child in part.children if isinstance(child, Part))
    others = [child for child in children if child.kind not in INLINE_KINDS]
    return part.children[: len(part.children) - len(others)], others


def iter_parts(part: Part) -> Iterator[Part]:
    """Yield a part and all parts inside it in page order, without recursion."""
    stack = [part]
    while stack:
        current = stack.pop()
        yield current
        stack += [child for child in reversed(current.children) if isinstance(child, Part)]
