"""The command `clean`: extract the text of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.clean import clean_command as one_by_one
from crfclean.cli.clean import clean_one
from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import (
    Entered,
    explicit_options,
    of_options,
    open_tagger,
    refuse_options,
    text_options,
    text_params,
)
from crfclean.cli.show_options import refuse_unwritten, show_options
from crfclean.document.formats import WRITERS
from crfclean.io import needing_extra
from crfclean.page.page_names import is_page
from crfclean.products.corpus.filter_options import filter_options, page_filter
from crfclean.products.corpus.params import OUTPUT_ENDINGS, TEXT_ENDINGS, PageLimits, RunParams
from crfclean.products.corpus.run_options import batch_options, path_arguments
from crfclean.types.choices import check_comments

if TYPE_CHECKING:
    from crfclean.products.corpus.clean import BatchParams
    from crfclean.products.corpus.job import Job
    from crfclean.products.corpus.run import Engine

_FORMATS = list(dict.fromkeys([*WRITERS, *OUTPUT_ENDINGS]))
_PACKED = [ending for ending in TEXT_ENDINGS if ending not in WRITERS]


def _names(_context: click.Context, _option: click.Parameter, text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


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
        "crfclean clean crawl.warc.gz crawl.vertical.gz": "The same for a corpus tool",
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
    type=Entered("formats", [*_FORMATS, *_PACKED]),
    metavar="FORMAT",
    help=f"format of the output, of {', '.join(_FORMATS)}, {', '.join(_PACKED)}; default: the "
    "suffix of OUT, else txt for pages and jsonl.gz for WARC, JSONL and Parquet",
)
@click.option(
    "--files",
    is_flag=True,
    help="write a file for each page of WARC, WACZ, JSONL or Parquet, in an output directory",
)
@click.option(
    "--carry",
    metavar="NAMES",
    default="",
    callback=_names,
    help="also write these columns of Parquet, fields of JSONL or headers of WARC, as in "
    "url,crawl_date; a name that the output has for something else is refused",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="ray: clean files on the Ray cluster at RAY_ADDRESS, or on a new local one",
)
@filter_options
@show_options
@batch_options
def clean_command(
    ending: str | None,
    engine: str,
    include: Mapping[str, bool],
    **options: Any,
) -> int:
    """Extract the text of pages: files, directories, URLs, corpora.

    IN is a page, its URL, a WARC, WACZ, JSONL or Parquet file, a directory of them, or - for
    standard input. OUT is a file, a directory, or - for standard output. A single IN that is no
    directory needs no OUT.

    A page becomes a text; its format is the suffix of OUT (.txt .md .html .json .tei.xml .vert
    .vertical .passages). A file of many pages (WARC, WACZ, JSONL, Parquet) becomes rows (JSONL,
    CSV, Parquet), or texts that follow each other in one file (all formats but HTML and JSON, also
    with .gz). If OUT has such a suffix, all INs become one file. An OUT without a suffix is a
    directory, where each text gets the name of its page, and files of many pages become part files.
    In a directory, crfclean reads pages, web archives (.mhtml), and files of many pages; it skips
    other files and counts them.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all, 130 or 143 stopped
    by a signal: continue with --resume.
    """
    if _is_for_the_core(ending, options):
        return clean_one(options["paths"][0], None, ending or "txt", include, options)

    from crfclean.products.corpus.command_paths import plan_paths
    from crfclean.products.corpus.run import run_jobs
    from crfclean.products.corpus.texts import text_form

    run = of_options(RunParams, options)
    formats = tuple(dict.fromkeys([*WRITERS, *([ending] if ending else [])]))
    plan, ending, fields = plan_paths(options, ending, formats)
    text = text_form(ending or "") or ending or "txt"
    refuse_unwritten(include, {_form_of(job) or text for job in plan.jobs})
    if not options["deduplicate"]:
        refuse_options({"deduplicate_limit"}, "it needs --deduplicate")
    params = replace(_params(text, {**options, **include}), fields=fields)
    if options["carry"]:
        params = _carrying(params, plan.jobs, options["carry"])
    return run_jobs(plan, params, run, engine=_engine(engine), item="text")


def _form_of(job: Job) -> str:
    from crfclean.products.corpus.texts import text_form

    return text_form(job.shard) or job.shard.partition(".")[0]


def _carrying(params: BatchParams, jobs: Sequence[Job], names: Sequence[str]) -> BatchParams:
    from crfclean.products.corpus.carrying import carried

    columns = carried(names, jobs, params.fields, params.limits.max_bytes)
    fields = params.fields._replace(carry=tuple(column.name for column in columns))
    return replace(params, fields=fields, carried=columns)


_CORE_OPTIONS = {parameter.name for parameter in one_by_one.params}


def _is_for_the_core(ending: str | None, options: Mapping[str, Any]) -> bool:
    """Whether there is a single page, by its name and first byte, and no option of a run.

    The core cleans it without the jobs of a run, which take a tenth of the start.
    """
    paths = options["paths"]
    is_one = len(paths) == 1 or paths[1:] == ("-",)
    is_text = ending is None or ending in WRITERS
    if not (is_one and is_text) or explicit_options(click.get_current_context()) - _CORE_OPTIONS:
        return False
    page = Path(paths[0])
    try:
        if not (is_page(page.name) and page.is_file()):
            return False
        with page.open("rb") as stream:
            return stream.read(_HEAD).lstrip()[:1] == b"<"
    except OSError:  # the run says what is wrong
        return False


_HEAD = 1_024  # bytes: a page may begin with empty lines


def _engine(name: str) -> Engine:
    if name == "local":
        from crfclean.products.corpus.run import local_engine

        return local_engine()
    with needing_extra("ray", "Ray needs its extra"):
        module = import_module("crfclean.products.adapters.ray_jobs")
    clean_batch_on_ray: Engine = module.clean_batch_on_ray
    return clean_batch_on_ray


def _params(form: str, options: Mapping[str, Any]) -> BatchParams:
    from crfclean.document.page_text import TextWriter
    from crfclean.products.corpus.clean import BatchParams

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
