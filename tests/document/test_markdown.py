"""Tests of `document/markdown.py`."""

from __future__ import annotations

import re
from typing import Any

import pytest
from parttrees import keeping

from crfclean.document.markdown import (
    CELL_LINE,
    HEADING_LINE,
    MAX_COLUMNS,
    markdown,
    table_lines,
    to_inline,
    to_md,
)
from crfclean.document.parts import Part

pytest.importorskip("markdown_it")
pytest.importorskip("mdit_py_plugins")

from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

BREAK = Part("break")


def test_a_display_formula_that_stands_alone() -> None:
    formula = Part("formula", ("$$x^2$$",), {"tex": "x^2", "display": True})
    assert markdown([Part("paragraph", (formula,))]) == "$$\nx^2\n$$\n"
    assert markdown([Part("paragraph", ("a ", formula))]) == "a $$x^2$$\n"


TEX = {
    "<img src=x onerror=alert(1)>": r"\lt img src=x onerror=alert(1)>",
    r"a < b \\< c \text{ if $d<\text{e<f}$ }": (
        r"a \lt b \\\lt c \text{ if \(d\lt \text{e\(\lt\)f}\) }"
    ),
    r"\$5 $ \{ }": r"\$5 \$ \{ }",
    "a`b": "a‘b",  # would begin code that ends at the next code, whose HTML is then free
    "a\\": r"a\ {}",
    "[a](javascript:alert(1))": "[a] (javascript:alert(1))",
    "a&copy;": "a& copy;",
    "> a": "> a",
    "~~~": "~~~",
}
"""TeX -> the same without marks of Markdown."""


@pytest.mark.parametrize(("tex", "written"), TEX.items())
@pytest.mark.parametrize("display", [False, True])
def test_tex_is_no_markdown(tex: str, written: str, *, display: bool) -> None:
    formula = Part("formula", ("",), {"tex": tex, "display": display})
    code = Part("code", ("<b>",))
    inside = (formula,) if display else ("$5 ", formula, " $6 ", code)
    text = markdown([Part("paragraph", inside)])
    tokens = MarkdownIt("commonmark").use(dollarmath_plugin).parse(text)
    every = [each for token in tokens for each in (token, *(token.children or ()))]
    assert [each.content.strip() for each in every if "math" in each.type] == [written]
    html = MarkdownIt("commonmark").render(text)
    assert set(re.findall(r"<(\w+)", html)) <= {"p", "code"}
    assert display or "<code>&lt;b&gt;</code>" in html


def test_tex_in_a_cell_does_not_end_the_cell() -> None:
    formula = Part("formula", ("",), {"tex": r"\|a\| |b|", "display": False})
    assert to_inline([formula], CELL_LINE) == r"$\Vert a\Vert  \|b\|$"


BOXES = {
    "tasks": (
        (
            "<ul><li class=task><input type=checkbox checked> a<ul><li>b</ul>"
            "<li class=task><input type=checkbox> c</ul>"
        ),
        "- [x] a\n  - b\n- [ ] c\n",
    ),
    "numbered tasks": ("<ol><li class=task><input type=checkbox> a</ol>", "1. [ ] a\n"),
    "a mark in a text": ("<ul><li>[x] a</ul>", "- \\[x\\] a\n"),
    "a callout": (
        "<div class='admonition tip'><p class=admonition-title>Tip</p><p>a<p>b</div>",
        "> [!TIP]\n> a\n>\n> b\n",
    ),
    "a title of its own": (
        "<div class='admonition tip'><p class=admonition-title>Oil</p><p>a</div>",
        "> [!TIP]\n> **Oil**\n>\n> a\n",
    ),
    "a list in a callout": (
        "<p>b<div role=note><ol start=3><li>a</ol></div>",
        "b\n\n> [!NOTE]\n>\n> 3. a\n",
    ),
    "a heading in a callout": (
        "<div class='alert alert-tip'><h4 class=alert-heading>Tip</h4>a</div>",
        "> [!TIP]\n>\n> #### Tip\n>\n> a\n",
    ),
    "a quotation": ("<blockquote><p>Note<p>a</blockquote>", "> Note\n>\n> a\n"),
}


@pytest.mark.parametrize(("html", "written"), BOXES.values(), ids=BOXES)
def test_boxes(html: str, written: str) -> None:
    assert keeping(html).markdown() == written


# where marks stand, and where text must not be one


def strong(*inside: Any) -> Part:
    return Part("strong", inside)


def em(*inside: Any) -> Part:
    return Part("emphasis", inside)


def code(text: str) -> Part:
    return Part("code", (text,))


def link(address: str, *inside: Any, **facts: str) -> Part:
    return Part("link", inside, {"address": address, **facts})


LINES = {
    "marks": (["a ", strong("b"), " ", em("c"), "."], "a **b** _c_."),
    "inside a word": (["un", em("frigging"), "believable"], "un*frigging*believable"),
    "strong inside a word": (["a", strong("b"), "c"], "a**b**c"),
    "point inside": (["a", strong("b."), "c"], "a<strong>b.</strong>c"),
    "quote inside": (["a", em("“b”")], "a<em>“b”</em>"),
    "point inside, space outside": (["a ", strong("b."), " c"], "a **b.** c"),
    "chinese": (["中", strong("文"), "字"], "中**文**字"),
    "chinese full stop": (["中", strong("文。"), "字"], "中<strong>文。</strong>字"),
    "nested": ([strong("a ", em("b"))], "**a _b_**"),
    "nested at both ends": ([em(strong("a"))], "_**a**_"),
    "beside each other": ([em("a"), strong("b")], "_a_**b**"),
    "inside a word, nested": (["a", em(strong("b")), "c"], "a<em>**b**</em>c"),
    "struck": (["a ", Part("deleted", ("b",)), " c"], "a ~~b~~ c"),
    "no marks of Markdown's": ([Part("subscript", ("2",)), "O"], "<sub>2</sub>O"),
    "code": ([code("a*b")], "`a*b`"),
    "code with ticks": ([code("a`b``c")], "```a`b``c```"),
    "code that begins with a tick": ([code("`a")], "`` `a ``"),
    "ticks alone": ([code("`")], "`` ` ``"),
    "formula without TeX": (["so ", Part("formula", ("a*b", strong("c"))), "."], "so a\\*b**c**."),
    "link": ([link("/a", "b")], "[b](/a)"),
    "link with title": ([link("/a", "b", title='c "d"')], '[b](/a "c \\"d\\"")'),
    "address with brackets": ([link("/a_(b)", "c")], "[c](</a_(b)>)"),
    "address with spaces": ([link("/a b", "c")], "[c](</a b>)"),
    "address with a reference": ([link("/?a&copy;", "c")], r"[c](/?a\&copy;)"),
    "not a picture": (["Look!", link("/a", "b")], r"Look\![b](/a)"),
    "picture": ([Part("image", (), {"source": "/a", "description": "b]"})], r"![b\]](/a)"),
    "picture of nothing": (["a", Part("image")], "a"),
    "note": (["a", Part("note", ("1",), {"id": "1"})], "a[^1]"),
    "note before a bracket": ([Part("note", ("1",), {"id": "1"}), "(b)"], r"[^1]\(b)"),
    "break": (["a", BREAK, "- b"], "a\\\n\\- b"),
    "number after a break": (["a", BREAK, "1. b"], "a\\\n1\\. b"),
    "name of a variable": (["a_b_c _d_"], r"a_b_c \_d\_"),
    "vertical bar": (["a | b"], "a | b"),
    "nothing": ([], ""),
}


@pytest.mark.parametrize(("children", "expected"), LINES.values(), ids=LINES)
def test_lines(children: list[Any], expected: str) -> None:
    assert to_inline(children) == expected


def test_cells() -> None:
    assert to_inline(["a|", code("b|c"), BREAK, "- d"], CELL_LINE) == r"a\|`b\|c`<br>- d"


@pytest.mark.parametrize(
    ("text", "expected"), [("C#", r"C\#"), ("a ##", r"a \#\#"), ("#1", "#1"), ("a\\", r"a\\")]
)
def test_headings(text: str, expected: str) -> None:
    assert to_inline([text], HEADING_LINE) == expected


# rows, spans, heads, and what stands in cells

ROWS = {
    "head": ("<tr><th>a<th>b<tr><td>c<td>d", "| a | b |\n| --- | --- |\n| c | d |\n"),
    "no head": ("<tr><td>a<td>b<tr><td>c<td>d", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n"),
    "head of rows": (
        "<tr><th>a<td>b<tr><th>c<td>d",
        "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n",
    ),
    "thead of plain cells": (
        "<thead><tr><td>a<td>b</thead><tr><td>c<td>d",
        "| a | b |\n| --- | --- |\n| c | d |\n",
    ),
    "columns": (
        "<tr><th colspan=2>a<th>b<tr><td>c<td>d<td>e",
        "| a |  | b |\n| --- | --- | --- |\n| c | d | e |\n",
    ),
    "rows": (
        "<tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e",
        "| a | b |\n| --- | --- |\n| c | d |\n|  | e |\n",
    ),
    "lines in a cell": (
        "<tr><th>a<th>b<tr><td>c<br>d<td><p>e<p>f",
        "| a | b |\n| --- | --- |\n| c<br>d | e<br>f |\n",
    ),
    "list in a cell": (
        "<tr><th>a<th>b<tr><td>c<td><ul><li>d<li>e</ul>",
        "| a | b |\n| --- | --- |\n| c | - d<br>- e |\n",
    ),
    "list of steps in a cell": (
        "<tr><th>a<th>b<tr><td>c<td>to do:<ol start=3><li>d<li>e</ol>",
        "| a | b |\n| --- | --- |\n| c | to do:<br>3. d<br>4. e |\n",
    ),
    "code in a cell": (
        "<tr><th>a<th>b<tr><td>c<td><pre>d|\n e</pre>",
        "| a | b |\n| --- | --- |\n| c | `d\\|`<br>`e` |\n",
    ),
    "caption": (
        "<caption>x</caption><tr><th>a<th>b<tr><td>c<td>d",
        "x\n\n| a | b |\n| --- | --- |\n| c | d |\n",
    ),
}


@pytest.mark.parametrize(("html", "expected"), ROWS.values(), ids=ROWS)
def test_tables(html: str, expected: str) -> None:
    text = "The lake froze over in January. " * 9
    written = to_md(keeping(f"<p>{text}</p><table>{html}</table>"))
    assert written.partition("\n\n")[2] == expected


def test_spans_are_bounded() -> None:
    cell = Part("cell", ("a",), {"header": False, "colspan": 1_000, "rowspan": 1_000})
    lines = table_lines([Part("row", (cell,) * 10)] * 200)
    assert max(line.count("|") for line in lines) <= MAX_COLUMNS + 11
