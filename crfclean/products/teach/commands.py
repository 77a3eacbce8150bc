"""Commands that teach: `annotate`, `tune` and `train`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import EXIT_OK, LOG, notice, wrote
from crfclean.cli.options import (
    CUT_OPTIONS,
    explicit_options,
    extra,
    model_option,
    need_terminal,
    options_of,
    output_option,
    progress_bar,
    together,
    workers_option,
)
from crfclean.cli.paths import Reads
from crfclean.page.chars import plural
from crfclean.page.page_names import is_page
from crfclean.products.corpus.listing import inputs_of
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.session import ORDERS
from crfclean.products.teach.train import TrainParams
from crfclean.systems.load import SHIPPED, load
from crfclean.types import CrfcleanError

if TYPE_CHECKING:
    from crfclean.products.teach.session import Session
    from crfclean.products.teach.tune import Tuned


@click.command(
    "annotate",
    cls=GroupedCommand,
    examples={
        "crfclean annotate pages": "At the terminal",
        "crfclean annotate pages --web": "In the browser",
    },
)
@click.argument("directory", metavar="DIR", type=Reads(inputs=inputs_of(), path_type=Path))
@model_option
@click.option("--no-guess", is_flag=True, help="do not fill in the model's labels")
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default=ORDERS[0],
    show_default=True,
    help="begin with the pages that the model is least certain of, or go by name",
)
@click.option("--web", is_flag=True, help="label in the browser")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    metavar="N",
    help="port of the web page; default: a free one",
)
@workers_option
def annotate_command(
    directory: Path,
    model: str,
    port: int,
    workers: int,
    *,
    no_guess: bool,
    web: bool,
    order: str,
) -> int:
    """Label the blocks of pages by hand.

    The labels are HEADER, TEXT, OTHER, and DOUBT for what could go either way: it trains nothing
    and counts neither way. One key labels a block, a range, or all blocks like it, and moves on to
    the next; Enter accepts the label that the model predicts, and ? shows the keys. Each key is
    saved at once to x.labels.tsv beside the page x.html, and the next session continues where this
    one stopped. A block with the same text and place as on an earlier page is not shown again. When
    you have labelled the pages, run crfclean train DIR.

    Exit code: 0 done, 2 wrong usage.
    """
    from crfclean.products.corpus.outputs import LOCK, session_lock
    from crfclean.products.teach.session import find_pages, open_session

    find_pages(directory)
    if not web:
        need_terminal(
            f"labelling needs a terminal: run crfclean annotate {directory} at one, or crfclean "
            f"annotate {directory} --web for the browser"
        )
    tagger = None if no_guess else load(model)
    with session_lock(directory / LOCK, directory):
        session = open_session(
            directory, tagger, order, workers, lambda pages: progress_bar(pages, None, "page")
        )
        if web:
            extra("products.teach.annotate_web", "web").label_in_browser(session, port=port)
        else:
            extra("products.teach.terminal", "terminal").label_at_terminal(session)
    notice(labelling_summary(session))
    return EXIT_OK


def labelling_summary(session: Session) -> str:
    """Count the finished pages and the labelled blocks, after the problems of pages."""
    labelled, blocks = session.labelled
    finished = sum(page.finished and not page.problem for page in session.pages)
    problems = [f"{page.name}: {page.problem}\n" for page in session.pages if page.problem]
    pages = f"{finished} of {plural(len(session.pages), 'page')} finished"
    return f"{''.join(problems)}{pages}, {labelled} of {blocks} blocks labelled"


# the command `tune`: learn what belongs to a text from a few corrected texts

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
    x.labels.tsv beside x.html, or a .jsonl file with the fields html and gold.

    crfclean learns which kinds of blocks belong to the texts, such as titles, captions and bylines.
    From pages of one site it also learns ids, classes and recurring texts. It uses what it learned
    only if that improves the texts of pages held out. It prints what it learned and the F1 on these
    pages, and writes a file of settings that --model takes in place of a model.
    """
    from crfclean.products.teach.tune import check_output, tune

    check_output(output)
    if texts is not None and not texts.is_dir():
        raise CrfcleanError(f"{texts}: is not a directory of texts")
    tuned = tune(pages, model, texts=texts)
    tuned.save(output)
    _report_left_out(tuned, pages)
    for line in tuned.understood:
        click.echo(line)
    wrote(f"{output}, settings learned from {plural(tuned.settings.pages, 'page')}")
    if not tuned.settings.cut.get("names"):
        LOG.warning(_NOTHING_LEARNED, output)


def _report_left_out(tuned: Tuned, pages: Path) -> None:
    html = sum(is_page(file.name) and file.is_file() for file in pages.rglob("*"))
    others = max(tuned.left_out, html - tuned.settings.pages)
    if others > 0:
        LOG.warning("left out: %s without a corrected text", plural(others, "page"))


# the command `train`: train a model on annotated pages


@click.command(
    "train",
    cls=GroupedCommand,
    first="--output --from --held-out --networks --tagger --as --precision --keep --licence",
    examples={
        "crfclean train pages -o my-model --from default": "Adapt the shipped model to your pages",
        "crfclean train pages -o my-model --networks 1": "With networks, from 200 pages",
        "crfclean clean other texts --model ./my-model": "Use the model",
    },
)
@click.argument("directory", metavar="DIR", type=Reads(inputs=inputs_of(), path_type=Path))
@output_option("model", "DIR", "folder of the new model")
@click.option(
    "--licence", default="", metavar="NAME", help="licence of the annotations, for the manifest"
)
@click.option(
    "--tagger",
    "kind",
    type=click.Choice(list(SHIPPED)),
    default="crf",
    show_default=True,
    help="kind of model",
)
@options_of(TrainParams)
@together(*CUT_OPTIONS)
@options_of(NetworkParams)
@click.pass_context
def train_command(
    context: click.Context, /, directory: Path, output: Path, licence: str, **options: Any
) -> None:
    """Train a model on annotated pages.

    DIR has pages x.html, each with x.txt (the hand-cleaned text) or x.labels.tsv (a line per block:
    LABEL<TAB>text), or .jsonl files with the fields html and gold. crfclean first trains without
    some sites and prints the scores on them. Then it trains the model on all pages.

    --tagger mlp trains a perceptron instead of a CRF.
    """
    explicit = explicit_options(context)
    from crfclean.products.teach.training import (
        annotated_pages,
        as_typed,
        learner_of,
        train_and_save,
    )

    learner = learner_of(options, explicit)
    gold = annotated_pages(directory)
    train_and_save(gold, learner, output, licence)
    wrote(f"{as_typed(output)}, a model trained on {plural(len(gold), 'page')}")
