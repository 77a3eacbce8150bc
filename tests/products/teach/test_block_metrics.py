"""Tests of `teach/metrics.py` against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.products.teach.block_metrics import (
    BlockKind,
    BlockScores,
    block_kinds,
    ends,
    label_confusion,
    label_scores,
)
from crfclean.types import Label, Page

# labels

H, T, O = Label.HEADER, Label.TEXT, Label.OTHER  # noqa: E741


def array(*labels: int) -> np.ndarray:
    return np.array(labels, np.int32)


def test_confusion_has_gold_in_rows() -> None:
    matrix = label_confusion(array(H, T, O, O, T, T), array(H, T, T, O, O, O))
    assert matrix.tolist() == [[1, 0, 0], [0, 1, 2], [0, 1, 1]]


def test_label_scores() -> None:
    scores = label_scores(np.array([[2, 1, 1], [0, 6, 2], [0, 3, 9]]))
    assert list(scores) == ["HEADER", "TEXT", "OTHER"]
    expected = {"HEADER": (1, 1 / 2, 2 / 3), "TEXT": (0.6, 0.75, 2 / 3), "OTHER": (0.75,) * 3}
    for name, values in expected.items():
        found = scores[name]
        assert (found.precision, found.recall, found.f1) == pytest.approx(values)


# begin and end

ENDS = {
    "exact": ("_xxx_", "_xxx_", (0, 0)),
    "one too early": ("_xxx_", "xxxx_", (-1, 0)),
    "one too late": ("_xxx_", "__xx_", (1, 0)),
    "two after the end": ("xxx__x_", "xxxx_xx", (0, -1)),
    "after the end": ("xx____", "xxx_x_", (0, -2)),
    "end missing": ("xxxxx", "xxx__", (0, 2)),
    "a hole says nothing": ("xxxxx", "xx_xx", (0, 0)),
    "begin and end": ("__xxx__", "x_x__x_", (-1, -1)),
    "kept before counts more than missing": ("_xxx_", "x__x_", (-1, 0)),
    "nothing kept": ("_xxx_", "_____", (3, 3)),
    "all else kept": ("_xx_", "x__x", (-1, -1)),
    "gold empty": ("____", "_xx_", (0, 0)),
    "no blocks": ("", "", (0, 0)),
}


def marked(text: str) -> np.ndarray:
    return np.array([letter == "x" for letter in text], np.bool_)


@pytest.mark.parametrize(("gold", "kept", "expected"), ENDS.values(), ids=ENDS)
def test_ends(gold: str, kept: str, expected: tuple[int, int]) -> None:
    assert ends(marked(gold), marked(kept)) == expected
    assert ends(marked(gold[::-1]), marked(kept[::-1])) == expected[::-1]


# counts

P, LI, HEADING = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.HEADING
SCORES = BlockScores(
    gold=array(H, T, T, O, O, T),
    labels=array(T, T, O, T, O, H),
    kinds=array(HEADING, P, LI, LI, P, P),
)


def test_counts_by_kind() -> None:
    found = {kind.name: row for kind, row in zip(BlockKind, SCORES.counts.tolist(), strict=True)}
    assert found["HEADING"] == [1, 0, 0]
    assert found["PARAGRAPH"] == [2, 0, 0]
    assert found["LIST_ITEM"] == [0, 1, 1]
    assert not any(sum(found[name]) for name in ("INSET", "COMMENT", "BYLINE", "CAPTION"))


# kinds

KINDS = {
    "paragraph": ("<p>It sails again.</p>", "paragraph"),
    "heading": ("<h2>Ferry <b>returns</b></h2>", "heading"),
    "heading in a list": ("<ul><li><h3>Ferry returns</h3></li></ul>", "heading"),
    "list": ("<ul><li>bread</li><li><p>milk</p></li></ul>", "list_item list_item"),
    "definitions": ("<dl><dt>bread</dt><dd>of rye</dd></dl>", "list_item list_item"),
    "caption": ("<figure><img><figcaption>The ferry in May</figcaption></figure>", "caption"),
    "inset": ("<aside><p>What it costs: nine crowns a trip.</p></aside>", "inset"),
    "quotation": ("<blockquote><p>It was a long winter for us all.</p></blockquote>", "inset"),
    "cell": ("<table><tr><td>Adults</td><td>nine crowns</td></tr></table>", "inset inset"),
    "list in an inset": ("<aside><ul><li>bread and butter</li></ul></aside>", "list_item"),
    "byline": ("<p>By Jane Doe</p><p>It sails again from Monday.</p>", "byline paragraph"),
    "comment": ("<div class='comments'><p>What a ferry it is!</p></div>", "comment"),
    "nothing": ("<p></p>", ""),
}


@pytest.mark.parametrize(("html", "names"), KINDS.values(), ids=KINDS)
def test_block_kinds(html: str, names: str) -> None:
    found = block_kinds(split(Page(html)))
    assert " ".join(BlockKind(kind).name.lower() for kind in found) == names
