"""Tests of `evaluate.py`: every score against values worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfclean.blocks import split
from crfclean.evaluate import (
    ALL,
    MISSING,
    PageScore,
    Row,
    WordScores,
    confusion,
    evaluate,
    evaluate_texts,
    interval,
    label_scores,
    levenshtein,
    score_document,
    score_text,
    table,
    total_confusion,
    word_scores,
)
from crfclean.gold import GoldPage
from crfclean.types import Blocks, CrfcleanError, Document, GoldError, Label, Page, Tags

HTML = "<h1>Ferry returns</h1><p>It sails again.</p><p>Advertisement</p><p>Home page</p>"
TEXT = "Ferry returns\nIt sails again."
GOLD = GoldPage("a/p.html", Page(HTML), TEXT, "a", "x.example", "article")


@dataclass(frozen=True)
class Always:
    """A tagger that gives the first labels of a list."""

    labels: tuple[int, ...]

    def tag(self, blocks: Blocks) -> Tags:
        labels = np.array(self.labels[: len(blocks)], np.int32)
        return Tags(labels, np.eye(3)[labels], 1.0)


# words

WORDS = {
    "equal": ("the cat sat", "the cat sat", (1, 1, 1)),
    "case and marks": ("THE cat, sat!", "the... cat – sat", (1, 1, 1)),
    "order": ("sat cat the", "the cat sat", (1, 1, 1)),
    "line breaks": ("the\ncat\n\nsat", "the cat sat", (1, 1, 1)),
    "too little": ("the cat", "the cat sat down", (1, 1 / 2, 2 / 3)),
    "too much": ("the cat sat down", "the cat", (1 / 2, 1, 2 / 3)),
    "both": ("a b c d", "c d e", (1 / 2, 2 / 3, 4 / 7)),
    "repeats count": ("a a a b", "a b b", (1 / 2, 2 / 3, 4 / 7)),
    "nothing in common": ("a b", "c d", (0, 0, 0)),
    "both empty": ("", "", (1, 1, 1)),
    "both without words": ("– !", "* \n", (1, 1, 1)),
    "text empty": ("", "a b", (0, 0, 0)),
    "gold empty": ("a b", "", (0, 0, 0)),
    "numbers and underscores": ("3 x_1", "x_1 3", (1, 1, 1)),
    "Chinese is one word between marks": ("中文，再见", "再见", (1 / 2, 1, 2 / 3)),
}


@pytest.mark.parametrize(("text", "gold", "expected"), WORDS.values(), ids=WORDS)
def test_word_scores(text: str, gold: str, expected: tuple[float, float, float]) -> None:
    scores = word_scores(text, gold)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


TEXTS = st.lists(st.sampled_from("a b c dd ee".split()), max_size=8).map(" ".join)


@settings(database=None, deadline=None)
@given(text=TEXTS, gold=TEXTS)
def test_word_scores_swap_with_their_texts(text: str, gold: str) -> None:
    one, other = word_scores(text, gold), word_scores(gold, text)
    assert (one.precision, one.recall) == (other.recall, other.precision)
    assert one.f1 == pytest.approx(other.f1)
    if one.precision + one.recall:
        harmonic = 2 * one.precision * one.recall / (one.precision + one.recall)
        assert one.f1 == pytest.approx(harmonic)


# characters

DISTANCES = {
    "equal": ("abc", "abc", 0, 0.0),
    "textbook": ("kitten", "sitting", 3, 3 / 7),
    "insertion": ("ferry", "ferries", 3, 3 / 7),
    "deletion": ("abcd", "ad", 2, 1 / 2),
    "swapped": ("ab", "ba", 2, 1.0),
    "another": ("abc", "xyz", 3, 1.0),
    "case counts": ("Abc", "abc", 1, 1 / 3),
    "white space is folded": (" a\n\nb\tc ", "a b c", 0, 0.0),
    "both empty": ("", "", 0, 0.0),
    "both blank": (" \n", "\t", 0, 0.0),
    "text empty": ("", "abcd", 4, 1.0),
    "gold empty": ("abcd", "", 4, 1.0),
    "letters, not bytes": ("žluť", "zlut", 2, 1 / 2),
    "beyond the basic plane": ("a😀", "ab", 1, 1 / 2),
}


@pytest.mark.parametrize(("text", "gold", "distance", "share"), DISTANCES.values(), ids=DISTANCES)
def test_levenshtein(text: str, gold: str, distance: int, share: float) -> None:
    assert levenshtein(text, gold) == (distance, pytest.approx(share))
    assert levenshtein(gold, text) == (distance, pytest.approx(share))


# labels

H, T, O = Label.HEADER, Label.TEXT, Label.OTHER  # noqa: E741


def array(*labels: int) -> np.ndarray:
    return np.array(labels, np.int32)


def test_confusion_has_gold_in_rows() -> None:
    matrix = confusion(array(H, T, O, O, T, T), array(H, T, T, O, O, O))
    assert matrix.tolist() == [[1, 0, 0], [0, 1, 2], [0, 1, 1]]


def test_confusion_of_nothing_is_zero() -> None:
    assert confusion(array(), array()).tolist() == [[0, 0, 0]] * 3


def test_label_scores() -> None:
    scores = label_scores(np.array([[2, 1, 1], [0, 6, 2], [0, 3, 9]]))
    assert list(scores) == ["HEADER", "TEXT", "OTHER"]
    expected = {"HEADER": (1, 1 / 2, 2 / 3), "TEXT": (0.6, 0.75, 2 / 3), "OTHER": (0.75,) * 3}
    for name, values in expected.items():
        found = scores[name]
        assert (found.precision, found.recall, found.f1) == pytest.approx(values)


def test_label_scores_of_labels_that_never_come_are_zero() -> None:
    scores = label_scores(np.array([[0, 0, 0], [0, 3, 0], [0, 0, 0]]))
    assert scores["TEXT"] == WordScores(1.0, 1.0, 1.0)
    assert scores["HEADER"] == scores["OTHER"] == WordScores(0.0, 0.0, 0.0)


# pages


def test_score_text() -> None:
    score = score_text(GOLD, "Ferry returns", "missing")
    assert score == PageScore(
        id="a/p.html",
        source="a",
        site="x.example",
        kind="article",
        distance=len(" It sails again."),
        distance_share=16 / 29,
        words=WordScores(1.0, 2 / 5, 4 / 7),
        status="missing",
        matrix=None,
    )


def test_score_document() -> None:
    tags = Always((H, O, T, O)).tag(split(GOLD.page))
    score = score_document(GOLD, Document(None, split(GOLD.page), tags, "ok"))
    assert score.words == WordScores(2 / 3, 2 / 5, 1 / 2)
    assert score.matrix is not None
    assert score.matrix.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    assert (score.id, score.source, score.site, score.kind, score.status) == (
        "a/p.html",
        "a",
        "x.example",
        "article",
        "ok",
    )


def test_perfect_labels_score_one() -> None:
    (score,) = evaluate([GOLD], Always((H, T, O, O)))
    assert score.words == WordScores(1.0, 1.0, 1.0)
    assert (score.distance, score.distance_share) == (0, 0.0)


def test_empty_page_without_gold_scores_one() -> None:
    (score,) = evaluate([replace(GOLD, page=Page("", status="empty"), text="")], Always(()))
    assert score.words.f1 == 1.0
    assert score.status == "empty"
    assert score.matrix is not None
    assert not score.matrix.any()


def test_evaluation_is_lazy_and_names_gold_that_does_not_fit() -> None:
    wrong = replace(GOLD, id="a/q.html", labels=((T, "another text"),))
    scores = evaluate(iter([GOLD, wrong]), Always((H, T, O, O)))
    assert next(iter(scores)).id == "a/p.html"
    with pytest.raises(GoldError, match=r"a/q\.html: label line 1"):
        next(iter(scores))


# cleaned texts

NAMES = {
    "page of a site": ("a/p.html", "a/p.txt"),
    "page of the top": ("p.html", "p.txt"),
    "gzipped page": ("a/b/p.xhtml.gz", "a/b/p.txt"),
    "row of a corpus": ("a/p", "a/p.txt"),
    "row with a full stop": ("a/v1.2", "a/v1.2.txt"),
    "address": ("x.example/a.b", "x.example/a.b.txt"),
}


@pytest.mark.parametrize(("name", "path"), NAMES.values(), ids=NAMES)
def test_texts_stand_where_the_pages_do(tmp_path: Path, name: str, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(TEXT, "utf-8")
    gold = replace(GOLD, id=name)
    assert list(evaluate_texts([gold], tmp_path)) == [score_text(gold, TEXT)]


def test_missing_text_counts_as_empty(tmp_path: Path) -> None:
    assert list(evaluate_texts([GOLD], tmp_path)) == [score_text(GOLD, "", MISSING)]


def test_texts_outside_the_directory_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(TEXT, "utf-8")
    (tmp_path / "inner").mkdir()
    for name in (f"{tmp_path}/p.html", "../p.html", "a/../../p.html", "", ".", "/"):
        (score,) = evaluate_texts([replace(GOLD, id=name)], tmp_path / "inner")
        assert score.status == MISSING


def test_missing_directory_of_texts(tmp_path: Path) -> None:
    with pytest.raises(CrfcleanError, match="absent: no such directory"):
        list(evaluate_texts([GOLD], tmp_path / "absent"))


def test_text_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "p.txt").write_bytes("žluť".encode("cp1250"))
    with pytest.raises(CrfcleanError, match=r"p\.txt"):
        list(evaluate_texts([GOLD], tmp_path))


# tables


def page_score(source: str, f1: float, **fields: object) -> PageScore:
    words = WordScores(f1 / 2, f1 / 4, f1)
    return replace(PageScore("p", source, source, "", 10, f1 / 10, words), **fields)  # type: ignore[arg-type]


def test_table_has_means_by_source_and_over_pages() -> None:
    pages = [
        page_score("b", 1.0, distance=4),
        page_score("a", 0.2, distance=0),
        page_score("b", 0.6, distance=8),
    ]
    assert table(pages) == [
        Row("a", 1, 0.0, pytest.approx(0.02), 0.1, 0.05, 0.2),
        Row("b", 2, 6.0, pytest.approx(0.08), 0.4, 0.2, 0.8),
        Row(ALL, 3, 4.0, pytest.approx(0.06), pytest.approx(0.3), pytest.approx(0.15), 0.6),
    ]


def test_table_by_another_key() -> None:
    pages = [page_score("a", 1.0, kind="forum"), page_score("b", 0.0, kind="forum")]
    assert [(row.source, row.pages) for row in table(pages, lambda page: page.kind)] == [
        ("forum", 2),
        (ALL, 2),
    ]


def test_total_confusion_adds_what_there_is() -> None:
    one, two = np.arange(9).reshape(3, 3), np.eye(3, dtype=np.int64)
    pages = [
        page_score("a", 1.0, matrix=one),
        page_score("a", 1.0),
        page_score("a", 1.0, matrix=two),
    ]
    assert total_confusion(pages).tolist() == [[1, 1, 2], [3, 5, 5], [6, 7, 9]]
    assert total_confusion([]).tolist() == [[0, 0, 0]] * 3


# intervals

HALVES = np.array([0.0] * 20 + [1.0] * 20)
APART = [str(number) for number in range(40)]


def width(values: np.ndarray, groups: list[str]) -> float:
    low, high = interval(values, groups)
    return high - low


def test_interval_contains_the_mean() -> None:
    low, high = interval(HALVES, APART)
    assert 0.25 < low < 0.5 < high < 0.75


def test_interval_is_the_same_every_time() -> None:
    values = np.random.default_rng(3).random(40)
    assert interval(values, APART) == interval(values, APART)
    assert interval(values, APART, seed=2) != interval(values, APART, seed=3)


def test_interval_is_near_that_of_the_normal_distribution() -> None:
    values = np.random.default_rng(5).normal(0.5, 0.1, 400)
    low, high = interval(values, [str(number) for number in range(400)])
    half = 1.96 * values.std() / 20
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half), abs=half / 5)


def test_fewer_groups_make_a_wider_interval() -> None:
    widths = [width(HALVES, [str(place // size) for place in range(40)]) for size in (1, 4, 10)]
    assert widths[0] < widths[1] < widths[2]


def test_one_group_has_no_width() -> None:
    assert interval(HALVES, ["a"] * 40) == (0.5, 0.5)
    assert interval(np.full(6, 0.25), list("abcabc")) == (0.25, 0.25)


def test_groups_weigh_by_their_pages() -> None:
    values = np.array([1.0] * 180 + [0.0] * 20)
    groups = [f"large {place // 9}" for place in range(180)]
    low, high = interval(values, groups + [f"small {place}" for place in range(20)])
    assert 0.8 < low < 0.9 < high < 0.97


def test_groups_are_drawn_whole() -> None:
    low, high = interval(np.array([1.0] * 9 + [0.0]), ["a"] * 9 + ["b"])
    assert (low, high) == (0.0, 1.0)
    low, high = interval(np.array([1.0, 0.0, 1.0, 0.0]), ["a", "a", "b", "b"])
    assert (low, high) == (0.5, 0.5)
