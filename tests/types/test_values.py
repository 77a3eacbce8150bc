"""Tests of `types/`."""

from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError, dataclass, fields

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.types import (
    Block,
    Blocks,
    CoarseKind,
    CrfcleanError,
    Document,
    GoldError,
    Label,
    ModelError,
    Page,
    Tag,
    Tags,
    check_bounds,
    option,
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


def test_labels_index_the_columns_of_marginals() -> None:
    assert [label.name for label in sorted(Label)] == ["HEADER", "TEXT", "OTHER"]
    assert list(Label) == [0, 1, 2]


def test_kinds_of_blocks() -> None:
    names = ["BODY", "TITLE", "HEADERS", "CAPTIONS", "BYLINES", "COMMENTS"]
    assert [kind.name for kind in sorted(CoarseKind)] == names
    assert CoarseKind.BODY == 0, "where nothing else is known"


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


@pytest.mark.parametrize("error", [ModelError, GoldError])
def test_errors_derive_from_one(error: type[Exception]) -> None:
    assert issubclass(error, CrfcleanError)
    assert issubclass(CrfcleanError, Exception)
    assert not issubclass(CrfcleanError, (ValueError, OSError))


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (0, Block(0, "Title", "h1", "/html[1]/body[1]/div[1]/h1[1]")),
        (1, Block(1, "First bold.", "p", "/html[1]/body[1]/div[1]/p[1]")),
        (2, Block(2, "Second.", "p", "/html[1]/body[1]/div[1]/p[2]")),
        (3, Block(3, "Third.", "p", "/html[1]/body[1]/div[2]/p[1]")),
        (-1, Block(3, "Third.", "p", "/html[1]/body[1]/div[2]/p[1]")),
        (-4, Block(0, "Title", "h1", "/html[1]/body[1]/div[1]/h1[1]")),
    ],
)
def test_blocks_give_a_block(blocks: Blocks, index: int, expected: Block) -> None:
    assert blocks[index] == expected


@pytest.mark.parametrize("index", [4, -5, 100])
def test_no_block_beyond_the_last(blocks: Blocks, index: int) -> None:
    with pytest.raises(IndexError):
        blocks[index]


def test_blocks_are_a_sequence(blocks: Blocks) -> None:
    assert len(blocks) == len(list(blocks)) == 4
    assert [block.index for block in blocks] == [0, 1, 2, 3]
    assert tuple(block.text for block in blocks) == blocks.texts


def test_ordinals_count_siblings_of_one_tag(blocks: Blocks) -> None:
    found = {blocks.xpath(node) for node in range(len(blocks.nodes))}
    assert "/html[1]/body[1]/div[1]/p[1]/b[1]" in found
    assert "/html[1]/body[1]/div[2]" in found
    assert len(found) == len(blocks.nodes)


def test_no_node_has_no_xpath(blocks: Blocks) -> None:
    assert blocks.xpath(-1) == ""


@pytest.mark.parametrize(
    ("index", "expected"),
    [(0, Tag(Label.HEADER, 0.9)), (1, Tag(Label.TEXT, 0.6)), (-1, Tag(Label.OTHER, 0.4))],
)
def test_tags_give_a_tag(tags: Tags, index: int, expected: Tag) -> None:
    assert tags[index].label is expected.label
    assert tags[index].probability == pytest.approx(expected.probability)


def test_tags_are_a_sequence(tags: Tags) -> None:
    assert len(tags) == 4
    assert [tag.label for tag in tags] == list(LABELS)


def test_probability_is_that_of_being_kept(tags: Tags) -> None:
    assert tags.probabilities == pytest.approx([0.9, 0.6, 0.1, 0.4])


def test_kept_follows_the_labels_alone(tags: Tags) -> None:
    assert tags.kept.tolist() == [True, True, False, False]


def test_document_keeps_what_its_labels_say(blocks: Blocks, tags: Tags) -> None:
    document = Document("http://x.example/", blocks, tags)
    assert document.kept == [0, 1]
    assert document.text == "Title\nFirst bold."
    assert document.status == "ok"


def test_document_has_the_score_of_its_tags(blocks: Blocks, tags: Tags) -> None:
    assert Document(None, blocks, tags).score == 0.75
    with pytest.raises(FrozenInstanceError):
        tags.score = 1.0  # type: ignore[misc]


def test_tags_need_a_score() -> None:
    with pytest.raises(TypeError, match="score"):
        Tags(LABELS, MARGINALS)  # type: ignore[call-arg]


def test_document_without_blocks_is_empty() -> None:
    none = Tags(np.zeros(0, np.int32), np.zeros((0, 3)), 0.0)
    document = Document(None, split(Page("", status="empty")), none, "empty")
    assert document.kept == []
    assert document.text == ""


@pytest.mark.parametrize(
    ("value", "name"),
    [(Page("<p>"), "html"), (Tag(Label.TEXT, 0.5), "label"), (Block(0, "", "", ""), "text")],
)
def test_values_are_frozen(value: object, name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        setattr(value, name, None)


def test_containers_are_frozen(blocks: Blocks, tags: Tags) -> None:
    document = Document(None, blocks, tags)
    for value in (blocks, tags, document, blocks.nodes, blocks.runs):
        with pytest.raises(FrozenInstanceError):
            setattr(value, fields(value)[0].name, None)


def test_documents_cross_processes(blocks: Blocks, tags: Tags) -> None:
    document = Document("u", blocks, tags, "ok", "bytes")
    again = pickle.loads(pickle.dumps(document))
    assert again.text == document.text
    assert (again.truncated, again.score) == ("bytes", 0.75)
    assert [block.xpath for block in again.blocks] == [block.xpath for block in blocks]
    assert again.blocks.nodes.attributes == blocks.nodes.attributes


def test_option_carries_default_and_help() -> None:
    made: object = option(3, "how many", ("3", "4"))
    assert made.default == 3  # type: ignore[attr-defined]
    assert made.metadata == {"help": "how many", "choices": ("3", "4")}  # type: ignore[attr-defined]
