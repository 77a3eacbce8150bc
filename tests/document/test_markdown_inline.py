"""Tests of `document/markdown.py`: where marks stand, and where text must not be one."""

from __future__ import annotations

from typing import Any

import pytest

from crfclean.document.markdown import CELL_LINE, HEADING_LINE, to_inline
from crfclean.document.parts import Part


def strong(*inside: Any) -> Part:
    return Part("strong", inside)


def em(*inside: Any) -> Part:
    return Part("emphasis", inside)


def code(text: str) -> Part:
    return Part("code", (text,))


def link(address: str, *inside: Any, **facts: str) -> Part:
    return Part("link", inside, {"address": address, **facts})


BREAK = Part("break")
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
