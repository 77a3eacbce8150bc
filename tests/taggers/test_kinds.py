"""Tests of `taggers/kinds.py`."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

import crfclean
from crfclean.page.blocks import split
from crfclean.page.latest import measured
from crfclean.pipeline import run
from crfclean.taggers.kinds import BlockKinds, document_kinds
from crfclean.taggers.learned_kinds import kind_probabilities, learned_kinds
from crfclean.taggers.load import load
from crfclean.types import Kind, Page

TEXT = "The river rose again this morning, and nobody in the village slept well. " * 4
ARTICLE = (
    f"<title>The river</title><h1>The river</h1><p>{TEXT}<div id=comments><p>So sorry.</p></div>"
)
TYPED = "<script type=application/ld+json>{'@type': 'DiscussionForumPosting'}</script>".replace(
    "'", '"'
)


def test_documents_have_kinds() -> None:
    document = crfclean.clean(ARTICLE)
    assert list(document.kinds) == [Kind.TITLE, Kind.PARAGRAPH, Kind.COMMENT]
    assert list(crfclean.clean("").kinds) == []


def test_documents_have_the_probability_of_each_kind() -> None:
    document = crfclean.clean(ARTICLE)
    page = measured(document.blocks)
    expected = kind_probabilities(page)[range(3), learned_kinds(page)]
    assert list(document.kind_probabilities) == expected.tolist()
    assert all(0.0 < probability <= 1.0 for probability in document.kind_probabilities)
    assert document.kind_probabilities[1:] == (*expected[1:].tolist(),)
    assert list(crfclean.clean("").kind_probabilities) == []


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


def test_kinds_cross_processes() -> None:
    kinds = document_kinds(run(Page(ARTICLE), load()))
    again = pickle.loads(pickle.dumps(kinds))
    assert list(again) == list(kinds)
    assert again[1:] == kinds[1:]
    assert again.probabilities == kinds.probabilities
