"""Small pages and the whole table of each, as it was recorded: `tables/x.html`, `tables/x.txt`.

A table has a line for each element (its attributes and blocks; `-` stands in a line of text), block
(its element, and what parts it from the one before), and run of text (its element, its block, how
many elements begin before it), then lines for what else a page has.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crfclean.page import walk
from crfclean.page.blocks import split
from crfclean.page.effects import SPLIT
from crfclean.types import Blocks, Page

PAGES = sorted((Path(__file__).parent / "tables").glob("*.html"))


def lines_of(blocks: Blocks) -> Iterator[str]:
    """The table of a page, line by line."""
    table = blocks.table
    depths: list[int] = []
    for node, tag in enumerate(table.tags):
        above = int(table.parent[node])
        depths.append(depths[above] + 1 if above >= 0 else 0)
        attributes = "".join(f" {name}={text!r}" for name, text in table.attributes[node].items())
        inside = f"{table.first_block[node]}:{table.end_block[node]}"
        mark = "-" if table.is_inline[node] else " "
        yield f"{node:3} {mark} {'  ' * depths[node]}{tag}{attributes} {inside}"
    for block, text in enumerate(blocks.texts):
        parts = "+".join(name for name, bit in SPLIT.items() if blocks.split[block] & bit)
        yield f"block {block} in {blocks.node[block]} after {parts or 'nothing'}: {text!r}"
    for run, text in enumerate(table.run_texts):
        place = f"{table.run_node[run]}, {table.run_block[run]}, {table.run_after[run]}"
        yield f"run {run} in {place}: {text!r}"
    rest: dict[str, Any] = {
        "title": blocks.title,
        "truncated": blocks.truncated,
        "json-ld": list(table.json_ld),
        "code": sorted(blocks.code),
        "hidden": table.hidden,
        "source": blocks.source,
        "blanks": list(table.blanks),
        "discarded": list(table.discarded),
        "formulas": table.formulas,
        "readings": table.readings,
    }
    yield from (f"{name}: {value!r}" for name, value in rest.items() if value)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_tables_are_those_recorded(
    monkeypatch: pytest.MonkeyPatch, path: Path, *, alone: bool
) -> None:
    """By libxml2 called directly, where it can be, and by lxml's events."""
    parses_alone = walk.parses_alone
    monkeypatch.setattr(walk, "parses_alone", lambda: alone and parses_alone())
    table = "\n".join((*lines_of(split(Page(path.read_text("utf-8")))), ""))
    assert table == path.with_suffix(".txt").read_text("utf-8")
