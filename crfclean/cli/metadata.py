"""The command `metadata`: pages -> what each says of itself."""

from __future__ import annotations

from typing import Any

import click

from crfclean.cli.batch import RunParams, batch_options, run_jobs, taken, text_format
from crfclean.cli.options import open_tagger, tagger_options
from crfclean.corpus.clean import BatchParams
from crfclean.corpus.jobs import Defaults, plan
from crfclean.corpus.limits import (
    PageLimits,
)
from crfclean.corpus.records import Fields
from crfclean.corpus.shards import ROWS
from crfclean.writers.metadata import METADATA_WRITERS, MetadataPageWriter

FORMAT = "json"


@click.command("metadata")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@click.option(
    "--format",
    "ending",
    type=click.Choice(list(dict.fromkeys([*METADATA_WRITERS, *ROWS]))),
    help="format of what is told, and its ending; json for pages, jsonl.gz for WARC and JSONL",
)
@tagger_options
@batch_options
def metadata_command(source: str, target: str, ending: str | None, **given: Any) -> int:
    """Tell title, authors, dates and the like of the pages of IN, in OUT (paths as in clean).

    Each value comes with where it was found, its XPath, and how sure it is that it is right. WARC
    and JSONL files become JSONL: a line a record, with its id, status and message. Exit codes are
    those of clean.
    """
    run, limits, fields = taken(RunParams, given), taken(PageLimits, given), taken(Fields, given)
    jobs = plan(source, target, ending, fields, Defaults(FORMAT, parquet=False))
    writer = MetadataPageWriter(text_format(ending, METADATA_WRITERS, FORMAT))
    params = BatchParams(open_tagger(**given), limits=limits, fields=fields, writer=writer)
    return run_jobs(jobs, params, run)
