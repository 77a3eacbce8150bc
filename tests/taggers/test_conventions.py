"""Tests of `taggers/conventions.py`: what each convention keeps of a page."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import crfclean
from crfclean.taggers.conventions import CONVENTION_OF, cut_as, with_convention
from crfclean.taggers.decision import by_convention, labels_by_convention
from crfclean.taggers.load import load
from crfclean.taggers.params import CutParams, asks_for_threads, by_kinds
from crfclean.types import CrfcleanError, Kind, Label, Page, Tags
from crfclean.types.choices import AUTO, CONVENTIONS, KEEPABLE, KIND_WORDS

DOCS = Path(__file__).parents[2] / "docs" / "clean.md"
SECTION = DOCS.read_text("utf-8").partition("## What belongs to a text")[2].partition("\n## ")[0]
PAGE = re.findall(r"^```html\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
ROWS = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \|$", SECTION, re.MULTILINE)


def test_conventions_have_names() -> None:
    assert (AUTO, *CONVENTION_OF) == CONVENTIONS
    assert all(set(one.keep) <= set(KIND_WORDS) for one in CONVENTION_OF.values())
    assert {name for name, _, _ in ROWS} == set(CONVENTIONS)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_the_table_of_the_docs_is_true(name: str) -> None:
    """The table has the first words of what each convention keeps of the made-up page below it."""
    (html,) = PAGE
    (kept,) = [kept for row, _, kept in ROWS if row == name]
    text = crfclean.clean(html, as_=name).text
    assert [line.split()[0] for line in text.splitlines()] == kept.split()


def test_auto_is_what_the_tagger_does() -> None:
    tagger = load()
    assert with_convention(tagger, AUTO) is tagger
    assert cut_as(CutParams("viterbi"), AUTO) == CutParams("viterbi")
    assert with_convention(object(), AUTO) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CONVENTIONS[1:])
def test_conventions_change_no_more_than_they_say(name: str) -> None:
    own = CutParams("precision", 0.7, 0.9, 0.8, ("captions",))
    convention = CONVENTION_OF[name]
    expected = replace(own, keep=convention.keep)
    if convention.least is not None:
        expected = replace(expected, rule="threshold", threshold=convention.least)
    assert cut_as(own, name) == expected


def test_unknown_conventions_are_refused() -> None:
    for call in (crfclean.clean, crfclean.extract):
        with pytest.raises(CrfcleanError, match="no convention 'blog'; there are auto, article"):
            call("<p>a</p>", as_="blog")
    with pytest.raises(CrfcleanError, match=r"convention body: .* not made by a cut"):
        with_convention(object(), "body")  # type: ignore[arg-type]


# kinds to keep

FINE = [Kind.TITLE, Kind.LEAD, Kind.PARAGRAPH, Kind.LIST, Kind.CAPTION, Kind.COMMENT, Kind.TEASER]
COARSE = [1, 0, 0, 0, 3, 5, 2]
SURE = [[0.0, 0.9, 0.1]] * len(FINE)


@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        (("paragraph",), [2]),
        (("paragraph", "list"), [2, 3]),
        (("title", "lead"), [0, 1]),
        (("post",), [5]),
        (("comment",), [5]),
        (("teaser",), [6]),
        (("body", "teaser"), [1, 2, 3, 6]),
        (("caption", "captions"), [4]),
        # words of models alone stand beside the body, as ever
        (("captions",), [1, 2, 3, 4]),
        (("headers",), [1, 2, 3, 6]),
        (("threads", "body"), [1, 2, 3, 5]),
    ],
)
def test_listed_kinds_are_kept(keep: tuple[str, ...], kept: list[int]) -> None:
    import numpy as np

    fine, coarse, marginals = np.array(FINE), np.array(COARSE), np.array(SURE)
    needed = fine if by_kinds(keep) else None
    adapted = by_convention(marginals, coarse, keep, needed)
    assert np.flatnonzero(adapted[:, Label.OTHER] < 1).tolist() == kept
    labels = labels_by_convention(np.full(len(fine), Label.TEXT), coarse, keep, needed)
    assert np.flatnonzero(labels != Label.OTHER).tolist() == kept


@pytest.mark.parametrize(
    ("keep", "asked"),
    [(("post",), True), (("comment", "post"), False), (("lead",), False), (("threads",), True)],
)
def test_posts_are_comments_of_threads(keep: tuple[str, ...], *, asked: bool) -> None:
    assert asks_for_threads(keep) == asked


def test_every_word_is_known_to_the_cut() -> None:
    assert CutParams(keep=KEEPABLE).keep == KEEPABLE


def test_conventions_reach_a_whole_page(demo_gold: list[object]) -> None:
    """Every convention keeps a part of what `everything` keeps, but for the rule's own choice."""
    page: Page = demo_gold[0].page  # type: ignore[attr-defined]
    texts = {name: crfclean.clean(page.html, as_=name) for name in CONVENTIONS}
    allowed = {
        name: {Kind[word.upper()] for word in convention.keep} | {Kind.POST}
        for name, convention in CONVENTION_OF.items()
    }
    for name, kinds in allowed.items():
        document = texts[name]
        assert {document.kinds[index] for index in document.kept} <= kinds
        assert document.kept
    assert isinstance(texts["body"].tags, Tags)
    assert set(texts["body"].kept) < set(texts["article"].kept)
