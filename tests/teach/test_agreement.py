"""Tests of `teach/metrics.py`, held to the values of scikit-learn and krippendorff."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crfclean.teach.metrics import (
    agreement,
    cohen_kappa,
    krippendorff_alpha,
)
from crfclean.types import CrfcleanError, GoldError

N = -1
CASES = {
    # annotators' labels, scikit-learn 1.9's kappa of the first two, krippendorff 0.9's alpha
    "equal": ([[0, 1, 2, 2], [0, 1, 2, 2]], 1.0, 1.0),
    "one differs": ([[0, 0, 1, 1], [0, 1, 1, 1]], 0.5, 0.5333333333333333),
    "nothing alike": ([[0, 1, 2], [1, 2, 0]], -0.5, -0.25),
    "three": ([[0, 1, 2, 2, 1], [0, 1, 2, 1, 1], [0, 2, 2, 2, 1]], 0.6875, 0.6111111111111112),
    "gaps": ([[0, N, 2, 2, 1], [0, 1, 2, 1, N], [N, 1, 2, 2, 1]], 0.5, 0.7555555555555555),
}


@pytest.mark.parametrize(("labels", "kappa", "alpha"), CASES.values(), ids=CASES)
def test_known_values(labels: list[list[int]], kappa: float, alpha: float) -> None:
    given = np.array(labels)
    assert cohen_kappa(given[0], given[1]) == pytest.approx(kappa)
    assert krippendorff_alpha(given) == pytest.approx(alpha)


@pytest.mark.parametrize("labels", [[[1, 1], [1, 1]], [[], []], [[0, N], [N, 1]]])
def test_what_cannot_be_told(labels: list[list[int]]) -> None:
    given = np.array(labels, np.int64)
    assert np.isnan(krippendorff_alpha(given))
    assert np.isnan(cohen_kappa(given[0], given[1]))


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
    assert found.kappa["HEADER"] == found.alpha["HEADER"] == 1.0
    assert found.kappa["TEXT"] < 1
    assert found.kappa["all"] == pytest.approx(
        cohen_kappa(np.array([2, 0, 1, 1, 2, 0, 1]), np.array([2, 0, 1, 2, 2, 0, 1]))
    )


def test_blocks_in_doubt_are_not_compared(tmp_path: Path) -> None:
    folders = [
        write(tmp_path / str(number), "a", letters)
        for number, letters in enumerate(("OHTD", "OHTT", "OHTO"))
    ]
    both = agreement(folders[:2])
    assert (both.blocks, both.observed, both.kappa["all"]) == (3, 1.0, 1.0)
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
