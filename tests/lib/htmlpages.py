"""The measures of a page given as HTML, its table by arrays, and the values of a feature."""

from __future__ import annotations

from typing import Any

from checkout import ROOT

from crfclean.core.table import COUNT_NAMES, TREE_NAMES, Table
from crfclean.model.columns import FEATURES
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.types import Page


def demo_pages() -> list[str]:
    """The demo pages."""
    paths = sorted((ROOT / "data" / "demo").rglob("*.html"))
    return [decode(path.read_bytes()).html for path in paths]


def measures_of(html: str) -> Measures:
    """The measures of a page."""
    return split(Page(html))


def tree_arrays(page: Measures) -> dict[str, Any]:
    """The arrays that a table is made of, by name."""
    return {name: getattr(page.table, name) for name in TREE_NAMES + COUNT_NAMES}


def table_of_arrays(page: Measures, arrays: dict[str, Any]) -> Table:
    """The table of a page with other arrays."""
    runs = tuple(page.runs.texts)
    return Table(texts=page.texts, runs=runs, tag_names=page.tag_names, **arrays)


def column(name: str, html: str) -> list[float]:
    """The values of a feature for the blocks of a page."""
    values: list[float] = FEATURES[name](measures_of(html)).tolist()
    return values
