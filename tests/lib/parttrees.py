"""Documents with chosen blocks, their trees of parts, and the rules of such trees."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crfclean.document.content import content
from crfclean.document.parts import INLINE_KINDS, Content, Part
from crfclean.page.blocks import split
from crfclean.types import Document, Label, Page, Tags

FACTS: Mapping[str, tuple[str, ...]] = {
    "heading": ("level",),
    "paragraph": (),
    "list": ("ordered", "start"),
    "item": ("number", "checked"),
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

HOLDING = frozenset("list definitions table row footnotes".split())
"""Kinds that hold only parts of certain kinds, and no text."""


def keeping(html: str, *words: str, url: str | None = "http://x.example/d/p") -> Document:
    """Keep a page's blocks that contain any of the words, or all blocks if no words are given."""
    blocks = split(Page(html))
    keep = np.array([not words or any(word in text for word in words) for text in blocks.texts])
    return chosen(blocks, keep, url)


def chosen(blocks: Any, keep: Any, url: str | None = None) -> Document:
    labels = np.where(keep, Label.TEXT, Label.OTHER).astype(np.int32)
    return Document(url, blocks, Tags(labels, np.full((len(labels), 3), 1 / 3), 0.5))


def short(part: Content) -> Any:
    """Write a part as nested lists: kind and facts, then its content."""
    if isinstance(part, str):
        return part
    plain = {"header": False, "colspan": 1, "rowspan": 1, "ordered": False, "language": ""}
    facts = [f"{name}={value}" for name, value in part.facts.items() if plain.get(name) != value]
    return [" ".join([part.kind, *facts]), *map(short, part.children)]


def tree(html: str, *words: str) -> Any:
    document = keeping(html, *words)
    parts = content(document)
    return [short(part) for part in parts]


def text_of(part: Part) -> str:
    """Return a part's text: inline parts joined as they are, others separated by blanks."""
    texts = []
    for child in part.children:
        if isinstance(child, str):
            texts.append(child)
        elif child.kind == "break":
            texts.append(" ")
        else:
            text = text_of(child)
            texts.append(text if child.kind in INLINE_KINDS else f" {text} ")
    return "".join(texts)


def check(parts: Sequence[Part], inline: bool = False, of: str = "") -> None:  # noqa: FBT001, FBT002
    """Check the rules of trees that writers rely on."""
    for part in parts:
        assert set(part.facts) <= set(FACTS[part.kind]), part
        assert part.children or part.kind in {"cell", "break", "rule", "image", "reading"}, part
        assert part.kind in INLINE_KINDS or not inline, part
        texts = [child for child in part.children if isinstance(child, str)]
        assert all(texts)
        if part.kind in HOLDING:
            assert not texts
            assert {child.kind for child in part.children if isinstance(child, Part)} <= {
                "list": {"item"},
                "definitions": {"term", "definition"},
                "table": {"caption", "row"},
                "row": {"cell"},
                "footnotes": {"footnote"},
            }[part.kind]
        else:
            assert part.kind not in {"item", "cell", "row"} or of in {"list", "row", "table"}
        if part.kind != "codeblock":
            flat = text_of(part)
            assert part.kind in INLINE_KINDS or flat.strip() == flat.strip(" ")
            assert not any("  " in text for text in texts)
        assert part.kind != "image" or part.facts["source"]
        check_mixed(part)
        check(
            [child for child in part.children if isinstance(child, Part)],
            part.kind in INLINE_KINDS | {"paragraph", "heading", "caption", "term"},
            part.kind,
        )


def check_mixed(part: Part) -> None:
    """Check that text and inline parts come first: only block parts follow a block part."""
    is_block = [
        isinstance(child, Part) and child.kind not in INLINE_KINDS for child in part.children
    ]
    assert is_block == sorted(is_block), part


def solid(text: str) -> str:
    return re.sub(r"\s+", "", text)
