"""The command `clean`: extract the text of pages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import (
    INCLUDABLE,
    TEXT_SWITCHES,
    of_options,
    open_tagger,
    options_of,
    refuse_options,
    text_options,
    text_params,
)
from crfclean.document.formats import WRITERS
from crfclean.document.parts import Show
from crfclean.io import needing_extra
from crfclean.products.corpus.batch import (
    Engine,
    RunParams,
    batch_options,
    local_engine,
    path_arguments,
    plan_paths,
    run_jobs,
    text_format,
)
from crfclean.products.corpus.filter_options import filter_options, page_filter
from crfclean.products.corpus.jobs import PageLimits
from crfclean.products.corpus.rows import PACKERS
from crfclean.types.choices import check_comments, split_names

if TYPE_CHECKING:
    from crfclean.products.corpus.clean import BatchParams

_FORMATS = list(dict.fromkeys([*WRITERS, *PACKERS]))
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


@click.command(
    "clean",
    cls=GroupedCommand,
    first="--as --comments --precision --min-score --format --links "
    "--model --workers --resume --failures",
    examples={
        "crfclean clean page.html": "The text of a page",
        "crfclean clean pages texts --format md": "A directory of pages as Markdown",
        "crfclean clean pages texts --as everything": "Everything but menus, ads and the like",
        "crfclean clean crawl.warc.gz crawl.jsonl.gz": "A corpus, on all processors",
        "crfclean clean pages texts --precision 0.95": "Only text that is almost certain",
        "crfclean clean pages texts --model ./my-model": "With a model of your own",
    },
)
@path_arguments
@text_options
@click.option(
    "-f",
    "--format",
    "ending",
    type=click.Choice(_FORMATS),
    metavar="FORMAT",
    help=f"format of the output, of {', '.join(_FORMATS)}; default: the suffix of OUT, else txt "
    "for pages and jsonl.gz for WARC and JSONL",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="ray: clean files on the Ray cluster at RAY_ADDRESS, or on a new local one",
)
@filter_options
@click.option(
    "--include",
    metavar="NAMES",
    callback=_included,
    help=f"also write these, e.g. levels,parts. {_INCLUDABLE_HELP}",
)
@options_of(Show, without=(*TEXT_SWITCHES, *INCLUDABLE))
@batch_options
def clean_command(
    ending: str | None,
    engine: str,
    include: Mapping[str, bool],
    **options: Any,
) -> int:
    """Extract the text of pages: files, directories, URLs, corpora.

    IN is a page, its URL, a directory of pages, a WARC, WACZ or JSONL file, or - for standard
    input. OUT is a file, a directory, or - for standard output. A single IN that is no directory
    needs no OUT.

    A page becomes a text; its format is the suffix of OUT (.txt .md .html .json .tei.xml .vert
    .passages). A WARC, WACZ or JSONL file becomes JSONL, CSV or Parquet, with a row for each page.
    If OUT ends in .jsonl[.gz|.xz|.zst], .csv or .parquet, all INs become one such file. An OUT
    without a suffix is a directory, where each text gets the name of its page, and rows go to part
    files. In a directory, crfclean reads pages, web archives (.mhtml), WARC, WACZ and JSONL files;
    it skips other files and counts them.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all, 130 or 143 stopped
    by a signal: continue with --resume.
    """
    run = of_options(RunParams, options)
    plan, ending, fields = plan_paths(options, ending, WRITERS)
    text = text_format(ending, WRITERS, "txt")
    _refuse_unwritten(include, {job.shard.partition(".")[0] or text for job in plan.jobs})
    if not options["deduplicate"]:
        refuse_options({"deduplicate_limit"}, "it needs --deduplicate")
    params = replace(_params(text, {**options, **include}), fields=fields)
    return run_jobs(plan, params, run, engine=_engine(engine), item="text")


_ROWS = ("json", "jsonl", "parquet")
_WRITTEN_IN = {
    **dict.fromkeys(("levels", "left_out", "site_places"), _ROWS),
    "parts": _ROWS[:2],
    "front_matter": ("md",),
    "passage_words": ("passages",),
}
"""Field of `Show` -> the formats that write it."""


def _refuse_unwritten(include: Mapping[str, bool], formats: Collection[str]) -> None:
    """Raise `UsageError` for what the command line asks for, and none of the formats writes."""
    names = [("include", name) for name, is_on in include.items() if is_on]
    for option, name in (*names, ("passage_words", "passage_words")):
        if formats and not {*formats} & {*_WRITTEN_IN[name]}:
            what = "it" if option == name else name.replace("_", "-")
            refuse_options({option}, f"{what} needs --format {', '.join(_WRITTEN_IN[name])}")


def _engine(name: str) -> Engine:
    if name == "local":
        return local_engine()
    with needing_extra("ray", "Ray needs its extra"):
        module = import_module("crfclean.products.adapters.ray")
    clean_batch_on_ray: Engine = module.clean_batch_on_ray
    return clean_batch_on_ray


def _params(form: str, options: Mapping[str, Any]) -> BatchParams:
    from crfclean.products.corpus.clean import BatchParams, TextWriter

    texts, signer = text_params(options), None
    check_comments(texts.comments, options["convention"])
    writer = TextWriter(form, texts.show)
    if options["deduplicate"]:
        from crfclean.products.corpus.duplicates import Signer

        signer = Signer(options["deduplicate"], options["deduplicate_limit"], writer.format)
    return BatchParams(
        page_filter=page_filter(options),
        signer=signer,
        by_site=options["by_site"],
        tagger=open_tagger(options),
        writer=writer,
        min_score=texts.min_score,
        limits=of_options(PageLimits, options),
        comments=texts.comments,
    )
