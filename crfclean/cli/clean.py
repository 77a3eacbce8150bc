"""Commands that extract from pages: `clean`, `metadata` and `forum`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.batch import (
    Engine,
    RunParams,
    batch_options,
    format_option,
    local_engine,
    page_count,
    path_arguments,
    plan_paths,
    rare_counts,
    run_jobs,
    text_format,
)
from crfclean.cli.help import (
    EXIT_OK,
    EXIT_SOME_FAILED,
    GroupedCommand,
    Reads,
    notice,
)
from crfclean.cli.options import (
    INCLUDABLE,
    TEXT_SWITCHES,
    filter_options,
    model_option,
    of_options,
    open_tagger,
    options_of,
    page_filter,
    refuse_options,
    selector_options,
    text_options,
    text_params,
    with_cut,
)
from crfclean.corpus.jobs import Job, PageLimits
from crfclean.corpus.rows import PACKERS
from crfclean.document.formats import WRITERS
from crfclean.document.parts import Show
from crfclean.io import needing_extra
from crfclean.page.chars import escaped, plural
from crfclean.systems.load import load
from crfclean.types.choices import FORUM_FORMATS, METADATA_FORMATS, check_comments, split_names

if TYPE_CHECKING:
    from crfclean.corpus.clean import BatchParams

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
        module = import_module("crfclean.extras.ray")
    clean_batch_on_ray: Engine = module.clean_batch_on_ray
    return clean_batch_on_ray


def _params(form: str, options: Mapping[str, Any]) -> BatchParams:
    from crfclean.corpus.clean import BatchParams, TextWriter

    texts, signer = text_params(options), None
    check_comments(texts.comments, options["convention"])
    writer = TextWriter(form, texts.show)
    if options["deduplicate"]:
        from crfclean.corpus.duplicates import Signer

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


# the command `metadata`: extract title, authors, dates and the like from pages

_METADATA_FORMAT = "json"


@click.command(
    "metadata",
    cls=GroupedCommand,
    first="--format --model --workers --resume --retry-failed "
    "--failures --input-list --fields --max-seconds",
    examples={
        "crfclean metadata page.html": "The metadata of a page",
        "crfclean metadata pages metadata": "A JSON file per page of a directory",
        "crfclean metadata crawl.warc.gz metadata.jsonl.gz": "A corpus, with a line per record",
    },
)
@path_arguments
@format_option(METADATA_FORMATS, "output", _METADATA_FORMAT)
@model_option
@selector_options
@batch_options
def metadata_command(ending: str | None, **options: Any) -> int:
    """Extract titles, authors, dates and the like.

    IN and OUT are paths as in clean. Each value has its source, its XPath and the probability that
    it is right. WARC and JSONL files become JSONL, with a line for each record that has its id,
    status and message. The exit codes are those of clean.
    """
    from crfclean.corpus.clean import BatchParams
    from crfclean.document.page_writers import MetadataPageWriter

    run, limits = of_options(RunParams, options), of_options(PageLimits, options)
    plan, ending, names = plan_paths(options, ending, METADATA_FORMATS, _METADATA_FORMAT)
    writer = MetadataPageWriter(text_format(ending, METADATA_FORMATS, _METADATA_FORMAT))
    tagger = with_cut(load(options["model"]), options)
    params = BatchParams(tagger, limits=limits, fields=names, writer=writer)
    return run_jobs(plan, params, run)


# the command `forum`: find the posts of forum pages

_FORUM_FORMAT = "jsonl"


@click.command(
    "forum",
    cls=GroupedCommand,
    first="--format --language --fetched --apart --model --workers --resume "
    "--failures --input-list --max-seconds",
    examples={
        "crfclean forum threads posts": "The pages of one forum, in one directory",
        "crfclean forum threads posts --format csv": "The same as tables",
        "crfclean forum crawl.warc.gz threads.jsonl.gz": "A corpus",
    },
)
@path_arguments
@click.option(
    "--model",
    default="forum",
    show_default=True,
    type=Reads(readable=False),
    metavar="MODEL",
    help="a shipped model by name, or a folder such as ./my-forums",
)
@format_option(FORUM_FORMATS, "threads", _FORUM_FORMAT)
@click.option(
    "--language",
    default="",
    metavar="TAG",
    help="language of the dates, e.g. cs; default: the one that the page declares",
)
@click.option(
    "--fetched",
    type=click.DateTime(),
    metavar="DATE",
    help='day of the crawl, e.g. 2026-03-01, for dates such as "yesterday"',
)
@click.option(
    "--apart",
    is_flag=True,
    help="do not join the pages of a thread",
)
@batch_options
def forum_command(ending: str | None, **options: Any) -> int:
    """Extract the posts of forum pages: author, date and text.

    It works for any forum software. IN and OUT are paths as in clean. The pages of a directory
    count as one site; crfclean reads them together, at most 50 at once. It also reads consecutive
    records of one host in a WARC or JSONL file together. Such a file becomes JSONL, with a row for
    each record.

    crfclean joins the pages of a thread: the output of the first page has all posts, and that of
    the others the status "joined". The addresses and titles of such pages must not differ in more
    than the page number; pages without an address must share a post. In one JSONL file crfclean
    joins all rows, otherwise the pages that it reads together.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no posts at all, 130 or 143 stopped
    by a signal: continue with --resume.
    """
    from crfclean.forum.model import load_forum_model
    from crfclean.forum.posts import ForumOptions
    from crfclean.forum.tagger import ForumOperation

    run, limits = of_options(RunParams, options), of_options(PageLimits, options)
    plan, ending, fields = plan_paths(options, ending, FORUM_FORMATS, _FORUM_FORMAT)
    operation = ForumOperation(
        load_forum_model(options["model"]),
        text_format(ending, FORUM_FORMATS, _FORUM_FORMAT),
        ForumOptions(options["language"], options["fetched"]),
        limits,
        fields,
        not options["apart"],
    )
    code = run_jobs(plan, operation, run, summarise=forum_summary)
    return _joined(plan.jobs, code) if operation.joins else code


def _joined(jobs: Sequence[Job], code: int) -> int:
    """Join the threads in the shards of a finished run; returns the exit code."""
    if code not in (EXIT_OK, EXIT_SOME_FAILED):
        return code
    from crfclean.corpus.folder import is_finished
    from crfclean.forum.joining import join_rows
    from crfclean.forum.tagger import MAX_SITE_PAGES

    for job in jobs:
        if job.shard and job.target is not None and is_finished(job):
            counts = join_rows(job.target, job.shard)
            _say(job.target, counts.joined, "joined with others")
            _say(job.target, counts.apart, "with another's title left apart")
    pages = Counter(
        job.source.parent for job in jobs if isinstance(job.source, Path) and not job.shard
    )
    for folder, count in pages.items():
        if count > MAX_SITE_PAGES:
            _say(
                folder, count, f"in groups of {MAX_SITE_PAGES}, joined within; OUT.jsonl joins all"
            )
    return code


def _say(path: Path, pages: int, what: str) -> None:
    if pages:
        notice(f"{escaped(str(path))}: {plural(pages, 'page')} {what}")


def forum_summary(counts: Mapping[str, int]) -> str:
    """Summarise a run in a line."""
    always = [f"{counts['without']} without", f"{counts['failed']} failed"]
    empty = counts["empty_items"]
    posts = plural(counts["items"], "post") + (f" ({empty} without own words)" if empty else "")
    parts = [posts, *always, *rare_counts(counts)]
    return f"{page_count(counts)}: {', '.join(parts)}"
