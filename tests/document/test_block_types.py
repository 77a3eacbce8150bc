from __future__ import annotations

import random
from typing import Any

import pytest
from doubles import KeepAll

from crfclean.document.content import content
from crfclean.document.parts import BlockType, Part, block_types
from crfclean.pipeline import run
from crfclean.types import Page


def part(kind: str, *children: Part | str, block: int = -1, **facts: Any) -> Part:
    return Part(kind, children, facts, blocks=(block,) if block >= 0 else ())


def test_kinds_and_facts_of_simple_parts() -> None:
    parts = (
        part("heading", "a", block=0, level=2),
        part("paragraph", "b", part("strong", "c"), block=3),
        part("codeblock", "d", block=4, language="python"),
        part("codeblock", "e", block=5, language=""),
    )
    assert block_types(parts) == {
        0: BlockType("heading", {"level": 2}),
        3: BlockType("paragraph"),
        4: BlockType("codeblock", {"language": "python"}),
        5: BlockType("codeblock"),
    }


def test_lists_have_depth_kind_and_number() -> None:
    inner = part("list", part("item", "b", block=1), ordered=False)
    after = part("paragraph", "c", block=2)
    outer = part("list", part("item", "a", inner, after, block=0, number=3), ordered=True)
    assert block_types([outer]) == {
        0: BlockType("item", {"depth": 1, "ordered": True, "number": 3}),
        1: BlockType("item", {"depth": 2, "ordered": False}),
        2: BlockType("paragraph", {"depth": 1, "ordered": True, "number": 3}),
    }


def test_cells_have_row_and_column_as_the_table_shows_them() -> None:
    rows = (
        part("row", part("cell", "a", block=0, header=True, rowspan=2), part("cell", "b", block=1)),
        part("row", part("cell", "c", block=2, colspan=2), part("cell", "d", block=3)),
        part("row", part("cell", "e", block=4)),
    )
    caption = part("caption", "f", block=5)
    found = block_types([part("table", caption, *rows)])
    assert found[0] == BlockType("cell", {"row": 1, "column": 1, "header": True, "rowspan": 2})
    assert [(found[at].facts["row"], found[at].facts["column"]) for at in (1, 2, 3, 4)] == [
        (1, 2),
        (2, 2),
        (2, 4),
        (3, 1),
    ]
    assert found[2].facts == {"row": 2, "column": 2, "header": False, "colspan": 2}
    assert found[5] == BlockType("caption")


def places(sizes: list[list[tuple[int, int]]]) -> list[tuple[int, int]]:
    """Rows and columns of cells of (colspan, rowspan), by a grid of the taken places."""
    taken: set[tuple[int, int]] = set()
    found = []
    for row, cells in enumerate(sizes, 1):
        column = 1
        for width, height in cells:
            while (row, column) in taken:
                column += 1
            found.append((row, column))
            taken |= {(row + down, column + at) for down in range(1, height) for at in range(width)}
            column += width
    return found


def test_spans_are_followed_as_on_a_grid() -> None:
    rng = random.Random(5)
    for _ in range(50):
        sizes = [
            [(rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2, 4])) for _ in range(rng.randint(0, 5))]
            for _ in range(rng.randint(1, 9))
        ]
        number = iter(range(100))
        rows = [
            part(
                "row",
                *(part("cell", "x", block=next(number), colspan=w, rowspan=h) for w, h in row),
            )
            for row in sizes
        ]
        types = block_types([part("table", *rows)])
        found = [(types[at].facts["row"], types[at].facts["column"]) for at in sorted(types)]
        assert found == places(sizes)


def test_many_wide_and_high_cells_are_no_work() -> None:
    rows = [
        part("row", part("cell", "x", block=row, colspan=1_000, rowspan=65_534))
        for row in range(3_000)
    ]
    types = block_types([part("table", *rows)])
    assert types[1].facts["column"] == 1_001
    assert types[2_999].facts["row"] == 3_000


def test_quotes_and_footnotes() -> None:
    quote = part("quote", part("quote", part("paragraph", "a", block=0)))
    note = part("footnotes", part("footnote", "b", block=1, id="fn1"))
    found = block_types([quote, note])
    assert found[0] == BlockType("paragraph", {"quotes": 2})
    assert found[1] == BlockType("footnote", {"note": "fn1"})


def test_deep_content() -> None:
    deep = part("paragraph", "a", block=0)
    for _ in range(20_000):
        deep = part("quote", deep)
    assert block_types([deep])[0].facts == {"quotes": 20_000}


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li><p> a</p><hr><b>b</b> c<ul><li>d</ul></ul><table><tr><td>e<td><p>f</table>",
        "<figure><img src=a.png><figcaption>a</figcaption></figure><ul><li><img src=b.png>b</ul>",
        "<h2><a class=headerlink href=#a>#</a></h2><p>a<a style=display:block>b</a><ol><li>c",
        "<pre><code class=language-python>a\n</code></pre><dl><dt>b<dd>c</dl><blockquote>d",
    ],
)
def test_parts_without_texts_have_the_same_types(html: str) -> None:
    document = run(Page(html, None), KeepAll())
    types = block_types(content(document, has_texts=False))
    assert types == block_types(content(document))
    assert any(each != BlockType("paragraph") for each in types.values())
