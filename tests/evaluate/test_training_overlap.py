"""Tests of `evaluate/result.py`: pages that a model knows, and the note about them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crfclean.evaluate.result import Evaluation, Overlap, evaluation_dict, overlap_note, trained_on
from crfclean.evaluate.runner import evaluate
from crfclean.evaluate.tables import evaluation_text
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.folder import find_model, load_bundle, page_digest
from crfclean.taggers.load import load


def test_the_pages_of_a_model_are_known(model: Path, demo_gold: list[GoldPage]) -> None:
    overlap = Overlap(trained_on(load(model)))
    assert list(overlap.count(demo_gold)) == demo_gold
    assert overlap.pages == len(demo_gold[::2])


@pytest.mark.parametrize("name", ["default", "mlp"])
def test_shipped_models_know_their_pages(name: str) -> None:
    """A few pages of the sets are the same."""
    bundle = load_bundle(find_model(name))
    pages = sum(one["pages"] for one in bundle.sets)
    assert 0.99 * pages < len(bundle.pages) <= pages


def test_pages_are_counted_as_they_pass(demo_gold: list[GoldPage]) -> None:
    overlap = Overlap(frozenset([page_digest(demo_gold[1].page.html)]))
    passing = overlap.count(iter(demo_gold))
    next(passing)
    assert overlap.pages == 0
    next(passing)
    assert overlap.pages == 1


def test_the_note() -> None:
    assert overlap_note(12, 24) == (
        "note: 12 of 24 pages were in this model's training data: "
        "these scores are not what new pages get; use --cv, or other pages\n"
    )
    assert overlap_note(1, 2, base=True) == (
        "note: 1 of 2 pages were in the training data of --from's model: "
        "these scores are not what new pages get; score other pages\n"
    )
    assert overlap_note(0, 24) == overlap_note(0, 24, base=True) == ""


@pytest.mark.parametrize("trained", [0, 2])
def test_results_have_the_count_and_the_note(
    model: Path, demo_gold: list[GoldPage], trained: int
) -> None:
    scores = list(evaluate(demo_gold[:2], load(model)))
    result = Evaluation("demo", {"crfclean": scores}, trained_on=trained)
    assert evaluation_dict(result)["trained_on"] == trained
    assert evaluation_text(result).startswith("note: 2 of 2 pages") == bool(trained)
    empty = [replace(scores[0], status="below-precision"), scores[1]]
    told = Evaluation("demo", {"crfclean": empty}, trained_on=trained).note
    assert told.splitlines()[-1] == (
        "note: no choice of blocks has the precision on 1 of 2 pages, which count as empty; "
        f"precision is {scores[1].words.precision:.3f} over the others"
    )
    assert len(told.splitlines()) == 1 + bool(trained)
    assert Evaluation("demo", {"": empty[:1]}).note.endswith("there are no others\n")
    in_folds = Evaluation("demo", {"": scores}, about={"training": {"folds": 2}}, trained_on=1)
    assert "--from's model" in in_folds.note
