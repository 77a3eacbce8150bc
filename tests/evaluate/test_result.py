"""Tests of `evaluate/result.py`: figures as JSON, their schema, and pages read back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import crfclean
from crfclean.evaluate.metrics import BlockKind, BlockScores, Snippets, WordScores
from crfclean.evaluate.result import (
    CurvePoint,
    Evaluation,
    evaluation_dict,
    evaluation_json,
    f1_interval,
    paired,
    read_pages,
    score_dict,
)
from crfclean.evaluate.runner import PageScore, evaluate_systems
from crfclean.types import CrfcleanError

SCHEMA = json.loads(
    (Path(crfclean.__file__).parent / "evaluate" / "schemas" / "evaluation.json").read_text("utf-8")
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
OTHERS = [replace(page, words=HALF, snippets=Snippets(3, 2, 1, 0)) for page in PAGES]
BOTH = Evaluation(
    "gold", {"crfclean": PAGES, "justext": OTHERS}, curve=[CurvePoint(5, 0.5, 0.4, 0.6)]
)


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


def test_page() -> None:
    assert score_dict(PAGES[0]) == {
        "id": "b/1",
        "source": "b",
        "site": "b.example",
        "kind": "forum",
        "lang": "cs",
        "digest": "d1",
        "status": "ok",
        "guessed": "",
        "distance": 4,
        "distance_share": 0.5,
        "precision": 1.0,
        "recall": 0.5,
        "f1": 2 / 3,
        "order_precision": 1.0,
        "order_recall": 0.5,
        "order_f1": 2 / 3,
        "blocks": 5,
        "found": 2,
        "wrong": 1,
        "missed": 1,
        "begin": 0,
        "end": -1,
        "snippets_wanted": 0,
        "snippets_found": 0,
        "snippets_unwanted": 0,
        "snippets_kept_out": 0,
    }


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


def test_schema_holds_of_the_demo(demo_gold, tagger) -> None:
    from crfclean.evaluate.runner import by_tagger

    scored = list(evaluate_systems(demo_gold[:4], {"crfclean": by_tagger(tagger)}))
    told = evaluation_dict(Evaluation("demo", {"crfclean": [one.scores[0] for one in scored]}))
    check(json.loads(json.dumps(told)))


def spoilt(name: str, value: Any) -> dict[str, Any]:
    told = json.loads(evaluation_json(BOTH))
    *path, last = name.split(".")
    place = told
    for step in path:
        place = place[int(step) if step.isdigit() else step]
    place[last] = value
    return dict(told)


WRONG = {
    "format": 2,
    "more": 1,
    "pages": [],
    "by": "colour",
    "pages.0.f1": 1.5,
    "pages.0.more": 1,
    "pages.0.digest": 5,
    "others.0.more": 1,
    "others.0.pages.1.begin": 0.5,
    "confusion": [[0, 0], [0, 0]],
    "versions": {},
    "model": {"name": "default"},
    "differences.0.mean": -2,
    "kinds.caption": {},
}


@pytest.mark.parametrize(("name", "value"), WRONG.items(), ids=WRONG)
def test_schema_refuses(name: str, value: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        check(spoilt(name, value))


# reading


def test_pages_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(evaluation_json(BOTH), "utf-8")
    assert read_pages(path) == PAGES
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
        read_pages(tmp_path / "a.json")


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
