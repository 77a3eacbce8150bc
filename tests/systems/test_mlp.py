"""Tests of `systems/perceptron.py`, and of the models that it opens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crfclean import clean
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import RULE_PREFIX
from crfclean.model.inputs import TEXTTRACTOR, input_names
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.systems.load import load
from crfclean.systems.perceptron import (
    MlpTagger,
    PostTagger,
    marginals_from_scores,
)
from crfclean.teach.gold import GoldPage
from crfclean.types import (
    Label,
    ModelError,
    Page,
)

NAMES = tuple(TEXTTRACTOR)


@pytest.fixture(scope="module")
def posted(perceptron: Path) -> PostTagger:
    found = load(perceptron)
    assert isinstance(found, PostTagger)
    return found


@pytest.fixture(scope="module")
def mlp(posted: PostTagger) -> MlpTagger:
    assert isinstance(posted.inner, MlpTagger)
    return posted.inner


# the perceptron


def test_headings_are_headers(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    seen = set()
    for gold in demo_gold:
        page = split(gold.page)
        tags = mlp.tag(page)
        heading = page.table.in_heading
        assert np.array_equal(tags.labels[tags.kept] == Label.HEADER, heading[tags.kept])
        seen |= set(tags.labels.tolist())
    assert seen == set(Label)


def test_spread() -> None:
    found = marginals_from_scores(np.array([0.75, 0.25]), np.array([True, False]))
    assert found.tolist() == [[0.75, 0.0, 0.25], [0.0, 0.25, 0.75]]


# its reasons


def test_reasons_are_inputs_with_their_values(mlp: MlpTagger, demo_gold: list[GoldPage]) -> None:
    blocks = split(demo_gold[0].page)
    inputs = mlp.inputs(measured(blocks))
    names = input_names(NAMES)
    for row, of_block in enumerate(mlp.explain(blocks, 1_000)):
        reasons = [one for one in of_block if not one.feature.startswith(RULE_PREFIX)]
        assert len(reasons) == 78
        weights = [abs(one.weight) for one in reasons]
        assert weights == sorted(weights, reverse=True)
        for one in reasons[:9]:
            assert one.value == inputs[row, names.index(one.feature)]


# its folder


def test_model_for_other_features_is_refused(
    monkeypatch: pytest.MonkeyPatch, perceptron: Path
) -> None:
    old = TEXTTRACTOR["place"]
    monkeypatch.setitem(TEXTTRACTOR, "place", lambda page: old(page) / 2)
    with pytest.raises(ModelError, match=r"other features \(place changed\)"):
        load(perceptron)


# kinds and shipped models


def test_shipped_perceptron_cleans() -> None:
    text = "A paragraph of some length, with a comma and a full stop at its end. "
    html = (
        "<html><head><title>A title of some words</title></head><body>"
         "<ul>" + "<li><a href='/'>Home</a></li>" * 8 + "</ul>"
        + "<div><h1>A title of some words</h1>" + f"<p>{text * 3}</p>" * 4 + "</div>"
        + "<footer>© 2024 Us | <a href='/'>Imprint</a></footer></body></html>"
    )  # fmt: skip
    document = clean(html, model="mlp")
    assert document.kept == [8, 9, 10, 11, 12]
    assert document.tags.labels[8] == Label.HEADER
    assert document.score > 0.7


# the post-analysis behind a tagger


def test_steps_stand_before_the_taggers_reasons(
    posted: PostTagger, mlp: MlpTagger, demo_gold: list[GoldPage]
) -> None:
    found = set()
    for gold in demo_gold:
        blocks = split(gold.page)
        changes = posted.analyse(blocks).changes()
        for own, told, steps in zip(
            mlp.explain(blocks, 2), posted.explain(blocks, 2), changes, strict=True
        ):
            assert told[len(steps) :] == own
            assert [one.feature for one in told[: len(steps)]] == [f"post.{s.step}" for s in steps]
            found |= {one.step for one in steps}
    assert found


def test_what_is_not_to_be_kept_stays_out(posted: PostTagger) -> None:
    """Headings are barred by `keep`, and no step brings them back."""
    some = "<p>One two three.</p>" * 6
    html = f"<title>Ice on the lake</title><div>{some}</div>"
    html += f"<div><h1>Ice on the lake</h1><h2>Next</h2>{some}</div>"
    blocks = split(Page(html))
    open_to_all = posted.with_cut(CutParams("threshold", 0.0))
    assert open_to_all.tag(blocks).kept.sum() == 10, "blocks well before the title go"
    body = posted.with_cut(CutParams("threshold", 0.0, keep=("body",)))
    tags = body.tag(blocks)
    assert [blocks[place].tag for place in np.flatnonzero(tags.kept)] == ["p"] * 8
