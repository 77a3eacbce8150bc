"""Tests of `teach/train.py`, and of `train` and `eval --cv` with `--tagger mlp`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from crfclean.decision.rules import CutParams
from crfclean.model.folder import MANIFEST, load_bundle
from crfclean.products.papers.perceptron import MlpTagger
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.network_params import RECIPES
from crfclean.products.teach.train import CUT, MLP_FEATURES, Learner
from crfclean.systems.load import open_bundle
from crfclean.types import CrfcleanError, Page

FEW = (
    "fewer than 10 pages: check that the model is better than the shipped one, or use crfclean "
    "tune gold, which helps more\n"
)
FAST = replace(RECIPES["tuned"], epochs=10)
Command = Callable[..., Any]


def gold_page(html: str, text: str) -> GoldPage:
    return GoldPage("p", Page(html), text, "set", "site")


# training


def test_what_a_bundle_tells(demo_gold: list[GoldPage]) -> None:
    steps = []
    learner = Learner(cut=replace(CUT, threshold=0.4), recipe=FAST)
    bundle = learner.train(demo_gold[::6], lambda what, _: steps.append(what))
    assert bundle.kind == "mlp"
    assert bundle.encoder.names == MLP_FEATURES
    assert set(bundle.encoder.windows) == {(-1, 0, 1)}
    assert bundle.parameters == asdict(FAST)
    assert bundle.cut == asdict(CutParams("threshold", 0.4))
    assert sum(int(one["pages"]) for one in bundle.sets) == len(demo_gold[::6]) == len(steps)
    tagger = open_bundle(Path("made"), bundle)
    assert isinstance(tagger, MlpTagger)
    assert tagger.cut.threshold == 0.4


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ([], "no block to train on"),
        ([gold_page("", "")], "no block to train on"),
        ([gold_page("<p>One</p><p>Two</p>", "One\nTwo")], "every labelled block is TEXT"),
    ],
)
def test_nothing_to_learn(pages: list[GoldPage], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        Learner(recipe=FAST).train(pages)


# the commands


def test_train_command(crfclean: Command, gold: Path) -> None:
    done = crfclean("train", "gold", "--tagger", "mlp", "-o", "made", "--epochs", 8)
    assert (done.code, done.err) == (0, f"Wrote ./made, a model trained on 6 pages\n{FEW}")
    assert "held out: 2 pages of 1 site, trained on 4\n" in done.out
    assert sorted(path.name for path in Path("made").iterdir()) == [MANIFEST, "weights.mlp"]
    bundle = load_bundle(Path("made"))
    assert bundle.parameters["epochs"] == 8
    assert bundle.parameters["units"] == [64, 32]
    assert bundle.cut["rule"] == "threshold"
    assert bundle.scores["held_out_pages"] == 2
    assert crfclean("clean", "gold", "out", "--model", "./made", "--workers", 2).code == 0
    assert crfclean("eval", "gold", "--model", "./made", "--json").code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--tagger", "mlp", "--networks", 1], "--networks has no effect here: it needs --tagger"),
        (["--tagger", "mlp", "--from", "default"], "--from has no effect here"),
        (["--tagger", "mlp", "--epochs", 0], "--epochs must be from 1"),
        (["--tagger", "svm"], "'svm' is not one of 'crf', 'mlp'"),
    ],
)
def test_options_that_do_not_fit(
    crfclean: Command, gold: Path, options: list[object], message: str
) -> None:
    done = crfclean("train", "gold", "-o", "made", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not Path("made").exists()
