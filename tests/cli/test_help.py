"""Tests of `cli/help.py`: groups of options, the most needed ones, and examples that parse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import click
import pytest

from crfclean import door
from crfclean.cli.help import GroupedCommand, grouped_options
from crfclean.cli.main import EXAMPLES, load_command
from crfclean.cli.messages import EXIT_USAGE

Command = Callable[..., Any]


def loaded(name: str) -> GroupedCommand:
    command = load_command(name)
    assert isinstance(command, GroupedCommand)
    return command


def test_an_option_without_a_group_is_refused() -> None:
    @click.command("test", cls=GroupedCommand, examples={})
    @click.option("--unheard-of")
    def command(unheard_of: str | None) -> None:
        """Do nothing with it."""

    with pytest.raises(KeyError, match=r"no group in cli\.help has --unheard-of"):
        grouped_options(command)


# examples


LINES: Mapping[str, str] = {
    line: purpose
    for examples in (EXAMPLES, *(loaded(name).examples for name in door.names("commands")))
    for line, purpose in examples.items()
}


@pytest.mark.parametrize("line", [line for line in LINES if not line.endswith(" -h")])
def test_examples_are_understood(line: str) -> None:
    program, name, *arguments = shlex.split(line.partition(" > ")[0])
    assert program == "crfclean"
    command = load_command(name)
    with command.make_context(name, arguments) as context:
        assert not context.args
    with pytest.raises(click.NoSuchOption):
        command.make_context(name, [*arguments, "--unheard-of"])


# mistakes


MISTAKES = {
    "unknown option": (["clean", "--fromat", "md"], "No such option '--fromat'.*Did you mean"),
    "unknown value": (
        ["clean", "a", "b", "--as", "blog"],
        "'blog' is not one of 'auto', 'article'",
    ),
    "no argument": (["clean"], r"Missing argument 'IN' \(see crfclean clean -h\)"),
    "no value": (["train", "pages", "--epochs"], r"requires an argument \(see crfclean train -h\)"),
    "unknown command": (["claen"], r"No such command 'claen'.* \(see crfclean -h\)"),
    "line break": (["clean", "--a\nb", "c"], "No such option"),
    "escape code": (["\x1b[2J"], r"No such command '.*2J'"),
}


@pytest.mark.parametrize(("arguments", "message"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_reported_on_one_line(
    crfclean: Command, arguments: list[str], message: str
) -> None:
    done = crfclean(*arguments)
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert re.fullmatch(rf"crfclean: [^\n]*{message}[^\n]*\n", done.err)
    assert "\x1b" not in done.err


@pytest.mark.parametrize("name", ["paths", "output", "model"])
def test_shells_complete_file_names(name: str) -> None:
    command = load_command("clean")
    (parameter,) = (each for each in command.params if each.name == name)
    (item,) = parameter.shell_complete(click.Context(command), "pa")
    assert (item.type, item.value) == ("file", "pa")
