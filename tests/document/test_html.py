"""Tests of `document/html.py`: own tags, nothing else, safe to show."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from markup import soups

from crfclean.document.html import to_html
from crfclean.document.parts import Show
from crfclean.page.blocks import split
from crfclean.types import Document, Label, Page, Tags

LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks."


def keeping(html: str, *words: str, url: str | None = None) -> Document:
    """A page of which the blocks with some of the words are kept; all, where none are named."""
    blocks = split(Page(html))
    keep = [not words or any(word in text for word in words) for text in blocks.texts]
    labels = np.where(keep, Label.TEXT, Label.OTHER).astype(np.int32)
    return Document(url, blocks, Tags(labels, np.full((len(labels), 3), 1 / 3), 0.5))


def body(document: Document, *, links: bool = False) -> str:
    """The written body, white space between elements aside."""
    html = to_html(document, Show(links=links))
    found = re.search(r"<body>(.*)</body>", html, re.DOTALL)
    assert found
    return re.sub(r">\s+<", "><", found[1]).strip()


# the page


def test_the_head_has_charset_and_title() -> None:
    html = to_html(keeping("<html lang=pl><title>A &lt;b&gt; &amp; c</title><p>one"))
    assert html == (
        '<!DOCTYPE html>\n<html lang="pl">\n<head><meta charset="utf-8">'
        "<title>A &lt;b&gt; &amp; c</title></head>\n<body>\n<p>one</p>\n\n</body>\n</html>\n"
    )


# structure


def test_structure_stays() -> None:
    html = (
        "<h1>T</h1><p>a <strong>b</strong>, <em>c</em>;<br>d</p><ul><li>x</li>"
        "<li>y<ol start=3><li>z</li></ol></li></ul><blockquote><p>q</p></blockquote>"
        "<pre><code>  two\n lines</code></pre><dl><dt>t</dt><dd>d</dd></dl><hr><p><sub>2</sub></p>"
    )
    assert body(keeping(html)) == html.replace("=3", '="3"')


def test_tables_of_data_stay_whole() -> None:
    table = "<table><tr><th>a</th><th>b</th></tr><tr><td colspan=2>c</td></tr></table>"
    found = body(keeping(f"<p>x</p>{table}"))
    assert found == f"<p>x</p>{table}".replace("=2", '="2"')


def test_tables_that_arrange_the_page_go() -> None:
    html = f"<table><tr><td>menu</td><td><h1>T</h1><p>{LONG * 8}</p></td></tr></table>"
    assert body(keeping(html, "T", "lake")) == f"<h1>T</h1><p>{LONG * 8}</p>"


def test_code_has_its_language() -> None:
    html = "<pre><code class='x language-py'>if a &lt; b:\n    c</code></pre>"
    expected = '<pre><code class="language-py">if a &lt; b:\n    c</code></pre>'
    assert body(keeping(html)) == expected


def test_footnotes() -> None:
    html = "<p>one<sup><a href=#n>1</a></sup></p><ol><li id=n>said <a href=#r>x</a></ol>"
    assert body(keeping(html)).startswith(
        '<p>one<sup><a href="#note-1" rel="noopener noreferrer nofollow">1</a></sup></p>'
        '<ol><li id="note-1" value="1">said '
    )


# links and pictures


LINKED = f'<p>{LONG}<a href="/a?b=1&amp;c=2" onclick=x title=t>link</a></p>'


def test_addresses_of_links_are_removed_or_kept() -> None:
    assert body(keeping(LINKED)) == f"<p>{LONG}link</p>"
    kept = body(keeping(LINKED), links=True)
    assert 'href="/a?b=1&amp;c=2"' in kept
    assert "onclick" not in kept


def test_no_link_stands_in_another() -> None:
    video = "<iframe src=//player.vimeo.com/1 title=Film></iframe>"
    html = body(keeping(f"<div><p>{LONG}<a href=/a>{video}</a>{LONG}</p></div>"), links=True)
    assert re.findall(r"<a href=\"([^\"]*)\"[^>]*>Film</a>", html) == ["//player.vimeo.com/1"]
    assert html.count("<a ") == 1


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("src='data:image/gif;base64,R0' data-src=real.png", "real.png"),
        ("srcset='s.png 1x, l.png 2x'", "s.png"),
        ("src='x y.png'", "x y.png"),
        ("data-original=o.png", "o.png"),
    ],
)
def test_pictures_that_load_late(attributes: str, expected: str) -> None:
    html = f"<div><p>{LONG}</p><img {attributes}><p>{LONG}</p></div>"
    found = re.search(r'src="([^"]*)"', body(keeping(html)))
    assert found
    assert found[1] == expected


def test_pictures_that_the_tagger_names() -> None:
    html = f"<div><p>{LONG}</p><img src=a.png><img src=b.png></div>"
    document = keeping(html)
    second = document.blocks.table.tags.index("img") + 1
    chosen = replace(document, tags=replace(document.tags, pictures=(second,)))
    assert re.findall(r"src=\"(\w)", body(chosen)) == ["b"]


# safety


BAD = [
    "<script>alert(1)</script>",
    "<p onclick=alert(1) style='background:url(x)'>a</p>",
    "<a href='javascript:alert(1)'>a</a>",
    "<a href=' java&#10;script:alert(1)'>a</a>",
    "<a href='data:text/html,<script>x</script>'>a</a>",
    "<img src=x onerror=alert(1)>",
    "<img src='javascript:alert(1)'>",
    "<svg><script>x</script></svg>",
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
    "<p title='\"><script>alert(1)</script>'>a</p>",
    "<iframe src=//x.example></iframe><object data=x></object><embed src=x>",
    "<form action=x><input name=y><button>send</button></form>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<a href='http://[bad'>a</a><img src='http://[bad'>",
    "<details open ontoggle=alert(1)><summary>s</summary>d</details>",
    "<p lang='\"><img src=x onerror=alert(1)>'>a</p>",
    "<math><img src=x onerror=alert(1) a<b=c>x</math>",
    "<math onclick=alert(1) display=block><mi href=javascript:x lang='\"><img>'>x</mi></math>",
]

ALLOWED = {
    **dict.fromkeys(
        "p ul dl dt dd table tr blockquote figure em strong del ins mark sub sup ruby br caption "
        "figcaption h1 h2 h3 h4 h5 h6 hr pre rt section menclose merror mfenced mfrac mi mn mo "
        "mlabeledtr mover mpadded mphantom mroot mrow ms mspace msqrt mstyle msub msubsup msup "
        "mtable mtd mtext mtr munder munderover semantics".split(),
        "",
    ),
    "a": "href title rel",
    "code": "class",
    "img": "src alt title width height",
    "li": "value id",
    "math": "display",
    "ol": "start",
    "span": "class",
    "td": "colspan rowspan",
    "th": "colspan rowspan",
}
"""Element -> the attributes that it may have besides `lang` and `dir`."""


class Allowed(HTMLParser):
    """Holds a document to the elements, attributes and addresses that may be in it."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in {*ALLOWED, "html", "head", "meta", "title", "body"}, tag
        for name, value in attrs:
            if tag in ("meta", "html"):
                continue
            assert name in {*ALLOWED[tag].split(), "lang", "dir"}, (tag, name)
            if name in ("href", "src"):
                scheme = re.match(r"\s*([A-Za-z][\w+.-]*):", value or "")
                assert scheme is None or scheme[1] in {"http", "https", "mailto"}, value


def check(html: str) -> None:
    reader = Allowed()
    reader.feed(html)
    reader.close()


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("links", [False, True])
def test_output_is_safe(bad: str, *, links: bool) -> None:
    document = keeping(f"<div><p>{LONG}</p>{bad}<p>{LONG}</p></div>")
    html = to_html(document, Show(links=links))
    check(html)
    assert "lake froze" in html


def test_any_page_is_written_safely_with_its_text() -> None:
    for number, html in enumerate(soups()):
        document = keeping(html, "word,") if number % 3 else keeping(html)
        written = to_html(document, Show(links=number % 2 > 0))
        check(written)
        texts = split(Page(written)).texts
        assert "".join("".join(texts).split()) == "".join(document.text.split())


def test_deep_and_wide_pages(low_recursion: None) -> None:
    deep = "<div>" * 2_000 + f"<p>{LONG}</p>" + "</div>" * 2_000
    assert body(keeping(deep)) == f"<p>{LONG}</p>"
    wide = body(keeping(f"<div>{f'<p>{LONG}</p>' * 20_000}</div>"))
    assert wide.count("<p>") == 20_000
    mixed = "<div>x" * 400 + "</div>" * 400
    assert body(keeping(mixed)).count("x") == 400


def test_pictures_of_the_text_stay() -> None:
    html = f"<div><p>{LONG}</p><img src=a.png alt=A width=300 class=x><p>{LONG}</p></div>"
    assert '<img alt="A" src="a.png" width="300">' in body(keeping(html))
