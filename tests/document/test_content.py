"""Tests of `content`: the page's own structure, with every kept text once and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from markup import soups
from parttrees import check, chosen, keeping, short, solid, text_of, tree

from crfclean.document.content import content
from crfclean.document.formats import WRITERS
from crfclean.document.inline import formula_pieces
from crfclean.document.parts import Part, iter_parts
from crfclean.page.blocks import split
from crfclean.pipeline import run
from crfclean.systems.load import named
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
def test_demo_pages(name: str, demo_gold: list[Any]) -> None:
    for gold in demo_gold:
        check_document(run(gold.page, named(name)))


def test_any_page() -> None:
    for number, html in enumerate(soups()):
        blocks = split(Page(html))
        keep = np.array([bool(number >> place % 8 & 1) for place in range(len(blocks))], np.bool_)
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


# what a page shows that is no part of its content

CODE = "<pre><code class=language-js>a</code></pre>"
FENCE = "```js\na\n```"
BOOK = "<title>Wheels - The mill</title>"

LEFT_OUT = {
    "edit links of a wiki": (
        "<h2>A<i class=mw-editsection><b class='mw-editsection-bracket'>[</b>edit]</i></h2><p>b",
        "## A\n\nb",
    ),
    "permalink without width": ("<h2>A<a class=hash-link href=#a>\u200b</a></h2>", "## A"),
    "permalink to another page": ("<h2>A <a class=permalink href=/f>🔗</a></h2>", "## A"),
    "permalink of a term": ("<dl><dt>A<a class=headerlink href=#a>¶</a><dd>b</dl>", "- A\n  - b"),
    "label of code": (f"<div><span>JavaScript</span></div>{CODE}", FENCE),
    "label and button above code": (f"<div>js</div><button>Copy</button>{CODE}", FENCE),
    "button below code": (f"{CODE}<div>Copied!</div><p>b", f"{FENCE}\n\nb"),
    "button in code": (
        "<pre><code>a</code><button><i>Copy</i><i>Copied!</i></button></pre>",
        "```\na\n```",
    ),
    "buttons of cards": ("<div>a<button>Add to cart</button></div>" * 3, "a\n\na\n\na"),
    "buttons by their class": (
        "<div>a<p class='wp-button btn'>Buy now</p></div>" * 3,
        "a\n\na\n\na",
    ),
    "buttons that lead to files": (
        "<div>a<p><a class=button href=/b.pdf?v=1>PDF</a></p></div>" * 3,
        "\n\n".join(["a", "[PDF](http://x.example/b.pdf?v=1)"] * 3),
    ),
    "title that leads to its page": ("<h1><a href=/d/p>A</a></h1><p>b", "# A\n\nb"),
    "canonical address": (
        "<link rel=canonical href=//y.example/a/><h2><a href=//y.example/a>A</a></h2>",
        "## A",
    ),
    "anchor around a heading": ("<a class=header href=#a><h1 id=a>A</h1></a><p>b", "# A\n\nb"),
    "breadcrumbs": ("<ul class=breadcrumb><li>Home<li>b</ul><h1>A</h1>", "# A"),
    "name of the site": (f"{BOOK}<div>The mill</div><h1>Wheels</h1><p>b", "# Wheels\n\nb"),
    "name of a book": (f"{BOOK}<h1>The mill</h1><h1>Big wheels</h1><p>b", "# Big wheels\n\nb"),
    "citation": ("<p>a <cite>b</cite>", "a b"),
}

STAYS = {
    "heading above code": (f"<h3>JavaScript</h3>{CODE}", f"### JavaScript\n\n{FENCE}"),
    "paragraph above code": (f"<p>JavaScript</p>{CODE}", f"JavaScript\n\n{FENCE}"),
    "code that copies": ("<pre>copy</pre>", "```\ncopy\n```"),
    "two buttons": ("<div>a<button>More</button></div>" * 2, "a\n\nMore\n\na\n\nMore"),
    "control of a panel": (
        "<button aria-expanded=false>Price</button><p>a</p>" * 3,
        "Price\n\na\n\nPrice\n\na\n\nPrice\n\na",
    ),
    "button that begins an item": (
        "<ul><li><button>Law</button></ul>" * 3,
        "- Law\n\n* Law\n\n- Law",
    ),
    "link in a title": ("<h1>A <a href=/d/p>b</a></h1>", "# A [b](http://x.example/d/p)"),
    "title alone": (f"{BOOK}<h1>The mill</h1><h2>Big wheels</h2>", "# The mill\n\n## Big wheels"),
    "title after the site's name": (
        "<title>The mill - Wheels</title><h1>Wheels</h1><h1>Part one</h1>",
        "# Wheels\n\n# Part one",
    ),
    "nothing but buttons": ("<p><button>More</button>" * 3, "More\n\nMore\n\nMore"),
    "sign in a text": ("<p><a href=#a>#</a> a", "[#](http://x.example/d/p#a) a"),
}


@pytest.mark.parametrize(("html", "expected"), (LEFT_OUT | STAYS).values(), ids=[*LEFT_OUT, *STAYS])
def test_dirt_is_left_out(html: str, expected: str) -> None:
    assert keeping(html).markdown() == expected + "\n"


def test_text_has_all_words() -> None:
    assert keeping(f"<div>js</div>{CODE}").text == "js\na"


# formulas that a page writes as TeX in its text

LOADED = '<script src="https://cdn.example/mathjax@3/tex-chtml.js"></script>'


def formulas(text: str, *, typeset: bool = False) -> list[str]:
    """The TeX of a text's formulas, `|` before that of displays."""
    parts = [piece for piece in formula_pieces(text, typeset=typeset) if isinstance(piece, Part)]
    return [("|" if part.facts["display"] else "") + part.facts["tex"] for part in parts]


TYPESET = {
    "single dollars": ("Let $x_1$ and $y$ be", ["x_1", "y"]),
    "money": ("costs $100 per unit, or $200", []),
    "blank inside": ("a $ x$ b", []),
    "escaped dollar": (r"\$5 and $x$", ["x"]),
    "words": (r"\(or\)", ["or"]),
}


@pytest.mark.parametrize(("text", "expected"), TYPESET.values(), ids=TYPESET)
def test_formulas_where_the_page_typesets_them(text: str, expected: list[str]) -> None:
    assert formulas(text, typeset=True) == expected


@pytest.mark.parametrize(
    "text", ["", "a", "$x", r"a \(b_1\) c", r"$$x^2$$\(y_1\)", "$$$$", r"\(\)"]
)
def test_pieces_are_the_text(text: str) -> None:
    pieces = [*formula_pieces(text)]
    assert (
        "".join(piece if isinstance(piece, str) else str(piece.children[0]) for piece in pieces)
        == text
    )


def test_page_that_loads_mathjax() -> None:
    assert tree(f"{LOADED}<p>Let $x_1$ be") == [
        ["paragraph", "Let ", ["formula tex=x_1 display=False", "$x_1$"], " be"]
    ]
    assert tree("<p>Let $x_1$ be") == [["paragraph", "Let $x_1$ be"]]


MATH = '<math alttext="a_1*b"><mi>a</mi></math>'
BARE = "<math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>"
WRITTEN = {
    "md": ("so $a_1*b$.", "so a\\<b."),
    "txt": ("so $a_1*b$.", "so a<b."),
    "html": (
        r'<p>so <span class="math inline">\(a_1*b\)</span>.</p>',
        "<p>so <math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>.</p>",
    ),
    "tei": (
        '<p>so <formula notation="TeX">a_1*b</formula>.</p>',
        '<p>so <formula notation="MathML">&lt;math&gt;&lt;mi&gt;a',
    ),
}


@pytest.mark.parametrize("ending", WRITTEN)
def test_formats(ending: str) -> None:
    written = [WRITERS[ending](keeping(f"<p>so {html}.</p>")) for html in (MATH, BARE)]
    for text, expected in zip(written, WRITTEN[ending], strict=True):
        assert expected in text


def test_many_marks_are_read_in_bounded_steps() -> None:
    text = r"\(\[\begin{align}" * 5_000
    assert formulas(text, typeset=True) == []
    assert len(formulas(r"\(x_1\)" * 5_000)) == 5_000


def test_facts_of_a_formula() -> None:
    (part,) = content(keeping(f"<p>{BARE}</p>"))
    (formula,) = part.children
    assert isinstance(formula, Part)
    assert short(formula)[1] == "a<b"
    assert formula.facts["mathml"] == BARE
