"""Shapes of the page view in JSON answers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class ViewedBlock(BaseModel):
    """A block of the page view, with the reasons in words, and the figures behind them.

    A figure is a feature, its value and its weight; `size` says how long the block is.
    """

    kept: bool
    probability: _Share
    kind: str
    kind_probability: _Share
    likely_kind: str
    likely_kind_probability: _Share
    tag: str
    xpath: str
    text: str
    size: str
    because: list[str]
    but: list[str]
    figures: list[tuple[str, float, float]]


class PageView(BaseModel):
    """The page as a browser shows it: `page` is an HTML document for a sandboxed frame.

    `blocks` are those in it, of `total`; `notes` say what it does not show.
    """

    title: str
    url: str
    status: str
    score: _Share
    kept: int
    total: int
    notes: list[str]
    blocks: list[ViewedBlock]
    page: str
