"""Pages that attack: the same few characters over and over, up to any size."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def _repeated(before: str, unit: str, after: str = "") -> Callable[[int], str]:
    """A page of so many characters, all but a few of which are repetitions of one unit."""
    return lambda size: f"{before}{unit * max(size // len(unit), 1)}{after}"


def _nested(first: str, last: str) -> Callable[[int], str]:
    def page(size: int) -> str:
        depth = size // (len(first) + len(last))
        return f"<body>{first * depth}words of it{last * depth}"

    return page


def _numbered(unit: str) -> Callable[[int], str]:
    """A page of units that each have a number of their own."""

    def page(size: int) -> str:
        count = size // (len(unit) + 2)
        return "<body>" + "".join(unit.replace("#", str(number)) for number in range(count))

    return page


WORDS = "The lake froze over in January, and the ferry stayed in its harbour. "
POST = (
    "<div class=post id=p#><a class=user href=/u/#>user#</a> <i class=date>2024-05-01 10:00</i>"
    f"<p>{WORDS}</p></div>"
)
PAGES: Mapping[str, Callable[[int], str]] = {
    "paragraphs": _repeated("<body>", "<p>a word</p>"),
    "long paragraphs": _repeated("<body>", f"<p>{WORDS * 5}</p>"),
    "different paragraphs": _numbered(f"<p>word# {WORDS}</p>"),
    "one word": _repeated("<p>", "a"),
    "one paragraph": _repeated("<p>", WORDS),
    "letters apart": _repeated("<p>", "a "),
    "ampersands": _repeated("<p>", "&amp;"),
    "hard spaces": _repeated("<p>a", "&nbsp;a"),
    "less than": _repeated("<p>", "&lt;"),
    "raw less than": _repeated("<p>", "<"),
    "unended references": _repeated("<p>", "&#"),
    "control characters": _repeated("<p>", "&#27;a\x1b"),
    "stars": _repeated("<p>", "*"),
    "stars apart": _repeated("<p>", "a *b_ "),
    "back quotes": _repeated("<p>", "`a``b "),
    "brackets": _repeated("<p>", "[a]("),
    "pipes": _repeated("<table><tr><td>", "|\\"),
    "hashes": _repeated("<p>", "# "),
    "digits": _repeated("<p>", "1234567890"),
    "dates": _repeated("<p>", "2024-05-01 10:00 "),
    "addresses": _repeated("<p>", "http://a.b/c "),
    "mails": _repeated("<p>", "a@b.c "),
    "by": _repeated("<p>", "By by von "),
    "ideographs": _repeated("<p>", "漢字。"),
    "accents": _repeated("<p>", "a\u0301\u0301"),
    "runs": _repeated("<p>", "<span>a</span>"),
    "emphasis": _repeated("<p>", "<b>a</b> "),
    "open emphasis": _repeated("<p>", "<b>a <i>"),
    "nested emphasis": _nested("<b>", "</b>"),
    "nested divisions": _nested("<div>", "</div>"),
    "nested lists": _nested("<ul><li>a", "</ul>"),
    "nested tables": _nested("<table><tr><td>a", "</table>"),
    "nested quotes": _nested("<blockquote>a", "</blockquote>"),
    "shallow nests": _repeated("<body>", "<div>" * 200 + "a" + "</div>" * 200),
    "items": _repeated("<ul>", "<li>a"),
    "numbered items": _numbered("<ol start=#><li value=#>a</ol>"),
    "definitions": _repeated("<dl>", "<dt>a<dd>b"),
    "rows": _repeated("<table>", "<tr><td>a<td>b"),
    "cells": _repeated("<table><tr>", "<td>a"),
    "wide cells": _repeated("<table>", "<tr><td colspan=1000 rowspan=1000>a"),
    "headings": _repeated("<body>", "<h2>A heading</h2><p>a"),
    "breaks": _repeated("<p>", "a<br>"),
    "double breaks": _repeated("<p>", "a<br><br>"),
    "rules": _repeated("<body>", "a<hr>"),
    "code lines": _repeated("<pre>", "a = 1\n"),
    "numbered code": _numbered("<pre><code class=language-x>#\n# a = b\n</code></pre>"),
    "blanks in code": _repeated("<pre>a", " \n"),
    "links": _repeated("<p>", "<a href=/a>a</a> "),
    "different links": _numbered("<p><a href=/a/#>link#</a>"),
    "unclosed links": _repeated("<p>", "<a href=/a>a "),
    "pictures": _repeated("<p>a", "<img src=/a.png alt=a>"),
    "figures": _repeated("<body>", "<figure><img src=a.png><figcaption>a</figcaption></figure>"),
    "footnotes": _numbered("<p>a<a href=#n# id=r#>[#]</a></p><li id=n#><a href=#r#>^</a> n</li>"),
    "one attribute": _repeated('<p title="', "&amp;", '">a'),
    "alternative": _repeated('<p>a<img src=a alt="', "&amp;", '">'),
    "attributes": _numbered("<p a#=1>a"),
    "attributes of one": lambda size: f"<p {' '.join(f'a{n}' for n in range(size // 8))}>a",
    "classes": _numbered("<div class='c# post-body item#'>a</div>"),
    "one class": _repeated('<p class="', "comment ", '">a'),
    "metas": _numbered("<meta name=author content='A Name #'><meta property=og:title content=t#>"),
    "structured data": lambda size: (
        '<script type="application/ld+json">['
        + ",".join(['{"@type":"Article","headline":"a"}'] * (size // 35))
        + "]</script><p>a"
    ),
    "nested data": lambda size: (
        f'<script type="application/ld+json">{"[" * (size // 2)}{"]" * (size // 2)}</script><p>a'
    ),
    "broken data": _repeated('<script type="application/ld+json">{"a": "', '\\"', "<p>a"),
    "scripts": _repeated("<body>", "<script>a</script>b"),
    "comments": _repeated("<body>", "<!--a-->b"),
    "open comments": _repeated("<body>a", "<!--"),
    "open tags": _repeated("<body>a", "<a b='"),
    "custom elements": _numbered("<x-a#>a</x-a#>"),
    "hidden": _repeated("<body>", "<p hidden>a<p>b"),
    "posts": _numbered(POST),
    "quotes of posts": _repeated("<div class=post>", "<blockquote>a wrote:</blockquote>b"),
    "readers' comments": _numbered(f"<div class=comment><b>Name #</b> 1 May 2024<p>{WORDS}</div>"),
}
"""Name -> a function of the size in characters, which makes the page."""
