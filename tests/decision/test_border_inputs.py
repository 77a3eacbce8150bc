"""Tests that the inputs of each border of a page (`decision/borders.pyx`) are as recorded.

`python tests/decision/test_border_inputs.py` records them anew, for a change that is meant.
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from decided import ARTICLE, knowing, marginals_of
from htmlpages import measures_of

from crfclean.decision.borders import BORDER_INPUTS
from crfclean.decision.ends import borders
from crfclean.types import Label

RECORDED = Path(__file__).with_suffix(".json")

TITLE = "Ferry in the ice of the lake"
PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
SAID = "I think that this winter was much worse than the last one, and we all know why that is. "
SKIP = "<p>Skip</p>"
PAGE = f"""<title>{TITLE} - Lake News</title><main><article><h1>{TITLE}</h1>
<div><p>First. {PROSE * 3}</p><p>Second. {PROSE}</p><ul><li>Bread of last week</ul>
<h2>Frost</h2><p>Third. {PROSE * 2}</p></div><section><h2>Thaw</h2><p>Fourth. {PROSE}</p>
<ul><li>A list of ships <a href=/a>in the harbour</a><li>Sledges</ul></section></article>
<aside><p>Share this</p><p>Related articles</p><p>Skip</p><h3>Other days</h3>
<p>Fifth. {SAID}</p></aside>
<div class=related-posts><p><a href=/b>A colder lake, and what it did to its mills</a> {SAID}</p>
</div></main><div>{SKIP * 3}<p>2 Comments</p>{SKIP * 4}
<section><p>Sixth. {SAID}</p></section><h3>Comments</h3><p>Seventh. {SAID}</p>
<h2>{TITLE}</h2><p>{SAID}</p><h4>Read also</h4><p>Skip</p><p>Eighth. {SAID}</p></div>
<footer><div class=legal><p>Rights of the press, and those of the lake and of its mills.</p></div>
<p>Last. {PROSE}</p></footer>"""
LIKELY = {
    "": 0.9,
    "Skip": 0.1,
    "Share": 0.2,
    "Related": 0.3,
    "2 Comments": 0.2,
    "Comments": 0.6,
    "Read": 0.6,
    "Second": 0.7,
    "Third": 0.95,
    "Fifth": 0.55,
    "Sixth": 0.65,
    "Seventh": 0.8,
    "Rights": 0.75,
}

Table = dict[str, dict[str, float]]
"""How the block after each border begins, and its inputs by name, without those that are 0."""


def inputs_of(html: str) -> Table:
    """The inputs of all borders of a page."""
    page = measures_of(html)
    model = 1.0 - marginals_of(page, LIKELY)[:, Label.OTHER]
    places = borders(knowing(page, **ARTICLE), model, model >= 0.5)
    assert places is not None
    return {
        f"{block} {page.texts[block][:12]}": {
            name: round(value, 6) for name, value in zip(BORDER_INPUTS, row, strict=True) if value
        }
        for block, row in zip(places.after.tolist(), places.inputs.tolist(), strict=True)
    }


def recorded() -> Table:
    table: Table = json.loads(RECORDED.read_text("utf-8"))
    return table


def test_inputs_are_those_that_were_recorded() -> None:
    said, table = inputs_of(PAGE), recorded()
    assert list(said) == list(table)
    for border, inputs in table.items():
        assert said[border] == pytest.approx(inputs, abs=2e-6), border


def test_each_input_is_recorded_and_unlike_each_other() -> None:
    """No two inputs can change places unnoticed."""
    rows = recorded().values()
    columns = {name: tuple(row.get(name, 0.0) for row in rows) for name in BORDER_INPUTS}
    assert {name for row in rows for name in row} == {*BORDER_INPUTS}
    for first, second in combinations(BORDER_INPUTS, 2):
        assert columns[first] != columns[second], (first, second)


if __name__ == "__main__":
    lines = (f"{json.dumps(border)}: {json.dumps(row)}" for border, row in inputs_of(PAGE).items())
    RECORDED.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")
