"""The options of commands on many pages: paths, format, workers, limits, resuming."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
)
from dataclasses import fields

import click

from crfclean.cli.options import (
    Command,
    options_of,
    together,
)
from crfclean.cli.paths import Planned, Reads, Writes
from crfclean.parallel import processors
from crfclean.products.corpus.params import ROW_ENDINGS, Fields, PageLimits, ResumeParams

path_arguments = together(
    click.argument("paths", metavar="IN... [OUT]", nargs=-1, type=Planned(readable=False)),
    click.option(
        "--input-list",
        type=Reads(dir_okay=False, allow_dash=True),
        metavar="FILE",
        help="read more INs from this file, one path or URL per line; - for standard input",
    ),
    click.option(
        "-o",
        "--output",
        type=Planned(readable=False),
        metavar="OUT",
        help="the output; all paths are then inputs, as in *.html -o texts",
    ),
)


def format_option(formats: Iterable[str], what: str, default: str) -> Callable[[Command], Command]:
    """Make the option `--format` of a command that writes rows or `formats`."""
    return click.option(
        "-f",
        "--format",
        "ending",
        type=click.Choice(list(dict.fromkeys([*formats, *ROW_ENDINGS]))),
        help=f"format of the {what}; default: the suffix of OUT, else {default} for pages and "
        "jsonl.gz for WARC, JSONL and Parquet",
    )


def _fields(_context: click.Context, _option: click.Parameter, text: str) -> Fields:
    """`content,uri` -> the fields of the input; a missing name keeps its default."""
    names, own = [name.strip() for name in text.split(",")], ("html", "url", "id")
    if not all(names) or len(names) > len(own):
        raise click.BadParameter(f"{text!r}: name up to three fields, as in html,url,id")
    html, url, page_id = [*names, *own[len(names) :]]
    return Fields(html, url, page_id)


def _share(_context: click.Context, _option: click.Parameter, text: str) -> tuple[int, int]:
    """`3/8` -> the third of eight shares."""
    numbers = [int(number) for number in text.split("/") if number.isascii() and number.isdigit()]
    if len(numbers) != 2 or not 1 <= numbers[0] <= numbers[1]:
        raise click.BadParameter(f"{text!r}: write it as 3/8")
    return numbers[0], numbers[1]


batch_options = together(
    click.option(
        "-j",
        "--workers",
        type=click.IntRange(1),
        default=processors,
        metavar="N",
        show_default="what processors and memory allow",
        help="number of processes",
    ),
    *(
        click.option(
            f"--{parameter.name.replace('_', '-')}",
            parameter.name,
            is_flag=True,
            help=parameter.metadata["help"],
        )
        for parameter in fields(ResumeParams)
        if parameter.metadata
    ),
    click.option(
        "--part",
        "share",
        metavar="I/N",
        default="1/1",
        callback=_share,
        help="do the I-th of N shares of a corpus, as 3/8; then a run with --resume ends it",
    ),
    click.option(
        "--failures",
        metavar="FILE",
        type=Writes(dir_okay=False),
        help="list in this file the pages that failed, have no text or were skipped, and the files "
        "left out",
    ),
    options_of(PageLimits),
    click.option(
        "--fields",
        metavar="NAMES",
        default="html,url,id",
        show_default=True,
        callback=_fields,
        help="fields of JSONL input, or columns of Parquet, with the HTML, URL and id of a page; "
        "pages without an id get the number of their line or row",
    ),
)
