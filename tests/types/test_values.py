"""Tests of `types/`."""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.types import (
    Block,
    Blocks,
    CrfcleanError,
    Document,
    Label,
    Page,
    Tag,
    Tags,
    check_bounds,
)

HTML = """<html><body><div><h1>Title</h1><p>First <b>bold</b>.</p><p>Second.</p></div>
<div><p>Third.</p></div></body></html>"""

MARGINALS = np.array([[0.7, 0.2, 0.1], [0.1, 0.5, 0.4], [0.0, 0.1, 0.9], [0.2, 0.2, 0.6]])
LABELS = np.array([Label.HEADER, Label.TEXT, Label.OTHER, Label.OTHER], np.int32)


@pytest.fixture
def blocks() -> Blocks:
    return split(Page(HTML))


@pytest.fixture
def tags() -> Tags:
    return Tags(LABELS, MARGINALS, 0.75)


@dataclass(frozen=True)
class Bounded:
    """A parameter with bounds, and one without."""

    share: float = 0.5
    size: int = 1_000


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 1])
def test_bounds_are_included(share: float) -> None:
    check_bounds(Bounded(share), {"share": (0.0, 1.0)})
    check_bounds(Bounded(share), {})


@pytest.mark.parametrize("share", [-1e-9, 1.5, float("nan"), float("inf")])
def test_parameter_out_of_bounds(share: float) -> None:
    with pytest.raises(CrfcleanError, match=rf"share must be from 0\.0 to 1\.0, not {share}"):
        check_bounds(Bounded(share), {"size": (0, math.inf), "share": (0.0, 1.0)})


@pytest.mark.parametrize(
    ("value", "name"),
    [(Page("<p>"), "html"), (Tag(Label.TEXT, 0.5), "label"), (Block(0, "", "", ""), "text")],
)
def test_values_are_frozen(value: object, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(value, name, None)


def test_documents_cross_processes(blocks: Blocks, tags: Tags) -> None:
    document = Document("u", blocks, tags, "ok", "bytes")
    again = pickle.loads(pickle.dumps(document))
    assert again.text == document.text
    assert (again.truncated, again.score) == ("bytes", 0.75)
    assert [block.xpath for block in again.blocks] == [block.xpath for block in blocks]
    assert again.blocks.table.attributes == blocks.table.attributes
