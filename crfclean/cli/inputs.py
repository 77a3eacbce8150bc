"""The paths of a command that reads many pages, and the format that OUT asks for."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.options import Command
from crfclean.corpus.records import Fields
from crfclean.types import CrfcleanError

if TYPE_CHECKING:  # help and completion read this module, and plan nothing
    from crfclean.corpus.jobs import JobPlan, Paths
    from crfclean.corpus.targets import Defaults

_ARGUMENTS = (
    click.argument("paths", metavar="IN... [OUT]", nargs=-1),
    click.option(
        "--input-list",
        type=click.Path(dir_okay=False, allow_dash=True),
        help="file of further INs, a path or URL on each line; - for standard input",
    ),
)


def path_arguments(command: Command) -> Command:
    """Add IN, OUT and the list of inputs."""
    for decorate in reversed(_ARGUMENTS):
        command = decorate(command)
    return command


def pop_paths(options: dict[str, Any]) -> Paths:
    """The INs and the OUT of the command line; the last of several paths is OUT.

    Raises `CrfcleanError` for a directory without an OUT, and a list that cannot be read.
    """
    from crfclean.corpus.jobs import Paths

    paths, list_file = options.pop("paths"), options.pop("input_list")
    if list_file is not None:
        *sources, target = paths or ("-",)
        return Paths((*sources, *read_list(list_file)), target, listed=True)
    if not paths:
        raise click.UsageError("Missing argument 'IN'.")
    if len(paths) > 1:
        return Paths(paths[:-1], paths[-1])
    if Path(paths[0]).is_dir():
        raise CrfcleanError(
            f"{paths[0]}: is a directory: name another one for what is made of its pages, or - to "
            "print it"
        )
    return Paths(paths, "-")


def plan_paths(
    paths: Paths, ending: str | None, fields: Fields, formats: Collection[str], defaults: Defaults
) -> tuple[JobPlan, str | None]:
    """The jobs of the paths, and the format: `ending`, or what the name of OUT promises.

    Raises `CrfcleanError` for paths or formats that do not fit.
    """
    from crfclean.corpus.planning import plan
    from crfclean.corpus.targets import check_overwritten, format_of

    if ending is None:
        check_overwritten(paths.sources, paths.target, fields)
    ending = format_of(paths.target, ending, formats)
    return plan(paths, ending, fields, defaults), ending


def read_list(name: str) -> list[str]:
    """The paths and URLs of a list, a line each; raises `CrfcleanError` if there are none."""
    try:
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise CrfcleanError(f"{name}: cannot be read: {error.strerror}") from error
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
    sources = [line.rstrip("\r") for line in lines if line.strip()]
    if not sources:
        raise CrfcleanError(f"{name}: names no pages: it needs a path or URL a line")
    return sources
