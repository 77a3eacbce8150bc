"""Tests of `cli/help.py`: groups of options, the most needed ones, and examples that parse."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Any

import click
import pytest

from crfclean.cli.exit_codes import EXIT_OK, EXIT_USAGE
from crfclean.cli.help import GROUPS, MAX_SHORT, GroupedCommand, grouped_options, option_name
from crfclean.cli.main import COMMANDS, EXAMPLES, SECTIONS, load_command

Command = Callable[..., Any]
WIDTH = 80

every_command = pytest.mark.parametrize("name", COMMANDS)


def loaded(name: str) -> GroupedCommand:
    command = load_command(name)
    assert isinstance(command, GroupedCommand)
    return command


def option_names(command: click.Command) -> set[str]:
    options = [option for option in command.params if isinstance(option, click.Option)]
    return {option_name(option) for option in options if option.expose_value}


@every_command
def test_every_option_stands_in_one_group(name: str) -> None:
    command = loaded(name)
    grouped = [
        option_name(option) for group in grouped_options(command).values() for option in group
    ]
    assert sorted(grouped) == sorted(option_names(command))


def test_every_entry_of_a_group_is_an_option() -> None:
    entries = [entry for names in GROUPS.values() for entry in names.split()]
    assert len(entries) == len(set(entries))
    known = {option for name in COMMANDS for option in option_names(loaded(name))}
    for entry in entries:
        owner, _, option = entry.rpartition(".")
        assert option in (option_names(loaded(owner)) if owner else known)


def test_an_option_without_a_group_is_refused() -> None:
    @click.command("test", cls=GroupedCommand, examples={})
    @click.option("--unheard-of")
    def command(unheard_of: str | None) -> None:
        """Do nothing with it."""

    with pytest.raises(KeyError, match=r"no group in cli\.help has --unheard-of"):
        grouped_options(command)


def test_an_option_of_one_command_alone_stands_in_its_group() -> None:
    groups = {name: grouped_options(loaded(name)) for name in ("train", "eval")}
    places = {
        (name, heading)
        for name, headings in groups.items()
        for heading, options in headings.items()
        if {"--threshold", "--output"} & set(map(option_name, options))
    }
    assert places == {
        ("train", "Output"),
        ("train", "What to keep"),
        ("eval", "Comparison"),
        ("eval", "What to keep"),
    }


@every_command
def test_all_help_has_every_option_under_a_heading(crfclean: Command, name: str) -> None:
    done = crfclean(name, "--help")
    headings = [line[:-1] for line in done.out.splitlines() if re.fullmatch(r"\w[\w -]*:", line)]
    assert headings == [*grouped_options(loaded(name)), "Help", "Examples"]
    for option in option_names(loaded(name)):
        assert re.search(rf"^  (-\w, )?{option}\b", done.out, re.MULTILINE), option
    assert (done.code, done.err) == (EXIT_OK, "")


@every_command
def test_short_help(crfclean: Command, name: str) -> None:
    """All of a short help, ten options of a long one, and where the others are."""
    command, done = loaded(name), crfclean(name, "-h")
    assert (done.code, done.err) == (EXIT_OK, "")
    assert done.out.startswith(f"Usage: crfclean {name}")
    if len(option_names(command)) <= MAX_SHORT:
        assert done.out == crfclean(name, "--help").out
        assert not command.first
        return
    shown = re.findall(r"^  (?:-\w, )?(--[\w-]+)", done.out, re.MULTILINE)
    assert shown == command.first
    assert len(set(shown)) == 10
    assert done.out.endswith(f"All {len(option_names(command))} options: crfclean {name} --help\n")
    assert len(done.out.splitlines()) < len(crfclean(name, "--help").out.splitlines())


@pytest.mark.parametrize("flag", ["-h", "--help"])
@every_command
def test_lines_are_no_wider_than_a_terminal(crfclean: Command, name: str, flag: str) -> None:
    assert max(map(len, crfclean(name, flag).out.splitlines())) <= WIDTH


# examples


LINES: Mapping[str, str] = {
    line: purpose
    for examples in (EXAMPLES, *(loaded(name).examples for name in COMMANDS))
    for line, purpose in examples.items()
}


@every_command
def test_every_command_has_examples_of_itself(crfclean: Command, name: str) -> None:
    examples = loaded(name).examples
    assert any(
        line.startswith(f"crfclean {name} ") or line == f"crfclean {name}" for line in examples
    )
    for line in examples:
        assert f"\n    {line}\n" in crfclean(name, "--help").out
        assert f"\n    {line}\n" in crfclean(name, "-h").out


@pytest.mark.parametrize("line", [line for line in LINES if not line.endswith(" -h")])
def test_examples_are_understood(line: str) -> None:
    program, name, *arguments = shlex.split(line.partition(" > ")[0])
    assert program == "crfclean"
    command = load_command(name)
    with command.make_context(name, arguments) as context:
        assert not context.args
    with pytest.raises(click.NoSuchOption):
        command.make_context(name, [*arguments, "--unheard-of"])


@pytest.mark.parametrize("purpose", LINES.values())
def test_purposes_are_phrases(purpose: str) -> None:
    assert purpose[0].isupper()
    assert purpose[-1].isalpha()


# the list of commands


def test_every_command_stands_in_one_section() -> None:
    listed = [name for names in SECTIONS.values() for name in names.split()]
    assert sorted(listed) == sorted(COMMANDS)


def test_the_list_of_commands_shows_whole_sentences(crfclean: Command) -> None:
    done = crfclean("--help")
    for heading, names in SECTIONS.items():
        assert f"\n{heading}:\n" in done.out
        for name in names.split():
            assert re.search(rf"^  {name} +{re.escape(COMMANDS[name][1])}$", done.out, re.MULTILINE)
    assert crfclean().out == crfclean("-h").out == done.out


# mistakes


MISTAKES = {
    "unknown option": (["clean", "--fromat", "md"], "No such option '--fromat'.*Did you mean"),
    "unknown value": (
        ["clean", "a", "b", "--as", "blog"],
        "'blog' is not one of 'auto', 'article'",
    ),
    "no argument": (["clean"], r"Missing argument 'IN' \(see crfclean clean -h\)"),
    "no value": (["train", "pages", "--l1"], r"requires an argument \(see crfclean train -h\)"),
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
