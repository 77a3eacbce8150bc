"""Tests of `content`: the page's own structure, with every kept text once and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import MARKUP
from parttrees import check, chosen, keeping, short, solid, text_of, tree

from crfclean.document.content import content
from crfclean.document.parts import iter_parts
from crfclean.page.blocks import split
from crfclean.pipeline import run
from crfclean.systems.load import named
from crfclean.teach.gold import GoldPage
from crfclean.types import Document, Page

# the shape of every tree


def check_document(document: Document) -> None:
    """Every kept block stands in the tree once, in order, with its text."""
    parts = content(document)
    check(parts)
    everything = [one for part in parts for one in iter_parts(part)]
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


@given(MARKUP, st.integers(0, 255))
def test_any_page(html: str, mask: int) -> None:
    blocks = split(Page(html))
    keep = np.array([bool(mask >> place % 8 & 1) for place in range(len(blocks))], np.bool_)
    check_document(chosen(blocks, keep))


ROWS = "".join(f"<tr><td>n{row}<td>v{row}" for row in range(3))


def test_a_table_of_which_half_is_kept_is_whole() -> None:
    html = f"<p>x<table><tr><th>Name<th>Size{ROWS}</table>"
    whole = tree(html)
    assert tree(html, "x", "n", "Size") == whole
    assert tree(html, "v1", "Size") != whole[1:]


@pytest.mark.parametrize("line", ["line", "token-line", "code-line", "blob-code"])
def test_lines_of_code_by_their_class(line: str) -> None:
    """No line end stands between them."""
    lines = "".join(f"<span class={line}>{text}</span>" for text in ("a", "  b"))
    (part,) = content(keeping(f"<pre><code>{lines}</code></pre>"))
    assert short(part) == ["codeblock", "a\n  b"]
