"""The command `tune`: learn what belongs to a text from a few corrected texts."""

from __future__ import annotations

from pathlib import Path

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import LOG, wrote
from crfclean.cli.options import (
    model_option,
    output_option,
)
from crfclean.cli.paths import Reads
from crfclean.page.chars import plural
from crfclean.products.corpus.listing import inputs_of
from crfclean.types import CrfcleanError

_NOTHING_LEARNED = (
    '%s changes nothing: correct more pages, or add kinds to it, as in "also": ["caption"], '
    '"without": ["byline"]'
)


@click.command(
    "tune",
    cls=GroupedCommand,
    examples={
        "crfclean clean ten texts": "Write the texts of ten pages, then correct them",
        "crfclean tune ten --texts texts -o news.json": "Learn from the corrected texts",
        "crfclean explain a.html --model news.json --html why.html": "See what they keep of a page",
        "crfclean clean other texts --model news.json": "Use the settings",
    },
)
@click.argument("pages", metavar="PAGES", type=Reads(inputs=inputs_of(), path_type=Path))
@output_option("tuned.json", "FILE", "file of the settings; give it to --model of any command")
@click.option(
    "--texts",
    type=Reads(inputs=inputs_of(), path_type=Path),
    metavar="DIR",
    help="directory of the corrected texts, written by clean; default: beside the pages",
)
@model_option
def tune_command(pages: Path, output: Path, texts: Path | None, model: str) -> None:
    """Learn what belongs to a text from a few corrected texts.

    Clean five to ten pages, correct the texts, and delete those that you have not checked. PAGES is
    the directory of the pages, and --texts that of the texts. The gold may also be x.txt or
    x.labels.tsv beside x.html, where some blocks may have no label, or a .jsonl file with the
    fields html and gold.

    crfclean learns which kinds of blocks belong to the texts, such as titles, captions and bylines.
    From pages of one site it also learns ids, classes and recurring texts. It uses what it learned
    only if that improves the texts of pages held out. It prints what it learned and the F1 on these
    pages, and writes a file of settings that --model takes in place of a model.
    """
    from crfclean.products.teach.coverage import Coverage
    from crfclean.products.teach.gold import read_gold
    from crfclean.products.teach.tune import check_output, tune

    check_output(output)
    if texts is not None and not texts.is_dir():
        raise CrfcleanError(f"{texts}: is not a directory of texts")
    coverage = Coverage()
    golds = list(coverage.count(read_gold(pages, texts)))
    coverage.tell(pages)
    tuned = tune(golds, model)
    tuned.save(output)
    if tuned.left_out:
        LOG.warning("left out: %s whose text is empty", plural(tuned.left_out, "page"))
    for line in tuned.understood:
        click.echo(line)
    wrote(f"{output}, settings learned from {plural(tuned.settings.pages, 'page')}")
    if not tuned.settings.cut.get("names"):
        LOG.warning(_NOTHING_LEARNED, output)
