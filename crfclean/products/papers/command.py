"""The command `segment`: divide pages into their coherent texts."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import (
    CUTS,
    explicit_options,
    of_options,
    open_tagger,
    options_of,
    refuse_options,
    tagger_options,
    together,
)
from crfclean.cli.paths import Reads
from crfclean.io import read_file
from crfclean.products.corpus.command_paths import plan_paths, text_format
from crfclean.products.corpus.params import PageLimits, RunParams
from crfclean.products.corpus.run import run_jobs
from crfclean.products.corpus.run_options import batch_options, format_option, path_arguments
from crfclean.products.papers.segment_params import EnergyParams, LinkParams, SegmentParams
from crfclean.types import CrfcleanError
from crfclean.types.choices import SEGMENT_FORMATS

if TYPE_CHECKING:  # help and completion import none of this
    from crfclean.products.corpus.clean import BatchParams

_FORMAT, _PICTURE = "json", "html"
_options = together(
    path_arguments,
    options_of(SegmentParams, without=("energy", "links")),
    format_option([name for name in SEGMENT_FORMATS if name != _PICTURE], "texts", _FORMAT),
    click.option(
        "--html",
        "picture",
        is_flag=True,
        help="draw each page instead, with a colour for each text",
    ),
    options_of(EnergyParams, without=("dictionary",)),
    click.option(
        "--dictionary",
        metavar="FILE",
        type=Reads(path_type=Path, dir_okay=False),
        help="file of the words that count, one per line (--metric dictionary)",
    ),
    options_of(LinkParams),
    tagger_options,
)


_TAGGER_OPTIONS = frozenset(["model", "kind", *CUTS]) - {"within", "drop"}
"""The parameters of `tagger_options` that need another tagger than that of the method."""


@click.command(
    "segment",
    cls=GroupedCommand,
    first="--method --metric --html --format --tagger --model "
    "--workers --resume --failures --input-list",
    examples={
        "crfclean segment portal.html": "The texts of a page",
        "crfclean segment pages pictures --html": "Pictures with a colour for each text",
        "crfclean segment pages texts --method energy": "By node energy instead of links",
    },
)
@_options
@batch_options
@click.pass_context
def segment_command(context: click.Context, /, ending: str | None, **options: Any) -> int:
    """Divide pages into their coherent texts.

    IN and OUT are paths as in clean; so are the exit codes. A coherent text is all text inside one
    element of the page. The texts of a page do not overlap, and together they have all of its text.
    Each has its XPath, its size in characters, its energy, its share of links, and its blocks with
    labels. The labels are those of the method, or of --model or --tagger. WARC, JSONL and Parquet
    files become JSONL, with a line for each record that has its id, status and message.
    """
    run, ending = of_options(RunParams, options), _PICTURE if options["picture"] else ending
    plan, ending, names = plan_paths(options, ending, SEGMENT_FORMATS, _FORMAT)
    params = _batch_params(context, text_format(ending, SEGMENT_FORMATS, _FORMAT), **options)
    return run_jobs(plan, replace(params, fields=names), run)


def _batch_params(context: click.Context, text_format: str, **options: Any) -> BatchParams:
    """Return the parameters of a run; raises `CrfcleanError`.

    The labels are those of the model or tagger that an option names, else those of the method.
    """
    from crfclean.products.corpus.clean import BatchParams
    from crfclean.products.papers.main_text import by_method
    from crfclean.products.papers.segment_writer import SegmentPageWriter

    if options["method"] != "links":
        refuse_options({each.name for each in fields(LinkParams)}, "it needs --method links")
    if options["metric"] != "dictionary":
        refuse_options({"dictionary"}, "it needs --metric dictionary")
    links = of_options(LinkParams, options)
    path = options["dictionary"]
    words = read_dictionary(path) if path is not None else frozenset()
    energy = of_options(EnergyParams, options | {"dictionary": words})
    selectors = {name: options[name] or "" for name in ("within", "drop")}
    params = SegmentParams(options["method"], energy, links, **selectors)
    if _TAGGER_OPTIONS & explicit_options(context) or options["method"] == "blocks":
        tagger = open_tagger(options)
    else:
        tagger = by_method(options["method"], **selectors)
    writer = SegmentPageWriter(text_format, params)
    return BatchParams(tagger, limits=of_options(PageLimits, options), writer=writer)


def read_dictionary(path: Path) -> frozenset[str]:
    """Read the words of a file, one per line, in lower case; raises `CrfcleanError`."""
    try:
        lines = read_file(path).decode("utf-8").lower().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", error)
        raise CrfcleanError(f"{path}: cannot be read: {reason}") from error
    words = frozenset(line.strip() for line in lines if line.strip())
    if not words:
        raise CrfcleanError(f"{path}: has no words; write one per line")
    return words
