"""Tests of `page/data_tables.py`."""

from __future__ import annotations

import random

import pytest

from crfclean.page.blocks import split
from crfclean.page.data_tables import find_text_tables, table_figures, text_tables
from crfclean.page.measures import measured
from crfclean.page.tree import elements
from crfclean.types import Blocks, Page

TAGS = "table tr td th caption thead colgroup h1 h2 nav form div p span li header b".split()
ROLES = ("", "", "", "", " role=presentation", " role=' NONE '", " role=grid")


def cell(rng: random.Random, depth: int) -> str:
    content = rng.choice(["12", "a word", "", "many words " * 50] + ["few words"] * 6)
    if rng.random() < 0.1:
        content = f"<{rng.choice(TAGS)}>{content}"
    if depth and rng.random() < 0.1:
        content += table(rng, depth - 1)
    return f"<{rng.choice(['td', 'td', 'td', 'th'])}>{content}"


def table(rng: random.Random, depth: int = 2) -> str:
    width, closing = rng.randrange(1, 5), rng.choice(["</table>", "</table>", ""])
    rows = (
        "<tr>" + "".join(cell(rng, depth) for _ in range(width)) for _ in range(rng.randrange(1, 6))
    )
    return f"<table{rng.choice(ROLES)}>{''.join(rows)}{closing}"


def soup(seed: int) -> Blocks:
    """A page of tables, some in others, some not closed."""
    rng = random.Random(seed)
    parts = [rng.choice([table(rng), "<p>A paragraph of the page.</p>"]) for _ in range(5)]
    return split(Page("".join(parts)))


@pytest.mark.parametrize("seed", range(150))
def test_text_tables_are_those_that_the_rules_leave(seed: int) -> None:
    blocks = soup(seed)
    assert text_tables(measured(blocks)) == find_text_tables(elements(blocks)).candidates


def test_some_are_tables_of_data() -> None:
    counts = [
        (len(text_tables(measured(page))), page.nodes.tags.count("table"))
        for page in map(soup, range(150))
    ]
    assert sum(data for data, _ in counts) > 20
    assert sum(data < tables for data, tables in counts) > 20


def test_figures_of_a_table() -> None:
    inner = "<table><tr><td>x<td>yy</table>"
    html = f"<p>a<table><caption>b</caption><tr><th>ccc<td>{inner}<tr><td><h2>d</h2></table>"
    page = split(Page(html))
    tags = page.nodes.tags
    outer = tags.index("table")
    inner_table = tags.index("table", outer + 1)
    expected = [[outer, 2, 3, 2, 1, 1, 3, 8], [inner_table, 1, 2, 0, 0, 0, 2, 3]]
    assert table_figures(page) == expected
