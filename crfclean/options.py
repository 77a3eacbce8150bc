"""A dataclass of parameters -> the options of a command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def options_of(params: type[Any]) -> Callable[[Command], Command]:
    """Options of a command made from the fields of a params dataclass."""

    def decorate(command: Command) -> Command:
        for one in reversed(fields(params)):
            kind: Any = type(one.default)
            if one.metadata["choices"]:
                kind = click.Choice(one.metadata["choices"])
            default = ",".join(one.default) if kind is tuple else one.default
            name = "--blocks" if one.name == "elements" else "--" + one.name.replace("_", "-")
            command = click.option(
                name,
                one.name,
                type=str if kind is tuple else kind,
                default=default,
                show_default=bool(default) or default == 0,
                help=one.metadata["help"],
            )(command)
        return command

    return decorate
