"""The command `drift`: tell which sites changed, and since when."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

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
        "crfclean drift monday.jsonl.gz tuesday.jsonl.gz": "Sites that fell in these runs",
        "crfclean drift runs/*.jsonl.gz --json": "The same for programs",
        "crfclean drift runs/*.jsonl.gz --html drift.html": "The same as a picture",
        "crfclean drift all.jsonl --false-alarms 0.001": "Fewer false alarms, of many sites",
    },
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--false-alarms",
    type=click.FloatRange(0.0001, 0.5),
    default=0.01,
    show_default=True,
    help="share of the sites without a change that may be named",
)
@click.option("--json", "as_json", is_flag=True, help="one JSON object, with all figures")
@html_option("also write the scores of the sites over time as one HTML file")
def drift_command(
    runs: tuple[Path, ...],
    false_alarms: float,
    as_json: bool,  # noqa: FBT001
    html: Path | None,
) -> int:
    """Tell which sites changed, and since when.

    RUN is what clean has written of many pages: JSONL, CSV or Parquet, in the order of time. A site
    is named if the scores of its pages fell, or if less of their text stands where the site's first
    pages had theirs (clean --include site-places), with the first day of the new state, or the
    first page where pages have no date. A site needs six pages or more, ten for the places.

    With --html FILE the scores of each site are drawn over time, the change marked, with pages
    before and after it. The file loads nothing and runs no script.

    Exit code: 0 no site fell, 1 some did, 2 wrong usage.
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
