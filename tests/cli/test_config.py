"""Tests of `cli/help.py`: defaults from crfclean.toml, and what is refused there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from crfclean import door
from crfclean.cli.help import option_name
from crfclean.cli.main import load_command
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.cli.settings import may_be_set_here

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
    done = crfclean("clean", "page.html", "-q")
    assert done.out.startswith("# Ferry in the ice\n")
    assert done.err.startswith("Read settings from crfclean.toml\n")
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
    named = ("--config", "crfclean.toml")
    assert "absent" in crfclean("eval", demo, *named).err
    assert "--cv is missing" in crfclean("eval", demo, *named, "--epochs", 3).err


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
    "deep TOML": ("a = " + "[" * 9_999, "crfclean.toml: is not TOML: "),
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


# what a file in the current directory, which may have come with the pages, may not set


NEVER_HERE = """
    annotate port web
    audit judgements write
    clean engine failures input-list output overwrite
    eval agree compare html texts
    explain html
    forum failures input-list output overwrite
    mcp allow-fetch pages
    metadata failures input-list output overwrite
    segment dictionary failures input-list output overwrite
    serve allow-fetch host port token
    train output
    tune output texts
""".strip().splitlines()
"""Commands with their options that write files, start programs, open the network, or name a file
(a list of inputs has addresses, too)."""


def test_each_option_is_free_or_refused() -> None:
    refused = []
    for name in door.names("commands"):
        options = [each for each in load_command(name).params if isinstance(each, click.Option)]
        exposed = [each for each in options if each.expose_value and not may_be_set_here(each)]
        names = sorted(option_name(each).removeprefix("--") for each in exposed)
        refused += [" ".join([name, *names])] if names else []
    assert sorted(refused) == [" ".join(line.split()) for line in NEVER_HERE]


@pytest.mark.parametrize("line", NEVER_HERE)
def test_a_file_here_does_no_harm(line: str, folder: Path, crfclean: Command) -> None:
    """It says so, and what to do; a file that the user names may set the option."""
    (folder / "precious.txt").write_text("precious", "ascii")
    command, *keys = line.split()
    for key in keys:
        (option,) = (each for each in load_command(command).params if f"--{key}" in each.opts)
        value = {True: "true", False: '"precious.txt"'}[getattr(option, "is_flag", False)]
        settings(f"[{command}]\n{key} = {value}\n")
        done = crfclean(command, "page.html")
        assert done.code == EXIT_USAGE
        assert done.err.startswith(f"crfclean: crfclean.toml: [{command}] {key}: cannot be set by")
        assert f"write --{key}, or --config crfclean.toml to trust the file" in done.err
    assert (folder / "precious.txt").read_text("ascii") == "precious"


def test_a_file_that_is_named_may_set_all(folder: Path, crfclean: Command) -> None:
    settings('[clean]\noutput = "text.txt"\noverwrite = true\n')
    assert crfclean("clean", "page.html", "--config", "crfclean.toml").code == EXIT_OK
    assert (folder / "text.txt").is_file()
