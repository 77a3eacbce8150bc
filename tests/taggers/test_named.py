"""Tests of the taggers without a model: the contract of `test_taggers.py`, for each of them."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given
from markup import MARKUP
from taggerpages import LONG, PAGES, same, tag_page

from crfclean.decision.rules import expected_f1
from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.pipeline import run, run_many
from crfclean.taggers.load import NAMED, named
from crfclean.types import Blocks, CrfcleanError, Label, Page, Tagger


@pytest.fixture(params=NAMED)
def ruled(request: pytest.FixtureRequest) -> Tagger:
    return named(request.param)


@pytest.fixture(params=PAGES)
def blocks(request: pytest.FixtureRequest) -> Blocks:
    return split(Page(PAGES[request.param]))


def test_one_label_a_block(ruled: Tagger, blocks: Blocks) -> None:
    tags = ruled.tag(blocks)
    assert tags.labels.shape == (len(blocks),)
    assert tags.labels.dtype == np.int32
    assert tags.marginals.shape == (len(blocks), 3)
    assert set(tags.labels.tolist()) <= set(Label)


def test_probabilities_and_score(ruled: Tagger, blocks: Blocks) -> None:
    tags = ruled.tag(blocks)
    assert np.all((tags.marginals >= 0) & (tags.marginals <= 1))
    assert tags.marginals.sum(1) == pytest.approx(np.ones(len(blocks)))
    words = Measures(blocks).words if len(blocks) else np.zeros(0)
    assert tags.score == expected_f1(tags.probabilities, words, tags.kept)
    assert np.all(tags.probabilities[tags.kept] > 0.5)
    assert np.all(tags.probabilities[~tags.kept] < 0.5)


def test_same_page_same_tags(ruled: Tagger, blocks: Blocks) -> None:
    first = ruled.tag(blocks)
    tag_page(ruled, PAGES["article"])
    assert same(first, ruled.tag(blocks))
    assert same(first, pickle.loads(pickle.dumps(ruled)).tag(blocks))


def test_tagger_works_in_another_process(ruled: Tagger) -> None:
    expected = tag_page(ruled, PAGES["article"])
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert same(pool.submit(tag_page, ruled, PAGES["article"]).result(), expected)


def test_tagger_is_small() -> None:
    assert all(len(pickle.dumps(named(name))) < 1_000 for name in NAMED)


@pytest.mark.parametrize("name", NAMED)
@given(html=MARKUP)
def test_any_page_is_tagged(name: str, html: str) -> None:
    blocks = split(Page(html))
    assert len(named(name).tag(blocks)) == len(blocks)


def test_article_is_found(ruled: Tagger) -> None:
    html = "<ul>" + "<li><a href='/'>News of the week</a></li>" * 8 + "</ul>"
    html += f"<div><h1>A title of some words</h1>{f'<p>{LONG * 3}</p>' * 4}</div>"
    labels = tag_page(ruled, html).labels.tolist()
    assert labels[:8] == [Label.OTHER] * 8
    assert labels[9:] == [Label.TEXT] * 4
    assert labels[8] in (Label.HEADER, Label.OTHER)


def test_demo_pages_are_cleaned(ruled: Tagger, demo_gold: list[GoldPage]) -> None:
    documents = list(run_many((gold.page for gold in demo_gold), ruled))
    scores = [
        word_scores(document.text, gold.text).f1
        for document, gold in zip(documents, demo_gold, strict=True)
    ]
    assert np.mean(scores) > 0.75


def test_two_workers_say_the_same(ruled: Tagger, demo_gold: list[GoldPage]) -> None:
    pages = [gold.page for gold in demo_gold[:6]]
    texts = [document.text for document in run_many(pages, ruled)]
    assert [document.text for document in run_many(pages, ruled, workers=2)] == texts


def test_page_without_text(ruled: Tagger) -> None:
    assert run(Page("<body></body>"), ruled).status == "no-blocks"
    assert run(Page("", status="binary"), ruled).status == "binary"


def test_unknown_name() -> None:
    with pytest.raises(CrfcleanError, match="no tagger 'guess'; there are energy, links, expert"):
        named("guess")
