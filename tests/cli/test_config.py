"""Tests of `cli/config.py`: defaults from crfclean.toml, and what is refused there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.help import EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE

Command = Callable[..., Any]
PAGE = "<h1>Ferry in the ice</h1>" + 3 * f"<p>{'The lake froze over in January. ' * 9}</p>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CRFCLEAN_CONFIG", raising=False)
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path


def settings(text: str, name: str = "crfclean.toml") -> None:
    Path(name).write_text(text, "utf-8")


def test_settings_are_defaults(
    folder: Path, crfclean: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings('[clean]\nformat = "md"\nwithout = ["byline", "note"]\nheadings = true\n[eval]\n')
    done = crfclean("clean", "page.html", "-v")
    assert done.out.startswith("# Ferry in the ice\n")
    assert "settings: crfclean.toml\n" in done.err
    assert crfclean("clean", "page.html", "-f", "txt").out.startswith("Ferry in the ice\n")
    settings('[clean]\nwithout = "title"\n', "other.toml")
    assert crfclean("clean", "page.html", "--config", "other.toml").out.startswith("The lake")
    monkeypatch.setenv("CRFCLEAN_CONFIG", "other.toml")
    assert crfclean("clean", "page.html").out.startswith("The lake")
    assert str(folder / "other.toml") in crfclean("doctor").out


def test_settings_of_no_effect_are_no_mistake(folder: Path, crfclean: Command, demo: Path) -> None:
    """A model is trained in folds only: what is set for that stands in the way of nothing else."""
    settings('[eval]\nepochs = 3\nsystem = "absent"\n')
    assert "[eval] system: 'absent' is not one of" in crfclean("eval", demo).err
    settings('[eval]\nepochs = 3\ntexts = "absent"\n')
    assert "absent" in crfclean("eval", demo).err
    assert "--cv is missing" in crfclean("eval", demo, "--epochs", 3).err


WRONG = {
    "unknown table": ("[claen]", "crfclean.toml: [claen]: no such command"),
    "unknown key": ("[clean]\nfromat = 'md'", "crfclean.toml: [clean] fromat: no such option"),
    "underscore": (
        "[clean]\nmax_seconds = 9",
        "crfclean.toml: [clean] max_seconds: no such option: write max-seconds",
    ),
    "short key": ("[clean]\nf = 'md'", "crfclean.toml: [clean] f: no such option"),
    "key without table": ("format = 'md'", "crfclean.toml: [format]: no such command"),
    "no table": ("clean = 'md'", "crfclean.toml: clean: must be a table, as in [clean]"),
    "unknown value": ("[clean]\nformat = 'doc'", "crfclean.toml: [clean] format: 'doc' is not one"),
    "no number": ("[clean]\nworkers = 'two'", "crfclean.toml: [clean] workers: 'two' is not a"),
    "no switch": ("[clean]\nresume = 'no'", "crfclean.toml: [clean] resume: must be true or false"),
    "no TOML": ("[clean", "crfclean.toml: is not TOML: "),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_named(folder: Path, crfclean: Command, text: str, message: str) -> None:
    settings(text)
    done = crfclean("clean", "page.html")
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert done.err.startswith(f"crfclean: {message}")
    doctor = crfclean("doctor")
    assert doctor.code == EXIT_SOME_FAILED
    assert f"PROBLEM: settings: {message}" in doctor.out


def test_a_file_that_is_named_must_exist(folder: Path, crfclean: Command) -> None:
    done = crfclean("clean", "page.html", "--config", "absent.toml")
    assert (done.code, done.err) == (
        EXIT_USAGE,
        "crfclean: absent.toml: cannot be read: No such file or directory\n",
    )
    assert "no crfclean.toml" in crfclean("doctor").out
    assert crfclean("clean", "page.html").code == EXIT_OK
