"""Tests of `document/markdown.py`: a CommonMark parser reads back what is written."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from parttrees import keeping

from crfclean.document.markdown import (
    CELL_LINE,
    HEADING_LINE,
    MAX_COLUMNS,
    table_lines,
    to_inline,
    to_md,
)
from crfclean.document.parts import Part

pytest.importorskip("markdown_it")
pytest.importorskip("mdit_py_plugins")

from markdown_it import MarkdownIt
from markdowntree import normal, plain, read
from mdit_py_plugins.dollarmath import dollarmath_plugin

from crfclean.document.content import content
from crfclean.document.markdown import markdown

# trees

CHARS = st.sampled_from(
    [*list("ab1 .,-+#*_~`[]()<>&|\\!:=\"'/"), "é", "中", "。", "“", "€", "&amp;", "1. "]
)
WORDS = (
    st.lists(CHARS, min_size=1, max_size=8)
    .map(lambda chars: " ".join("".join(chars).split()))
    .filter(bool)
)
BREAK = Part("break")
MARKS = ["emphasis", "strong", "deleted", "inserted", "marked", "subscript", "superscript"]
ADDRESSES = st.sampled_from(
    [
        "http://x.example/",
        "http://x.example/a_(b)",
        "/a b",
        "/?a=1&copy;=2",
        "#x",
        "/a|b",
        "/<b>*c*_d_",
    ]
)


def line(children: list[Any]) -> tuple[Any, ...]:
    """Children as the content has them: texts apart, marks apart, breaks between texts."""
    found: list[Any] = []
    for child in children:
        last = found[-1] if found else BREAK
        if isinstance(child, str) and isinstance(last, str):
            continue
        if child == BREAK and last == BREAK:
            continue
        alike = isinstance(child, Part) and isinstance(last, Part) and child.kind == last.kind
        if alike and child != BREAK:
            found.append(" ")
        found.append(child)
    while found and found[-1] == BREAK:
        found.pop()
    return tuple(found) or ("x",)


def spaced(children: list[Any], spaces: int) -> list[Any]:
    """A space at the edge of some texts inside a line."""
    found = list(children)
    for at, child in enumerate(found):
        if isinstance(child, str):
            before = " " if at and found[at - 1] != BREAK and spaces >> at & 1 else ""
            last = at + 1 == len(found) or found[at + 1] == BREAK
            after = " " if not last and spaces >> at & 2 else ""
            found[at] = before + child + after
    return found


@st.composite
def lines(draw: Any, without: tuple[str, ...] = (), depth: int = 0) -> tuple[Any, ...]:
    size = draw(st.integers(1, 4))
    children: list[Any] = []
    for _ in range(size):
        kind = draw(st.sampled_from(["text", "text", "code", "break", "image", "link", *MARKS]))
        if kind == "text" or kind in without or depth > 2:
            children.append(draw(WORDS))
        elif kind == "break":
            children.append(BREAK)
        elif kind == "code":
            children.append(Part("code", (draw(WORDS),)))
        elif kind == "image":
            facts = {"source": draw(ADDRESSES), "description": draw(WORDS)}
            children.append(Part("image", (), facts))
        else:
            facts = {"address": draw(ADDRESSES)} if kind == "link" else {}
            more = (*without, kind, "break") if kind != "link" else (*without, "link", "break")
            children.append(Part(kind, draw(lines(more, depth + 1)), facts))
    return tuple(spaced(list(line(children)), draw(st.integers(0, 63))))


SIMPLE = st.sampled_from(
    [
        ("a",),
        ("1. b", BREAK, "2) c", BREAK, "- d"),
        ("# e", BREAK, "---", BREAK, "==="),
        (Part("strong", ("f",)), ": g"),
        ("> h", BREAK, "| i | j |", BREAK, "|---|---|"),
        (Part("code", ("`k|`",)), "l|m\\"),
        ("```", BREAK, "~~~", BREAK, "+ n #"),
        (Part("link", ("o",), {"address": "/p"}), " q ", Part("emphasis", ("r",)), "s"),
    ]
)
PARAGRAPHS = lines().map(lambda inside: Part("paragraph", inside))
PLAIN = SIMPLE.map(lambda inside: Part("paragraph", inside))
HEADINGS = st.builds(
    lambda inside, level: Part("heading", inside, {"level": level}), SIMPLE, st.integers(1, 6)
)
CODE = st.builds(
    lambda text, language: Part("codeblock", (text,), {"language": language}),
    st.lists(st.sampled_from(["a", "```", "`", "\n", "  ", "# x", "- y", "~~~~"]), min_size=1)
    .map(lambda pieces: re.sub(r"\A\s*\n", "", "".join(pieces)).strip("\n").rstrip())
    .filter(bool),
    st.sampled_from(["", "python", "c++"]),
)
TABLES = st.builds(
    lambda rows, head: Part(
        "table",
        tuple(
            Part(
                "row",
                tuple(
                    Part("cell", cell, {"header": head and not at, "colspan": 1, "rowspan": 1})
                    for cell in row
                ),
            )
            for at, row in enumerate(rows)
        ),
    ),
    st.lists(
        st.lists(st.one_of(SIMPLE, st.just(())), min_size=1, max_size=3), min_size=1, max_size=3
    ),
    st.booleans(),
)


def item(first: tuple[Any, ...], more: list[Part]) -> Part:
    """An item in its canonical form."""
    if all(part.kind == "list" for part in more):
        return Part("item", (*first, *more))
    return Part("item", (Part("paragraph", first), *more))


def blocks(inner: Any) -> Any:
    items = st.lists(st.builds(item, SIMPLE, st.lists(inner, max_size=2)), min_size=1, max_size=3)
    bullets = items.map(lambda found: Part("list", tuple(found), {"ordered": False}))
    ordered = st.builds(numbered, items, st.integers(0, 99))
    quotes = st.lists(inner, min_size=1, max_size=3).map(lambda found: Part("quote", tuple(found)))
    return st.one_of(PLAIN, bullets, ordered, quotes)


def numbered(items: list[Part], start: int) -> Part:
    made = [Part("item", one.children, {"number": start + at * 2}) for at, one in enumerate(items)]
    return Part("list", tuple(made), {"ordered": True, "start": start})


FLOW = st.recursive(st.one_of(PLAIN, HEADINGS, CODE, TABLES), blocks, max_leaves=8)


TAGS = (
    "<p> </p> <div> </div> <h2> </h2> <ul> </ul> <ol> </ol> <li> </li> <dl> <dt> <dd> </dl> "
    "<b> </b> <i> </i> <code> </code> <del> </del> <sub> </sub> <a|href=/x> </a> <br> <hr> <pre> "
    "</pre> <blockquote> </blockquote> <img|src=a> <sup><a|href=#n|id=r>1</a></sup> <li|id=n> "
    "a b. *c* _d 1. - # `e` (f) “g” 中。 | &amp;lt; &nbsp;"
)
PAGES = st.builds(
    lambda pieces, between: between.join(pieces).replace("|", " "),
    st.lists(st.sampled_from(TAGS.split(" ")), max_size=30),
    st.sampled_from(["", " "]),
)


def same(parts: list[Part]) -> None:
    text = markdown(parts)
    assert read(text) == normal([one for part in parts for one in plain(part)]), text


@given(PARAGRAPHS)
def test_a_line_is_read_as_it_was(part: Part) -> None:
    same([part])


@given(st.lists(FLOW, min_size=1, max_size=4))
def test_a_tree_is_read_as_it_was(parts: list[Part]) -> None:
    same(parts)


@given(PAGES)
@example("<dl><dd>a<dt>b<dl>c")
def test_a_page_is_read_as_its_content(html: str) -> None:
    same(list(content(keeping(html))))


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
