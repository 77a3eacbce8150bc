"""The measures of a page given as HTML, its table by arrays, and the values of a feature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from checkout import ROOT

from crfclean.core import words
from crfclean.core.table import COUNT_NAMES, TREE_NAMES, Table
from crfclean.core.words import Wording
from crfclean.model import markup
from crfclean.model.columns import FEATURES
from crfclean.model.markup import with_markup
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import copied
from crfclean.types import Blocks, Page


def demo_pages() -> list[str]:
    """The demo pages."""
    paths = sorted((ROOT / "data" / "demo").rglob("*.html"))
    return [decode(path.read_bytes()).html for path in paths]


def measures_of(html: str) -> Blocks:
    """The measures of a page."""
    return split(Page(html))


def tree_arrays(page: Blocks) -> dict[str, Any]:
    """The arrays that a table is made of, by name."""
    return {name: getattr(page.table, name) for name in TREE_NAMES + COUNT_NAMES}


def table_of_arrays(page: Blocks, arrays: dict[str, Any]) -> Table:
    """The table of a page with other arrays."""
    others = {name: value for name, value in page.table.named().items() if name not in TREE_NAMES}
    return Table(**others, **arrays)


def worded(page: Blocks, arrays: dict[str, Any]) -> Table:
    """The table of a page with other arrays, and with what its words say."""
    return with_markup(replace(page, table=table_of_arrays(page, arrays)))


def measures_of_texts(*texts: str) -> Blocks:
    """The blocks of a page that have these texts, as they are."""
    page = measures_of("<p>a</p>" * len(texts))
    return replace(page, table=copied(page.table.named() | {"texts": texts, "runs": texts}))


def wording_with(**changed: Any) -> Wording:
    """What the core knows of words, but for some of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "Wording", lambda **given: Wording(**(given | changed)))
        return markup.wording.__wrapped__()


def worded_with(page: Blocks, **changed: Any) -> Table:
    """The table of a page with what its words say, some of which mean something else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markup, "wording", lambda made=wording_with(**changed): made)
        return with_markup(page)


def column(name: str, html: str) -> list[float]:
    """The values of a feature for the blocks of a page."""
    values: list[float] = FEATURES[name](measures_of(html)).tolist()
    return values
