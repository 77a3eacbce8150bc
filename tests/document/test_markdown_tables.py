"""Tests of `document/markdown.py`: rows, spans, heads, and what stands in cells."""

from __future__ import annotations

import pytest
from parttrees import keeping

from crfclean.document.markdown import MAX_COLUMNS, table_lines, to_md
from crfclean.document.parts import Part

TABLES = {
    "head": ("<tr><th>a<th>b<tr><td>c<td>d", "| a | b |\n| --- | --- |\n| c | d |\n"),
    "no head": ("<tr><td>a<td>b<tr><td>c<td>d", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n"),
    "head of rows": (
        "<tr><th>a<td>b<tr><th>c<td>d",
        "|  |  |\n| --- | --- |\n| a | b |\n| c | d |\n",
    ),
    "thead of plain cells": (
        "<thead><tr><td>a<td>b</thead><tr><td>c<td>d",
        "| a | b |\n| --- | --- |\n| c | d |\n",
    ),
    "columns": (
        "<tr><th colspan=2>a<th>b<tr><td>c<td>d<td>e",
        "| a |  | b |\n| --- | --- | --- |\n| c | d | e |\n",
    ),
    "rows": (
        "<tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e",
        "| a | b |\n| --- | --- |\n| c | d |\n|  | e |\n",
    ),
    "lines in a cell": (
        "<tr><th>a<th>b<tr><td>c<br>d<td><p>e<p>f",
        "| a | b |\n| --- | --- |\n| c<br>d | e<br>f |\n",
    ),
    "list in a cell": (
        "<tr><th>a<th>b<tr><td>c<td><ul><li>d<li>e</ul>",
        "| a | b |\n| --- | --- |\n| c | - d<br>- e |\n",
    ),
    "list of steps in a cell": (
        "<tr><th>a<th>b<tr><td>c<td>to do:<ol start=3><li>d<li>e</ol>",
        "| a | b |\n| --- | --- |\n| c | to do:<br>3. d<br>4. e |\n",
    ),
    "code in a cell": (
        "<tr><th>a<th>b<tr><td>c<td><pre>d|\n e</pre>",
        "| a | b |\n| --- | --- |\n| c | `d\\|`<br>`e` |\n",
    ),
    "caption": (
        "<caption>x</caption><tr><th>a<th>b<tr><td>c<td>d",
        "x\n\n| a | b |\n| --- | --- |\n| c | d |\n",
    ),
}


@pytest.mark.parametrize(("html", "expected"), TABLES.values(), ids=TABLES)
def test_tables(html: str, expected: str) -> None:
    text = "The lake froze over in January. " * 9
    written = to_md(keeping(f"<p>{text}</p><table>{html}</table>"))
    assert written.partition("\n\n")[2] == expected


def test_spans_are_bounded() -> None:
    cell = Part("cell", ("a",), {"header": False, "colspan": 1_000, "rowspan": 1_000})
    lines = table_lines([Part("row", (cell,) * 10)] * 200)
    assert max(line.count("|") for line in lines) <= MAX_COLUMNS + 11
