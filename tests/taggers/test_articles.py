"""Tests of `taggers/articles.py` and of what `decide` makes of it: the text of an article."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.pipeline import clean, run
from crfclean.taggers.articles import BESIDE, ArticleVerdict, article_verdict, beside
from crfclean.taggers.capabilities import Decides, Explains, need
from crfclean.taggers.conventions import CONVENTION_OF
from crfclean.taggers.learned import BlockFacts, decide
from crfclean.taggers.load import by_name, load
from crfclean.taggers.page_reasons import BESIDE_REASON
from crfclean.taggers.params import CutParams
from crfclean.taggers.post import with_post
from crfclean.taggers.threads import ThreadVerdict
from crfclean.types import CoarseKind, Kind, Label, Page, Tagger

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
CAPTION = "The harbour on Monday, seen from the mill above the lake."
ARTICLE = (
    "<html><head><title>Ferry in the ice</title><meta property=og:type content=article></head>"
    "<body><nav><a href=/>Home</a></nav><main><article><h1>Ferry in the ice</h1>"
    f"<p class=byline>By Ada Reed, 4 May 2024</p><p>{PROSE * 3}</p>"
    f"<figure><img src=a.jpg><figcaption>{CAPTION}</figcaption></figure>"
    f"<p>{PROSE * 4}</p><p>{PROSE * 3}</p></article></main></body></html>"
)
MARGINALS = np.array([[0.0, 0.9, 0.1], [0.0, 0.8, 0.2], [0.0, 0.1, 0.9]])
BEST = MARGINALS.argmax(1).astype(np.int32)
KINDS = np.full(3, CoarseKind.BODY, np.int32)
SECOND = np.array([False, True, False])


def facts(probability: float, *, is_article: bool) -> BlockFacts:
    verdict = ArticleVerdict(probability, is_article)
    return BlockFacts(np.full(3, 20.0), KINDS, beside=SECOND, article=lambda: verdict)


def test_the_text_of_an_article_has_no_caption() -> None:
    page = Measures(split(Page(ARTICLE)))
    assert article_verdict(page).is_article
    assert CAPTION in [text for text, mask in zip(page.texts, beside(page), strict=True) if mask]
    document = clean(ARTICLE)
    assert CAPTION not in document.text
    assert document.text.count(PROSE.strip()) == 10
    everything = clean(ARTICLE, as_="page")
    assert CAPTION in everything.text


def test_only_an_article_goes_without() -> None:
    auto = CutParams(keep=("auto",))
    kept = decide(MARGINALS, BEST, facts(0.6, is_article=True), auto)
    assert kept.kept.tolist() == [True, False, False]
    assert kept.beside is SECOND
    assert kept.marginals[1].tolist() == [0, 0, 1]
    other = decide(MARGINALS, BEST, facts(0.6, is_article=False), auto)
    assert other.kept.tolist() == [True, True, False]
    assert other.beside is None


@pytest.mark.parametrize("rule", ["expected_f1", "threshold", "viterbi"])
def test_every_rule_leaves_it_out(rule: str) -> None:
    kept = decide(MARGINALS, BEST, facts(0.9, is_article=True), CutParams(rule, keep=("auto",)))
    assert kept.kept.tolist() == [True, False, False]


def test_no_question_where_nothing_of_it_would_be_kept() -> None:
    def refuse() -> ArticleVerdict:
        raise AssertionError("asked")

    unlikely = np.where(SECOND[:, None], (0.0, 0.01, 0.99), MARGINALS)
    asked = replace(facts(0.9, is_article=True), article=refuse)
    tags = decide(unlikely, BEST, asked, CutParams("threshold", keep=("auto",)))
    assert tags.kept.tolist() == [True, False, False]
    with pytest.raises(AssertionError, match="asked"):
        decide(MARGINALS, BEST, asked, CutParams(keep=("auto",)))


@pytest.mark.parametrize(
    ("words", "named", "is_article"),
    [(20.0, False, True), (60.0, False, False), (60.0, True, True)],
)
def test_a_page_that_lists_others_is_no_article(
    words: float,
    named: bool,  # noqa: FBT001
    is_article: bool,  # noqa: FBT001
) -> None:
    likely = np.array([[0.0, 0.9, 0.1]] * 3)
    listing = replace(
        facts(0.9, is_article=True),
        words=np.array([100.0, 20.0, words]),
        sure=np.array([0, 0, Kind.TEASER]),
        related=lambda: np.array([False, False, named]),
    )
    tags = decide(likely, likely.argmax(1).astype(np.int32), listing, CutParams(keep=("auto",)))
    assert tags.kept[:2].tolist() == [True, not is_article]


def test_a_thread_is_no_article() -> None:
    inside = np.array([True, False, False])
    thread = replace(facts(0.9, is_article=True), verdict=ThreadVerdict(inside, 0.8))
    assert decide(MARGINALS, BEST, thread, CutParams(keep=("auto",))).kept.tolist() == [1, 1, 0]
    no_thread = replace(thread, verdict=ThreadVerdict(inside, 0.2))
    tags = decide(MARGINALS, BEST, no_thread, CutParams("threshold", keep=("auto",)))
    assert not tags.kept.any()
    assert tags.comments_left_out is not None
    assert tags.thread == 0.2


@pytest.mark.parametrize("keep", [(), ("body", "captions", "bylines", "threads"), ("caption",)])
def test_other_choices_do_not_ask(keep: tuple[str, ...]) -> None:
    tagger = need(load(), Decides)
    tags = tagger.with_cut(replace(tagger.cut, keep=keep)).tag(split(Page(ARTICLE)))
    assert tags.beside is None


def test_kinds_beside_an_article_are_no_kinds_of_its_convention() -> None:
    others = {kind.name.lower() for kind in Kind} - set(CONVENTION_OF["article"].keep)
    comments = {"comment", "post", "other"}
    assert {kind.name.lower() for kind in BESIDE} == others - comments


@pytest.mark.parametrize("tagger", [load(), by_name("mlp"), with_post(load(), True)])
def test_what_is_left_out_stays_out_and_is_explained(tagger: Tagger) -> None:
    document = run(Page(ARTICLE), tagger)
    caption = document.blocks.texts.index(CAPTION)
    if document.tags.beside is None:
        pytest.fail("the caption would have been kept")
    assert document.tags.labels[caption] == Label.OTHER
    reasons = need(tagger, Explains).explain(document.blocks)[caption]
    (said,) = [reason for reason in reasons if reason.feature == BESIDE_REASON]
    assert 0 < said.value <= 1
    assert said.weight < 0


@pytest.mark.parametrize("html", ["", "<p>", "<p>a", "<figcaption>a</figcaption>"])
def test_small_pages(html: str) -> None:
    assert clean(html).tags.beside is None or not clean(html).text
