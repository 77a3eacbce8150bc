"""The command `forum`: find the posts of forum pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED, notice
from crfclean.cli.options import of_options
from crfclean.cli.paths import Reads
from crfclean.page.chars import escaped, plural
from crfclean.products.corpus.command_paths import plan_paths, text_format
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.params import PageLimits, RunParams
from crfclean.products.corpus.run import run_jobs
from crfclean.products.corpus.run_options import batch_options, format_option, path_arguments
from crfclean.products.corpus.summary import page_count, rare_run_counts
from crfclean.types.choices import FORUM_FORMATS

_FORMAT = "jsonl"


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
@format_option(FORUM_FORMATS, "threads", _FORMAT)
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
    records of one host in a WARC, JSONL or Parquet file together. Such a file becomes JSONL, with a
    row for each record.

    crfclean joins the pages of a thread: the output of the first page has all posts, and that of
    the others the status "joined". The addresses and titles of such pages must not differ in more
    than the page number; pages without an address must share a post. In one JSONL file crfclean
    joins all rows, otherwise the pages that it reads together.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no posts at all, 130 or 143 stopped
    by a signal: continue with --resume.
    """
    from crfclean.products.forum.model import load_forum_model
    from crfclean.products.forum.posts import ForumOptions
    from crfclean.products.forum.tagger import ForumOperation

    run, limits = of_options(RunParams, options), of_options(PageLimits, options)
    plan, ending, fields = plan_paths(options, ending, FORUM_FORMATS, _FORMAT)
    operation = ForumOperation(
        load_forum_model(options["model"]),
        text_format(ending, FORUM_FORMATS, _FORMAT),
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
    from crfclean.products.corpus.folder import is_finished
    from crfclean.products.forum.row_joining import join_rows
    from crfclean.products.forum.tagger import MAX_SITE_PAGES

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
    parts = [posts, *always, *rare_run_counts(counts)]
    return f"{page_count(counts)}: {', '.join(parts)}"
