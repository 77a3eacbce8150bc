"""Tests of `content`: small pages of every kind of structure and their trees."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hostile import HOSTILE
from parttrees import check, chosen, keeping, short, tree

from crfclean.document.content import comments_content, content
from crfclean.document.formats import WRITERS
from crfclean.document.parts import iter_parts
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.types import Document, Label, Page, Rule, Tags

P, LI, UL = "paragraph", "item", "list"


def link(name: str, *children: Any) -> list[Any]:
    return [f"link address=http://x.example/d/{name}", *children]


INLINE = {
    "space inside a mark": ("a<b> b </b>c", ["a ", ["strong", "b"], " c"]),
    "no space": ("a<b>b</b>c", ["a", ["strong", "b"], "c"]),
    "break": ("a<br>b<br> ", ["a", ["break"], "b"]),
    "break inside a mark": ("<b>a<br>b</b>", [["strong", "a", ["break"], "b"]]),
    "no-break space": ("a&nbsp;<i>b</i>", ["a ", ["emphasis", "b"]]),
    "soft hyphen": ("a&shy;b", ["a\u00adb"]),
    "zero width": ("a\u200bb", ["a\u200bb"]),
    "chinese": ("中<b>文</b>字", ["中", ["strong", "文"], "字"]),
    "marks that touch": ("<b>a</b><b>b</b>", [["strong", "ab"]]),
    "marks apart": ("<b>a</b> <b>b</b>", [["strong", "a"], " ", ["strong", "b"]]),
    "same mark twice": ("<b>a<strong>b</strong></b>", [["strong", "ab"]]),
    "nested": ("<i>a<b>b</b></i>", [["emphasis", "a", ["strong", "b"]]]),
    "marks around nothing": ("a<b></b><i> </i>b", ["a b"]),
    "code is not bold inside": ("<code>a<b>b</b></code>", [["code", "ab"]]),
    "link in code": ("<code>a<a href=b>c</a></code>", [["code", "a"], link("b", ["code", "c"])]),
    "keyboard": ("<kbd>a</kbd>", [["code", "a"]]),
    "struck and new": (
        "<del>a</del><ins>b</ins><s>c</s>",
        [["deleted", "a"], ["inserted", "b"], ["deleted", "c"]],
    ),
    "sub and sup": ("a<sub>1</sub><sup>2</sup>", ["a", ["subscript", "1"], ["superscript", "2"]]),
    "marked": ("<mark>a</mark>", [["marked", "a"]]),
    "ruby": (
        "<ruby>漢<rt>かん</rt>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>",
        [["ruby", "漢", ["reading text=かん"], "字", ["reading text=じ"]]],
    ),
    "ruby without its end tags": (
        "<ruby>漢<rt>かん<rb>字<rt>じ</ruby>。",
        [["ruby", "漢", ["reading text=かん"], "字", ["reading text=じ"]], "。"],
    ),
    "reading without a ruby": ("子<rt>こ</rt>ども", ["子ども"]),
    "unknown": ("a <my-term><b>b</b></my-term> c", ["a ", ["strong", "b"], " c"]),
    "others": ("<abbr title=x>a</abbr><q>b</q><small>c</small>", ["abc"]),
    "link": ("<a href=b title=' c '>d</a>", [["link address=http://x.example/d/b title=c", "d"]]),
    "script": ("<a href='javascript:x'>d</a>", ["d"]),
    "script in disguise": ("<a href=' java&#9;script:x'>d</a>", ["d"]),
    "data": ("<a href='data:text/html,x'>d</a>", ["d"]),
    "no address": ("<a name=x>d</a>", ["d"]),
    "bad address": ("<a href='http://[x'>d</a>", ["d"]),
    "mail": ("<a href='mailto:a@b'>d</a>", [["link address=mailto:a@b", "d"]]),
    "other host": ("<a href=//y.example>d</a>", [["link address=http://y.example", "d"]]),
    "place": ("<a href=#x>d</a>", [["link address=http://x.example/d/p#x", "d"]]),
    "link of nothing": ("a<a href=b></a>c", ["ac"]),
    "links that touch": ("<a href=b>c</a><a href=d>e</a>", [link("b", "c"), " ", link("d", "e")]),
    "emphasis over a link": ("<i>a<a href=b>c</a></i>", [["emphasis", "a", link("b", "c")]]),
}


def whole(html: object) -> Document:
    page = decode(html) if isinstance(html, bytes) else Page(str(html))
    blocks = split(page)
    return chosen(blocks, np.ones(len(blocks), np.bool_), "http://x.example/")


@pytest.mark.parametrize(("html", "expected"), INLINE.values(), ids=INLINE)
def test_lines(html: str, expected: list[Any]) -> None:
    assert tree(f"<p>{html}</p>") == [[P, *expected]]


BLOCKS = {
    "link on its own lines": (
        "a<a href=b style='display:block'>c</a>d",
        [[P, "a"], [P, link("b", "c")], [P, "d"]],
    ),
    "unknown around blocks": ("<x-a>a<p>b</p></x-a>c", [[P, "a"], [P, "b"], [P, "c"]]),
    "headings": ("<h1>a</h1><h4>b</h4>", [["heading level=1", "a"], ["heading level=4", "b"]]),
    "heading of two lines": (
        "<h2><div>a</div><div>b</div></h2>",
        [["heading level=2", "a", ["break"], "b"]],
    ),
    "heading by its role": (
        "<div role=heading aria-level=3>a</div><p>b",
        [["heading level=3", "a"], [P, "b"]],
    ),
    "comment with the role of a heading": (
        f"<div role=heading>{'many words ' * 50}</div><p>b",
        [[P, ("many words " * 50).strip()], [P, "b"]],
    ),
    "heading with an anchor": ("<h2>a<a href=#a>¶</a></h2>", [["heading level=2", "a"]]),
    "link around blocks": (
        "<a href=b><h2>c</h2><p>d</p></a>",
        [["heading level=2", link("b", "c")], [P, link("b", "d")]],
    ),
    "mark around blocks": (
        "<div><em><p>a</p><p>b</p></em></div>",
        [[P, ["emphasis", x]] for x in "ab"],
    ),
    "stray text": ("<div>a<p>b</p>c</div>", [[P, x] for x in "abc"]),
    "empty lines": ("<div>a<br><br>b</div>", [[P, x] for x in "ab"]),
    "quotes": (
        "<blockquote><p>a</p><blockquote>b</blockquote></blockquote>",
        [["quote", [P, "a"], ["quote", [P, "b"]]]],
    ),
    "rules": ("<hr><p>a<hr><hr><p>b<hr>", [[P, "a"], ["rule"], [P, "b"]]),
    "figure": (
        "<p>x<figure><img src=a alt=' b  c '><figcaption>d <i>e</i></figcaption></figure>",
        [
            [P, "x"],
            [
                "figure",
                ["image source=http://x.example/d/a description=b c"],
                ["caption", "d ", ["emphasis", "e"]],
            ],
        ],
    ),
    "sign of an anchor in a mark": (
        "<h2><a href='http://x.example/d/p#a'> <span>#</span> </a> a</h2>",
        [["heading level=2", "a"]],
    ),
    "sign that is a word": ("<h2>C<a href=#c>#a</a></h2>", [["heading level=2", "C#a"]]),
    "sign that is a link": (
        "<h2>a<a href=b>#</a></h2>",
        [["heading level=2", "a", link("b", "#")]],
    ),
    "figure of a link": (
        "<p>c<figure><a href=b><img src=a></a></figure><p>d",
        [[P, "c"], ["figure", link("b", ["image source=http://x.example/d/a"])], [P, "d"]],
    ),
    "figure of code": ("<figure><pre>a</pre></figure>", [["codeblock", "a"]]),
    "caption of nothing": ("<figcaption>a</figcaption><p>b", [[P, "a"], [P, "b"]]),
    "picture in a line": (
        "<p>a <img src=b> c</p>",
        [[P, "a ", ["image source=http://x.example/d/b"], " c"]],
    ),
    "picture shown before": (
        "<p>a</p><div><img src=b></div><ul><li><img src=b><li><img src=c></ul><p>d <img src=b></p>",
        [
            [P, "a"],
            [P, ["image source=http://x.example/d/b"]],
            [UL, [LI, ["image source=http://x.example/d/c"]]],
            [P, "d ", ["image source=http://x.example/d/b"]],
        ],
    ),
    "pictures of cells": (
        "<table><tr><th>a<th>b<tr><td><img src=b><td><img src=b><tr><td>c<td>d</table>",
        [
            [
                "table",
                ["row", ["cell header=True", "a"], ["cell header=True", "b"]],
                [
                    "row",
                    ["cell", ["image source=http://x.example/d/b"]],
                    ["cell", ["image source=http://x.example/d/b"]],
                ],
                ["row", ["cell", "c"], ["cell", "d"]],
            ]
        ],
    ),
    "picture without address": ("<p>a<img src='data:,x'>c</p>", [[P, "ac"]]),
}
LISTS = {
    "items": ("<ul><li>a<li><b>b</b></ul>", [[UL, [LI, "a"], [LI, ["strong", "b"]]]]),
    "paragraphs in items": (
        "<ul><li><p>a<li><p>b<p>c</ul>",
        [[UL, [LI, "a"], [LI, [P, "b"], [P, "c"]]]],
    ),
    "ordered": (
        "<ol start=3><li>a<li>b</ol>",
        [["list ordered=True start=3", ["item number=3", "a"], ["item number=4", "b"]]],
    ),
    "reversed, with values": (
        "<ol reversed><li>a<li value=7>b<li>c</ol>",
        [
            [
                "list ordered=True start=3",
                ["item number=3", "a"],
                ["item number=7", "b"],
                ["item number=6", "c"],
            ]
        ],
    ),
    "numbers that don't show": (
        "<ol class=comment-list><li>a<ol style='list-style: none'><li>b</ol></ol>",
        [[UL, [LI, "a", [UL, [LI, "b"]]]]],
    ),
    "nested": (
        "<ul><li>a<ol><li>b</ol><li>c</ul>",
        [[UL, [LI, "a", ["list ordered=True start=1", ["item number=1", "b"]]], [LI, "c"]]],
    ),
    "list right in a list": (
        "<ul><li>a</li><ul><li>b</li></ul></ul>",
        [[UL, [LI, "a", [UL, [LI, "b"]]]]],
    ),
    "text right in a list": ("<ul>a<li>b</ul>", [[UL, [LI, "a"], [LI, "b"]]]),
    "text behind an item": (
        "<ul><li>a</li><p>b</p></ul>",
        [[UL, [LI, [P, "a"], [P, "b"]]]],
    ),
    "list without items": ("<ul><div>a</div></ul><p>b", [[UL, [LI, "a"]], [P, "b"]]),
    "items without a list": ("<div><li>a<li>b</div>", [[UL, [LI, "a"], [LI, "b"]]]),
    "div around items": ("<ul><div><li>a<li>b</div></ul>", [[UL, [LI, "a"], [LI, "b"]]]),
    "heading in an item": (
        "<ul><li><h3>a</h3><p>b</ul><p>c",
        [[UL, [LI, ["heading level=3", "a"], [P, "b"]]], [P, "c"]],
    ),
    "rule between items": ("<ul><li>a</li><hr><li>b</ul>", [[UL, [LI, "a"], [LI, "b"]]]),
    "rule in a heading": ("<h2>a<hr>b</h2>", [["heading level=2", "a", ["break"], "b"]]),
    "roles": (
        "<div role=list><div role=listitem>a</div><div role=listitem>b</div></div>",
        [[UL, [LI, "a"], [LI, "b"]]],
    ),
    "definitions": (
        "<dl><dt>a<dt>b<dd>c<dd>d<dt>e<dd><p>f<p>g</dl>",
        [
            [
                "definitions",
                ["term", "a"],
                ["term", "b"],
                ["definition", "c"],
                ["definition", "d"],
                ["term", "e"],
                ["definition", [P, "f"], [P, "g"]],
            ]
        ],
    ),
    "groups of definitions": (
        "<dl><div><dt>a</dt><dd>b</dd></div><div><dt>c</dt><dd>d</dd></div></dl>",
        [
            [
                "definitions",
                *([k, t] for k, t in zip(["term", "definition"] * 2, "abcd", strict=True)),
            ]
        ],
    ),
}
CODE = {
    "lines": ("<pre>\n  a\n\n\tb \n</pre>", [["codeblock", "  a\n\n\tb"]]),
    "language of the code": (
        "<pre><code class='x language-C++'>a</code></pre>",
        [["codeblock language=c++", "a"]],
    ),
    "language of GitHub": (
        "<div class='highlight highlight-source-shell'><pre>a</pre></div>",
        [["codeblock language=shell", "a"]],
    ),
    "language of a brush": ("<pre class='brush: js; x'>a</pre>", [["codeblock language=js", "a"]]),
    "language in data": ("<pre data-lang=Go>a</pre>", [["codeblock language=go", "a"]]),
    "language of Sphinx": (
        "<div class='highlight-python3 notranslate'><div class=highlight><pre>a</pre></div></div>",
        [["codeblock language=python3", "a"]],
    ),
    "no language": ("<pre><code class=language-none>a</code></pre>", [["codeblock", "a"]]),
    "no language of Hugo": (
        "<pre><code class=language-fallback data-lang=fallback>a</code></pre>",
        [["codeblock", "a"]],
    ),
    "no language of pandoc": (
        "<pre class='sourceCode numberLines'><code>a</code></pre>",
        [["codeblock", "a"]],
    ),
    "a space before a break": (
        "<pre><code>x = &quot; &quot;<br>y&nbsp;= &#39; &#39; <br></code></pre>",
        [["codeblock", "x = \" \"\ny = ' '"]],
    ),
    "a space between spans and a break": (
        "<pre><span>a</span> <span>b</span> <br><span>c</span></pre>",
        [["codeblock", "a b \nc"]],
    ),
    "lines that are hidden": (
        (
            "<pre><code class='language-rust'><span class=boring>fn main() {\n</span>a();\n"
            "<span class=boring>}</span></code></pre>"
        ),
        [["codeblock language=rust", "a();"]],
    ),
    "indented first line": (
        "<pre><code><span>  </span><span>a</span>\n<span>b</span></code></pre>",
        [["codeblock", "  a\nb"]],
    ),
    "breaks": ("<pre>a<br>  b<br><br>c</pre>", [["codeblock", "a\n  b\n\nc"]]),
    "a div a line": (
        "<pre><div>a</div><div><span>  </span>b</div><div>c</div></pre>",
        [["codeblock", "a\n  b\nc"]],
    ),
    "a span a line": (
        "<pre><span class=line>a</span>\n<span class=line></span>\n<span class=line>b</span></pre>",
        [["codeblock", "a\n\nb"]],
    ),
    "an item a line": (
        "<pre><ol><li>a</li><li></li><li>b</li></ol></pre>",
        [["codeblock", "a\n\nb"]],
    ),
    "a row a line": (
        (
            "<pre><code><table class=hljs-ln><tr><td class=hljs-ln-numbers>1</td><td>a</td></tr>\n"
            "<tr><td class=hljs-ln-numbers>2</td><td>  b</td></tr></table></code></pre>"
        ),
        [["codeblock", "a\n  b"]],
    ),
    "numbers in a column": (
        (
            "<table><tr><td class=gutter><pre>1\n2</pre></td><td class=code><pre>a\nb</pre></td>"
            "</tr></table>"
        ),
        [["codeblock", "a\nb"]],
    ),
    "numbers in lines": (
        "<pre><span class=linenos>1</span> a\n<span class=linenos>2</span> b</pre>",
        [["codeblock", " a\n b"]],
    ),
    "counted lines": (
        "<pre><div><span>1</span><div>a</div><span>2</span><div>b</div></div></pre>",
        [["codeblock", "a\nb"]],
    ),
    "lines with breaks": (
        "<pre><span class=line>a</span><br><span class=line></span><br><span class=line>b</span>",
        [["codeblock", "a\n\nb"]],
    ),
    "a bar above": (
        "<pre class=language-sh><div class=header>sh</div><div class=copy>Copy</div>a</pre>",
        [["codeblock language=sh", "a"]],
    ),
    "an editor without pre": (
        "<div class=cm-content>\n <div>a</div>\n <div>  b</div>\n</div><p>c",
        [["codeblock", "a\n  b"], [P, "c"]],
    ),
    "language of Hexo": (
        "<figure class='highlight py'><table><tr><td><td class=code><pre>a</pre></table></figure>",
        [["codeblock language=py", "a"]],
    ),
    "numbers that are code": ("<pre>1\na\n2\nb</pre>", [["codeblock", "1\na\n2\nb"]]),
    "no-break spaces": ("<pre>&nbsp;&nbsp;a</pre>", [["codeblock", "  a"]]),
    "in an item": (
        "<ul><li>a<pre>b</pre><li>c</ul>",
        [[UL, [LI, [P, "a"], ["codeblock", "b"]], [LI, "c"]]],
    ),
}
TEXT = "The lake froze over in January, and the ferry stayed in its harbour. " * 5


def cell(*children: Any, head: bool = False, **spans: int) -> list[Any]:
    told = "".join(f" {name}={span}" for name, span in spans.items())
    return [f"cell{' header=True' if head else ''}{told}", *children]


TABLES = {
    "heads": (
        "<thead><tr><td>a<td>b</thead><tr><th>c<td scope=row>d",
        [
            ["row", cell("a", head=True), cell("b", head=True)],
            ["row", cell("c", head=True), cell("d", head=True)],
        ],
    ),
    "spans": (
        "<tr><th colspan=2>a<tr><td rowspan=2>b<td>c<tr><td>d",
        [
            ["row", cell("a", head=True, colspan=2)],
            ["row", cell("b", rowspan=2), cell("c")],
            ["row", cell("d")],
        ],
    ),
    "spans over all": (
        "<tr><th>a<th>b<tr><td rowspan=0>b<td>c<tr><td>d",
        [
            ["row", cell("a", head=True), cell("b", head=True)],
            ["row", cell("b", rowspan=2), cell("c")],
            ["row", cell("d")],
        ],
    ),
    "lines in cells": (
        "<tr><th>a<th>b<tr><td>c<br>d<td><p>e<p>f",
        [
            ["row", cell("a", head=True), cell("b", head=True)],
            ["row", cell("c", ["break"], "d"), cell([P, "e"], [P, "f"])],
        ],
    ),
    "list in a cell": (
        "<tr><th>a<th>b<tr><td><ul><li>c</ul><td>d",
        [
            ["row", cell("a", head=True), cell("b", head=True)],
            ["row", cell([UL, [LI, "c"]]), cell("d")],
        ],
    ),
    "empty cells": (
        "<tr><th><th>b<tr><td>c<td>",
        [["row", cell(head=True), cell("b", head=True)], ["row", cell("c"), cell()]],
    ),
    "caption": (
        "<caption>x <b>y</b></caption><tr><th>a<th>b<tr><td>c<td>d",
        [
            ["caption", "x ", ["strong", "y"]],
            ["row", cell("a", head=True), cell("b", head=True)],
            ["row", cell("c"), cell("d")],
        ],
    ),
}
ALL = BLOCKS | LISTS | CODE


@pytest.mark.parametrize(("html", "expected"), ALL.values(), ids=ALL)
def test_structure(html: str, expected: list[Any]) -> None:
    assert tree(html) == expected


@pytest.mark.parametrize(("html", "expected"), TABLES.values(), ids=TABLES)
def test_tables(html: str, expected: list[Any]) -> None:
    assert tree(f"<p>{TEXT}</p><table>{html}</table>")[1:] == [["table", *expected]]


@pytest.mark.parametrize(
    ("head", "form", "rows"), [("ab", "", 3), ("a", "", 1), ("ab", "<form>", 1)]
)
def test_a_table_is_whole_if_its_head_is_kept(head: str, form: str, rows: int) -> None:
    table = f"{form}<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<td>f</table>"
    found = tree(f"<p>{TEXT}</p>{table}", "lake", *head)
    assert len(found[1][1:]) == rows


def test_table_that_arranges_the_page() -> None:
    html = f"<table><tr><td>menu<td><h1>a</h1><p>{TEXT}<p>b</table>"
    found = tree(html, "a", "b")
    assert found == [["heading level=1", "a"], [P, TEXT.strip()], [P, "b"]]


def test_rows_that_are_left_out_are_not_spanned() -> None:
    rows = "<tr><th>gone<th>b<tr><td rowspan=9>c<td>d" + "<tr><td>gone" * 7 + "<tr><td>e"
    found = tree(f"<p>{TEXT}</p><table>{rows}</table>", *"bcde", "lake", "gone")
    assert found[1][2][1] == cell("c", rowspan=9)
    keep = keeping(f"<p>{TEXT}</p><table>{rows}</table>")
    labels = np.where([t == "gone" for t in keep.blocks.texts], Label.OTHER, Label.TEXT)
    less = Document(keep.url, keep.blocks, Tags(labels.astype(np.int32), keep.tags.marginals, 0.5))
    assert short(content(less)[1])[2][1] == cell("c", rowspan=2)


# what the model dropped between kept blocks

BETWEEN = {
    "code": ("<p>a</p><pre>b</pre><p>c", "ac", "abc"),
    "formula": ("<p>a</p><div>\\[b = 1\\]</div><p>c", "ac", "abc"),
    "code below the text": ("<p>a</p><pre>b</pre><p>c", "a", "a"),
    "list of lines": ("<p>a</p><ul><li>b<li>c</ul><p>d", "abd", "abcd"),
    "list with less than half of its items": ("<p>a</p><ul><li>b<li>c<li>e</ul><p>d", "abd", "abd"),
    "list below the text": ("<p>a</p><ul><li>b<li>c</ul>", "ab", "ab"),
    "cards": ("<p>a</p><ul><li><p>b<p>c<li><p>e<p>f</ul><p>d", "abcd", "abcd"),
    "list of pictures": ("<p>a</p><ul><li>b<li><img src=x>c</ul><p>d", "abd", "abd"),
}


@pytest.mark.parametrize(("html", "kept", "shown"), BETWEEN.values(), ids=BETWEEN)
def test_what_stands_between_kept_blocks(html: str, kept: str, shown: str) -> None:
    text = WRITERS["txt"](keeping(html, *kept))
    assert "".join(letter for letter in "abcdef" if letter in text) == shown


@pytest.mark.parametrize(("unlikely", "shown"), [(0.05, "abd"), (0.2, "abcd")])
def test_unlikely_items_of_a_list_of_which_half_is_kept_stay_out(
    unlikely: float, shown: str
) -> None:
    page = keeping("<p>a</p><ul><li>b<li>c</ul><p>d", *"abd")
    marginals = page.tags.marginals.copy()
    marginals[2] = 0.0, unlikely, 1.0 - unlikely
    text = WRITERS["txt"](replace(page, tags=replace(page.tags, marginals=marginals)))
    assert "".join(letter for letter in "abcd" if letter in text) == shown


# what is left out


def test_items_keep_their_numbers() -> None:
    found = tree("<ol><li>one<li>two<li>three</ol>", "one", "three")
    assert found == [
        ["list ordered=True start=1", ["item number=1", "one"], ["item number=3", "three"]]
    ]


def test_code_is_whole() -> None:
    html = "<p>x</p><pre>long line of code<br><br>}<br><br>another long line</pre>"
    assert tree(html, "x", "long")[1] == [
        "codeblock",
        "long line of code\n\n}\n\nanother long line",
    ]


def test_heading_by_its_label() -> None:
    blocks = split(Page("<p>a</p><ul><li>b</ul><blockquote>c</blockquote>"))
    labels = np.full(3, Label.HEADER, np.int32)
    document = Document(None, blocks, Tags(labels, np.full((3, 3), 1 / 3), 0.5))
    assert [short(part) for part in content(document)] == [
        ["heading level=2", "a"],
        [UL, [LI, "b"]],
        ["quote", ["heading level=2", "c"]],
    ]


# footnotes

NOTE = [P, "a", ["note id=1", "1"], " b"]
LOOSE = "<p>a<sup>1</sup> b</p>"
TWO = "<p>a<sup><a href=#n>1</a></sup> b<sup><a href=#m>2</a></sup></p>"
NOTES = {
    "list of links": (
        "<p>a<sup><a id=r href=#n>1</a></sup> b</p><ol><li id=n><p>c <a href=#r>↩</a></p></ol>",
        [NOTE, ["footnotes", ["footnote id=1", "c"]]],
    ),
    "anchor in a heading": (
        "<p>a<a href=#n><sup>1</sup></a> b</p><h5><a id=n>(1)</a></h5><p>c</p>",
        [NOTE, ["heading level=5", "(1)"], ["footnotes", ["footnote id=1", "c"]]],
    ),
    "lines of a paragraph": (
        f"{TWO}<p><a name=n>1</a> c<br><br><a name=m>2</a> d</p>",
        [
            [P, "a", ["note id=1", "1"], " b", ["note id=2", "2"]],
            ["footnotes", ["footnote id=1", "c"], ["footnote id=2", "d"]],
        ],
    ),
    "superscripts": (
        f"{LOOSE}<hr><p><b><sup>1</sup> C:</b> d</p>",
        [NOTE, ["rule"], ["footnotes", ["footnote id=1", ["strong", "C:"], " d"]]],
    ),
    "numbers in a named section": (
        f"{LOOSE}<div class=post-footnotes><h4>Notes</h4><ol><li>c</ol></div>",
        [NOTE, ["heading level=4", "Notes"], ["footnotes", ["footnote id=1", "c"]]],
    ),
    "exponents": (
        "<p>2 m<sup>2</sup></p><p><b>2</b> c</p>",
        [[P, "2 m", ["superscript", "2"]], [P, ["strong", "2"], " c"]],
    ),
    "numbers of another list": (
        f"{LOOSE}<ol><li>c</ol>",
        [
            [P, "a", ["superscript", "1"], " b"],
            ["list ordered=True start=1", ["item number=1", "c"]],
        ],
    ),
}


@pytest.mark.parametrize(("html", "expected"), NOTES.values(), ids=NOTES)
def test_footnotes(html: str, expected: list[Any]) -> None:
    assert tree(html) == expected


@pytest.mark.parametrize(
    ("kept", "rule", "notes"),
    [("ab", Rule.NONE, 1), ("ab", Rule.ASIDE, 0), ("c", Rule.NONE, 0)],
)
def test_a_footnote_is_kept_for_its_reference(kept: str, rule: Rule, notes: int) -> None:
    document = keeping(f"<p>x</p>{LOOSE}<p><sup>1</sup> c</p>", *kept)
    rules = np.array([Rule.NONE, Rule.NONE, rule])
    parts = content(replace(document, tags=replace(document.tags, rules=rules)))
    assert [part.kind for part in parts].count("footnotes") == notes


# pictures with their captions

FIGURE = (
    "<p>text a</p><div><figure><a href=b><picture><img src=a></picture></a>"
    "<figcaption>b</figcaption></figure></div><p>text c</p>"
)
PICTURE = link("b", ["image source=http://x.example/d/a"])


CAPTION = [["caption", "b"]]


@pytest.mark.parametrize(
    ("rule", "caption"), [(Rule.NONE, CAPTION), (Rule.ASIDE, CAPTION), (Rule.CHOICE, [])]
)
def test_a_picture_has_its_caption(rule: Rule, caption: list[Any]) -> None:
    document = keeping(FIGURE, "text")
    tags = replace(document.tags, rules=np.array([Rule.NONE, rule, Rule.NONE]))
    parts = content(replace(document, tags=tags))
    assert [short(part) for part in parts] == [
        [P, "text a"],
        ["figure", PICTURE, *caption],
        [P, "text c"],
    ]


VIDEO = "http://x.example/v.mp4"
MEDIA = {
    "lazy picture": ("<img src=data:a data-src=/a>", ["image source=http://x.example/a"]),
    "picture without scripts": (
        "<img src=data:a alt=b><noscript><img src=/a></noscript>",
        ["image source=http://x.example/a"],
    ),
    "sources of a picture": (
        "<picture><source srcset='/a 1x'><source srcset='/b 1x'><img></picture>",
        ["image source=http://x.example/a"],
    ),
    "video": (f"<video src={VIDEO} title=b></video>", [f"link address={VIDEO}", "b"]),
    "audio": (f"<audio src={VIDEO} aria-label=b></audio>", [f"link address={VIDEO}", "b"]),
    "player": (
        "<iframe src=//www.youtube.com/embed/b></iframe>",
        ["link address=http://www.youtube.com/embed/b", "http://www.youtube.com/embed/b"],
    ),
    "other frame": (f"<iframe src={VIDEO}></iframe>", None),
    "decoration": (f"<video src={VIDEO} autoplay></video>", None),
    "no address": ("<img src=data:a>", None),
    "AMP": (
        "<amp-img src=/a alt=b><noscript><img src=/c></noscript></amp-img>",
        ["image source=http://x.example/a description=b"],
    ),
    "AMP after its script": (
        "<amp-img src=/a><img src=/a></amp-img>",
        ["image source=http://x.example/a"],
    ),
    "AMP video": (f"<amp-video src={VIDEO} title=b></amp-video>", [f"link address={VIDEO}", "b"]),
    "an element of the page": (
        "<lazy-picture src=/a.png alt=b></lazy-picture>",
        ["image source=http://x.example/a.png description=b"],
    ),
    "an element of the page that is no picture": ("<my-part src=/a.html></my-part>", None),
    "tiny": ("<img src=/a alt=b width=16>", None),
}


@pytest.mark.parametrize(("html", "expected"), MEDIA.values(), ids=MEDIA)
def test_media(html: str, expected: list[Any] | None) -> None:
    found = tree(f"<p>text a</p><div>{html}</div><p>text c</p>")
    assert found[1:-1] == ([[P, expected]] if expected else [])


SENTENCES = {
    "emoji": ("is <img src=/e.png class=emoji alt=😀 width=16>.", ["text is 😀."]),
    "name of an emoji": ("is <img src=/emoji/smile.png alt=:smile:>", ["text is :smile:"]),
    "emoji without a class": ("is <img src=/e.png alt=😀>", ["text is 😀"]),
    "formula in words": (
        "is <img src=/a.gif class=inlineformula alt=phi height=9>",
        ["text is phi"],
    ),
    "formula": (
        "is <img src=/a.gif class=inlineformula alt='x^2-1=0' height=9> here",
        ["text is ", ["formula tex=x^2-1=0 display=False", "$x^2-1=0$"], " here"],
    ),
    "formula without a class": (
        "is <img src=/a.gif alt='y = x^2' height=9> here",
        ["text is ", ["formula tex=y = x^2 display=False", "$y = x^2$"], " here"],
    ),
    "icon inside a sentence": (
        "press <img src=/a alt=Save width=16> twice",
        ["text press ", ["image source=http://x.example/a description=Save"], " twice"],
    ),
    "icon at the end": ("a <img src=/a alt=PDF width=16>", ["text a"]),
    "icon of a link": ("a <a href=b>c <img src=/a alt=Out width=16></a> d", None),
    "icon beside a link": ("a <img src=/a alt=Video width=16> <a href=b>c</a> d", None),
    "words of an emoji": ("is <img src=/a class=emoji alt=Like width=16>", ["text is"]),
    "tracking inside a sentence": ("a <img src=/a alt=b width=1 height=1> c", ["text a c"]),
}


@pytest.mark.parametrize(("html", "expected"), SENTENCES.values(), ids=SENTENCES)
def test_pictures_in_sentences(html: str, expected: list[Any] | None) -> None:
    (found,) = tree(f"<p>text {html}</p>")
    assert "image" not in str(found) if expected is None else found == [P, *expected]


STYLED = {
    "bold": ("a <span style='color:red;font-weight:700'>b</span>", ["a ", ["strong", "b"]]),
    "italic": ("a <font style='font-style: italic'>b</font>", ["a ", ["emphasis", "b"]]),
    "both": (
        "<i style='font-weight:bold'>a</i>",
        [["emphasis", ["strong", "a"]]],
    ),
    "a bold link": ("<a href=b style=font-weight:600>c</a>", [["strong", link("b", "c")]]),
    "a bold element that is not": ("<b style=font-weight:normal>a</b>", ["a"]),
    "by class": (
        "<style>.c1{font-weight:700}.c2{color:red}</style><i class=c2>a</i><span class=c1>b</span>",
        [["emphasis", "a"], ["strong", "b"]],
    ),
    "no style": ("<span style='font-weight:400'>a</span>", ["a"]),
}


@pytest.mark.parametrize(("html", "expected"), STYLED.values(), ids=STYLED)
def test_marks_by_style(html: str, expected: list[Any]) -> None:
    assert tree(f"<p>{html}</p>") == [[P, *expected]]


def test_a_heading_has_no_marks_by_style() -> None:
    assert tree("<h2><span style=font-weight:700>a</span></h2>") == [["heading level=2", "a"]]


def test_lists_beside_each_other_are_nested_by_level() -> None:
    def items(level: str, *texts: str) -> str:
        return f"<ul class='lst-kix_{level}'>{''.join(f'<li>{text}</li>' for text in texts)}</ul>"

    found = tree(items("a-0", "a") + items("a-1", "b") + items("a-2", "c") + items("a-0", "d"))
    (whole,) = found
    assert whole == [UL, [LI, "a", [UL, [LI, "b", [UL, [LI, "c"]]]]], [LI, "d"]]
    assert len(tree(items("a-0", "a") + items("b-0", "b"))) == 2
    assert len(tree(items("a-0", "a") + "<p>b</p>" + items("a-1", "c"))) == 3


def test_a_dropped_picture_has_no_caption() -> None:
    html = (
        f"{FIGURE}<div><figure><img src=d><figcaption>e</figcaption></figure>{'<p>f g' * 9}</div>"
    )
    assert "image source=http://x.example/d/d" not in str(tree(html, "text"))
    assert "'e'" not in str(tree(html, "text"))


# task lists

DONE, OPEN = "<input type=checkbox checked disabled>", "<input disabled type=checkbox>"
TASKS = {
    "GitHub": (
        f"<li>{DONE} a<li>{OPEN} b",
        [[LI + " checked=True", "a"], [LI + " checked=False", "b"]],
    ),
    "MkDocs": (
        "<li class=task-list-item><label><input type=checkbox><i></i></label> a",
        [[LI + " checked=False", "a"]],
    ),
    "paragraphs": (f"<li><p>{DONE} a<li><p>b", [[LI + " checked=True", "a"], [LI, "b"]]),
    "a filter of a shop": ("<li><label><input type=checkbox> a</label>", [[LI, "a"]]),
    "a radio button": ("<li><input type=radio disabled> a", [[LI, "a"]]),
    "a list of tasks in an item": (
        f"<li>a<ul><li>{OPEN} b</ul>",
        [[LI, "a", [UL, [LI + " checked=False", "b"]]]],
    ),
}


@pytest.mark.parametrize(("items", "expected"), TASKS.values(), ids=TASKS)
def test_task_lists(items: str, expected: list[Any]) -> None:
    assert tree(f"<ul>{items}</ul>") == [[UL, *expected]]


# callouts

TITLE = [P, ["strong", "Note"]]
CALLOUTS = {
    "GitHub": (
        "<div class='markdown-alert markdown-alert-note'><p class=alert-title>Note</p>a</div>",
        [["quote callout=note", TITLE, [P, "a"]]],
    ),
    "GitHub, as a quotation": (
        "<blockquote class='markdown-alert'><p>a</p></blockquote>",
        [["quote callout=note", [P, "a"]]],
    ),
    "Bootstrap": (
        "<div class='alert alert-warning' role=alert><h4 class=alert-heading>Note</h4>a</div>",
        [["quote callout=warning", ["heading level=4", "Note"], [P, "a"]]],
    ),
    "Bootstrap, strong words in the text": (
        "<p class='alert alert-danger'><b class=alert-heading>b</b> a text of many more words</p>",
        [["quote callout=danger", [P, ["strong", "b"], " a text of many more words"]]],
    ),
    "Docusaurus": (
        (
            "<div class='theme-admonition theme-admonition-tip x alert alert--success'>"
            "<div class=admonitionHeading_x>Note</div><div>a</div></div>"
        ),
        [["quote callout=tip", TITLE, [P, "a"]]],
    ),
    "Sphinx": (
        "<div class='admonition caution'><p class=admonition-title>Note</p><ul><li>a</ul></div>",
        [["quote callout=caution", TITLE, [UL, [LI, "a"]]]],
    ),
    "Obsidian": (
        "<div class=callout data-callout=faq><div class=callout-title><b>Note</b></div>a</div>",
        [["quote callout=faq", TITLE, [P, "a"]]],
    ),
    "callout by class, inline title": (
        (
            "<aside class='callout callout-tip'><div><span class=callout-title>Note</span></div>"
            "<p>a</p></aside>"
        ),
        [["quote callout=tip", TITLE, [P, "a"]]],
    ),
    "Bootstrap, by its colour": (
        "<div class='alert alert-primary'>a</div>",
        [["quote callout=note", [P, "a"]]],
    ),
    "role": ("<div role=note>a</div>", [["quote callout=note", [P, "a"]]]),
    "an alert of an application": ("<div class=alert role=alert>a</div>", [[P, "a"]]),
    "a teaser": ("<div class='callout small'>a</div>", [[P, "a"]]),
    "a title alone": ("<div class=admonition><p class=admonition-title>a</p></div>", [[P, "a"]]),
    "a section": (
        f"<div class=admonition>{'<p>a' * 31}</div>",
        [[P, "a"]] * 31,
    ),
}


@pytest.mark.parametrize(("html", "expected"), CALLOUTS.values(), ids=CALLOUTS)
def test_callouts(html: str, expected: list[Any]) -> None:
    assert tree(f"<p>b</p>{html}") == [[P, "b"], *expected]


@pytest.mark.parametrize(
    ("after", "paragraphs", "callouts"), [("text", 1, 1), ("text", 7, 0), ("other", 1, 0)]
)
def test_a_callout_between_kept_blocks_is_kept(after: str, paragraphs: int, callouts: int) -> None:
    html = f"<p>text<div class='alert alert-tip'>{'<p>a</p>' * paragraphs}</div><p>{after}"
    kept = ["quote callout=tip", [P, "a"]]
    assert tree(html, "text").count(kept) == callouts


# addresses


@pytest.mark.parametrize(
    ("url", "base", "expected"),
    [
        ("http://x.example/d/p", "", "http://x.example/d/a"),
        ("http://x.example/d/p", "<base href=/e/>", "http://x.example/e/a"),
        (None, "<base href=http://y.example/>", "http://y.example/a"),
        (None, "", "a"),
        ("http://x.example/d/p", f"<base href='{'/' * 9_000}'>", "http://x.example/d/a"),
    ],
)
def test_base(url: str | None, base: str, expected: str) -> None:
    (part,) = content(keeping(f"{base}<p><a href=a>b</a>", url=url))
    assert short(part)[1] == [f"link address={expected}", "b"]


# what is told of a part


def test_nodes_and_blocks() -> None:
    document = keeping("<h1>a</h1><ul><li>b<p>c</ul><p>d <b>e</b>")
    parts = [one for part in content(document) for one in iter_parts(part)]
    told = [(one.kind, document.blocks.table.tags[one.node], one.blocks) for one in parts]
    assert told == [
        ("heading", "h1", (0,)),
        ("list", "ul", ()),
        ("item", "li", ()),
        (P, "li", (1,)),
        (P, "p", (2,)),
        (P, "p", (3,)),
        ("strong", "b", ()),
    ]


def test_comments_beside_the_text() -> None:
    document = keeping("<p>a<img src=/i width=300></p><p>b<img src=/j width=300></p>", "a")
    assert comments_content(document) == ()
    tags = document.tags
    told = Tags(tags.labels, tags.marginals, 0.5, comments=np.array([False, True]))
    with_comments = Document(document.url, document.blocks, told)
    assert [short(part) for part in comments_content(with_comments)] == [[P, "b"]]


# hostile pages


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages(name: str) -> None:
    document = whole(HOSTILE[name])
    check(content(document))
    for form, write in WRITERS.items():
        if form != "html":
            assert isinstance(write(document), str)


NESTED = {
    "lists": "<ul><li>a" * 300,
    "ordered lists": "<ol><li>a" * 300,
    "quotes": "<blockquote>a" * 300,
    "tables": "<table><tr><th>a<td>b" * 300,
    "marks": "<b><i><code><del><sup><mark>a" * 80,
    "links": "<a href=x><div>a" * 200,
    "definitions": "<dl><dt>a<dd>b" * 200,
    "code": "<pre><div>a" * 200,
    "figures": "<figure><figcaption>a" * 200,
    "headings": "<h1><div>a" * 200,
    "callouts": "<div class=admonition><div class=admonition-title>a</div>" * 200,
    "footnotes": "<p><sup><a href=#n>1</a></sup><li id=n>" * 200,
    "asides": "<aside id=n><sup><a role=doc-noteref href=#n>1</a></sup>" * 200,
}


@pytest.mark.parametrize("html", NESTED.values(), ids=NESTED)
def test_depth_is_bounded(html: str, low_recursion: None) -> None:
    document = whole(f"<p>x</p>{html}")
    parts = content(document)
    check(parts)
    size = len(WRITERS["md"](document)) + len(WRITERS["txt"](document))
    assert size < 100 * len(html) + 1_000


WIDE = {
    "items": "<ul>" + "<li>a" * 8_000,
    "lists": "<ul><li>a</ul>" * 3_000,
    "marks": "<b>a</b><i>b</i>" * 8_000,
    "links": "<p>" + "<a href=/x>a</a>" * 5_000,
    "spans": "<table><tr><th>a<th>b"
    + "<tr><td colspan=1000 rowspan=1000>a<td rowspan=99>b" * 1_000,
    "spanned rows": "<table><tr><th>a<th>b" + "<tr><td rowspan=60000>a<td>b" * 2_000,
    "breaks": "<p>" + "a<br>" * 8_000,
    "notes": "<sup><a href=#n>1</a></sup>" * 5_000 + "<p id=n>x",
    "code": "<pre>" + "<span class=ln>1</span><div>a</div>" * 5_000,
    "codes": "<pre>a</pre>" * 3_000,
    "cells": "<table><tr><th>a<th>b<tr>" + "<td>a" * 8_000,
    "definitions": "<dl>" + "<dd>a" * 500,
}


@pytest.mark.parametrize("html", WIDE.values(), ids=WIDE)
def test_width_is_bounded(html: str) -> None:
    document = whole(html)
    parts = content(document)
    written = WRITERS["md"](document)
    assert len(written) < 20 * len(html)
    assert parts
