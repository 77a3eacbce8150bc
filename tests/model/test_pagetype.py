"""Tests of page types: figures of a page, the shipped model and its folder."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest
from hostile import HOSTILE

from crfclean.io import with_digest
from crfclean.model.feature_prints import fingerprints
from crfclean.model.page_features import figure_names, page_row
from crfclean.model.pagetype import load_page_model, page_type
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.types import Document, ModelError, Page, Tags

TYPES = tuple("article collection documentation form forum listing product service".split())
SENTENCE = "The ferry stayed in its harbour for three weeks, for the ice on the lake was thick. "

ARTICLE = f"""<html><head><title>Ferry in the ice | Lake News</title>
<meta property="og:type" content="article"><script type="application/ld+json">
{{"@type": "NewsArticle", "headline": "Ferry in the ice"}}</script></head><body class="single post">
<article class="entry-content"><h1>Ferry in the ice</h1><p>By Ann Probe</p>{
    f"<p>{SENTENCE * 4}</p>" * 8
}</article></body></html>"""

FORUM = (
    """<html><head><title>Slugs in the lettuce - Garden Forum</title></head><body class="forum">
<h1>Slugs in the lettuce</h1><div class="topic thread">"""
    + "".join(
        f"""<div class="post message"><div class="username user avatar"><a href="/u/{n}">user{n}</a>
    Joined: 2011 Posts: {n * 7}</div><span class="date">12 May 2021</span><div class="postbody">I
    tried coffee and my neighbour says it works. Thanks, I'll try it!</div><a href="/r">Reply</a>
    <a href="/q">Quote</a></div>"""
        for n in range(20)
    )
    + "</div></body></html>"
)

PRODUCT = """<html><head><title>Buy Ice Skates | Shop</title>
<meta property="og:type" content="product">
<script type="application/ld+json">{"@type": "Product", "offers": {"@type": "Offer"},
"aggregateRating": {"@type": "AggregateRating"}}</script></head><body class="product">
<div class="product"><h1>Ice skates</h1><span class="price">$49.90</span><p>In stock.</p>
<form class="cart"><label>Quantity</label><select><option>1</select>
<button>Add to cart</button></form>
<div class="description"><p>Steel blades, leather boots, made for lakes.</p></div>
<h2>Customer reviews</h2><p>5 stars</p><p>Great skates, fast shipping.</p></div></body></html>"""

DOCS = (
    """<html><head><title>Client.open - API reference - docs</title></head><body class="docs">
<nav class="sidebar toc"><ul><li><a href="a">Guide</a><li><a href="b">API</a></ul></nav>
<main class="documentation markdown"><h1>Client.open</h1>"""
    + "".join(
        f"""<h2>Parameters of example {n}</h2><p>Returns the default when it is deprecated. For
    example, install the version of the syntax:</p>
    <pre class="highlight"><code>client.open(path={n})
    </code></pre><table><tr><td><code>path</code><td>the path</table>"""
        for n in range(10)
    )
    + "</main></body></html>"
)

PAGES = {
    "article": (ARTICLE, "https://lakenews.example/2024/05/ferry-in-the-ice"),
    "forum": (FORUM, "https://garden.example/forum/viewtopic.php?t=12"),
    "product": (PRODUCT, "https://skates.example/products/ice-skates"),
    "documentation": (DOCS, "https://docs.client.example/en/latest/api/open.html"),
}


def document(html: str, url: str | None = None) -> Document:
    blocks = split(Page(html, url))
    tags = Tags(np.full(len(blocks), 2), np.tile([0.0, 0.0, 1.0], (len(blocks), 1)), 0.0)
    return Document(url, blocks, tags)


def told(html: str, url: str | None = None) -> dict[str, float]:
    row = page_row(split(Page(html, url)), url)
    return dict(zip(figure_names(), row.tolist(), strict=True))


# the shipped model


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("place", ["address", "none"])
def test_each_type_is_known(name: str, place: str) -> None:
    html, url = PAGES[name]
    found = page_type(document(html, url if place == "address" else None))
    assert found is not None
    assert found.name == name
    assert set(found.probabilities) == set(TYPES)
    assert sum(found.probabilities.values()) == pytest.approx(1.0, abs=1e-3)
    assert found.probabilities[name] == max(found.probabilities.values())


@pytest.mark.parametrize("name", HOSTILE)
def test_no_page_is_too_bad(name: str) -> None:
    given = HOSTILE[name]
    page = decode(given) if isinstance(given, bytes) else Page(str(given))
    found = page_type(document(page.html, "https://[bad:address/" + "x/" * 10_000))
    assert found is None or set(found.probabilities) == set(TYPES)


# figures


def test_figures_of_a_page() -> None:
    found = told("<title>Shop Reviews</title><h1>A b</h1><p>Reply to my reply, £5</p><pre>x</pre>")
    assert found["title_product"] == 1.0
    assert found["says_reply"] == 2.0
    assert found["says_first"] == 1.0
    assert (found["prices"], found["tag_h1"], found["tag_pre"]) == (1.0, 1.0, 1.0)
    assert found["blocks"] == 3.0


@pytest.mark.parametrize("words", [1, 2, 3, 7, 40])
def test_quantiles_of_words_are_those_of_numpy(words: int) -> None:
    html = "".join(f"<p>{'word ' * (place * 7 % 11 + 1)}" for place in range(words))
    page, values = split(Page(html)), told(html)
    parts = (0.5, 0.75, 0.9, 0.97)
    expected = np.quantile(page.words, parts).tolist()
    assert [values[f"words_{part}"] for part in parts] == expected


# the folder


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Path:
    return Path(copytree(root / "models" / "pagetype", tmp_path / "model"))


def rewrite(folder: Path, **changes: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(with_digest({**json.loads(path.read_text()), **changes})))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "crf"}, "no model of page types"),
        ({"format": 99}, "another format"),
        (
            {"features": {"url_none": "0"}},
            r"other features \(url_none, url_steps, .* changed\): train",
        ),
        ({"features": dict(reversed([*fingerprints("pagetype").items()]))}, "their order changed"),
        ({"features": ["a"]}, "malformed"),
        ({"types": ["article", "article", "forum"]}, "one of them twice"),
        ({"types": []}, "malformed"),
        ({"files": []}, "malformed"),
        ({"types": None}, "malformed"),
    ],
)
def test_a_wrong_manifest_is_refused(
    folder: Path, changes: dict[str, object], message: str
) -> None:
    rewrite(folder, **changes)
    with pytest.raises(ModelError, match=message):
        load_page_model(folder)
