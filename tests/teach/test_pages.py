"""Tests of `teach/tune.py`: which pages are taken, what they vote for, and which gains count."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crfclean import CrfcleanError, Page, Tagger, load
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.teach.gold import DOUBT, GoldPage, gold_labels
from crfclean.teach.tune import (
    TunedPage,
    Verdict,
    Votes,
    folds_of,
    gains,
    kind_lines,
    lesson,
    pays,
    read_pages,
    scores,
    share_on_page,
    speaking,
    supported,
    verdict,
    verdicts,
    votes_of,
)
from crfclean.types import Kind, Label

SENTENCE = "The river rose by two metres in a single night, and the harbour was closed until noon. "
HTML = f"<article><h1>River rises</h1><p>{SENTENCE * 3}</p><p>{SENTENCE * 4}</p></article>"
TEXT = f"River rises\n{SENTENCE * 3}\n{SENTENCE * 4}"


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return load()


def gold(text: str = TEXT, name: str = "a.html", site: str = "s", html: str = HTML) -> GoldPage:
    return GoldPage(name, Page(html), text, "s", site)


def test_pages_have_votes_and_the_default_score(tagger: Tagger) -> None:
    same, shorter = read_pages([gold(), gold(TEXT.removeprefix("River rises\n"))], tagger)
    assert (same.is_same, same.f1) == (True, 1.0)
    assert not shorter.is_same
    assert shorter.f1 == scores([shorter], tagger)[0] < 1
    assert list(same.votes.values()) == [1.0]
    assert [share_on_page(gold(text), split(Page(HTML))) for text in (TEXT, "")] == [1.0, 0.0]
    assert list(shorter.votes.values()) == [0.0]


def test_blocks_in_doubt_do_not_vote(tagger: Tagger) -> None:
    html = HTML.replace("</article>", f"<p>{SENTENCE * 3}</p></article>")  # a copy
    names = (DOUBT, Label.TEXT, Label.TEXT, DOUBT)
    labels = tuple(zip(names, split(Page(html)).texts, strict=True))
    doubtful = replace(gold(TEXT.removeprefix("River rises\n"), html=html), labels=labels)
    page, _ = read_pages([doubtful] * 2, tagger)
    assert (page.votes, page.f1) == ({}, 1.0)
    blocks = split(doubtful.page)
    taught = lesson(blocks, tagger.tag(blocks), *gold_labels(doubtful, blocks))
    assert [len(part) for part in taught] == [2, 2, 2, 2]
    assert taught.is_text.all()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "not enough"),
        ([TEXT], "correct five to ten"),
        (["", " \n"], "all texts are empty"),
        ([TEXT, ""], "not enough"),
        ([TEXT, "Quite another page about the price of sugar, with other words"], "b.html: "),
    ],
)
def test_pages_that_say_too_little_are_refused(
    tagger: Tagger, texts: list[str], message: str
) -> None:
    golds = [gold(text, name) for text, name in zip(texts, ("a.html", "b.html"), strict=False)]
    with pytest.raises(CrfcleanError, match=message):
        read_pages(golds, tagger)


def test_sites_are_held_out_whole(tagger: Tagger) -> None:
    few = read_pages([gold(site=site) for site in "aab"], tagger)
    many = read_pages([gold(site=site) for site in "abcab"], tagger)
    assert folds_of(few) == [0, 1, 2]
    assert folds_of(few, 2) == [0, 1, 0]
    assert folds_of(many) == [0, 1, 2, 0, 1]
    assert folds_of(many, 2) == [0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("address", "stated", "site"),
    [
        (None, "https://www.a.example/1", "s a.example"),
        (None, "", "s"),
        (None, "/1", "s"),
        ("https://b.example/1", "https://a.example/1", "s"),
    ],
)
def test_pages_of_a_directory_are_told_apart_by_host(
    tagger: Tagger, address: str | None, stated: str, site: str
) -> None:
    html = f'<head><link rel="canonical" href="{stated}"></head>{HTML}'
    page = replace(gold(html=html), page=Page(html, address))
    assert read_pages([page, page], tagger)[0].site == site


@pytest.mark.parametrize("likely", [0.9, 0.01])
def test_pages_vote_by_share_of_words(likely: float) -> None:
    html = (
        f"<article><h1>River rises</h1><p>{SENTENCE}</p><h2>What next</h2><p>{SENTENCE}</p>"
        "<h2>Read also</h2></article>"
    )
    page, text = measured(split(Page(html))), np.array([False, True, True, True, False])
    marginals = np.tile([0.0, likely, 1.0 - likely], (5, 1))
    votes = votes_of(page, speaking(page, marginals, text), text)
    assert votes == {Kind.TITLE: 0.0, Kind.HEADING: 0.5 if likely > 0.5 else 1.0}


@pytest.mark.parametrize(
    ("kind", "shares", "is_in"),
    [
        (Kind.LEAD, [1.0], None),
        (Kind.LEAD, [1.0, 1.0], None),
        (Kind.LEAD, [1.0, 1.0, 1.0], True),
        (Kind.LEAD, [1.0, 1.0, 0.4], True),
        (Kind.LEAD, [1.0, 1.0, 0.0], None),
        (Kind.CAPTION, [0.0, 0.0], None),
        (Kind.CAPTION, [0.0, 0.0, 0.0], False),
        (Kind.CAPTION, [0.0, 0.0, 0.0, 1.0], None),
        (Kind.CAPTION, [1.0, 1.0, 1.0, 0.0], None),
        (Kind.CAPTION, [0.0, 0.0, 0.0, 0.0, 1.0], False),
        (Kind.TABLE, [0.0, 0.0, 0.0], None),
        (Kind.TABLE, [0.0, 0.0, 0.0, 0.0], False),
    ],
)
def test_a_verdict_needs_pages_that_agree(
    kind: Kind, shares: list[float], *, is_in: bool | None
) -> None:
    said = verdict(kind, shares)
    assert said.is_in is is_in
    assert (said.pages, said.kept) == (len(shares), pytest.approx(np.mean(shares)))


def voter(votes: Votes, by_default: Votes | None = None) -> TunedPage:
    """A page with some votes; by default the default has none of these blocks."""
    page = GoldPage("a.html", Page(HTML), TEXT, "s", "s")
    return TunedPage(page, "s", votes, by_default or dict.fromkeys(votes, 0.0), 1.0, is_same=False)


def test_verdicts_tell_what_the_default_does_already() -> None:
    page = voter(
        {Kind.TITLE: 1.0, Kind.LEAD: 1.0, Kind.CAPTION: 0.0, Kind.BYLINE: 0.5},
        {Kind.TITLE: 1.0, Kind.LEAD: 0.3, Kind.CAPTION: 0.1, Kind.BYLINE: 0.5},
    )
    said = verdicts([page, page, page, voter({Kind.COMMENT: 0.0})])
    assert list(said) == [Kind.TITLE, Kind.LEAD, Kind.CAPTION, Kind.BYLINE, Kind.COMMENT]
    assert [of.is_in for of in said.values()] == [True, True, False, None, None]
    assert [of.is_default for of in said.values()] == [True, False, True, False, False]
    assert verdicts([]) == {}


def test_few_pages_support_what_many_agree_on() -> None:
    kinds = {Kind.LEAD: True, Kind.CAPTION: False, Kind.BYLINE: True}
    pages = [voter({Kind.LEAD: 1.0, Kind.CAPTION: 1.0})]
    assert supported(kinds, pages) == {Kind.LEAD: True}
    assert supported(kinds, [*pages, voter({Kind.LEAD: 0.0})]) == {}


def test_each_kind_is_told_with_its_evidence() -> None:
    said = {
        Kind.TITLE: Verdict(False, 5, 0.0),
        Kind.LEAD: Verdict(True, 4, 0.975),
        Kind.HEADING: Verdict(True, 4, 1.0, True),
        Kind.CAPTION: Verdict(None, 1, 1.0),
    }
    assert list(kind_lines(said, {Kind.TITLE: False})) == [
        "title: dropped (your texts keep 0 % of the words, on 5 pages)",
        "leads: unchanged (your texts keep 98 % of the words, on 4 pages)",
        "headings: kept, as by default (your texts keep 100 % of the words, on 4 pages)",
        "captions: unchanged (your texts keep 100 % of the words, on 1 page)",
    ]


@pytest.mark.parametrize(
    ("new", "old", "it_pays"),
    [
        ([0.9] * 5, [0.8] * 5, True),
        ([0.9] * 5, [0.9] * 5, False),
        ([1.0, 0.5, 0.5, 0.5], [0.5] * 4, False),
        ([0.8] * 5, [0.9] * 5, False),
        ([1.0], [0.0], False),
    ],
)
def test_an_adaptation_must_help_on_most_pages(
    new: list[float], old: list[float], *, it_pays: bool
) -> None:
    assert pays(new, old, 1.0) is it_pays


@pytest.mark.parametrize(
    ("new", "it_gains"),
    [
        ([0.9] * 5, False),
        ([0.95] * 5, True),
        ([0.9, 0.9, 0.9, 0.95], True),
        ([0.89] * 5, False),
        ([1.0, 0.8, 1.0, 0.85], False),
    ],
)
def test_a_kind_must_gain_without_a_loss_beyond_chance(new: list[float], *, it_gains: bool) -> None:
    assert gains(new, [0.9] * len(new)) is it_gains
