"""Tests of `page/data_tables.py`."""

from __future__ import annotations

import random

import pytest

from crfclean.page.blocks import split
from crfclean.page.data_tables import find_text_tables, shown_tables, table_figures, text_tables
from crfclean.page.elements import elements
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


@pytest.mark.parametrize("seed", range(20))
def test_text_tables_are_those_that_the_rules_leave(seed: int) -> None:
    blocks = soup(seed)
    assert text_tables(blocks) == find_text_tables(elements(blocks)).candidates


def test_figures_of_a_table() -> None:
    inner = "<table><tr><td>x<td>yy</table>"
    html = f"<p>a<table><caption>b</caption><tr><th>ccc<td>{inner}<tr><td><h2>d</h2></table>"
    page = split(Page(html))
    tags = page.table.tags
    outer = tags.index("table")
    inner_table = tags.index("table", outer + 1)
    expected = [[outer, 2, 3, 2, 1, 1, 3, 8], [inner_table, 1, 2, 0, 0, 0, 2, 3]]
    assert table_figures(page) == expected


PROSE = "<td>" + "a sentence of a policy " * 30
ROW = f"<tr><td>a{PROSE}"
SHOWN = {
    "prose": (ROW * 3, 1),
    "prose below a title that spans all columns": (f"<tr><td colspan=2>a{ROW * 3}", 1),
    "odd spans": (f"<tr><td colspan=x>a{PROSE}{ROW * 2}<tr><td colspan={'9' * 5_000}>a{PROSE}", 0),
    "two rows": (ROW * 2, 0),
    "rows of several widths": (f"{ROW * 3}<tr><td>a<td>b<td>c", 0),
    "mostly empty": (f"{ROW * 3}{'<tr><td>a<td>' * 3}", 0),
    "a part of the page": (f"{ROW * 3}<tr><td>a<td><h1>b</h1>", 0),
    "most of the page, with a head": (f"<tr><td>a<td>b{ROW * 19}", 1),
    "most of the page, as a thread": (ROW * 20, 0),
}


@pytest.mark.parametrize(("rows", "count"), SHOWN.values(), ids=SHOWN)
def test_tables_of_prose_are_shown(rows: str, count: int) -> None:
    page = split(Page(f"<p>{'a text ' * 900}</p><table>{rows}</table>"))
    assert len(shown_tables(page)) == count
    assert not text_tables(page)
