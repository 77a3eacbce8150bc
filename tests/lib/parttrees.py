"""Documents with chosen blocks, their trees of parts, and what every such tree keeps to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from crfclean.page.blocks import split
from crfclean.structure.content import content
from crfclean.structure.parts import FACTS, INLINE_KINDS, Content, Part
from crfclean.types import Document, Label, Page, Tags

HOLDING = frozenset("list definitions table row footnotes".split())
"""Kinds that hold parts of certain kinds, and no text of their own."""


def keeping(html: str, *words: str, url: str | None = "http://x.example/d/p") -> Document:
    """A page of which the blocks with some of the words are kept; all, where none are named."""
    blocks = split(Page(html))
    keep = np.array([not words or any(word in text for word in words) for text in blocks.texts])
    return chosen(blocks, keep, url)


def chosen(blocks: Any, keep: Any, url: str | None = None) -> Document:
    labels = np.where(keep, Label.TEXT, Label.OTHER).astype(np.int32)
    return Document(url, blocks, Tags(labels, np.full((len(labels), 3), 1 / 3), 0.5))


def short(part: Content) -> Any:
    """A part as nested lists: kind and facts, then what is inside."""
    if isinstance(part, str):
        return part
    plain = {"header": False, "colspan": 1, "rowspan": 1, "ordered": False, "language": ""}
    facts = [f"{name}={v}" for name, v in part.facts.items() if plain.get(name) != v]
    return [" ".join([part.kind, *facts]), *map(short, part.children)]


def tree(html: str, *words: str) -> Any:
    return [short(part) for part in content(keeping(html, *words))]


def text_of(part: Part) -> str:
    """A part's text: of inline parts as it stands, all others apart."""
    found = []
    for child in part.children:
        if isinstance(child, str):
            found.append(child)
        elif child.kind == "break":
            found.append(" ")
        else:
            text = text_of(child)
            found.append(text if child.kind in INLINE_KINDS else f" {text} ")
    return "".join(found)


def check(parts: Sequence[Part], inline: bool = False, of: str = "") -> None:  # noqa: FBT001, FBT002
    """Hold a tree to what writers rely on."""
    for part in parts:
        assert set(part.facts) <= set(FACTS[part.kind]), part
        assert part.children or part.kind in {"cell", "break", "rule", "image"}, part
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
    """Text stands first, or there is none: nothing but parts follow a part that is no inline."""
    flow = [isinstance(one, Part) and one.kind not in INLINE_KINDS for one in part.children]
    assert flow == sorted(flow), part


def solid(text: str) -> str:
    return re.sub(r"\s+", "", text)
