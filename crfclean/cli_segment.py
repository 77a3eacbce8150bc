"""The options of the command `segment` -> how its pages are parted and written."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import click

from crfclean.batch import BatchParams
from crfclean.coherent import METHODS, SegmentParams
from crfclean.energy import EnergyParams
from crfclean.linkrules import LinkParams
from crfclean.options import (
    Command,
    cut_options,
    model_option,
    open_tagger,
    options_of,
    tagger_option,
    with_cut,
)
from crfclean.segmentwriters import SEGMENT_WRITERS
from crfclean.taggers import named
from crfclean.types import CrfcleanError

PICTURE = "html"
_OPTIONS = (
    click.argument("source", metavar="IN"),
    click.argument("target", metavar="OUT"),
    click.option(
        "--method",
        type=click.Choice(list(METHODS)),
        default="energy",
        show_default=True,
        help="how nodes with coherent texts are found",
    ),
    click.option(
        "--format",
        "ending",
        type=click.Choice([name for name in SEGMENT_WRITERS if name != PICTURE]),
        default="json",
        show_default=True,
        help="format of the texts, and their ending",
    ),
    click.option(
        "--html",
        "picture",
        is_flag=True,
        help="instead, draw each page: blocks coloured by text, tree and energies beside",
    ),
    options_of(EnergyParams, without=("dictionary",)),
    click.option(
        "--dictionary",
        type=click.Path(path_type=Path, dir_okay=False),
        help="words that count, a line each (--metric dictionary)",
    ),
    options_of(LinkParams),
    model_option,
    tagger_option,
    cut_options,
)


def segment_options(command: Command) -> Command:
    """The options that `segment_params` takes by name, and IN and OUT."""
    for decorate in reversed(_OPTIONS):
        command = decorate(command)
    return command


def segment_params(context: click.Context, **given: Any) -> BatchParams:
    """How `segment` works through its pages; raises `CrfcleanError` for options that don't fit.

    Labels are the model's or tagger's that is named, else those of the method.
    """
    params = SegmentParams(given["method"], _energy(given), _links(given))
    asked = {"model", "rules", "rule", "threshold", "precision", "keep"} & _on_command_line(context)
    if asked or given["method"] == "blocks":
        cut = {name: given[name] for name in ("rule", "threshold", "precision", "keep")}
        tagger = with_cut(open_tagger(given["model"], given["rules"]), **cut)
    else:
        tagger = named(given["method"])
    ending = PICTURE if given["picture"] else given["ending"]
    return BatchParams(tagger, ending, writer=partial(SEGMENT_WRITERS[ending], params=params))


def _on_command_line(context: click.Context) -> set[str]:
    source = click.core.ParameterSource.COMMANDLINE
    return {name for name in context.params if context.get_parameter_source(name) == source}


def _links(given: dict[str, Any]) -> LinkParams:
    return LinkParams(**{one.name: given[one.name] for one in fields(LinkParams)})


def _energy(given: dict[str, Any]) -> EnergyParams:
    path = given["dictionary"]
    told = {one.name: given[one.name] for one in fields(EnergyParams)}
    told["dictionary"] = read_dictionary(path) if path is not None else frozenset()
    return EnergyParams(**told)


def read_dictionary(path: Path) -> frozenset[str]:
    """The words of a file, a line each, in lower case; raises `CrfcleanError`."""
    try:
        lines = path.read_text("utf-8").lower().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CrfcleanError(f"{path}: cannot be read: {error}") from error
    words = frozenset(line.strip() for line in lines if line.strip())
    if not words:
        raise CrfcleanError(f"{path}: has no words")
    return words
