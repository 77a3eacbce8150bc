"""Nothing -> the tree of a document's content: headings, lists, tables, code, links, words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from crfclean.types import option

INLINE_KINDS = frozenset(
    "emphasis strong code deleted inserted marked subscript superscript "
    "link image break note".split()
)
"""Kinds of parts that stand in a line of text; all others stand beside each other."""

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
    "quote": (),
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
    "break": (),
}
"""Kind of part -> the facts that it may carry."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a document's content: its kind, facts, and what is inside, in page order.

    `kind` is a key of `FACTS`, `facts` have keys named there; `children` are parts and text.
    Text is as a reader sees it: white space folded (in a `codeblock` as it stands), none at the
    ends of a part that is no inline one. `node` is the page's element that it was made of, -1 for
    one that the page has no element for; `blocks` are the indices of the blocks whose text
    stands in it or in inline parts of it, not in other parts inside.
    """

    kind: str
    children: tuple[Part | str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    node: int = -1
    blocks: tuple[int, ...] = ()


Content: TypeAlias = "Part | str"


@dataclass(frozen=True, slots=True)
class Show:
    """What a writer writes.

    Where a switch is off, tables, images and headings are left out with all that is in them; of
    links and formatting only the marks go, the words stay.
    """

    links: bool = option(True, "addresses of links")
    images: bool = option(True, "images")
    tables: bool = option(True, "tables")
    formatting: bool = option(True, "emphasis, strong, code, subscripts and superscripts in lines")
    headings: bool = option(True, "headings")
    metadata: bool = option(True, "what the page says of itself (JSON formats)")
    front_matter: bool = option(False, "the same, without its sources, as a YAML header (md)")
    parts: bool = option(False, "the tree of the content, in JSON")


USUAL = Show()
"""What is written where nobody says otherwise."""


def inside(part: Part) -> Iterator[Part]:
    """A part and all parts inside it, in page order; without recursion."""
    todo = [part]
    while todo:
        one = todo.pop()
        yield one
        todo += [child for child in reversed(one.children) if isinstance(child, Part)]
