"""The command `segment`: pages -> the coherent texts of each."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from crfclean.cli.batch import RunParams, batch_options, run_jobs, taken, text_format
from crfclean.cli.options import (
    Command,
    given_options,
    open_tagger,
    options_of,
    tagger_options,
)
from crfclean.corpus.clean import BatchParams
from crfclean.corpus.jobs import Defaults, plan
from crfclean.corpus.limits import (
    PageLimits,
)
from crfclean.corpus.records import Fields
from crfclean.corpus.shards import ROWS
from crfclean.segmentation.coherent import METHODS
from crfclean.segmentation.params import EnergyParams, LinkParams, SegmentParams
from crfclean.taggers.load import named
from crfclean.types import CrfcleanError
from crfclean.writers.segments import SEGMENT_WRITERS, SegmentPageWriter

FORMAT, PICTURE = "json", "html"
_FORMATS = [name for name in SEGMENT_WRITERS if name != PICTURE]
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
        type=click.Choice(list(dict.fromkeys([*_FORMATS, *ROWS]))),
        help="format of the texts, and their ending; json for pages, jsonl.gz for WARC and JSONL",
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
    tagger_options,
)


_ASKED = frozenset(
    "model kind post post_steps rule threshold precision keep".split()
)  # options that name a tagger, or how it decides


def _with_options(command: Command) -> Command:
    """IN, OUT and the options that `segment_params` takes by name."""
    for decorate in reversed(_OPTIONS):
        command = decorate(command)
    return command


@click.command("segment")
@_with_options
@batch_options
@click.pass_context
def segment_command(
    context: click.Context, /, source: str, target: str, ending: str | None, **given: Any
) -> int:
    """Part the pages of IN into their coherent texts, in OUT (paths and exit codes as in clean).

    A text is what one node of the page holds: texts don't overlap, and together have all that
    the page says. Each has its XPath, size (characters), energy, share of links, blocks, and
    labels: those of the main text that the method finds, or of --model or --tagger. WARC and JSONL
    files become JSONL: a line a record, with its id, status and message.
    """
    run = taken(RunParams, given)
    ending = PICTURE if given["picture"] else ending
    params = segment_params(context, text_format(ending, SEGMENT_WRITERS, FORMAT), **given)
    jobs = plan(source, target, ending, params.fields, Defaults(FORMAT, parquet=False))
    return run_jobs(jobs, params, run)


def segment_params(context: click.Context, text_format: str, **given: Any) -> BatchParams:
    """How `segment` works through its pages; raises `CrfcleanError` for options that don't fit.

    Labels are the model's or tagger's that is named, else those of the method.
    """
    params = SegmentParams(given["method"], _energy(given), _links(given))
    if _ASKED & given_options(context) or given["method"] == "blocks":
        tagger = open_tagger(**{name: given[name] for name in _ASKED})
    else:
        tagger = named(given["method"])
    limits, rows = taken(PageLimits, given), taken(Fields, given)
    writer = SegmentPageWriter(text_format, params)
    return BatchParams(tagger, limits=limits, fields=rows, writer=writer)


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
