"""Reference pages made from the code: commands from their options, formats from their schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import click

from crfclean import door
from crfclean.cli.help import GroupedCommand, grouped_options, help_record
from crfclean.cli.main import load_command

ROOT = Path(__file__).resolve().parents[2]
_MARK = re.compile(r"^<!-- (commands|schema) ?(\S*) -->$", re.MULTILINE)


def with_reference(text: str) -> str:
    """A page with the reference in the place of its marks.

    `<!-- commands -->` stands for all commands, `<!-- schema FILE -->` for the fields of a schema.
    """
    return _MARK.sub(lambda match: _MAKERS[match[1]](match[2]), text)


def commands(_argument: str = "") -> str:
    """All commands as Markdown, in the order of `crfclean --help`."""
    names = door.names("commands")
    return "\n\n".join("\n\n".join(_command(load_command(name))) for name in names)


def _command(command: click.Command) -> Iterator[str]:
    """The parts of a command: usage, help, options by group, examples."""
    context = click.Context(command, info_name=f"crfclean {command.name}")
    yield f"## crfclean {command.name}"
    yield f"```\n{' '.join([context.command_path, *command.collect_usage_pieces(context)])}\n```"
    yield dedent(f"    {command.help}")
    for heading, options in grouped_options(command).items():
        yield f"**{heading}**"
        yield "\n\n".join(_option(context, option) for option in options)
    if isinstance(command, GroupedCommand):
        lines = [f"# {purpose}\n{line}" for line, purpose in command.examples.items()]
        yield "```sh\n" + "\n".join(lines) + "\n```"


def _option(context: click.Context, option: click.Option) -> str:
    """An option as an entry of a definition list."""
    names, text = help_record(context, option)
    return f"`{' '.join(names.split())}`\n: {_escaped(' '.join(text.split()))}"


def _escaped(text: str) -> str:
    """Text whose characters mean nothing in Markdown, but for code between back quotes."""
    return re.sub(r"([\[\]<>*_|])", r"\\\1", text)


def schema(name: str) -> str:
    """The fields of the objects of a JSON Schema as Markdown tables."""
    whole = json.loads((ROOT / name).read_text("utf-8"))
    tables = [_table("The object", whole)]
    tables += [_table(f"`{key}`", part) for key, part in whole.get("$defs", {}).items()]
    return "\n\n".join(table for table in tables if table)


def _table(heading: str, part: Mapping[str, Any]) -> str:
    """The table of an object's fields; nothing for what is no object."""
    fields = part.get("properties")
    if not fields:
        return ""
    required = part.get("required", ())
    rows = [_row(key, field, always=key in required) for key, field in fields.items()]
    return "\n".join([f"**{heading}**", "", "| field | type | meaning |", "|---|---|---|", *rows])


def _row(key: str, field: Mapping[str, Any], *, always: bool) -> str:
    """The row of a field."""
    meaning = _escaped(field.get("description", ""))
    return (
        f"| `{key}` | {_type(field)} | {meaning if always else f'{meaning} (optional)'.strip()} |"
    )


def _type(field: Mapping[str, Any]) -> str:
    """The type of a field in words."""
    if "$ref" in field:
        return f"`{field['$ref'].rpartition('/')[2]}`"
    if "enum" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    for choice in ("anyOf", "oneOf"):
        if choice in field:
            return " or ".join(map(_type, field[choice]))
    kinds = field.get("type", "any")
    text = kinds if isinstance(kinds, str) else " or ".join(kinds)
    return f"{text} of {_type(field['items'])}" if "items" in field else text


_MAKERS: Mapping[str, Callable[[str], str]] = {"commands": commands, "schema": schema}
"""Word of a mark -> what makes the Markdown in its place."""
