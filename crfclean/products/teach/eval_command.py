"""The command `eval`: score a tagger, or cleaned texts, on annotated pages."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean import door
from crfclean.cli.help import GroupedCommand
from crfclean.cli.options import (
    CUTS,
    TEXT_SWITCHES,
    Entered,
    explicit_options,
    html_option,
    options_of,
    refuse_options,
    text_options,
    workers_option,
)
from crfclean.cli.paths import Reads
from crfclean.products.corpus.listing import inputs_of
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import TrainParams
from crfclean.systems.load import SHIPPED
from crfclean.types.choices import PEERS, SCORE_GROUPS

if TYPE_CHECKING:
    from crfclean.products.teach.result import Evaluation

_TRAINING = {field.name for field in (*fields(TrainParams), *fields(NetworkParams))}
_OF_TEXTS = {
    *("model", "kind", *CUTS),
    *("min_score", "comments", *TEXT_SWITCHES),
}


@click.command(
    "eval",
    cls=GroupedCommand,
    first="--model --tagger --as --system --by --html --json --compare --cv --workers",
    examples={
        "crfclean eval gold": "The scores of the shipped model",
        "crfclean eval gold --model ./my-model --json > new.json": "The scores of your own model",
        "crfclean eval --compare old.json new.json": "The differences between two files of scores",
        "crfclean eval gold --system trafilatura --html report.html": "Beside another system",
        "crfclean eval gold --cv 5": "Train and score in five folds",
        "crfclean eval pages --agree bert": "The agreement of two annotators",
    },
)
@click.argument("gold", type=Reads(inputs=inputs_of(), path_type=Path), required=False)
@click.option(
    "--texts",
    metavar="DIR",
    type=Reads(path_type=Path),
    help="score the texts in this directory instead of a tagger",
)
@text_options
@click.option(
    "--system",
    "systems",
    multiple=True,
    type=click.Choice(PEERS, case_sensitive=False),
    help="also score this system on the same pages (needs crfclean[peers]); can be repeated",
)
@click.option(
    "--by",
    type=click.Choice(SCORE_GROUPS),
    default="source",
    show_default=True,
    help="group the pages of tables by this",
)
@click.option(
    "--measure",
    "metrics",
    multiple=True,
    type=Entered("metrics", door.names("metrics")),
    help="also score by this metric; order: F1 on words in order, distance: share of characters "
    "to change; can be repeated",
)
@workers_option
@click.option(
    "--compare",
    nargs=2,
    metavar="OLD NEW",
    type=Reads(path_type=Path),
    help="compare two files that --json wrote; takes no GOLD",
)
@click.option(
    "--agree",
    "others",
    metavar="OTHER",
    multiple=True,
    type=Reads(path_type=Path),
    help="compare GOLD with the labels of another annotator: files, or the NAME of annotate "
    "--reader; can be repeated",
)
@click.option(
    "--print",
    "report",
    type=Entered("reports", door.names("reports")),
    default="text",
    show_default=True,
    help="print this report",
)
@click.option("--json", "as_json", is_flag=True, help="print all figures as JSON (--print json)")
@html_option("also write a report with tables and the worst pages word by word")
@click.option(
    "--cv",
    "folds",
    type=click.IntRange(2),
    metavar="N",
    help="cross-validate in N folds: score each with a model trained on the others",
)
@click.option(
    "--group-by",
    "group_by",
    type=click.Choice(["site", "page"]),
    help="in folds and in 95 % intervals, keep the pages of a site together, or not; default: "
    "site, but page if all pages are from one site",
)
@options_of(TrainParams, without=("held_out",))
@options_of(NetworkParams)
@click.pass_context
def eval_command(
    context: click.Context,
    /,
    gold: Path | None,
    compare: tuple[Path, Path] | None,
    others: tuple[Path, ...],
    html: Path | None,
    report: str,
    *,
    as_json: bool,
    **options: Any,
) -> None:
    """Score a tagger, or cleaned texts, on annotated pages.

    GOLD is a directory of pages with texts or labels, or a JSONL file. Blocks without a label count
    for nothing, and pages without any are named. The tables have
    precision, recall and F1 on words, as means over pages, and the blocks that were kept, missed or
    wrongly kept. Each site is a sub-directory of GOLD, or the host of the url in a JSONL line.

    --html and --json have more measures. in order: by the longest common subsequence. distance:
    mean Levenshtein distance in characters; relative: divided by the length of the longer text.
    right begin, right end: pages whose article begins, or ends, at the right block.

    --cv reads no model: it trains one for each fold, with the options of train.

    --agree compares label files of the same pages, or directories of them, or the labels of a
    reader in GOLD. It prints the share of equal labels, Krippendorff's alpha, for two annotators
    Cohen's kappa, and the blocks that differ.
    """
    from crfclean.products.teach import evaluating as work

    _check_options(context)
    if compare is not None:
        work.print_comparison(*compare, options["group_by"] or "")
    elif gold is None:
        raise click.UsageError("Missing argument 'GOLD'.")
    elif others:
        work.print_agreement([gold, *others], as_json=as_json)
    else:
        evaluation = _evaluation(gold, options, explicit_options(context))
        if html is not None:
            work.write_report(html, evaluation)
        work.print_evaluation(evaluation, "json" if as_json else report)


def _evaluation(gold: Path, options: dict[str, Any], explicit: set[str]) -> Evaluation:
    from crfclean.products.teach import evaluating as work
    from crfclean.systems.load import is_named

    if options["folds"]:
        return work.cross_validation(gold, options, explicit)
    has_model = _is_trainable(options["kind"]) and not is_named(options["model"])
    return work.evaluation(gold, options, has_model=has_model)


def _is_trainable(kind: str | None) -> bool:
    """Return whether taggers of a kind have models; without a kind, it is that of the model."""
    return kind is None or kind in SHIPPED


def _check_options(context: click.Context) -> None:
    """Raise `UsageError` for options that have no effect beside the others."""
    explicit, gold = explicit_options(context), context.params["gold"]
    if context.params["compare"]:
        if gold is not None:
            raise click.UsageError(f"--compare takes two files and no GOLD ({gold})")
        refuse_options(explicit - {"compare", "group_by"}, "--compare only reads scores")
    elif context.params["others"]:
        refuse_options(explicit - {"gold", "others", "as_json"}, "--agree compares only labels")
    elif context.params["folds"]:
        unused = {"model", "texts"}
        if not _is_trainable(context.params["kind"]):
            unused.add("kind")
        refuse_options(explicit & unused, "a model is trained for every fold")
    else:
        refuse_options(explicit & _TRAINING, "--cv is missing")
        if context.params["texts"] is not None:
            refuse_options(explicit & _OF_TEXTS, "the texts of --texts are cleaned already")
