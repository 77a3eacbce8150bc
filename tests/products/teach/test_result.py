"""Tests of `teach/result.py`: means, intervals, JSON, and scores on training pages."""

from __future__ import annotations

import json
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import crfclean
from crfclean.products.teach.block_metrics import BlockKind, BlockScores
from crfclean.products.teach.cleaning import PageScore
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.means import (
    ALL,
    BY,
    differences,
    f1_interval,
    groups,
    interval,
    means_by_group,
)
from crfclean.products.teach.metrics import WordScores
from crfclean.products.teach.overlap import Overlap, overlap_note, trained_on
from crfclean.products.teach.result import (
    Evaluation,
    evaluation_dict,
    evaluation_json,
    paired,
    read_scores,
)
from crfclean.systems.load import load
from crfclean.types import CrfcleanError

SCHEMA = json.loads(
    (
        Path(crfclean.__file__).parent / "products" / "teach" / "schemas" / "evaluation.json"
    ).read_text("utf-8")
)
GOLD, LABELS = np.array([0, 1, 1, 2, 2]), np.array([0, 1, 2, 1, 2])
BLOCKS = BlockScores(GOLD, LABELS, np.full(5, BlockKind.LIST_ITEM))
HALF = WordScores(1.0, 0.5, 2 / 3)
PAGES = [
    PageScore(
        "b/1", "b", "b.example", "forum", 4, 0.5, HALF, "ok", "cs", "d1", HALF, blocks=BLOCKS
    ),
    PageScore("n/1", "n", "n.example", "", 0, 0.0, WordScores(1.0, 1.0, 1.0), digest="d2"),
    PageScore("n/2", "n", "o.example", "", 9, 1.0, WordScores(0, 0, 0), "empty", digest="d3"),
]
OTHERS = [replace(page, words=HALF) for page in PAGES]
BOTH = Evaluation("gold", {"crfclean": PAGES, "justext": OTHERS})


def check(told: Any) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(told)


# figures


def test_figures_of_the_first_system() -> None:
    told = evaluation_dict(BOTH)
    assert (told["system"], told["gold"], told["by"]) == ("crfclean", "gold", "source")
    assert [(row["source"], row["pages"]) for row in told["table"]] == [
        ("b", 1),
        ("n", 2),
        ("All", 3),
    ]
    assert told["confusion"] == [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert told["labels"]["TEXT"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert told["kinds"]["list_item"] == {"found": 2, "wrong": 1, "missed": 1}
    assert told["f1_interval"] == list(f1_interval(PAGES) or ())
    assert (told["exact_begin"], told["exact_end"]) == (1.0, 0.0)


# schema


MODEL = {"name": "default", "fingerprint": "0" * 64, "options": {"threshold": 0.5}}
TRAINING = {"folds": 5, "by": "site", "params": {"l2": 3.0}, "network": {}, "options": {}}
ABOUT: dict[str, dict[str, Any]] = {
    "texts": {},
    "model": {"model": MODEL},
    "training": {"training": TRAINING},
}


@pytest.mark.parametrize("about", ABOUT.values(), ids=ABOUT)
def test_schema_holds(about: dict[str, Any]) -> None:
    check(json.loads(evaluation_json(replace(BOTH, about=about))))
    check(json.loads(evaluation_json(Evaluation("", {"texts": PAGES[:1]}, about=about))))


def test_schema_holds_with_metrics() -> None:
    pages = [replace(page, metrics={"length": 1.5 + at}) for at, page in enumerate(PAGES)]
    told = json.loads(evaluation_json(Evaluation("", {"crfclean": pages})))
    check(told)
    assert [row["metrics"] for row in told["table"]][-1] == {"length": 2.5}
    assert "metrics" not in json.loads(evaluation_json(BOTH))["table"][0]


# reading


def test_pages_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(evaluation_json(BOTH), "utf-8")
    assert read_scores(path) == PAGES
    assert evaluation_json(BOTH) == evaluation_json(BOTH)


BROKEN = {
    "missing": (None, "cannot be read"),
    "no JSON": ("{", "not written by eval --json"),
    "list": ("[]", "not written by eval --json"),
    "another file": ('{"format": 1}', "not written by eval --json"),
    "page cut": ('{"format": 1, "pages": [{"id": "a"}]}', "not written by eval --json"),
    "no pages": ('{"format": 1, "pages": []}', "has no pages"),
    "another format": ('{"format": 9, "pages": []}', "format 9, expected 1"),
}


@pytest.mark.parametrize(("text", "message"), BROKEN.values(), ids=BROKEN)
def test_files_that_are_none(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "a.json").write_text(text, "utf-8")
    with pytest.raises(CrfcleanError, match=rf"a\.json: {message}"):
        read_scores(tmp_path / "a.json")


DIFFERENT = {
    "one more": ([*PAGES, replace(PAGES[0], id="z")], "do not score the same pages: z"),
    "one less": (PAGES[1:], "do not score the same pages: b/1"),
    "many": ([replace(p, id=f"{n}") for n, p in enumerate(PAGES)], "0, 1, 2 and 3 more"),
    "twice": ([*PAGES, PAGES[0]], "ids repeat"),
    "another gold": (
        [replace(PAGES[0], digest="x"), *PAGES[1:]],
        "page or gold has changed since: b/1",
    ),
}


@pytest.mark.parametrize(("old", "message"), DIFFERENT.values(), ids=DIFFERENT)
def test_other_pages_cannot_be_compared(old: list[PageScore], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        paired(old, PAGES)
    with pytest.raises(CrfcleanError):
        paired(PAGES, old)


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
    assert [astuple(row) for row in means_by_group(pages)] == [
        ("a", 1, 0.0, pytest.approx(0.02), 0.1, 0.05, 0.2, {}),
        ("b", 2, 6.0, pytest.approx(0.08), 0.4, 0.2, 0.8, {}),
        (ALL, 3, 4.0, pytest.approx(0.06), pytest.approx(0.3), pytest.approx(0.15), 0.6, {}),
    ]


# intervals


def test_groups_are_drawn_whole() -> None:
    low, high = interval(np.array([1.0] * 9 + [0.0]), ["a"] * 9 + ["b"])
    assert (low, high) == (0.0, 1.0)
    low, high = interval(np.array([1.0, 0.0, 1.0, 0.0]), ["a", "a", "b", "b"])
    assert (low, high) == (0.5, 0.5)


# groups and differences

MIXED = [
    page_score("n", 0.9, kind="article", lang="en"),
    page_score("b", 0.5, kind="forum"),
    page_score("n", 0.7, kind="article", lang="cs"),
]
GROUPS = {
    "source": {"b": [1], "n": [0, 2], ALL: [0, 1, 2]},
    "kind": {"article": [0, 2], "forum": [1], ALL: [0, 1, 2]},
    "lang": {"?": [1], "cs": [2], "en": [0], ALL: [0, 1, 2]},
}


@pytest.mark.parametrize("by", GROUPS)
def test_groups(by: str) -> None:
    found = groups(MIXED, BY[by])
    assert found == GROUPS[by]
    assert list(found) == list(GROUPS[by])


def test_differences_are_paired() -> None:
    theirs = [
        replace(page, words=WordScores(0, 0, f1))
        for page, f1 in zip(MIXED, (0.8, 0.6, 0.7), strict=True)
    ]
    b, n, everything = differences(MIXED, theirs)
    assert (b.group, b.pages) == ("b", 1)
    assert (n.group, n.pages, n.sites) == ("n", 2, 1)
    assert [row.mean for row in (b, n, everything)] == pytest.approx([-0.1, 0.05, 0])
    assert (n.low, n.high) == (None, None)  # one site
    assert (b.low, b.high) == (None, None)
    assert everything.group == ALL
    assert (everything.low, everything.high) == pytest.approx((-0.1, 0.05))
    by_page = differences(MIXED, theirs, unit="page")
    assert [row.low is None for row in by_page] == [True, False, False]
    assert (by_page[1].low, by_page[1].high) == pytest.approx((0.0, 0.1))


def test_differences_need_the_same_pages() -> None:
    with pytest.raises(ValueError, match="shorter"):
        differences(MIXED, MIXED[:2])


# scores on training pages


def test_the_pages_of_a_model_are_known(model: Path, demo_gold: list[GoldPage]) -> None:
    overlap = Overlap(trained_on(load(model)))
    assert list(overlap.count(demo_gold)) == demo_gold
    assert overlap.pages == len(demo_gold[::2])


def test_the_note() -> None:
    assert overlap_note(12, 24) == (
        "note: this model was trained on 12 of 24 pages: "
        "these scores are not what new pages get; use --cv, or other pages\n"
    )
    assert overlap_note(1, 1, base=True) == (
        "note: the model of --from was trained on this page: "
        "these scores are not what new pages get; score other pages\n"
    )
    assert overlap_note(0, 24) == overlap_note(0, 24, base=True) == ""


def test_pages_below_the_precision_are_told() -> None:
    empty = [replace(MIXED[0], status="below-precision"), MIXED[1]]
    assert Evaluation("demo", {"crfclean": empty}).note == (
        "note: no choice of blocks has the precision on 1 of 2 pages, which count as empty; "
        f"precision is {MIXED[1].words.precision:.3f} over the others\n"
    )
    assert Evaluation("demo", {"": empty[:1]}).note.endswith("there are no others\n")
