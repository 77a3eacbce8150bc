"""Tests of `teach/report.py`: scores as text."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crfclean.products.teach.block_metrics import BlockScores
from crfclean.products.teach.cleaning import PageScore
from crfclean.products.teach.metrics import WordScores
from crfclean.products.teach.result import Evaluation
from crfclean.products.teach.tables import (
    aligned,
    compare_text,
    evaluation_text,
    percent,
    scores_text,
)

MATRIX = np.array([[2, 1, 1], [0, 6, 2], [0, 3, 9]])
GOLD, LABELS = (np.repeat(places, MATRIX.ravel()) for places in np.indices((3, 3)).reshape(2, 9))
BLOCKS = BlockScores(GOLD, LABELS, np.zeros(24, np.int32))
PAGES = [
    PageScore("b/1.html", "blogs", "b.example", "article", 4, 0.5, WordScores(1.0, 0.5, 2 / 3)),
    PageScore(
        "n/1.html", "news", "n.example", "", 0, 0.0, WordScores(1.0, 1.0, 1.0), blocks=BLOCKS
    ),
    PageScore("n/2.html", "news", "o.example", "", 101, 1.0, WordScores(0.0, 0.0, 0.0), "empty"),
]

EXPECTED = """\
source  pages  precision  recall     F1
blogs       1      1.000   0.500  0.667
news        2      0.500   0.500  0.500
All         3      0.667   0.500  0.556

F1 on all pages: 95 % interval 0.000 to 1.000, over 3 sites.

blocks     in gold  kept  missed  wrongly kept  kept %  wrong %
paragraph       12     9       3             3  75.0 %   25.0 %
all             12     9       3             3  75.0 %   25.0 %
"""


def test_text() -> None:
    assert scores_text(PAGES) == EXPECTED


def test_by_kind() -> None:
    lines = scores_text(PAGES, "kind").splitlines()
    assert [line.split()[0] for line in lines[:4]] == ["kind", "?", "article", "All"]


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(1, 2, "50.0 %"), (0, 3, "0.0 %"), (3, 2, "150.0 %"), (0, 0, "–"), (5, 0, "–")],
)
def test_percent(part: int, whole: int, text: str) -> None:
    assert percent(part, whole) == text


def test_aligned() -> None:
    assert aligned([["a", "b", ""], ["cc", "ddd", "e"]], left=2) == "a   b\ncc  ddd  e\n"


# several systems

WORSE = [replace(page, words=WordScores(0.5, 0.5, page.words.f1 / 2)) for page in PAGES]
SEVERAL = Evaluation("gold", {"crfclean": PAGES, "worse": WORSE, "same": PAGES})
INTERLEAVED = """\
source  system    pages  precision  recall     F1  crfclean leads by     95 % interval
blogs   crfclean      1      1.000   0.500  0.667
        worse         1      0.500   0.500  0.333             +0.333                 –
        same          1      1.000   0.500  0.667             +0.000                 –
news    crfclean      2      0.500   0.500  0.500
        worse         2      0.500   0.500  0.250             +0.250  +0.000 to +0.500
        same          2      0.500   0.500  0.500             +0.000  +0.000 to +0.000
All     crfclean      3      0.667   0.500  0.556
        worse         3      0.500   0.500  0.278             +0.278  +0.000 to +0.500
        same          3      0.667   0.500  0.556             +0.000  +0.000 to +0.000
"""


def test_systems_stand_below_each_other() -> None:
    text = evaluation_text(SEVERAL)
    assert text.startswith(INTERLEAVED + "\n")


# comparisons

CHANGED = """\
source  pages  F1 new - old     95 % interval
blogs       1        +0.333                 –
news        2        +0.250  +0.000 to +0.500
All         3        +0.278  +0.000 to +0.500

kind     pages  F1 new - old     95 % interval
?            2        +0.250  +0.000 to +0.500
article      1        +0.333                 –
All          3        +0.278  +0.000 to +0.500

2 pages changed  old F1  new F1  change
n/1.html          0.500   1.000  +0.500
b/1.html          0.333   0.667  +0.333
"""


def test_compare() -> None:
    assert compare_text(WORSE, PAGES) == CHANGED
    assert compare_text(WORSE[::-1], PAGES) == CHANGED


def test_compare_lists_the_pages_that_changed_most() -> None:
    old = [replace(PAGES[0], id=f"{n:02}", words=WordScores(0, 0, n / 100)) for n in range(30)]
    new = [replace(page, words=WordScores(0, 0, 0)) for page in old]
    lines = compare_text(old, new).splitlines()
    assert lines[-11].startswith("29 pages changed")
    assert [line[:2] for line in lines[-10:]] == [str(number) for number in range(29, 19, -1)]
