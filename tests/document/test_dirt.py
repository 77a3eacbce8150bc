"""What a page shows that is no part of its content is left out of structured formats."""

from __future__ import annotations

import pytest
from parttrees import keeping

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
    "notices": ("<p>a<p>Loading...<div>Link copied</div><p>Loading prices…<p>b", "a\n\nb"),
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
    "item that loads": ("<ul><li>Loading<li>Packing</ul>", "- Loading\n- Packing"),
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
    "sign in a text": ("<p><a href=#a>#</a> a", "[#](http://x.example/d/p#a) a"),
    "nothing but dirt": ("<p>Loading...", "Loading..."),
}


@pytest.mark.parametrize(("html", "expected"), (LEFT_OUT | STAYS).values(), ids=[*LEFT_OUT, *STAYS])
def test_dirt_is_left_out(html: str, expected: str) -> None:
    assert keeping(html).markdown() == expected + "\n"


def test_text_has_all_words() -> None:
    assert keeping(f"<div>js</div>{CODE}").text == "js\na"
