"""The command `train`: train a model on annotated pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import wrote
from crfclean.cli.options import (
    CUT_OPTIONS,
    explicit_options,
    options_of,
    output_option,
    together,
)
from crfclean.cli.paths import Reads
from crfclean.page.chars import plural
from crfclean.products.corpus.listing import inputs_of
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import TrainParams
from crfclean.systems.load import SHIPPED

if TYPE_CHECKING:
    pass


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
    LABEL<TAB>text), or .jsonl files with the fields html and gold. Blocks without a label train
    nothing. crfclean first trains without some sites and prints the scores on them. Then it trains
    the model on all pages. For fewer than ten pages, use crfclean tune.

    --tagger mlp trains a perceptron instead of a CRF.
    """
    explicit = explicit_options(context)
    from crfclean.products.teach.training import (
        annotated_pages,
        as_typed,
        learner_of,
        tell_of_few_pages,
        train_and_save,
    )

    learner = learner_of(options, explicit)
    gold = annotated_pages(directory)
    train_and_save(gold, learner, output, licence)
    wrote(f"{as_typed(output)}, a model trained on {plural(len(gold), 'page')}")
    tell_of_few_pages(len(gold), directory)
