"""Tests of `evaluate/tables.py`: the same scores as text and CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from crfclean.evaluate.block_metrics import BlockKind, BlockScores
from crfclean.evaluate.metrics import Snippets, WordScores
from crfclean.evaluate.result import CurvePoint, Evaluation, evaluation_dict
from crfclean.evaluate.runner import PageScore
from crfclean.evaluate.statistics import Row
from crfclean.evaluate.tables import (
    aligned,
    compare_text,
    evaluation_csv,
    evaluation_text,
    kind_rows,
    percent,
    scores_text,
)
from crfclean.types import CrfcleanError

MATRIX = np.array([[2, 1, 1], [0, 6, 2], [0, 3, 9]])
GOLD, LABELS = (np.repeat(places, MATRIX.ravel()) for places in np.indices((3, 3)).reshape(2, 9))
BLOCKS = BlockScores(GOLD, LABELS, np.zeros(24, np.int32), np.ones(24))
PAGES = [
    PageScore("b/1.html", "blogs", "b.example", "article", 4, 0.5, WordScores(1.0, 0.5, 2 / 3)),
    PageScore(
        "n/1.html", "news", "n.example", "", 0, 0.0, WordScores(1.0, 1.0, 1.0), blocks=BLOCKS
    ),
    PageScore("n/2.html", "news", "o.example", "", 101, 1.0, WordScores(0.0, 0.0, 0.0), "empty"),
]

EXPECTED = """\
         blogs   news    All
pages        1      2      3
L          4.0   50.5   35.0
L norm.  0.500  0.500  0.500
P        1.000  0.500  0.667
R        0.500  0.500  0.500
F        0.667  0.500  0.556

F over all pages, 95 % interval over 3 sites: 0.000 to 1.000

          P in order  R in order  F in order   found   wrong    begin    end  with  without
crfclean       0.000       0.000       0.000  75.0 %  25.0 %  100.0 %  0.0 %     –        –

blocks     gold  found  wrong  missed  found %  wrong %
paragraph    12      9      3       3   75.0 %   25.0 %
inset         0      0      0       0        –        –
list item     0      0      0       0        –        –
comment       0      0      0       0        –        –
byline        0      0      0       0        –        –
caption       0      0      0       0        –        –
heading       0      0      0       0        –        –
all          12      9      3       3   75.0 %   25.0 %

labels      P      R      F  as HEADER  as TEXT  as OTHER
HEADER  1.000  0.500  0.667          2        1         1
TEXT    0.600  0.750  0.667          0        6         2
OTHER   0.750  0.750  0.750          0        3         9
"""


def test_text() -> None:
    assert scores_text(PAGES) == EXPECTED


def test_text_without_labels_has_no_table_of_them() -> None:
    text = scores_text([replace(page, blocks=None) for page in PAGES])
    head, _, rest = text.partition("\ncrfclean ")
    assert EXPECTED.startswith(head[: head.rindex("  found")])
    assert rest.split() == ["0.000"] * 3 + ["–", "–", "100.0", "%", "100.0", "%", "–", "–"]


def test_text_of_one_page() -> None:
    lines = scores_text(PAGES[1:2]).splitlines()
    assert lines[0].split() == ["news", "All"]
    assert lines[1].split() == ["pages", "1", "1"]
    assert any(line.endswith("1.000 to 1.000") for line in lines)


def test_columns_of_text_are_aligned() -> None:
    for part in scores_text(PAGES).split("\n\n"):
        widths = {len(line) for line in part.splitlines()}
        assert len(widths) == 1


def test_long_names_widen_their_column() -> None:
    name = "a source with a rather long name"
    first, second, *_ = scores_text([replace(PAGES[0], source=name)]).splitlines()
    assert name in first
    assert len(first) == len(second)


def test_by_kind() -> None:
    assert scores_text(PAGES, "kind").splitlines()[0].split() == ["?", "article", "All"]


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [(1, 2, "50.0 %"), (0, 3, "0.0 %"), (3, 2, "150.0 %"), (0, 0, "–"), (5, 0, "–")],
)
def test_percent(part: int, whole: int, text: str) -> None:
    assert percent(part, whole) == text


def test_aligned() -> None:
    assert aligned([["a", "b", ""], ["cc", "ddd", "e"]], left=2) == "a   b\ncc  ddd  e\n"


def test_kinds_are_counted_apart() -> None:
    kinds = np.array([BlockKind.LIST_ITEM] * 20 + [BlockKind.HEADING] * 4)
    page = replace(PAGES[1], blocks=BlockScores(GOLD, LABELS, kinds, np.ones(24)))
    rows = {name: cells for name, *cells in kind_rows([page, PAGES[0]])}
    assert rows["list item"] == ["12", "9", "3", "3", "75.0 %", "25.0 %"]
    assert rows["heading"][:4] == ["0", "0", "0", "0"]
    assert rows["all"] == rows["list item"]


# several systems

WORSE = [replace(page, words=WordScores(0.5, 0.5, page.words.f1 / 2)) for page in PAGES]
SEVERAL = Evaluation("gold", {"crfclean": PAGES, "worse": WORSE, "same": PAGES})
INTERLEAVED = """\
source  system    pages     L  L norm.      P      R      F  our lead              95 %
blogs   crfclean      1   4.0    0.500  1.000  0.500  0.667
        worse         1   4.0    0.500  0.500  0.500  0.333    +0.333                 –
        same          1   4.0    0.500  1.000  0.500  0.667    +0.000                 –
news    crfclean      2  50.5    0.500  0.500  0.500  0.500
        worse         2  50.5    0.500  0.500  0.500  0.250    +0.250  +0.000 to +0.500
        same          2  50.5    0.500  0.500  0.500  0.500    +0.000  +0.000 to +0.000
All     crfclean      3  35.0    0.500  0.667  0.500  0.556
        worse         3  35.0    0.500  0.500  0.500  0.278    +0.278  +0.000 to +0.500
        same          3  35.0    0.500  0.667  0.500  0.556    +0.000  +0.000 to +0.000
"""


def test_systems_stand_below_each_other() -> None:
    text = evaluation_text(SEVERAL)
    assert text.startswith(INTERLEAVED + "\n")
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if "in order" in line)
    assert [line.split()[0] for line in lines[start + 1 : start + 4]] == list(SEVERAL.systems)


def test_one_system_is_the_paper_table() -> None:
    assert evaluation_text(Evaluation("gold", {"crfclean": PAGES})) == EXPECTED


def test_systems_by_kind() -> None:
    text = evaluation_text(replace(SEVERAL, by="kind"))
    assert text.split()[0] == "kind"
    assert "\narticle" in text


def test_snippets_are_shares() -> None:
    pages = [replace(page, snippets=Snippets(4, 3, 5, 1)) for page in PAGES]
    (line,) = [one for one in scores_text(pages).splitlines() if one.startswith("crfclean")]
    assert line.split()[-4:] == ["75.0", "%", "20.0", "%"]


def test_learning_curve_and_models_of_single_sources() -> None:
    steps = (CurvePoint(5, 0.5, 0.25, 0.75), CurvePoint(10, 0.625, 0.5, 0.75))
    row = Row("news", 2, 1.0, 0.5, 0.25, 0.125, 0.0625)
    text = evaluation_text(
        Evaluation(
            "gold", {"crfclean": PAGES}, curve=steps, source_rows=[row, replace(row, source="All")]
        )
    )
    lines = text.splitlines()
    assert lines[0].startswith("A model a source")
    assert lines[1].split() == ["news", "All"]
    assert lines[7].split() == ["F", "0.062", "0.062"]
    assert lines[9].startswith("One model for all sources")
    assert lines[10] == EXPECTED.splitlines()[0]
    assert text.endswith(
        "training pages      F            95 %\n"
        "5               0.500  0.250 to 0.750\n"
        "10              0.625  0.500 to 0.750\n"
    )


def test_a_restricted_cut_says_what_blocks_are_counted() -> None:
    restricted = replace(SEVERAL, elements=("h1", "p"))
    assert evaluation_text(restricted).startswith("note: found, wrong, begin and end count blocks")
    assert "in h1, p alone" in restricted.note
    assert not SEVERAL.note


# comparisons

CHANGED = """\
source  pages  F new - old              95 %
blogs       1       +0.333                 –
news        2       +0.250  +0.000 to +0.500
All         3       +0.278  +0.000 to +0.500

kind     pages  F new - old              95 %
?            2       +0.250  +0.000 to +0.500
article      1       +0.333                 –
All          3       +0.278  +0.000 to +0.500

2 pages changed  F old  F new  change
n/1.html         0.500  1.000  +0.500
b/1.html         0.333  0.667  +0.333
"""


def test_compare() -> None:
    assert compare_text(WORSE, PAGES) == CHANGED
    assert compare_text(WORSE[::-1], PAGES) == CHANGED


def test_compare_with_itself() -> None:
    text = compare_text(PAGES, PAGES)
    assert text.endswith("0 pages changed  F old  F new  change\n")
    assert "+0.000 to +0.000" in text


def test_compare_lists_the_pages_that_changed_most() -> None:
    old = [replace(PAGES[0], id=f"{n:02}", words=WordScores(0, 0, n / 100)) for n in range(30)]
    new = [replace(page, words=WordScores(0, 0, 0)) for page in old]
    lines = compare_text(old, new).splitlines()
    assert lines[-11].startswith("29 pages changed")
    assert [line[:2] for line in lines[-10:]] == [str(number) for number in range(29, 19, -1)]


def test_compare_needs_the_same_pages() -> None:
    with pytest.raises(CrfcleanError, match=r"not the same pages: b/1\.html"):
        compare_text(PAGES, PAGES[1:])


# CSV


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(evaluation_csv(SEVERAL))))
    assert list(rows[0]) == ["system", *evaluation_dict(SEVERAL)["pages"][0]]
    assert [row["system"] for row in rows] == [
        name for name in SEVERAL.systems for _ in range(3)
    ] * 2
    assert [(row["id"], row["source"]) for row in rows[:3] + rows[9:12]] == [
        ("b/1.html", "blogs"),
        ("n/1.html", "news"),
        ("n/2.html", "news"),
        ("", "blogs"),
        ("", "news"),
        ("", "All"),
    ]
    assert [float(row["distance"]) for row in rows[:3] + rows[9:12]] == [4, 0, 101, 4, 50.5, 35]
    assert [row["begin"] for row in rows[:3]] == ["", "0", ""]


def test_csv_quotes_what_needs_it() -> None:
    awkward = 'a,"b"\nc'
    text = evaluation_csv(
        Evaluation("", {"crfclean": [replace(PAGES[0], id=awkward, source=awkward)]})
    )
    (page, *_) = csv.DictReader(io.StringIO(text))
    assert (page["id"], page["source"]) == (awkward, awkward)
