"""Tests of the taggers without a model: the contract of `test_taggers.py`, for each of them."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from taggerpages import LONG, PAGES, tag_page

from crfclean.page.blocks import split
from crfclean.systems.load import NAMED, named
from crfclean.types import Label, Page, Tagger


@pytest.fixture(params=NAMED)
def ruled(request: pytest.FixtureRequest) -> Tagger:
    return named(request.param)


def test_one_label_a_block(ruled: Tagger) -> None:
    for name, html in PAGES.items():
        blocks = split(Page(html))
        tags = ruled.tag(blocks)
        assert tags.labels.shape == (len(blocks),), name
        assert tags.labels.dtype == np.int32
        assert tags.marginals.shape == (len(blocks), 3), name
        assert set(tags.labels.tolist()) <= set(Label), name


def test_a_page_is_taken_in_any_form(ruled: Tagger) -> None:
    html = f"<h1>A title of some words</h1>{f'<p>{LONG * 3}</p>' * 4}"
    expected = ruled.tag(split(Page(html))).labels
    for form in (html, html.encode(), Page(html)):
        assert np.array_equal(cast("Any", ruled).tag(form).labels, expected)
    with pytest.raises(TypeError, match="a page is str, bytes, Path"):
        cast("Any", ruled).tag(3)


def test_article_is_found(ruled: Tagger) -> None:
    html = "<ul>" + "<li><a href='/'>News of the week</a></li>" * 8 + "</ul>"
    html += f"<div><h1>A title of some words</h1>{f'<p>{LONG * 3}</p>' * 4}</div>"
    labels = tag_page(ruled, html).labels.tolist()
    assert labels[:8] == [Label.OTHER] * 8
    assert labels[9:] == [Label.TEXT] * 4
    assert labels[8] in (Label.HEADER, Label.OTHER)
