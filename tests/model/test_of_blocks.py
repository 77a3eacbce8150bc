"""Tests of `model/kinds.py`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import crfclean
from crfclean.model import kinds as kind_model
from crfclean.model.kind_model import kind_probabilities
from crfclean.model.kinds import BlockKinds, document_kinds
from crfclean.page.blocks import split
from crfclean.types import Kind, Page

TEXT = "The river rose again this morning, and nobody in the village slept well. " * 4
ARTICLE = (
    f"<title>The river</title><h1>The river</h1><p>{TEXT}<div id=comments><p>So sorry.</p></div>"
)
TYPED = "<script type=application/ld+json>{'@type': 'DiscussionForumPosting'}</script>".replace(
    "'", '"'
)


def test_documents_have_the_probabilities_of_kinds() -> None:
    document = crfclean.clean(ARTICLE)
    probabilities = kind_probabilities(document.blocks)
    for kind, likely, row in zip(
        document.kinds, document.likely_kinds, probabilities.tolist(), strict=True
    ):
        assert likely == (row[kind], Kind(row.index(max(row))), max(row))
    assert document.likely_kinds[1].probability > 0.8
    assert [*document.likely_kinds[1:]] == [*document.likely_kinds][1:]
    assert list(crfclean.clean("").likely_kinds) == []


def test_a_post_is_as_probable_as_a_comment(monkeypatch: pytest.MonkeyPatch) -> None:
    comments = np.zeros((3, len(Kind)))
    comments[:, Kind.COMMENT] = 0.9
    monkeypatch.setattr(kind_model, "kind_probabilities", lambda _page: comments)
    pairs = [BlockKinds(split(Page(ARTICLE)), thread).likely[2] for thread in (0.1, 0.9)]
    assert pairs == [(0.9, Kind.COMMENT, 0.9), (0.9, Kind.POST, 0.9)]


@pytest.mark.parametrize(
    ("declared", "thread", "expected"),
    [
        ("", None, Kind.COMMENT),
        (TYPED, None, Kind.POST),  # the page says so
        (TYPED, 0.1, Kind.COMMENT),  # the tagger knows better
        ("", 0.9, Kind.POST),
    ],
)
def test_comments_of_threads_are_posts(declared: str, thread: float | None, expected: Kind) -> None:
    assert BlockKinds(split(Page(declared + ARTICLE)), thread)[2] == expected


def test_the_taggers_verdict_counts() -> None:
    document = crfclean.clean(ARTICLE)
    sure = replace(document, tags=replace(document.tags, thread=0.9))
    assert document_kinds(sure)[-1] == Kind.POST
