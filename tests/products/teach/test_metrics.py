"""Tests of `teach/metrics.py`: every score against values worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from crfclean.products.teach import metrics
from crfclean.products.teach.agreement import agreement, cohen_kappa, krippendorff_alpha
from crfclean.products.teach.metrics import WordScores, alignment_scores, word_scores
from crfclean.types import CrfcleanError, GoldError

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


# optional text

OPTIONAL = {
    "not in the text": ("a b", "a b", "x y", (1, 1, 1)),
    "kept": ("a b x y", "a b", "x y", (1, 1, 1)),
    "kept in part": ("a b x", "a b", "x y", (1, 1, 1)),
    "more often than there": ("a b x x", "a b", "x", (2 / 3, 1, 4 / 5)),
    "what is gold still counts": ("a", "a b", "b x", (1, 1 / 2, 2 / 3)),
    "beyond the gold": ("a a b", "a b", "a", (1, 1, 1)),
    "no other than optional text": ("x y", "", "x y z", (1, 1, 1)),
    "instead of the gold": ("x y", "a b", "x y", (0, 0, 0)),
    "case": ("a b X", "a b", "x", (1, 1, 1)),
    "other words stay wrong": ("a b z", "a b", "x y", (2 / 3, 1, 4 / 5)),
}


@pytest.mark.parametrize("measure", [word_scores, alignment_scores])
@pytest.mark.parametrize(("text", "gold", "optional", "expected"), OPTIONAL.values(), ids=OPTIONAL)
def test_optional_text_counts_neither_way(
    measure: Callable[[str, str, str], WordScores],
    text: str,
    gold: str,
    optional: str,
    expected: tuple[float, ...],
) -> None:
    scores = measure(text, gold, optional)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


# order

ALIGNED = {
    "equal": ("the cat sat", "the cat sat", (1, 1, 1)),
    "case and marks": ("THE cat, sat!", "the... cat – sat", (1, 1, 1)),
    "turned round": ("c b a", "a b c", (1 / 3, 1 / 3, 1 / 3)),
    "halves swapped": ("c d a b", "a b c d", (1 / 2, 1 / 2, 1 / 2)),
    "too much between": ("a x b y c", "a b c", (3 / 5, 1, 3 / 4)),
    "too little": ("a c", "a b c", (1, 2 / 3, 4 / 5)),
    "textbook": ("a b c b d a b", "b d c a b a", (4 / 7, 4 / 6, 8 / 13)),
    "repeats count once a place": ("a a a", "a", (1 / 3, 1, 1 / 2)),
    "nothing in common": ("a b", "c d", (0, 0, 0)),
    "both empty": ("", "–", (1, 1, 1)),
    "text empty": ("", "a b", (0, 0, 0)),
    "gold empty": ("a b", "", (0, 0, 0)),
    "Chinese by characters": ("再见中文", "中文再见", (1 / 2, 1 / 2, 1 / 2)),
}


@pytest.mark.parametrize(("text", "gold", "expected"), ALIGNED.values(), ids=ALIGNED)
def test_alignment_scores(text: str, gold: str, expected: tuple[float, float, float]) -> None:
    scores = alignment_scores(text, gold)
    assert (scores.precision, scores.recall, scores.f1) == pytest.approx(expected)


def test_very_long_texts_are_aligned_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "MAX_TOKENS", 2)
    assert alignment_scores("a b c d", "a b c d") == WordScores(0.5, 0.5, 0.5)


# the agreement of annotators

N = -1
CASES = {
    # annotators' labels, krippendorff 0.9's alpha
    "equal": ([[0, 1, 2, 2], [0, 1, 2, 2]], 1.0),
    "one differs": ([[0, 0, 1, 1], [0, 1, 1, 1]], 0.5333333333333333),
    "nothing alike": ([[0, 1, 2], [1, 2, 0]], -0.25),
    "three": ([[0, 1, 2, 2, 1], [0, 1, 2, 1, 1], [0, 2, 2, 2, 1]], 0.6111111111111112),
    "gaps": ([[0, N, 2, 2, 1], [0, 1, 2, 1, N], [N, 1, 2, 2, 1]], 0.7555555555555555),
}


@pytest.mark.parametrize(("labels", "alpha"), CASES.values(), ids=CASES)
def test_known_values(labels: list[list[int]], alpha: float) -> None:
    assert krippendorff_alpha(np.array(labels)) == pytest.approx(alpha)


@pytest.mark.parametrize("labels", [[[1, 1], [1, 1]], [[], []], [[0, N], [N, 1]]])
def test_what_cannot_be_told(labels: list[list[int]]) -> None:
    assert np.isnan(krippendorff_alpha(np.array(labels, np.int64)))


TEXTS = ("Menu", "Title", "One.", "Two.")


def write(folder: Path, name: str, letters: str, texts: tuple[str, ...] = TEXTS) -> Path:
    names = {"H": "HEADER", "T": "TEXT", "O": "OTHER", "D": "DOUBT", "?": "?"}
    path = folder / f"{name}.labels.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{names[letter]}\t{text}\n" for letter, text in zip(letters, texts, strict=True))
    path.write_text("".join(lines), "utf-8")
    return folder


def test_directories(tmp_path: Path) -> None:
    one = write(write(tmp_path / "1", "a", "OHTT"), "sub/b", "OHTT")
    two = write(write(tmp_path / "2", "a", "OHTO"), "sub/b", "OHT?")
    write(one, "only-here", "OOOO")
    found = agreement([one, two])
    assert (found.pages, found.blocks) == (2, 7)
    assert found.observed == pytest.approx(6 / 7)
    [difference] = found.differences
    assert (difference.name, difference.line) == ("a.labels.tsv", 4)
    assert (difference.labels, difference.text) == (("TEXT", "OTHER"), "Two.")
    assert found.alpha["HEADER"] == 1.0
    assert found.alpha["TEXT"] < 1
    assert found.alpha["all"] == pytest.approx(
        krippendorff_alpha(np.array([[2, 0, 1, 1, 2, 0, 1], [2, 0, 1, 2, 2, 0, 1]]))
    )


def test_a_reader_of_the_same_pages(tmp_path: Path) -> None:
    one = write(write(tmp_path / "1", "a", "OHTT"), "sub/b", "OHTT")
    write(write(one, "only-here", "OOOO"), "sub/c", "OHTT")
    write(one, "a.x", "TTTT")  # the page a.x.html, no reader x of a.html
    two = write(write(tmp_path / "2", "a", "OHTO"), "sub/b", "OHT?")
    for name in ("a", "sub/b"):
        (two / f"{name}.labels.tsv").rename(one / f"{name}.labels.bert.tsv")
    found = agreement([one, Path("bert")])
    assert (found.annotators, found.pages, found.blocks) == ([str(one), "bert"], 2, 7)
    [difference] = found.differences
    assert (difference.name, difference.line) == ("a.labels.tsv", 4)
    assert (difference.labels, difference.text) == (("TEXT", "OTHER"), "Two.")
    chance = (2 * 2 + 3 * 2 + 2 * 3) / 49
    assert found.kappa["all"] == pytest.approx((6 / 7 - chance) / (1 - chance))
    assert found.kappa["HEADER"] == 1.0
    assert agreement([one, Path("bert"), one]).kappa == {}
    with pytest.raises(CrfcleanError, match=r"carl: no such file .*\(no x\.labels\.carl\.tsv"):
        agreement([one, Path("carl")])


def test_kappa_cannot_be_told_from_one_label() -> None:
    for labels in np.ones((2, 2), np.int64), np.ones((2, 0), np.int64):
        assert np.isnan(cohen_kappa(labels))


def test_blocks_in_doubt_are_not_compared(tmp_path: Path) -> None:
    folders = [
        write(tmp_path / str(number), "a", letters)
        for number, letters in enumerate(("OHTD", "OHTT", "OHTO"))
    ]
    both = agreement(folders[:2])
    assert (both.blocks, both.observed, both.alpha["all"]) == (3, 1.0, 1.0)
    [difference] = agreement(folders).differences
    assert difference.labels == ("DOUBT", "TEXT", "OTHER")


def test_calls_that_cannot_be_carried_out(tmp_path: Path) -> None:
    one, two = write(tmp_path / "1", "a", "OHTT"), write(tmp_path / "2", "b", "OHTT")
    with pytest.raises(CrfcleanError, match="two annotators or more"):
        agreement([one])
    with pytest.raises(CrfcleanError, match="no label file in common"):
        agreement([one, two])
    with pytest.raises(CrfcleanError, match="no such file or directory"):
        agreement([one, tmp_path / "3"])
    write(two, "a", "OHTT", ("Menu", "Title", "One.", "Other."))
    with pytest.raises(GoldError, match=r"2/a\.labels\.tsv: its blocks are not those of .*1/a"):
        agreement([one, two])
    (two / "a.labels.tsv").write_text("nonsense", "utf-8")
    with pytest.raises(GoldError, match=r"a\.labels\.tsv:1"):
        agreement([one, two])
