"""Pages of the demo give what was recorded: columns, kinds, labels and figures.

`python tests/model/test_recorded.py` records them anew, for a change that is meant.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import MARKUP
from crfclean.model.block_kinds import kinds_of
from crfclean.model.columns import FEATURES, matrix
from crfclean.model.inputs import TEXTTRACTOR
from crfclean.model.markup import SCHEMA_TYPES
from crfclean.model.page_features import figure_names, page_row
from crfclean.model.zones import main_heading, zones
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.systems.load import load
from crfclean.types import Blocks, Kind, Label, Page

RECORDED = Path(__file__).with_suffix(".json")
DEMO = Path(__file__).parents[2] / "data" / "demo"
SITES = ("hafenblick", "moorland-gazette", "severnik")
PAGES = [min((DEMO / site).glob("*.html")) for site in SITES]
NAMES = (*FEATURES, *TEXTTRACTOR)

TEXT = "word " * 19 + "end."  # 20 words of running text
LONG, CARD = f"<p>{TEXT}</p>", "<h3><a>word</a></h3><p>word word word</p>"
CARDS = f"<ul><li>{CARD}</li><li>{CARD}</li><li>{CARD}</li></ul>{LONG}"
TYPES = [
    f'<script type="application/ld+json">{{"@type": "{types[-1]}"}}</script>'
    for types in SCHEMA_TYPES.values()
]
NAMED = "".join(f"<div class='{words.split()[0]}'><p>a</p></div>" for words in MARKUP.values())
SAID = [
    f"<p>{phrases.partition('|')[0]}x</p><h4>{phrases.partition('|')[0]}x</h4><p>b</p>"
    for phrases in lexicon().block_phrases.values()
]
SMALL = {
    "nested": f"<main><section><div>{LONG}<p><a>word</a></p></div><h3>word</h3></section>"
    "<p>word word</p></main><p>word</p>",
    "best": f"a<p>b</p><div><p>{'ab, ' * 15}</p><p>{'、' + 'ab ' * 15}</p><p>{'a ' * 15}</p></div>"
    f"<div><p>{'abcdefghij ' * 200}</p><p>{'word ' * 8}<a>{'word ' * 7}</a></p></div>",
    "empty": "<p>!</p>",
    "one": "<p>a</p>",
    "around": f"<p>a</p>{LONG}<p><a>b</a></p><p>c</p>{LONG}<p>d</p>",
    "many": LONG + "<p>a</p>" * 20,
    "links": "<p>a</p><p><a>b</a></p><p><a>c</a></p><p>d</p><p><a>e</a></p><p>f</p>" * 9,
    "headed": "<title>b c</title><p>a</p><h2>Related</h2><p>b c</p><h1>c b</h1><p>d</p>"
    "<h6><i>Comments</i></h6><p>e</p><h3>a<h5>b</h5></h3><p>By me</p><p>© 2020</p>",
    "said": "".join(SAID),
    "cards": CARDS,
    "marked": CARDS.replace("<li>", "<li class=x>", 1),
    "lists": "<div><ul><li>a</li><li>b b</li></ul></div><section><ul><li>c</li><li>d</li></ul>"
    "</section><ul><li>a</li><li>a a</li><li>a a <a>a</a></li></ul>b b<ol><li>b</li></ol>",
    "spread": f"<li>{CARD}</li><li>{CARD}</li><li><p>a</p><p>b</p></li>"
    f"<div>{CARD}{LONG}</div><div>{CARD}{LONG}</div><div>{CARD}{LONG}</div>",
    "wide": "<div>" + "<ul><li>a</li><li>b</li><li>c</li></ul>" * 4 + "</div><p>a</p><p>b</p>",
    "types": "".join(TYPES) + f"<body class='article post code hero tag content'>{NAMED}",
    "counts": "<h1>a</h1><h2>a</h2><h3>b</h3><article>a</article><form>a<input><button>b</button>"
    "</form><table><tr><td>a<td>b</table><pre><code>a</code></pre><img>a<img><svg></svg>",
    "texts": "<p>1.2.2003</p><p>5 May 2020</p><p>中文 ab</p><p>سلام</p><p>中 aB AB CD. Aa</p>"
    "<p>© a &gt; b | c|| </p><p>One. Two! Three? Four.</p><p>a1 b2 12</p>"
    "<p><i>a</i><cite>b</cite></p>",
}
"""Small pages, each for the columns of a group."""


def columns_of(page: Blocks) -> dict[str, list[float]]:
    """The sum of each column, and its sum by places from 1 on, if they are not 0."""
    columns, places = matrix(page, NAMES), np.arange(1, len(page) + 1)
    sums = zip(columns.sum(0).tolist(), (places @ columns).tolist(), strict=True)
    rounded = ([round(value, 4) for value in pair] for pair in sums)
    return {name: pair for name, pair in zip(NAMES, rounded, strict=True) if any(pair)}


def said_of(path: Path) -> dict[str, Any]:
    """What is recorded of a page."""
    page = split(decode(path.read_bytes()))
    tags = load("default").tag(page)
    row = dict(zip(figure_names(), page_row(page, None).tolist(), strict=True))
    return {
        "labels": " ".join(Label(label).name.lower() for label in tags.labels),
        "kept": [round(float(1 - share), 4) for share in tags.marginals[:, Label.OTHER]],
        "kinds": " ".join(Kind(kind).name.lower() for kind in kinds_of(page)),
        "zones": [int(kind) for kind in zones(page)],
        "heading": main_heading(page),
        "columns": columns_of(page),
        "figures": {name: round(value, 4) for name, value in row.items() if value},
    }


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_pages_give_what_was_recorded(path: Path) -> None:
    recorded, said = json.loads(RECORDED.read_text("utf-8"))[path.parent.name], said_of(path)
    for part in ("labels", "kinds", "zones", "heading"):
        assert said[part] == recorded[part], part
    assert said["kept"] == pytest.approx(recorded["kept"], abs=2e-4)
    assert said["figures"] == pytest.approx(recorded["figures"], abs=2e-4)
    assert list(said["columns"]) == list(recorded["columns"])
    for name, sums in recorded["columns"].items():
        assert said["columns"][name] == pytest.approx(sums, rel=1e-5, abs=2e-3), name


@pytest.mark.parametrize("name", SMALL)
def test_small_pages_give_what_was_recorded(name: str) -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))[name]["columns"]
    said = columns_of(split(Page(SMALL[name])))
    assert list(said) == list(recorded)
    for column, sums in recorded.items():
        assert said[column] == pytest.approx(sums, rel=1e-5, abs=2e-3), column


def test_the_pages_say_something_of_nearly_every_column() -> None:
    pages = json.loads(RECORDED.read_text("utf-8")).values()
    silent = set(NAMES).difference(*(page["columns"] for page in pages))
    assert len(silent) < 0.05 * len(NAMES), silent


if __name__ == "__main__":
    said = {path.parent.name: said_of(path) for path in PAGES}
    said |= {name: {"columns": columns_of(split(Page(html)))} for name, html in SMALL.items()}
    lines = (f"{json.dumps(name)}: {json.dumps(page)}" for name, page in said.items())
    RECORDED.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")
