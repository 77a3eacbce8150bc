"""Figures of tables, by the core and without it, and the tables that show data."""

from __future__ import annotations

import random

import numpy as np
import pytest

from crfclean.core import native
from crfclean.page.blocks import split
from crfclean.page.data_tables import find_text_tables, table_figures, text_tables
from crfclean.page.measures import Measures
from crfclean.page.paragraphs import elements
from crfclean.types import Blocks, Page
from eval.lib.cores import by_both, without_core

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


@pytest.mark.skipif(native.CORE is None, reason="the core was not built")
@pytest.mark.parametrize("seed", range(150))
def test_figures_are_equal(seed: int) -> None:
    blocks = soup(seed)
    by_core, by_python = by_both(lambda: table_figures(Measures(blocks)))
    assert by_core == by_python


@pytest.mark.parametrize("seed", range(150))
def test_text_tables_are_those_that_the_rules_leave(seed: int) -> None:
    blocks = soup(seed)
    assert text_tables(Measures(blocks)) == find_text_tables(elements(blocks)).candidates


def test_some_are_tables_of_data() -> None:
    counts = [
        (len(text_tables(Measures(page))), page.nodes.tags.count("table"))
        for page in map(soup, range(150))
    ]
    assert sum(data for data, _ in counts) > 20
    assert sum(data < tables for data, tables in counts) > 20


@pytest.mark.parametrize("core", [True, False])
def test_figures_of_a_table(core: bool) -> None:  # noqa: FBT001
    inner = "<table><tr><td>x<td>yy</table>"
    html = f"<p>a<table><caption>b</caption><tr><th>ccc<td>{inner}<tr><td><h2>d</h2></table>"
    page = Measures(split(Page(html)))
    tags = page.blocks.nodes.tags
    outer = tags.index("table")
    inner_table = tags.index("table", outer + 1)
    expected = [[outer, 2, 3, 2, 1, 1, 3, 8], [inner_table, 1, 2, 0, 0, 0, 2, 3]]
    if core:
        assert table_figures(page) == expected
    else:
        with without_core():
            assert table_figures(page) == expected


@pytest.mark.skipif(native.CORE is None, reason="the core was not built")
def test_places_that_are_not_there_are_refused() -> None:
    def call(**changed: object) -> bytes:
        one = np.zeros(1, np.int32)
        arrays = {"parent": one - 1, "end": one + 1, "first": one, "last": one + 1, "tag": one}
        table: bytes = native.CORE.tables(*(arrays | changed).values(), b"\1", np.ones(1))
        return table

    assert len(call()) == 64
    for name, value in (
        ("parent", 0),
        ("end", 2),
        ("end", 0),
        ("first", 2),
        ("last", -1),
        ("tag", 1),
    ):
        with pytest.raises(ValueError, match="not there"):
            call(**{name: np.full(1, value, np.int32)})
    with pytest.raises(ValueError, match="not there"):
        call(tag=np.zeros(2, np.int32))
