"""The command `train`: train a model on annotated pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from crfclean.cli.files import Reads
from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import wrote
from crfclean.cli.options import CUT_OPTIONS, explicit_options, options_of, output_option, together
from crfclean.nn.params import NetworkParams
from crfclean.page.chars import plural
from crfclean.taggers.load import SHIPPED
from crfclean.train.params import TrainParams
from crfclean.types.choices import FORUM_TAGGER, PRESETS


@click.command(
    "train",
    cls=GroupedCommand,
    first="--output --from --held-out --networks --tagger --preset "
    "--as --precision --keep --licence",
    examples={
        "crfclean train pages -o my-model --from default": "Adapt the shipped model to your pages",
        "crfclean train pages -o my-model --networks 1": "With networks, from 200 pages",
        "crfclean clean other texts --model ./my-model": "Use the model",
        "crfclean train sites -o my-forums --tagger forum": "A model for crfclean forum",
    },
)
@click.argument("directory", metavar="DIR", type=Reads(pages=True, path_type=Path))
@output_option("model", "DIR", "folder of the new model")
@click.option(
    "--licence", default="", metavar="NAME", help="licence of the annotations, for the manifest"
)
@click.option(
    "--tagger",
    "kind",
    type=click.Choice([*SHIPPED, FORUM_TAGGER]),
    default="crf",
    show_default=True,
    help="kind of model",
)
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    default="tuned",
    show_default=True,
    help="recipe of the perceptron: tuned by cross-validation, or that of the paper",
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

    --tagger mlp trains a perceptron instead of a CRF, by a --preset that --epochs, --learning-rate,
    --weight-decay, --dropout and --evenness change.

    --tagger forum trains a model of forum posts. Each directory in DIR with a file posts.xpath is a
    site with its pages; .jsonl files have the fields html and posts. The score is the F1 of posts.
    --l1, --l2, --iterations and --min-freq have other defaults here.
    """
    explicit = explicit_options(context)
    if options["kind"] == FORUM_TAGGER:
        from crfclean.cli.training import train_forum

        train_forum(directory, output, options, explicit)
        return
    from crfclean.cli.training import annotated_pages, as_typed, learner_of, train_and_save

    learner = learner_of(options, explicit)
    gold = annotated_pages(directory)
    train_and_save(gold, learner, output, licence)
    wrote(f"{as_typed(output)}, a model trained on {plural(len(gold), 'page')}")
