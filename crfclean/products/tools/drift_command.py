"""The command `drift`: tell which sites changed, and since when."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED
from crfclean.cli.paths import Reads


@click.command(
    "drift",
    cls=GroupedCommand,
    examples={
        "crfclean drift monday.jsonl.gz tuesday.jsonl.gz": "Sites that got worse in these runs",
        "crfclean drift runs/*.jsonl.gz --json": "The same for programs",
    },
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=Reads(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="print all figures as one JSON object")
def drift_command(
    runs: tuple[Path, ...],
    as_json: bool,  # noqa: FBT001
) -> int:
    """Tell which sites changed, and since when.

    RUN is an output of clean for many pages (JSONL, CSV or Parquet); name the oldest run first.
    crfclean names a site if the scores of its pages fell. After clean --include site-places it also
    names a site if less text is in the places where its first pages had theirs. It prints the day
    of the change, or the first changed page if pages have no date. A site needs at least six pages,
    ten for the places.

    Exit code: 0 no site got worse, 1 some did, 2 wrong usage.
    """
    from crfclean.products.tools.drift import read_run, report_json, report_text
    from crfclean.products.tools.falls import falls_of_sites, sites_in_time

    left_out = Counter[str]()
    by_site = sites_in_time(page for run in runs for page in read_run(run, left_out))
    report = replace(falls_of_sites(by_site), left_out=left_out)
    text = report_json(report) if as_json else report_text(report)
    click.echo(text, nl=False)
    return EXIT_SOME_FAILED if report.falls else EXIT_OK
