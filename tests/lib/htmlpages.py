"""The measures of a page that is given as HTML, and the values of a feature on it."""

from __future__ import annotations

from crfclean.model.columns import FEATURES
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Page


def measures_of(html: str) -> Measures:
    """The measures of a page."""
    return split(Page(html))


def column(name: str, html: str) -> list[float]:
    """The values of a feature for the blocks of a page."""
    values: list[float] = FEATURES[name](measures_of(html)).tolist()
    return values
