"""Tests of `teach/commands.py`: the options of `train`, networks and a base, end to end."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from crfclean.cli.messages import EXIT_OK, EXIT_USAGE
from crfclean.model.columns import FEATURES
from crfclean.model.first_pass import FIRST_PASS_NAMES
from crfclean.model.folder import NETWORK, load_bundle
from crfclean.products.corpus.locks import session_lock
from crfclean.products.corpus.outputs import LOCK
from crfclean.products.teach.annotate_command import labelling_summary
from crfclean.products.teach.gold import gold_paths
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.session import Session, open_session
from crfclean.products.teach.train import TrainParams
from crfclean.products.teach.train_command import train_command
from crfclean.types import how_to_install

Command = Callable[..., Any]
FAST = ("--iterations", 15)


def folder_bytes(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


FEW = (
    "fewer than 10 pages: check that the model is better than the shipped one, or use crfclean "
    "tune gold, which helps more\n"
)


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
    assert (done.code, done.err) == (0, f"Wrote ./made, a model trained on 6 pages\n{FEW}")
    assert sorted(folder_bytes("made")) == ["manifest.json", "weights.crf"]
    assert "held out: 2 pages of 1 site, trained on 4\n" in done.out
    assert re.search(r"^All +2( +0\.\d{3}){3}$", done.out, re.MULTILINE)


WRONG = {
    "keep": (["--keep", "titles"], "keep: no kind 'titles'; there are body, title"),
    "networks": (["--networks", "-1"], "--networks must be from 0 to 100, not -1"),
    "epochs": (["--networks", "1", "--epochs", "0"], "--epochs must be from 1"),
    "epochs of no network": (["--epochs", "2"], "--epochs has no effect here: it needs --networks"),
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


def test_gold_of_other_pages_is_told(crfclean: Command, gold: Path) -> None:
    name = next(gold.rglob("*.txt")).relative_to(gold).with_suffix("")
    (gold / f"{name}.txt").write_text("Ducks swim here. " * 9, "utf-8")
    told = f"most of the gold text is missing on 1 page: is it another page's? {name}.html\n"
    assert crfclean("train", gold, "-o", "m", *FAST).err.startswith(told)
    for options in ([], ["--cv", 2, *FAST]):
        assert crfclean("eval", gold, *options).err == told
    (gold / f"{name}.txt").write_text("", "utf-8")
    assert not crfclean("eval", gold).err


# networks


def test_training_with_networks(crfclean: Command, gold: Path) -> None:
    options = [*FAST, "--networks", 1, "--epochs", 4]
    done = crfclean("train", "gold", "-o", "made", *options)
    assert done.code == 0
    assert "held out: 2 pages of 1 site, trained on 4\n" in done.out
    assert done.err == f"Wrote ./made, a model trained on 6 pages\n{FEW}"
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


# the command `tune`


@pytest.fixture
def pages(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Demo pages of one site whose texts have lost their titles; one page has no text."""
    monkeypatch.chdir(tmp_path)
    folder = Path(shutil.copytree(demo / "hafenblick", tmp_path / "pages"))
    texts = sorted(folder.glob("*.txt"))
    texts[0].unlink()
    for text in texts[1:]:
        text.write_text(text.read_text("utf-8").partition("\n")[2], "utf-8")
    return folder


def test_what_was_understood_is_printed_and_written(crfclean: Command, pages: Path) -> None:
    done = crfclean("tune", pages, "-o", "own.json")
    assert done.code == EXIT_OK, done.err
    lines = done.out.splitlines()
    assert lines[-1].startswith("F1 on 3 held-out pages: 0.9")
    assert done.err.endswith("Wrote own.json, settings learned from 3 pages\n")
    assert "left out: 1 page without a label or text: elektrofaehre-wattlerche.html\n" in done.err
    written = json.loads(Path("own.json").read_text("utf-8"))
    assert written["names"][":title"] < 0
    assert written["understood"] == lines


def test_settings_that_change_nothing_are_said_to(crfclean: Command, pages: Path) -> None:
    assert "own.json changes nothing" not in crfclean("tune", pages, "-o", "own.json").err
    for page in sorted(pages.glob("*.html"))[2:]:  # two pages that agree teach nothing
        page.unlink()
    assert crfclean("clean", pages, "as-written").code == EXIT_OK
    done = crfclean("tune", pages, "--texts", "as-written", "-o", "own.json")
    assert "own.json changes nothing: correct more pages" in done.err


def test_edited_settings_are_not_overwritten(crfclean: Command, pages: Path) -> None:
    for _ in range(2):  # what tune has written may be written again
        assert crfclean("tune", pages, "-o", "own.json").code == EXIT_OK
    written = json.loads(Path("own.json").read_text("utf-8"))
    for edited in (json.dumps({**written, "also": ["caption"]}), '{"name": "of a program"}', ""):
        Path("own.json").write_text(edited, "utf-8")
        done = crfclean("tune", pages, "-o", "own.json")
        assert (done.code, done.out) == (EXIT_USAGE, "")
        assert "own.json: was edited, or tune did not write it" in done.err
        assert Path("own.json").read_text("utf-8") == edited


# the command `annotate`, without a terminal


MISSING = f"crfclean: prompt_toolkit is missing: {how_to_install('terminal')}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<p>{name} 1</p><p>{name} 2</p>", "utf-8")
    return tmp_path


def test_annotate_needs_a_terminal(crfclean: Command, folder: Path) -> None:
    outcome = crfclean("annotate", folder)
    assert outcome.code == 2
    assert f"labelling needs a terminal: run crfclean annotate {folder} at" in (outcome.err)
    assert "--web for the browser" in outcome.err


def test_a_second_session_is_refused(crfclean: Command, folder: Path) -> None:
    pytest.importorskip("fastapi")
    with session_lock(folder / LOCK, folder):
        outcome = crfclean("annotate", folder, "--web", "--no-guess")
    assert outcome.code == 2
    assert f"{folder}: another session or run writes there, process {os.getpid()} on" in outcome.err
    (folder / LOCK).mkdir()  # a file that cannot be written, as in a folder that is read-only
    outcome = crfclean("annotate", folder, "--web", "--no-guess")
    assert outcome.err == f"crfclean: {folder}: nothing can be saved there: Is a directory\n"


def test_a_reader_has_files_of_their_own(
    crfclean: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi")

    def label(session: Session, port: int) -> None:
        session.label(0, {0: 1, 1: 2})

    monkeypatch.setattr("crfclean.products.teach.annotate_web.label_in_browser", label)
    for options in ([], ["--reader", "bert"]):
        done = crfclean("annotate", folder, "--web", "--no-guess", *options)
        assert (done.code, done.err[:16]) == (0, "1 of 2 pages fin"), done.err
    names = [file.name for file in sorted(folder.glob("*.tsv"))]
    assert names == ["a.labels.bert.tsv", "a.labels.tsv"]
    agreed = crfclean("eval", folder, "--agree", "bert")
    assert agreed.out.startswith("2 blocks of 1 page, 1.000 with equal labels\n")
    assert crfclean("annotate", folder, "--web", "--reader", "").code == 2


def test_train_without_gold_says_how_to_label(crfclean: Command, folder: Path) -> None:
    outcome = crfclean("train", folder, "-o", folder / "model")
    assert outcome.code == 2
    assert "no gold found" in outcome.err
    assert f"crfclean annotate {folder} at a terminal" in outcome.err
    assert not (folder / "model").exists()


def test_a_terminal_needs_its_extra(
    crfclean: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    streams = SimpleNamespace(stdin=terminal, stdout=terminal)
    monkeypatch.setattr("crfclean.products.teach.annotate_command.sys", streams)
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    for name in [name for name in sys.modules if name.startswith("prompt_toolkit.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "crfclean.products.teach.terminal", raising=False)
    outcome = crfclean("annotate", folder)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == MISSING
    assert not list(folder.glob("*.tsv")), "no page has been looked at"


def test_summary(folder: Path) -> None:
    session = open_session(folder)
    session.label(0, {0: 1, 1: 1})
    session.label(1, {0: 1})
    assert labelling_summary(session) == "1 of 2 pages finished, 3 of 4 blocks labelled"
    gold_paths(folder / "b.html")[0].write_text("TEXT\tx\n", "utf-8")
    assert labelling_summary(open_session(folder)).startswith("b.html: ")
