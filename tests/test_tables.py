"""Tests of `tables.py`: the same scores as text, JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from crfclean.blockscores import BlockScores
from crfclean.compare import f1_interval, interval
from crfclean.evaluate import PageScore
from crfclean.scores import WordScores
from crfclean.tables import FORMATS, to_csv, to_dict, to_json, to_text

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

blocks      P      R      F  as HEADER  as TEXT  as OTHER
HEADER  1.000  0.500  0.667          2        1         1
TEXT    0.600  0.750  0.667          0        6         2
OTHER   0.750  0.750  0.750          0        3         9
"""


def test_text() -> None:
    assert to_text(PAGES) == EXPECTED


def test_text_without_labels_has_no_table_of_them() -> None:
    text = to_text([replace(page, blocks=None) for page in PAGES])
    assert text == EXPECTED[: EXPECTED.index("\nblocks")]


def test_text_of_one_page() -> None:
    lines = to_text(PAGES[1:2]).splitlines()
    assert lines[0].split() == ["news", "All"]
    assert lines[1].split() == ["pages", "1", "1"]
    assert any(line.endswith("1.000 to 1.000") for line in lines)


def test_columns_of_text_are_aligned() -> None:
    for part in to_text(PAGES).split("\n\n"):
        widths = {len(line) for line in part.splitlines()}
        assert len(widths) == 1


def test_long_names_widen_their_column() -> None:
    name = "a source with a rather long name"
    first, second, *_ = to_text([replace(PAGES[0], source=name)]).splitlines()
    assert name in first
    assert len(first) == len(second)


def test_interval_resamples_sites() -> None:
    values = np.array([page.words.f1 for page in PAGES])
    assert f1_interval(PAGES) == interval(values, ["b.example", "n.example", "o.example"])
    one_site = [replace(page, site="x") for page in PAGES]
    assert f1_interval(one_site) == pytest.approx((5 / 9, 5 / 9))


def test_json() -> None:
    told = json.loads(to_json(PAGES))
    assert told == json.loads(json.dumps(to_dict(PAGES)))
    assert [(row["source"], row["pages"]) for row in told["table"]] == [
        ("blogs", 1),
        ("news", 2),
        ("All", 3),
    ]
    assert told["confusion"] == MATRIX.tolist()
    assert told["labels"]["TEXT"] == pytest.approx({"precision": 0.6, "recall": 0.75, "f1": 2 / 3})
    assert told["f1_interval"] == list(f1_interval(PAGES))


def test_json_has_every_page() -> None:
    first, *others = json.loads(to_json(PAGES))["pages"]
    assert first == {
        "id": "b/1.html",
        "source": "blogs",
        "site": "b.example",
        "kind": "article",
        "status": "ok",
        "distance": 4,
        "distance_share": 0.5,
        "precision": 1.0,
        "recall": 0.5,
        "f1": 2 / 3,
    }
    assert [page["status"] for page in others] == ["ok", "empty"]


def test_csv() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(PAGES))))
    assert list(rows[0]) == list(to_dict(PAGES)["pages"][0])
    assert [(row["id"], row["source"]) for row in rows] == [
        ("b/1.html", "blogs"),
        ("n/1.html", "news"),
        ("n/2.html", "news"),
        ("", "blogs"),
        ("", "news"),
        ("", "All"),
    ]
    assert [float(row["distance"]) for row in rows] == [4, 0, 101, 4, 50.5, 35]
    assert [float(row["f1"]) for row in rows] == pytest.approx([2 / 3, 1, 0, 2 / 3, 0.5, 5 / 9])


def test_csv_quotes_what_needs_it() -> None:
    awkward = 'a,"b"\nc'
    text = to_csv([replace(PAGES[0], id=awkward, source=awkward)])
    (page, *_) = csv.DictReader(io.StringIO(text))
    assert (page["id"], page["source"]) == (awkward, awkward)


def test_formats() -> None:
    assert list(FORMATS) == ["text", "json", "csv"]
    assert all(form(PAGES).endswith("\n") for form in FORMATS.values())
