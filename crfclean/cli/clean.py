"""The command `clean`: clean pages and corpora."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.batch import (
    Engine,
    RunParams,
    batch_options,
    local_engine,
    needs_processes,
    path_arguments,
    plan_paths,
    run_jobs,
    text_format,
)
from crfclean.cli.files import Writes
from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import wrote
from crfclean.cli.options import (
    INCLUDABLE,
    TEXT_SWITCHES,
    filter_options,
    of_options,
    open_tagger,
    options_of,
    page_filter,
    text_options,
    text_params,
)
from crfclean.corpus.rows import PACKERS
from crfclean.corpus.tasks import PageLimits
from crfclean.io import needing_extra
from crfclean.page.chars import plural
from crfclean.structure.parts import Show
from crfclean.types import CrfcleanError
from crfclean.types.choices import check_comments, split_names
from crfclean.writers.formats import WRITERS

if TYPE_CHECKING:  # help and completion import none of this
    from crfclean.corpus.clean import BatchParams
    from crfclean.corpus.jobs import JobPlan
    from crfclean.corpus.operation import Result


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


def _report_folder(
    _context: click.Context, _option: click.Parameter, path: Path | None
) -> Path | None:
    """A directory; raises `BadParameter` for the name of a page."""
    if path is not None and path.suffix.lower() in (".html", ".htm"):
        raise click.BadParameter(f"{path}: name a directory, as in {path.with_suffix('')}")
    return path


def report_files(folder: Path) -> Iterator[Path]:
    """Yield the files of a report."""
    from crfclean.corpus.sample import report_names

    return map(folder.joinpath, report_names())


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
    "--html-report",
    metavar="DIR",
    type=Writes(report_files, path_type=Path, file_okay=False),
    callback=_report_folder,
    help="write to this directory a report of 20 pages, the most and the least certain ones",
)
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
    html_report: Path | None,
    include: Mapping[str, bool],
    **options: Any,
) -> int:
    """Extract the text of pages: files, directories, URLs, corpora.

    IN is a page, its URL, a directory of pages, a WARC or JSONL file, or - for standard input. OUT
    is a file, a directory, or - for standard output. A single IN that is no directory needs no OUT.

    A page becomes a text; its format is the suffix of OUT (.txt .md .html .json .tei.xml .vert
    .passages). A WARC or JSONL file becomes JSONL, CSV or Parquet, with a row for each page. If OUT
    ends in .jsonl[.gz|.xz|.zst], .csv or .parquet, all INs become one such file. An OUT without a
    suffix is a directory, where each text gets the name of its page, and rows go to part files. In
    a directory, crfclean reads pages, web archives (.mhtml), WARC and JSONL files; it skips other
    files and counts them.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all, 130 or 143 stopped
    by a signal: continue with --resume.
    """
    run = of_options(RunParams, options)
    plan, ending, fields = plan_paths(options, ending, WRITERS)
    params = replace(_params(ending, {**options, **include}), fields=fields)
    _check_machine(engine, params, report=html_report is not None, levels=include["levels"])
    do_jobs = _engine(engine)
    if html_report is None:
        return run_jobs(plan, params, run, engine=do_jobs, item="text")
    return _run_with_report(plan, params, run, do_jobs, html_report)


def _run_with_report(
    plan: JobPlan, params: BatchParams, run: RunParams, engine: Engine, folder: Path
) -> int:
    from crfclean.corpus.sample import Sample, write_report

    sample = Sample()

    def sampled(*positional: Any, **named: Any) -> Generator[Result]:
        return sample.noted(engine(*positional, **named))

    code = run_jobs(plan, replace(params, sends_pages=True), run, engine=sampled, item="text")
    workers = run.workers if needs_processes(plan.jobs) else 0
    write_report(folder, sample, params, workers)
    shown = len(sample.least_sure) + len(sample.surest)
    wrote(f"{folder / 'index.html'}, a report of {shown} of {plural(sample.pages, 'page')}")
    return code


def _check_machine(engine: str, params: BatchParams, *, report: bool, levels: bool) -> None:
    """Raise `CrfcleanError` for options that need all pages on one machine, or other texts."""
    if report and engine != "local":
        raise CrfcleanError("--html-report samples pages on one machine: leave out --engine ray")
    if params.duplicates.unit == "paragraphs" and levels:
        raise CrfcleanError("--deduplicate paragraphs cuts one text of a page: leave out levels")


def _engine(name: str) -> Engine:
    if name == "local":
        return local_engine()
    with needing_extra("ray", "Ray needs its extra"):
        module = import_module("crfclean.extras.ray")
    clean_batch_on_ray: Engine = module.clean_batch_on_ray
    return clean_batch_on_ray


def _params(ending: str | None, options: Mapping[str, Any]) -> BatchParams:
    from crfclean.corpus.clean import BatchParams, TextWriter
    from crfclean.corpus.signatures import DuplicateParams

    texts = text_params(options)
    check_comments(texts.comments, options["convention"])
    return BatchParams(
        page_filter=page_filter(options),
        duplicates=DuplicateParams(options["deduplicate"] or "", options["deduplicate_limit"]),
        tagger=open_tagger(options),
        writer=TextWriter(text_format(ending, WRITERS, "txt"), texts.show),
        min_score=texts.min_score,
        limits=of_options(PageLimits, options),
        comments=texts.comments,
    )
