"""The command `drift`: tell which sites changed, and since when."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import click

from crfclean.cli.exit_codes import EXIT_OK, EXIT_SOME_FAILED
from crfclean.cli.help import GroupedCommand


@click.command(
    "drift",
    cls=GroupedCommand,
    examples={
        "crfclean drift monday.jsonl.gz tuesday.jsonl.gz": "Sites that fell in these runs",
        "crfclean drift runs/*.jsonl.gz --json": "The same for programs",
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
def drift_command(runs: tuple[Path, ...], false_alarms: float, as_json: bool) -> int:  # noqa: FBT001
    """Tell which sites changed, and since when.

    RUN is what clean has written of many pages: JSONL, CSV or Parquet, in the order of time. A site
    is named if the scores of its pages fell, or how well its rules fit them (clean --sites), with
    the first day of the new state, or the first page where pages have no date. A site needs six
    pages or more.

    Exit code: 0 no site fell, 1 some did, 2 wrong usage.
    """
    from crfclean.evaluate.drift import DriftParams, find_falls
    from crfclean.evaluate.drift_report import read_run, report_json, report_text

    left_out = Counter[str]()
    pages = (page for run in runs for page in read_run(run, left_out))
    report = replace(find_falls(pages, DriftParams(false_alarms)), left_out=left_out)
    click.echo((report_json if as_json else report_text)(report), nl=False)
    return EXIT_SOME_FAILED if report.falls else EXIT_OK
