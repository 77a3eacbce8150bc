"""Defaults of options from crfclean.toml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from crfclean.cli.paths import CONFIG_PATH, Reads
from crfclean.types import CrfcleanError

CONFIG_NAME = "crfclean.toml"
"""Name of the settings file in the current directory."""

NEVER_HERE = frozenset(
    ["overwrite", "write", "engine", "web", "host", "port", "allow-fetch", "token"]
)
"""Options that replace files, start programs or open the network. A file in the current directory
may have come with the pages, so it sets none of them, and none that names a file or directory.
"""
_MODELS = ("model", "models", "base")
"""Parameters that name models; a bare name is a shipped one."""


class ConfigFile(NamedTuple):
    """A file of settings: one that the user named, or the one in the current directory."""

    path: Path
    named: bool


CommandSettings = Mapping[str, Mapping[str, Any]]
"""Name of a command -> defaults of its options, by their long names without leading dashes."""


def config_option() -> click.Option:
    """Make the option `--config`, which is read before all others."""
    return click.Option(
        ["--config"],
        metavar="FILE",
        type=Reads(dir_okay=False),
        envvar="CRFCLEAN_CONFIG",
        is_eager=True,
        expose_value=False,
        callback=_set_defaults,
        help=f"read the defaults of options from this file; default: {CONFIG_NAME} here",
    )


def _set_defaults(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    """Use the settings of a command as defaults of its options; raises `CrfcleanError`."""
    file = ConfigFile(Path(name or CONFIG_NAME), named=bool(name))
    if context.resilient_parsing or not (name or file.path.is_file()):
        return
    context.meta[CONFIG_PATH] = file
    command = context.command.name or ""
    if command != "doctor":  # it reports what is wrong with the file
        table = read_config(file.path, context).get(command, {})
        context.default_map = defaults(context, table, file)


def read_config(path: Path, context: click.Context) -> CommandSettings:
    """Read the tables of a settings file, one for each command; raises `CrfcleanError`."""
    import tomllib

    from crfclean.io import read_file

    root = context.find_root().command
    names = root.commands if isinstance(root, click.Group) else {root.name}
    try:
        settings = tomllib.loads(read_file(path).decode("utf-8-sig"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # of TOML, or of UTF-8; `a = [[[[…`
        raise CrfcleanError(f"{path}: is not TOML: {error}") from error
    for name, table in settings.items():
        if name not in names:
            raise CrfcleanError(f"{path}: [{name}]: no such command")
        if not isinstance(table, dict):
            raise CrfcleanError(f"{path}: {name}: must be a table, as in [{name}]")
    return settings


def defaults(context: click.Context, table: Mapping[str, Any], file: ConfigFile) -> dict[str, Any]:
    """Return the defaults of parameters in a table; raises `CrfcleanError` for a wrong key."""
    place = f"{file.path}: [{context.command.name}]"
    options = {
        name.removeprefix("--"): option
        for option in context.command.params
        if isinstance(option, click.Option) and option.expose_value
        for name in option.opts
        if name.startswith("--")
    }
    values: dict[str, Any] = {}
    for key, value in table.items():
        option = options.get(key)
        if option is None or option.name is None:
            dashed = key.replace("_", "-")
            hint = f": write {dashed}" if dashed != key and dashed in options else ""
            raise CrfcleanError(f"{place} {key}: no such option{hint}")
        if not (file.named or may_be_set_here(option)):
            raise CrfcleanError(
                f"{place} {key}: cannot be set by a file in the current directory, which may have "
                f"come with the pages; write --{key}, or --config {file.path} to trust the file"
            )
        values[option.name] = _checked(context, option, value, f"{place} {key}")
    return values


def may_be_set_here(option: click.Option) -> bool:
    """Return whether a file in the current directory may set an option."""
    names_file = isinstance(option.type, click.Path) and option.name not in _MODELS
    return not names_file and NEVER_HERE.isdisjoint(name.lstrip("-") for name in option.opts)


def _checked(context: click.Context, option: click.Option, value: object, place: str) -> object:
    """Return the value as the option takes it, a list joined by commas; raises `CrfcleanError`."""
    if option.multiple and not isinstance(value, list):
        value = [value]
    if isinstance(value, list) and not option.multiple and option.nargs == 1:
        value = ",".join(map(str, value))
    if option.is_flag and not isinstance(value, bool):
        raise CrfcleanError(f"{place}: must be true or false")
    try:
        option.type_cast_value(context, value)
    except click.BadParameter as error:
        raise CrfcleanError(f"{place}: {error.message}") from error
    return value
