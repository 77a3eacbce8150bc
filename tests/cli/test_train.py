"""Tests of `cli/teach.py`: the options of `train`, networks and a base, end to end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click
import pytest

from crfclean.cli.teach import train_command
from crfclean.model.columns import FEATURES, FIRST_PASS_NAMES
from crfclean.model.fit import NetworkParams
from crfclean.model.folder import NETWORK, load_bundle
from crfclean.teach.train import TrainParams

Command = Callable[..., Any]
FAST = ("--iterations", 15)


def folder_bytes(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def parameters(folder: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((Path(folder) / "manifest.json").read_text("utf-8"))
    return dict(told["parameters"])


# options


def test_parameters_with_a_help_text_are_options() -> None:
    options = {one.name: one for one in train_command.params if isinstance(one, click.Option)}
    for kind in (TrainParams, NetworkParams):
        for one in filter(lambda field: field.metadata, fields(kind)):
            default = ",".join(one.default) if isinstance(one.default, tuple) else one.default
            wanted = None if one.metadata["choices"] and not default else default
            assert options[one.name].default == wanted
    assert options["convention"].opts == ["--as"]
    assert options["base"].opts == ["--from"]
    assert options["elements"].opts == ["--blocks"]


def test_a_folder_is_written(crfclean: Command, gold: Path) -> None:
    done = crfclean("train", "gold", "-o", "made", *FAST)
    assert (done.code, done.err) == (0, "Wrote ./made, a model trained on 6 pages\n")
    assert sorted(folder_bytes("made")) == ["manifest.json", "weights.crf"]
    assert "held out: 2 pages of 1 site, trained on 4\n" in done.out
    assert re.search(r"^All +2( +0\.\d{3}){3}$", done.out, re.MULTILINE)


WRONG = {
    "keep": (["--keep", "titles"], "keep: no kind 'titles'; there are body, title"),
    "networks": (["--networks", "-1"], "--networks must be from 0 to 100, not -1"),
    "epochs": (["--networks", "1", "--epochs", "0"], "--epochs must be from 1"),
    "no model": (["--from", "absent"], "absent: no shipped model has this name"),
    "both": (["--from", "absent", "--networks", "1"], "exclude each other"),
}


@pytest.mark.parametrize(("options", "message"), WRONG.values(), ids=WRONG)
def test_wrong_options(crfclean: Command, gold: Path, options: list[str], message: str) -> None:
    done = crfclean("train", "gold", "-o", "made", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("crfclean: ")
    assert message in done.err
    assert not Path("made").exists()


def test_pages_whose_text_stands_outside_the_elements_are_told(
    crfclean: Command, gold: Path
) -> None:
    for name in ("a", "b"):
        words = f"The ferry {name} is late today, and nobody knows when it will leave. " * 5
        (gold / f"{name}.html").write_text(f"<p>Menu</p><div>{words}</div>", "utf-8")
        (gold / f"{name}.txt").write_text(words, "utf-8")
    told = "2 of 8 pages have most of their text outside h1, p, li, which this model does not read"
    done = crfclean("train", gold, "-o", "m", "--blocks", "h1,p,li", *FAST)
    assert told in done.err
    assert "outside" not in crfclean("train", gold, "-o", "w", *FAST).err


# networks


def test_training_with_networks(crfclean: Command, gold: Path) -> None:
    options = [*FAST, "--networks", 1, "--epochs", 4]
    done = crfclean("train", "gold", "-o", "made", *options)
    assert (done.code, done.told) == (0, "")
    assert "held out: 2 pages of 1 site, trained on 4\n" in done.out
    assert done.err == "Wrote ./made, a model trained on 6 pages\n"
    assert sorted(folder_bytes("made")) == ["manifest.json", NETWORK, "weights.crf"]
    bundle = load_bundle(Path("made"))
    assert bundle.network is not None
    assert bundle.network.names == tuple(FEATURES)
    assert [layer.weights.shape[1] for layer in bundle.network.members[0]] == [64, 32, 3]
    assert bundle.encoder.names == FIRST_PASS_NAMES
    assert bundle.scores["held_out_pages"] == 2
    told = parameters("made")
    assert told["networks"] == 1
    assert {name: told[name] for name in asdict(NetworkParams())} == {
        **asdict(NetworkParams()),
        "epochs": 4,
    }
