"""The command `drift`: tell which sites changed, and since when."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from crfclean.cli.files import Reads
from crfclean.cli.help import EXIT_OK, EXIT_SOME_FAILED, GroupedCommand
from crfclean.cli.messages import painted, wrote
from crfclean.cli.options import html_option
from crfclean.io import write_text

_STYLES: dict[str, dict[str, Any]] = {
    r"^site .* by chance$": {"bold": True},
    r"^\S.* \d\.\d{3} \(\d+ pages?\) .*$": {"fg": "red"},
    r"No site got worse\.": {"fg": "green"},
}
"""The head of the table, and sites that got worse."""


@click.command(
    "drift",
    cls=GroupedCommand,
    examples={
        "crfclean drift monday.jsonl.gz tuesday.jsonl.gz": "Sites that got worse in these runs",
        "crfclean drift runs/*.jsonl.gz --json": "The same for programs",
        "crfclean drift runs/*.jsonl.gz --html drift.html": "The same as a picture",
        "crfclean drift all.jsonl --false-alarms 0.001": "Fewer false alarms for many sites",
    },
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=Reads(path_type=Path))
@click.option(
    "--false-alarms",
    type=click.FloatRange(0.0001, 0.5),
    default=0.01,
    show_default=True,
    metavar="SHARE",
    help="share of unchanged sites that may be named by mistake",
)
@click.option("--json", "as_json", is_flag=True, help="print all figures as one JSON object")
@html_option("also draw the scores of the sites over time, as one HTML file")
def drift_command(
    runs: tuple[Path, ...],
    false_alarms: float,
    as_json: bool,  # noqa: FBT001
    html: Path | None,
) -> int:
    """Tell which sites changed, and since when.

    RUN is an output of clean for many pages (JSONL, CSV or Parquet); name the oldest run first.
    crfclean names a site if the scores of its pages fell. After clean --include site-places it also
    names a site if less text is in the places where its first pages had theirs. It prints the day
    of the change, or the first changed page if pages have no date. A site needs at least six pages,
    ten for the places.

    The file of --html marks each change and shows pages before and after it. It loads nothing and
    runs no script.

    Exit code: 0 no site got worse, 1 some did, 2 wrong usage.
    """
    from crfclean.evaluate.drift import (
        DriftParams,
        falls_of_sites,
        read_run,
        report_json,
        report_text,
        sites_in_time,
    )
    from crfclean.evaluate.drift_page import EXCERPT_CHARS, drift_html

    left_out, excerpt_chars = Counter[str](), EXCERPT_CHARS if html else 0
    by_site = sites_in_time(page for run in runs for page in read_run(run, left_out, excerpt_chars))
    report = replace(falls_of_sites(by_site, DriftParams(false_alarms)), left_out=left_out)
    if html:
        write_text(html, drift_html(report, by_site))
        wrote(str(html))
    text = report_json(report) if as_json else painted(report_text(report), _STYLES)
    click.echo(text, nl=False)
    return EXIT_SOME_FAILED if report.falls else EXIT_OK
