"""The command `forum`: pages of forums -> their posts as JSON, text or CSV."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from crfclean.cli.batch import (
    RunParams,
    batch_options,
    pages_of,
    run_jobs,
    seldom,
    taken,
    text_format,
)
from crfclean.corpus.jobs import Defaults, plan
from crfclean.corpus.limits import PageLimits
from crfclean.corpus.records import Fields
from crfclean.corpus.shards import ROWS
from crfclean.evaluate.plurals import plural
from crfclean.forum.model import load_forum_model
from crfclean.forum.operation import ForumOperation
from crfclean.forum.output import THREAD_WRITERS
from crfclean.forum.posts import ForumOptions
from crfclean.types import CrfcleanError

FORMAT = "jsonl"


@click.command("forum")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option("--model", default="forum", show_default=True, help="model folder, or a shipped one")
@click.option(
    "--format",
    "ending",
    type=click.Choice(list(dict.fromkeys([*THREAD_WRITERS, *ROWS]))),
    help="format of the threads, and their ending; jsonl for pages, jsonl.gz for WARC and JSONL",
)
@click.option("--language", default="", help="of the dates, as in cs; else what the page tells")
@click.option(
    "--fetched",
    type=click.DateTime(),
    help="when the pages were fetched: relative dates are counted from then",
)
@click.option(
    "--steps",
    type=click.Path(file_okay=False, path_type=Path),
    help="write template, every field with its label, and confusion matrices here",
)
@batch_options
def forum_command(source: str, target: str, ending: str | None, **given: Any) -> int:
    """Find the posts of forum pages: author, date and words of each, from any forum.

    IN and OUT are paths as in clean; the pages of one directory are of one site, and help each
    other, at most 50 at once. A page gives one thread. WARC and JSONL files become JSONL, a thread
    a record; records of one host that follow each other are read together. Pages that are read
    together have --max-seconds for each of them.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no posts at all, 130 or 143 stopped
    by a signal: --resume goes on.
    """
    run, limits, fields = taken(RunParams, given), taken(PageLimits, given), taken(Fields, given)
    jobs = plan(source, target, ending, fields, Defaults(FORMAT, parquet=False))
    if given["steps"] is not None and any(job.shard for job in jobs):
        raise CrfcleanError("--steps takes pages in directories, no WARC or JSONL files")
    operation = ForumOperation(
        load_forum_model(given["model"]),
        text_format(ending, THREAD_WRITERS, FORMAT),
        ForumOptions(given["language"], given["fetched"]),
        limits,
        fields,
        given["steps"],
        Path(source),
    )
    return run_jobs(jobs, operation, run, summarise=summary)


def summary(counts: Mapping[str, int]) -> str:
    """How a run ended, in a line."""
    always = [f"{counts['without']} without", f"{counts['failed']} failed"]
    parts = [plural(counts["items"], "post"), *always, *seldom(counts)]
    return f"{pages_of(counts)}: {', '.join(parts)}"
