"""Code is one block: what is a unit of code on a page, and what is not."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.page.places import places
from crfclean.types import Page


def texts(html: str) -> list[str]:
    return list(split(Page(html)).texts)


LINES = "<div>def f():</div><div>  return 1</div>"
CODE = "def f(): return 1"
PROSE = "<p>This paragraph explains the code above, and it is longer than a line of it.</p>"

UNITS = {
    "lines in pre": (f"<pre>{LINES}</pre>", [CODE]),
    "lines in code": (f"<code>{LINES}</code>", [CODE]),
    "lines in code in a paragraph": (f"<p>a <code>{LINES}</code> b</p>", ["a", CODE, "b"]),
    "paragraphs as lines": (f"<pre>{LINES.replace('div', 'p')}</pre>", [CODE]),
    "items as lines": ("<pre><ol><li>a</li><li></li><li>b</li></ol></pre>", ["a b"]),
    "items of SyntaxHighlighter": ("<ol class=dp-c><li>a</li><li>b</li></ol>", ["a b"]),
    "lines by their style": (
        "<pre><span style='display:block'>a</span><span style='display:block'>b</span></pre>",
        ["a b"],
    ),
    "empty lines": ("<pre>a<br><br>b</pre>", ["a b"]),
    "rows in code": ("<pre><code><table><tr><td>a<tr><td>b</table></code></pre>", ["a b"]),
    "rows of a code host": (
        "<table class=js-file-line-container><tr><td class=blob-num>1<td class=blob-code>a</table>",
        ["a"],
    ),
    "an editor without pre": (f"<div class='CodeMirror-code'>{LINES}</div>", [CODE]),
    "an editor in a frame in pre": (
        f"<pre><div>Run</div><div class=cm-content>{LINES}</div></pre>",
        ["Run", CODE],
    ),
    "a bar above": (
        f"<pre><div class=code-header>sh<button>Copy</button></div>{LINES}</pre>",
        ["sh", "Copy", CODE],
    ),
    "a button below": (f"<pre>{LINES}<button>Copy</button></pre>", [CODE, "Copy"]),
    "prose in comments": (
        "<pre><div># This is what the function does, in a very long comment of one line.</div>f()",
        ["# This is what the function does, in a very long comment of one line. f()"],
    ),
    "unknown elements": ("<pre><x-line><div>a</div></x-line><x-line>b</x-line></pre>", ["a b"]),
}


@pytest.mark.parametrize(("html", "expected"), UNITS.values(), ids=UNITS)
def test_code_is_one_block(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


OTHERS = {
    "a pre that never ends": (
        "<div><pre>a\nb<h2>c</h2><p>d</p><ul><li>e<li>f</ul></div>",
        ["a b", "c", "d", "e", "f"],
    ),
    "a text wrapped in pre": (f"<pre>{PROSE}{PROSE}<p>The end</p></pre>", 3),
    "paragraphs in code": (f"<code>{PROSE}{PROSE}</code>", 2),
    "a section in pre": ("<pre><section>a</section><div>b</div></pre>", ["a", "b"]),
    "a menu in a container": (
        "<div class=code-block><div><a href=/a>a</a></div><div><a href=/b>b</a></div></div>",
        ["a", "b"],
    ),
    "a pre in a container": (
        f"<div class=code-block><div>main.py</div><pre>{LINES}</pre></div>",
        ["main.py", CODE],
    ),
    "code in a line": ("<p>a <code>b</code> c</p><p>d</p>", ["a b c", "d"]),
    "a table with a head": (
        "<div class=code-block><table><tr><th>Name<th>Use<tr><td>sid<td>login</table></div>",
        ["Name", "Use", "sid", "login"],
    ),
    "a class that is only like one": ("<div class=hljs-x><p>a<p>b</div>", ["a", "b"]),
}


@pytest.mark.parametrize(("html", "expected"), OTHERS.values(), ids=OTHERS)
def test_what_is_no_code(html: str, expected: list[str] | int) -> None:
    blocks = texts(html)
    assert blocks == expected or len(blocks) == expected


NUMBERS = {
    "a column beside": (
        "<table><tr><td class=gutter><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>",
        ["a b"],
    ),
    "elements with a class": (
        "<pre><span class=lineno>8</span>a\n<span class=lineno>9</span>b</pre>",
        ["a b"],
    ),
    "elements that nobody can select": (
        "<pre><span style='display:flex'><span style='user-select:none'>1</span>a</span></pre>",
        ["a"],
    ),
    "elements that count lines": (
        "<pre><div><span>1</span><div>a</div><span>2</span><div>b</div></div></pre>",
        ["a b"],
    ),
    "hidden lines of a Rust book": (
        "<pre><b class=boring><b class=ln>1</b>main\n</b><b class=ln>2</b>a\nb</pre>",
        ["a b"],
    ),
}


@pytest.mark.parametrize(("html", "expected"), NUMBERS.values(), ids=NUMBERS)
def test_line_numbers_are_no_text(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


def test_places_behind_line_numbers() -> None:
    blocks = split(Page("<pre><b class=ln>1</b>a<i>b</i>\n<b class=ln>2</b>c</pre>"))
    assert [tuple(piece) for piece in places(blocks, [0])[0]] == [
        (".", 0, 1),
        ("i[1]", 0, 1),
        (".", 1, 2),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<pre>" + "<div class='gutter line'>" * 10_000 + "1",
        "<pre><div>a</div>" * 2_000,
        "<code><div>a" * 5_000,
        "<div class='hljs gutter'>" * 5_000 + "<pre>1",
        "<pre>" + "<div><span>1</span>a</div>" * 20_000,
        "<pre>" + "<button>a</button>" * 20_000,
        "<table class=hljs-ln>" + "<tr><td class=ln>1<td>a" * 20_000,
    ],
)
def test_hostile_code(html: str) -> None:
    assert len(split(Page(html))) >= 1
