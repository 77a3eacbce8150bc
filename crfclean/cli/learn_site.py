"""The command `learn-site`: learn where the text of sites stands, and what they repeat."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.batch import pop_params
from crfclean.cli.exit_codes import EXIT_NOTHING, EXIT_OK
from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import model_option, options_of, progress_bar
from crfclean.corpus.limits import PageLimits
from crfclean.corpus.records import Fields
from crfclean.evaluate.plurals import plural

if TYPE_CHECKING:  # help and completion read this module, and learn nothing
    from crfclean.corpus.clean import BatchParams
    from crfclean.corpus.learn_sites import LearnedSite, LearnedSites
    from crfclean.site_rules.values import SiteRules


@click.command(
    "learn-site",
    cls=GroupedCommand,
    examples={
        "crfclean learn-site pages -o sites": "What the sites of these pages repeat",
        "crfclean clean new-pages texts --sites sites": "Later pages of these sites",
        "crfclean learn-site pages -o configs --format ftr": "Site configs for feed readers",
        "crfclean learn-site pages -o sites --html-report report": "What was learned, to look at",
    },
)
@click.argument("sources", metavar="IN...", nargs=-1, required=True)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="folder of the sites' files, one each; those of other sites in it stay",
)
@click.option(
    "--format",
    "ending",
    type=click.Choice(["json", "ftr"]),
    default="json",
    show_default=True,
    help="json: for clean --sites; ftr: a site config of Full-Text RSS, as wallabag reads it",
)
@model_option
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="number of processes",
)
@click.option(
    "--html-report",
    type=click.Path(path_type=Path, file_okay=False),
    help="write the rules of the least sure sites as HTML pages, and where they apply on pages",
)
@options_of(PageLimits)
@options_of(Fields)
def learn_site_command(
    sources: tuple[str, ...],
    output: Path,
    ending: str,
    model: str,
    workers: int,
    html_report: Path | None,
    **options: Any,
) -> int:
    """Learn where sites have their text.

    IN are pages of one site or of several: a directory, a WARC or JSONL file. A page's site is the
    host of its URL, or of the address that it declares, or else the name of its directory. Each
    site with four pages or more gets a file: elements that hold the text, with the precision and
    recall to expect by the model's probabilities, elements to leave out, and texts that repeat. No
    page is labelled for it.

    With --html-report DIR the 20 least sure sites are shown as HTML: their rules, and three of
    their pages with what the rules alone keep.

    Exit code: 0 sites were learned, 2 wrong usage, 3 none could be.
    """
    from crfclean.corpus.clean import BatchParams
    from crfclean.taggers.load import load

    limits, fields = pop_params(PageLimits, options), pop_params(Fields, options)
    params = BatchParams(load(model), sends_pages=html_report is not None)
    operation = replace(params, limits=limits, fields=fields)
    learned = _learn(sources, operation, workers, (output, ending), html_report)
    click.echo(_summary(learned), err=True)
    return EXIT_OK if learned.sites else EXIT_NOTHING


def _learn(
    sources: tuple[str, ...],
    operation: BatchParams,
    workers: int,
    target: tuple[Path, str],
    html_report: Path | None,
) -> LearnedSites:
    """Write the files of sites to a folder in a format, the `target`, and their report."""
    from crfclean.corpus.learn_sites import learn_sites
    from crfclean.corpus.site_report import SiteReport

    report, today = SiteReport(), datetime.now(tz=UTC).date().isoformat()

    def take(site: LearnedSite) -> None:
        dated = replace(site, rules=replace(site.rules, learned=today))
        _write(dated.rules, *target)
        report.add(dated)

    learned = learn_sites(
        sources, operation, take, workers, lambda notes: progress_bar(notes, None, "page")
    )
    if html_report and learned.sites:
        report.write(html_report, operation, workers, f"{_summary(learned)}.")
    return learned


def _write(rules: SiteRules, output: Path, ending: str) -> None:
    """Write a site's file, and what is in it to standard output."""
    from crfclean.site_rules.files import as_json, file_name, write_file
    from crfclean.site_rules.ftr import FTR_ENDING, to_ftr

    if ending == "ftr":
        path = write_file(output, file_name(rules.site, FTR_ENDING), to_ftr(rules))
    else:
        path = write_file(output, file_name(rules.site), as_json(rules))
    text = rules.text[0] if rules.text else None
    where = (
        f"text in {text.css} (expected precision {text.precision:.2f}, recall {text.recall:.2f})"
        if text
        else "no element that holds the text"
    )
    click.echo(
        f"{path}: {plural(rules.pages, 'page')}, {where}, "
        f"{plural(len(rules.strip), 'element')} to leave out, "
        f"{plural(len(rules.repeated), 'text')} that repeat"
    )


def _summary(learned: LearnedSites) -> str:
    """What was learned, and what was not, in a line."""
    parts = [f"{plural(learned.sites, 'site')} learned"]
    if learned.few:
        parts.append(f"{plural(len(learned.few), 'site')} with too few pages")
    if learned.nameless:
        parts.append(f"{plural(learned.nameless, 'page')} of no known site")
    if learned.unread:
        parts.append(f"{plural(learned.unread, 'page')} not read or without text")
    if learned.beyond:
        parts.append(f"{plural(learned.beyond, 'page')} of sites that had enough")
    if learned.left_out:
        parts.append(f"{plural(learned.left_out, 'file')} left out")
    return ", ".join(parts)
