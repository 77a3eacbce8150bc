"""Tests of `content`: the page's own structure, every kept text once, nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_trees import MARKUP

from crfclean.blocks import SplitParams, split
from crfclean.content import content
from crfclean.gold import GoldPage
from crfclean.parts import FACTS, INLINE_KINDS, Content, Part, inside
from crfclean.pipeline import run
from crfclean.taggers import named
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


# the shape of every tree


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


def check_document(document: Document) -> None:
    """Every kept block stands in the tree once, in order, with its text."""
    parts = content(document)
    check(parts)
    everything = [one for part in parts for one in inside(part)]
    blocks = [block for one in everything for block in one.blocks]
    code = [one for one in everything if one.kind == "codeblock"]
    more = {block for one in code for block in one.blocks} - set(document.kept)
    assert list(dict.fromkeys(blocks)) == sorted({*document.kept, *more})
    if not code:
        assert solid("".join(map(text_of, parts))) == solid(document.text)
    for one in everything:
        if one.kind == "paragraph" and len(one.blocks) == 1 and not document.blocks.elements:
            (block,) = one.blocks
            assert " ".join(text_of(one).split()) == document.blocks.texts[block]


@pytest.mark.parametrize("name", ["expert", "energy"])
def test_demo_pages(name: str, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        check_document(run(gold.page, named(name)))


def test_whole_demo_pages(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        blocks = split(gold.page)
        check_document(chosen(blocks, np.ones(len(blocks), np.bool_)))


@given(MARKUP, st.integers(0, 255))
def test_any_page(html: str, mask: int) -> None:
    blocks = split(Page(html))
    keep = np.array([bool(mask >> place % 8 & 1) for place in range(len(blocks))], np.bool_)
    check_document(chosen(blocks, keep))


@given(MARKUP)
def test_restricted_blocks(html: str) -> None:
    blocks = split(Page(html), SplitParams(("h1", "p", "li")))
    check_document(chosen(blocks, np.ones(len(blocks), np.bool_)))


ROWS = "".join(f"<tr><td>n{row}<td>v{row}" for row in range(3))


def test_a_table_of_which_half_is_kept_is_whole() -> None:
    html = f"<p>x<table><tr><th>Name<th>Size{ROWS}</table>"
    whole = tree(html)
    assert tree(html, "x", "n", "Size") == whole
    assert tree(html, "v1", "Size") != whole[1:]


def test_a_table_of_which_nothing_is_kept_stays_out() -> None:
    assert tree(f"<p>x<table><tr><th>Name<th>Size{ROWS}</table>", "x") == [["paragraph", "x"]]
