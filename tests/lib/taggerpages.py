"""Pages that every tagger must handle, and comparison of their tags."""

from __future__ import annotations

import numpy as np

from crfclean.page.blocks import split
from crfclean.types import Page, Tagger, Tags

LONG = "A paragraph of some length, with a comma and a full stop at its end. "
PAGES = {
    "no page": "",
    "no block": "<html><body><div></div></body></html>",
    "one block": "<p>Alone.</p>",
    "marks alone": "<p>***</p><p>—</p>",
    "spaces of all kinds": "<p>a&nbsp;b&#8203;c</p>",
    "two equal blocks": "<p>Same.</p><p>Same.</p>",
    "Chinese": "<h1>春天</h1><p>春天来了，河水涨了起来，渔夫们都很高兴。</p>",
    "long block": f"<p>{LONG * 500}</p>",
    "many blocks": "<p>x</p>" * 2_000,
    "many long blocks": f"<p>{LONG}</p>" * 500,
    "links": "<ul>" + "<li><a href='/'>Home</a></li>" * 30 + "</ul>",
    "nested tables": "<table><tr><td>" * 50 + LONG + "</table>" * 50,
    "article": f"<nav><a href='/'>Home</a></nav><h1>Title</h1><p>{LONG}</p><p>{LONG * 2}</p>",
}


def same(left: Tags, right: Tags) -> bool:
    return (
        np.array_equal(left.labels, right.labels)
        and np.array_equal(left.marginals, right.marginals)
        and left.score == right.score
    )


def tag_page(tagger: Tagger, html: str) -> Tags:
    return tagger.tag(split(Page(html)))
