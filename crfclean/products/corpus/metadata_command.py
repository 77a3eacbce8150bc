"""The command `metadata`: extract title, authors, dates and the like from pages."""

from __future__ import annotations

from typing import Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import model_option, of_options, selector_options, with_cut
from crfclean.products.corpus.command_paths import plan_paths, text_format
from crfclean.products.corpus.params import PageLimits, RunParams
from crfclean.products.corpus.run import run_jobs
from crfclean.products.corpus.run_options import batch_options, format_option, path_arguments
from crfclean.systems.load import load
from crfclean.types.choices import METADATA_FORMATS

_FORMAT = "json"


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
@format_option(METADATA_FORMATS, "output", _FORMAT)
@model_option
@selector_options
@batch_options
def metadata_command(ending: str | None, **options: Any) -> int:
    """Extract titles, authors, dates and the like.

    IN and OUT are paths as in clean. Each value has its source, its XPath and the probability that
    it is right. WARC, JSONL and Parquet files become JSONL, with a line for each record that has
    its id, status and message. The exit codes are those of clean.
    """
    from crfclean.products.corpus.clean import BatchParams
    from crfclean.products.corpus.metadata_writer import MetadataPageWriter

    run, limits = of_options(RunParams, options), of_options(PageLimits, options)
    plan, ending, names = plan_paths(options, ending, METADATA_FORMATS, _FORMAT)
    writer = MetadataPageWriter(text_format(ending, METADATA_FORMATS, _FORMAT))
    tagger = with_cut(load(options["model"]), options)
    params = BatchParams(tagger, limits=limits, fields=names, writer=writer)
    return run_jobs(plan, params, run)
