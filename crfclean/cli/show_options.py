"""The options of texts: what is written besides them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

import click

from crfclean.cli.options import (
    INCLUDABLE,
    TEXT_SWITCHES,
    options_of,
    refuse_options,
    together,
)
from crfclean.document.parts import Show
from crfclean.types.options import split_names

_INCLUDABLE_HELP = "; ".join(
    f"{each.name.replace('_', '-')}: {each.metadata['help']}"
    for each in fields(Show)
    if each.name in INCLUDABLE
)


def _included(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Mapping[str, bool]:
    """`levels,parts` -> the switches of `Show` that are off by default, and these on."""
    names = [name.replace("-", "_") for name in split_names(text)]
    unknown = [name for name in names if name not in INCLUDABLE]
    if unknown:
        known = ", ".join(INCLUDABLE).replace("_", "-")
        raise click.BadParameter(f"{unknown[0].replace('_', '-')!r}: choose from {known}")
    return {name: name in names for name in INCLUDABLE}


include_option = click.option(
    "--include",
    metavar="NAMES",
    callback=_included,
    help=f"also write these, e.g. levels,parts. {_INCLUDABLE_HELP}",
)
show_options = together(include_option, options_of(Show, without=(*TEXT_SWITCHES, *INCLUDABLE)))
"""The options that say what is written besides the text."""

_ROWS = ("json", "jsonl", "parquet")
_WRITTEN_IN = {
    **dict.fromkeys(("levels", "left_out", "site_places"), _ROWS),
    "parts": _ROWS[:2],
    "front_matter": ("md",),
    "passage_words": ("passages",),
}
"""Field of `Show` -> the formats that write it."""


def refuse_unwritten(include: Mapping[str, bool], formats: set[str]) -> None:
    """Raise `UsageError` for what the command line asks for, and none of the formats writes."""
    names = [("include", name) for name, is_on in include.items() if is_on]
    for option, name in (*names, ("passage_words", "passage_words")):
        if formats and not formats & {*_WRITTEN_IN[name]}:
            what = "it" if option == name else name.replace("_", "-")
            refuse_options({option}, f"{what} needs --format {', '.join(_WRITTEN_IN[name])}")
