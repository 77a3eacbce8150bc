"""Tests of `cli/train.py`: the options of `train`, networks and a base, end to end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

from crfclean.cli.options import options_of
from crfclean.cli.train import train_command
from crfclean.decision.params import CutParams
from crfclean.features.first_pass import FIRST_PASS_NAMES
from crfclean.features.table import FEATURES
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.folder import NETWORK, SECOND, load_bundle
from crfclean.nn.network_params import NetworkParams
from crfclean.page.blocks import split
from crfclean.taggers.load import load as load_tagger
from crfclean.train.params import TrainParams

Command = Callable[..., Any]
FAST = ("--iterations", 15)
SMALL = ("--first-units", 6, "--second-units", 5, "--epochs", 4, "--held-out", 0)


@pytest.fixture
def gold(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with six demo pages of three sites in `gold`."""
    monkeypatch.chdir(tmp_path)
    for site in ("moorland-gazette", "podhorsky-denik", "severnik"):
        (tmp_path / "gold" / site).mkdir(parents=True)
        for page in sorted((demo / site).glob("*.html"))[:2]:
            shutil.copy(page, tmp_path / "gold" / site)
            shutil.copy(page.with_suffix(".txt"), tmp_path / "gold" / site)
    return tmp_path / "gold"


def folder_bytes(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def parameters(folder: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((Path(folder) / "manifest.json").read_text("utf-8"))
    return dict(told["parameters"])


# options


def test_every_parameter_is_an_option() -> None:
    options = {one.name: one for one in train_command.params if isinstance(one, click.Option)}
    for kind in (TrainParams, CutParams, NetworkParams):
        for one in fields(kind):
            default = ",".join(one.default) if isinstance(one.default, tuple) else one.default
            wanted = None if one.metadata["choices"] and not default else default
            assert options[one.name].default == wanted
    assert options["convention"].opts == ["--as"]
    assert options["base"].opts == ["--from"]
    assert options["elements"].opts == ["--blocks"]


def test_parameters_do_not_share_names() -> None:
    names = [one.name for kind in (TrainParams, CutParams, NetworkParams) for one in fields(kind)]
    assert len(set(names)) == len(names)
    assert options_of(NetworkParams)


def test_parameters_reach_the_model(crfclean: Command, gold: Path) -> None:
    cut = ["--rule", "threshold", "--threshold", 0.3, "--keep", "Title, captions"]
    done = crfclean("train", "gold", "-o", "made", *FAST, "--l2", 7, "--bins", 5, *cut)
    assert done.code == 0
    bundle = load_bundle(Path("made"))
    assert bundle.parameters["l2"] == 7.0
    assert bundle.parameters["bins"] == 5
    assert "first_units" not in bundle.parameters, "no network, no parameters of one"
    tagger: Any = load_tagger("made")
    assert tagger.cut == CutParams("threshold", 0.3, keep=("title", "captions"))


WRONG = {
    "keep": (["--keep", "titles"], "keep: no kind 'titles'; there are body, title"),
    "first pass": (["--first-pass", "1.5"], "first_pass must be from 0 to 1, not 1.5"),
    "networks": (["--networks", "-1"], "networks must be from 0 to 100, not -1"),
    "units": (["--networks", "1", "--first-units", "0"], "first_units must be from 1"),
    "epochs": (["--networks", "1", "--epochs", "0"], "epochs must be from 1"),
    "dropout": (["--networks", "1", "--dropout", "1"], "dropout must be from 0"),
    "no model": (["--from", "absent"], "absent: no model folder"),
    "both": (["--from", "absent", "--networks", "1"], "exclude each other"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_wrong_options(crfclean: Command, gold: Path, options: list[str], message: str) -> None:
    done = crfclean("train", "gold", "-o", "made", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("crfclean: ")
    assert message in done.err
    assert not Path("made").exists()


# networks


def test_training_with_networks(crfclean: Command, gold: Path) -> None:
    options = [*FAST, "--networks", 1, "--first-units", 6, "--second-units", 5, "--epochs", 4]
    done = crfclean("train", "gold", "-o", "made", *options)
    assert (done.code, done.err) == (0, "")
    assert "held out: 2 pages of 1 site, trained on 4\n" in done.out
    assert done.out.endswith("made: trained on 6 pages\n")
    assert sorted(folder_bytes("made")) == ["manifest.json", NETWORK, SECOND, "weights.crf"]
    bundle = load_bundle(Path("made"))
    assert bundle.network is not None
    assert bundle.network.names == tuple(FEATURES)
    assert [layer.weights.shape[1] for layer in bundle.network.members[0]] == [6, 5, 3]
    assert bundle.encoder.names == FIRST_PASS_NAMES
    assert bundle.scores["held_out_pages"] == 2
    told = parameters("made")
    assert told["networks"] == 1
    assert {name: told[name] for name in asdict(NetworkParams())} == {
        **asdict(NetworkParams()),
        "first_units": 6,
        "second_units": 5,
        "epochs": 4,
    }


def test_model_with_networks_cleans_and_explains(crfclean: Command, gold: Path) -> None:
    crfclean("train", "gold", "-o", "made", *FAST, *SMALL, "--networks", 2)
    page = "gold/severnik/hokej-derby-finale.html"
    assert crfclean("clean", "gold", "out", "--model", "made", "--workers", 2).code == 0
    assert crfclean("eval", "gold", "--model", "made").code == 0
    done = crfclean("explain", page, "--model", "made", "--features", 3)
    assert done.code == 0
    assert " pass" in done.out


@pytest.mark.usefixtures("two_threads")
def test_training_with_networks_is_repeatable(crfclean: Command, gold: Path) -> None:
    for name in ("one", "two"):
        crfclean("train", "gold", "-o", name, *FAST, *SMALL, "--networks", 1)
    assert folder_bytes("one") == folder_bytes("two")


def test_networks_of_too_few_pages(crfclean: Command, gold: Path) -> None:
    shutil.rmtree("gold/severnik")
    shutil.rmtree("gold/podhorsky-denik")
    done = crfclean("train", "gold", "-o", "made", "--networks", 1)
    assert done.code == 2
    assert "networks need two pages with blocks" in done.err
    done = crfclean("train", "gold", "-o", "made", *FAST, *SMALL, "--networks", 1)
    assert (done.code, done.out) == (0, "made: trained on 2 pages\n")


def test_a_model_without_networks_leaves_none_behind(crfclean: Command, gold: Path) -> None:
    crfclean("train", "gold", "-o", "made", *FAST, *SMALL, "--networks", 1)
    crfclean("train", "gold", "-o", "made", *FAST, "--held-out", 0)
    assert sorted(folder_bytes("made")) == ["manifest.json", "weights.crf"]
    assert load_bundle(Path("made")).network is None


# a base


def test_training_from_a_base(
    crfclean: Command, gold: Path, networked: Path, demo_gold: list[GoldPage]
) -> None:
    done = crfclean("train", "gold", "-o", "made", *FAST, "--from", networked)
    assert (done.code, done.err) == (0, "")
    assert "held out: 2 pages" in done.out
    base, bundle = load_bundle(networked), load_bundle(Path("made"))
    assert folder_bytes("made")[NETWORK] == folder_bytes(str(networked))[NETWORK]
    assert bundle.network is not None
    assert base.network is not None
    assert bundle.network.names == base.network.names
    assert bundle.encoder.names == (*FIRST_PASS_NAMES, *FEATURES)
    assert bundle.weights != base.weights
    blocks = split(demo_gold[0].page)
    made, old = (load_tagger(folder).tag(blocks) for folder in ("made", networked))
    assert not np.allclose(made.marginals, old.marginals)


def test_manifest_names_the_base_without_its_path(
    crfclean: Command, gold: Path, networked: Path
) -> None:
    for name, base in (("one", networked), ("two", f"{networked}/")):
        crfclean("train", "gold", "-o", name, *FAST, "--held-out", 0, "--from", base)
    assert parameters("one")["base"] == networked.name
    assert folder_bytes("one") == folder_bytes("two")
    assert str(networked.parent) not in (Path("one") / "manifest.json").read_text("utf-8")


def test_a_base_may_have_a_base_itself(crfclean: Command, gold: Path, based: Path) -> None:
    done = crfclean("train", "gold", "-o", "made", *FAST, "--held-out", 0, "--from", based)
    assert done.code == 0
    assert folder_bytes("made")[NETWORK] == folder_bytes(str(based))[NETWORK]


def test_base_may_be_replaced_by_its_child(crfclean: Command, gold: Path, networked: Path) -> None:
    shutil.copytree(networked, "made")
    done = crfclean("train", "gold", "-o", "made", *FAST, "--held-out", 0, "--from", "made")
    assert done.code == 0
    assert load_bundle(Path("made")).encoder.names == (*FIRST_PASS_NAMES, *FEATURES)


def test_base_without_networks(crfclean: Command, gold: Path, model: Path) -> None:
    done = crfclean("train", "gold", "-o", "made", *FAST, "--from", model)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"crfclean: {model}: has no networks to start from\n"
    assert not Path("made").exists()


def test_base_with_damaged_networks(crfclean: Command, gold: Path, networked: Path) -> None:
    shutil.copytree(networked, "broken")
    (Path("broken") / NETWORK).write_bytes(b"short")
    done = crfclean("train", "gold", "-o", "made", *FAST, "--from", "broken")
    assert done.code == 2
    assert "network.npz: 5 bytes, the manifest says" in done.err
