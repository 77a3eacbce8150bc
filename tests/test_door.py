"""What other packages add: the packages of docs/extending.md, installed and used."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from packages import installed

import crfclean as library
from crfclean import door
from crfclean.cli.messages import EXIT_OK, EXIT_USAGE
from crfclean.model import columns
from crfclean.model.folder import load_bundle, save_bundle
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.train import TrainParams, train
from crfclean.systems.crf import CrfTagger, from_bundle
from crfclean.types import CrfcleanError, Document, ModelError

Command = Callable[..., Any]
HERE = Path(__file__).parent
PAGE = """
    <h1>RAIN IN THE NORTH</h1><p>It rained in the north for three days, and the rivers rose.</p>
    <p>More</p>
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return tmp_path / "site-packages"


def clear(message: pytest.ExceptionInfo[BaseException]) -> str:
    return str(message.value)


# the door itself


def test_names_that_are_built_in_ask_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "_foreign", lambda kind: pytest.fail(f"asked for {kind}"))
    for kind in door.KINDS:
        for name in door.names(kind):
            assert door.has(kind, name)
            assert door.origin(kind, name) == ""
            assert door.find(kind, name) is not None
    assert library.extract(PAGE, model="default", format="md")
    assert library.extract(PAGE, model="links")


def test_names_that_nobody_has() -> None:
    with pytest.raises(CrfcleanError, match="no output format 'odd'; there are txt, md, json"):
        door.find("formats", "odd")
    with pytest.raises(CrfcleanError, match="no feature 'odd'; no installed package has a feature"):
        door.find("features", "odd")


def test_a_package_that_is_broken_is_named(site: Path) -> None:
    with installed(site, "crfclean-long"):
        (site / "crfclean_long.py").write_text("from nowhere import LongBlocks")
        with pytest.raises(CrfcleanError, match="the tagger 'long' cannot be imported: No module"):
            door.find("taggers", "long")


# a feature


@pytest.fixture
def shouting(site: Path) -> Iterator[Path]:
    """The package with the feature is installed."""
    with installed(site, "crfclean-shouting"):
        yield site


def trained(gold: list[GoldPage], **params: Any) -> Any:
    return train(gold[:6], TrainParams(iterations=5, features=("shouting",), **params))


def test_a_feature_is_trained_saved_explained_and_used_by_workers(
    gold: Path, shouting: Path, crfclean: Command
) -> None:
    quick = ("--held-out", "0", "--iterations", "5")
    done = crfclean("train", "gold", "-o", "model", "--add-features", "shouting", *quick)
    assert (done.code, done.out) == (EXIT_OK, "")
    manifest = json.loads(Path("model/manifest.json").read_text("utf-8"))
    assert manifest["features"]["shouting"] == "crfclean-shouting 1.0"
    Path("page.html").write_text(PAGE, "utf-8")
    assert (
        " shouting=1 "
        in crfclean("explain", "page.html", "--model", "./model", "--features", 900).out
    )
    done = crfclean("clean", "gold", "texts", "--model", "./model", "-j", 2)
    assert done.code == EXIT_OK
    assert len(list(Path("texts").rglob("*.txt"))) == 6


@pytest.mark.parametrize("params", [{}, {"base": "default"}, {"networks": 1}], ids=str)
def test_a_feature_stands_beside_networks(
    demo_gold: list[GoldPage], shouting: Path, tmp_path: Path, params: dict[str, Any]
) -> None:
    bundle = trained(demo_gold, **params)
    save_bundle(bundle, tmp_path / "model")
    tagger = library.load(tmp_path / "model")
    assert isinstance(tagger, CrfTagger)
    page = library.split(library.Page(PAGE))
    place = tagger.bundle.encoder.names.index("shouting")
    assert tagger.columns(page)[:, place] == pytest.approx([14 / 14, 1 / 47, 1 / 4], abs=0.01)
    assert bundle.network is None or "shouting" not in bundle.network.names
    names = {reason.feature for reason in tagger.explain(page, 900)[1]}
    assert {"shouting", "shouting[-1]", "shouting[+1]"} <= names


def test_a_model_needs_the_package_of_its_feature_in_the_same_version(
    demo_gold: list[GoldPage], site: Path, tmp_path: Path
) -> None:
    with installed(site, "crfclean-shouting"):
        bundle = trained(demo_gold)
        save_bundle(bundle, tmp_path / "model")
        mark = from_bundle(tmp_path / "model", bundle).fingerprint
    with pytest.raises(ModelError) as missing:
        load_bundle(tmp_path / "model")
    assert clear(missing) == (
        f"{tmp_path / 'model'}: the feature 'shouting' of the package crfclean-shouting 1.0 is "
        "missing: pip install crfclean-shouting==1.0"
    )
    with installed(site, "crfclean-shouting", version="1.1"):
        with pytest.raises(ModelError) as other:
            load_bundle(tmp_path / "model")
        assert from_bundle(tmp_path / "model", bundle).fingerprint != mark
    assert clear(other) == (
        f"{tmp_path / 'model'}: trained with the feature 'shouting' of crfclean-shouting 1.0, but "
        "crfclean-shouting 1.1 is installed: train the model again, or pip install "
        "crfclean-shouting==1.0"
    )


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([1.0], r"an array of shape \(1,\) for a page of 3 blocks"),
        ([[1.0], [1.0], [1.0]], r"an array of shape \(3, 1\) for a page of 3 blocks"),
        ([1.0, np.nan, 1.0], r"a value that is no number within \+-1e\+30"),
        ([1.0, np.inf, 1.0], r"a value that is no number within \+-1e\+30"),
    ],
)
def test_a_feature_that_gives_nonsense_is_named(
    values: list[Any], problem: str, shouting: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys.modules[door.find("features", "shouting").__module__], "shouting", lambda _: values
    )
    with pytest.raises(
        CrfcleanError, match=f"the feature 'shouting' of crfclean-shouting 1.0 gave {problem}"
    ):
        columns.matrix(library.split(library.Page(PAGE)), ["words", "shouting"])


@pytest.mark.parametrize(
    ("names", "problem"),
    [
        ("odd", "no feature 'odd'; there are shouting"),
        ("words", "the feature 'words' is one of crfclean's own: name others only"),
        ("shouting,shouting", "the features shouting, shouting are not all different"),
    ],
)
def test_features_that_cannot_be_added(
    names: str, problem: str, gold: Path, shouting: Path, crfclean: Command
) -> None:
    done = crfclean("train", "gold", "--add-features", names)
    assert (done.code, done.err) == (EXIT_USAGE, f"crfclean: {problem}\n")
    with pytest.raises(CrfcleanError, match=problem):
        train([], TrainParams(features=tuple(names.split(","))))


def test_a_perceptron_takes_no_features(gold: Path, shouting: Path, crfclean: Command) -> None:
    done = crfclean("train", "gold", "--tagger", "mlp", "--add-features", "shouting")
    assert done.code == EXIT_USAGE
    assert "--add-features has no effect here: it needs --tagger crf" in done.err


def test_folds_of_eval_take_features(gold: Path, shouting: Path, crfclean: Command) -> None:
    quick = ("--cv", 3, "--iterations", "5", "--json")
    done = crfclean("eval", "gold", "--add-features", "shouting", *quick)
    assert done.code == EXIT_OK
    assert json.loads(done.out)["training"]["params"]["features"] == ["shouting"]


# a tagger


@pytest.fixture
def long(site: Path) -> Iterator[Path]:
    """The package with the tagger is installed."""
    with installed(site, "crfclean-long"):
        yield site


RAIN = "It rained in the north for three days, and the rivers rose."


def test_a_tagger_is_found_by_its_name_everywhere(long: Path, crfclean: Command) -> None:
    assert library.extract(PAGE, model="long") == RAIN
    for tagger in (library.load("long"), library.load(kind="long")):
        assert [each.text for each in library.run_many([PAGE], tagger)] == [RAIN]
    page = long / "page.html"
    page.write_text(PAGE, "utf-8")
    for option in ("--tagger", "--model"):
        assert crfclean("clean", page, option, "long").out == f"{RAIN}\n"
    assert "words=12 +2" in crfclean("explain", page, "--tagger", "long").out
    with pytest.raises(CrfcleanError, match="the tagger long has no model: leave out --model mlp"):
        library.load("mlp", "long")


def test_a_tagger_has_levels_reasons_and_comments(long: Path) -> None:
    document = library.clean(PAGE + "<div class=comments><p>No.</p></div>", model="long")
    assert isinstance(document, Document)
    assert [tag.probability for tag in document.tags] == [0, 1, 0, 0]
    assert json.loads(library.write(document, "json", levels=True))["levels"]
    assert library.extract(PAGE, model="long", comments="drop") == RAIN


@pytest.mark.parametrize(
    "switch", [{"as_": "body"}, {"keep": "title"}, {"threshold": 0.4}], ids=str
)
def test_what_a_tagger_cannot_do_names_the_missing_method(switch: Any, long: Path) -> None:
    with pytest.raises(CrfcleanError) as lacks:
        library.extract(PAGE, model="long", **switch)
    assert clear(lacks).endswith(
        ": tagger `long` does not support conventions, kinds or thresholds: it has no method "
        "with_cut and no attribute cut"
    )


def test_the_package_works_from_outside(long: Path, crfclean_process: Command) -> None:
    """Once from outside, with two worker processes."""
    pages = long / "pages"
    pages.mkdir()
    for name in "ab":
        (pages / f"{name}.html").write_text(PAGE, "utf-8")
    paths = os.pathsep.join([str(HERE.parent), str(long)])
    done = crfclean_process(
        *("clean", pages, long / "texts", "--tagger", "long", "-j", 2), PYTHONPATH=paths
    )
    assert (done.returncode, (long / "texts" / "b.txt").read_text("utf-8")) == (0, f"{RAIN}\n")


@pytest.mark.parametrize("name", ["--tagger", "--model"])
def test_a_tagger_is_scored(name: str, gold: Path, long: Path, crfclean: Command) -> None:
    done = crfclean("eval", "gold", name, "long", "--json")
    assert done.code == EXIT_OK
    assert json.loads(done.out)["model"] is None
