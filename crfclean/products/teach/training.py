"""The work of the command `train`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from crfclean.cli.messages import LOG
from crfclean.cli.options import (
    CUTS,
    of_options,
    progress_bar,
    refuse_options,
)
from crfclean.decision.rules import CutChoice, CutParams
from crfclean.model.first_pass import check_added
from crfclean.model.folder import Bundle, is_shipped_name, save_bundle
from crfclean.page.blocks import SplitParams, split
from crfclean.page.chars import plural
from crfclean.products.teach.coverage import Coverage, first_names
from crfclean.products.teach.gold import GoldPage, is_mismatched, read_gold
from crfclean.products.teach.means import f1_interval
from crfclean.products.teach.metrics import word_scores
from crfclean.products.teach.network_params import RECIPES, NetworkParams, Recipe
from crfclean.products.teach.overlap import Overlap, overlap_note
from crfclean.products.teach.runner import evaluate
from crfclean.products.teach.tables import scores_text
from crfclean.products.teach.train import (
    CUT,
    Learner,
    NothingToLearnError,
    TrainParams,
    pages_of_base,
    split_sites,
)
from crfclean.systems.load import open_bundle
from crfclean.types import CrfcleanError, NoGoldError
from crfclean.types.choices import AUTO
from crfclean.types.options import split_names

FEW_PAGES = 10
"""From fewer pages, `tune` helps more than `train`: eval/FINDINGS.md."""
_SHARED = {"epochs", "held_out", "elements"}
_CRF_ALONE = {field.name for field in (*fields(TrainParams), *fields(NetworkParams))} - _SHARED


def learner_of(options: Mapping[str, Any], explicit: set[str]) -> Learner:
    """The learner that the options describe; `explicit` are those on the command line.

    Raises `UsageError` for options that have no effect on this kind of model.
    """
    recipe = recipe_of(options, explicit)
    network = of_options(NetworkParams, options)
    return Learner(_train_params(options), _cut(options, recipe), network, recipe)


def _train_params(options: Mapping[str, Any]) -> TrainParams:
    params = of_options(TrainParams, options)
    added = tuple(name.strip() for name in options["features"].split(",") if name.strip())
    params = replace(params, elements=element_names(options["elements"]), features=added)
    check_added(added)  # before the pages are read
    return params


def element_names(text: str) -> tuple[str, ...]:
    """Return the names of `--blocks h1,p,li`; raises `CrfcleanError` for other characters.

    >>> element_names("H1, p")
    ('h1', 'p')
    """
    names = split_names(text)
    invalid = [name for name in names if not name.replace("-", "").isalnum()]
    if invalid:
        raise CrfcleanError(f"--blocks: {invalid[0]!r} is not the name of an HTML element")
    return names


def _cut(options: Mapping[str, Any], recipe: Recipe | None) -> CutParams:
    """Return the decision that a new model records."""
    default = CutParams() if recipe is None else CUT
    cut = CutChoice(**{name: options[name] for name in CUTS}).of(default)
    return replace(cut, convention=AUTO) if options["convention"] == AUTO else cut


def recipe_of(options: Mapping[str, Any], explicit: set[str]) -> Recipe | None:
    """The perceptron's recipe, None for a CRF; raises `UsageError` for options of a CRF."""
    if options["kind"] != "mlp":
        if not options["networks"]:
            refuse_options({"epochs"}, "it needs --networks or --tagger mlp")
        return None
    refuse_options(_CRF_ALONE & explicit, "it needs --tagger crf")
    recipe = RECIPES["tuned"]
    return replace(recipe, epochs=options["epochs"]) if "epochs" in explicit else recipe


def annotated_pages(directory: Path) -> list[GoldPage]:
    """The annotated pages; without any, the error says how to label them."""
    coverage = Coverage()
    try:
        gold = list(progress_bar(coverage.count(read_gold(directory)), None, "page"))
    except NoGoldError as error:
        raise CrfcleanError(
            f"{error}; to label pages, run crfclean annotate {directory} at a terminal, or "
            f"crfclean annotate {directory} --web for the browser"
        ) from error
    coverage.tell(directory)
    return gold


def tell_of_few_pages(pages: int, directory: Path) -> None:
    """Say that `tune` is what helps, if there are few pages."""
    if pages < FEW_PAGES:
        LOG.warning(
            "fewer than %d pages: check that the model is better than the shipped one, or use "
            "crfclean tune %s, which helps more",
            FEW_PAGES,
            directory,
        )


def as_typed(model: Path) -> str:
    """Return the folder of a model as `--model` takes it.

    >>> as_typed(Path("my-model")), as_typed(Path("models/mine"))
    ('./my-model', 'models/mine')
    """
    return f"./{model}" if is_shipped_name(str(model)) else str(model)


def train_and_save(gold: Sequence[GoldPage], learner: Learner, output: Path, licence: str) -> None:
    """Score a model on held-out sites, then train one on all pages and write its folder."""
    _tell_what_is_outside(gold, learner.params.elements)
    scores = _held_out_scores(gold, learner, output)
    bundle = _train(gold, learner)
    sets = [{**gold_set, "licence": licence} for gold_set in bundle.sets]
    save_bundle(replace(bundle, scores=scores, sets=sets), output)


def _tell_what_is_outside(gold: Sequence[GoldPage], elements: tuple[str, ...]) -> None:
    """Say how many pages have most of their text outside the elements that the model reads."""
    if not elements:
        tell_of_other_pages([page.id for page in gold if is_mismatched(page, split(page.page))])
        return
    texts = (" ".join(split(page.page, SplitParams(elements)).texts) for page in gold)
    scores = (word_scores(text, page.text) for text, page in zip(texts, gold, strict=True))
    if outside := sum(score.recall < 0.5 for score in scores):
        LOG.warning(
            "%d of %s have most of their text outside %s, which this model does not read: leave "
            "out --blocks",
            outside,
            plural(len(gold), "page"),
            ", ".join(elements),
        )


def tell_of_other_pages(ids: Sequence[str]) -> None:
    """Name pages whose gold may be that of other pages: they teach a model to drop their text."""
    if ids:
        LOG.warning(
            "most of the gold text is missing on %s: is it another page's? %s",
            plural(len(ids), "page"),
            first_names(ids),
        )


def _train(gold: Sequence[GoldPage], learner: Learner) -> Bundle:
    with progress_bar(None, None, "step") as bar:

        def advance(stage: str, steps: int) -> None:
            bar.set_description_str(stage)
            bar.update(steps)

        return learner.train(gold, advance)


def _held_out_scores(gold: Sequence[GoldPage], learner: Learner, output: Path) -> dict[str, Any]:
    """Train on some sites; print and return the scores on the others."""
    training, held_out = split_sites(gold, learner.params.held_out)
    if not held_out:
        if learner.params.held_out:
            LOG.warning("no scores: too few pages to hold some out")
        return {}
    try:
        tagger = open_bundle(output, _train(training, learner))
    except NothingToLearnError as error:  # all pages together may have two labels
        LOG.warning("no scores: on the pages that are not held out, %s", error)
        return {}
    overlap = Overlap(pages_of_base(learner.params.base))
    scored = evaluate(overlap.count(held_out), tagger)
    scores = list(progress_bar(scored, len(held_out), "page"))
    sites = plural(len({page.site for page in held_out}), "site")
    click.echo(
        f"held out: {plural(len(held_out), 'page')} of {sites}, trained on {len(training)}\n"
    )
    click.echo(overlap_note(overlap.pages, len(held_out), base=True), nl=False)
    click.echo(scores_text(scores))
    mean = sum(page.words.f1 for page in scores) / len(scores)
    ends = f1_interval(scores)
    return {
        "held_out_pages": len(held_out),
        "f1": round(mean, 4),
        "interval": ends and [round(end, 4) for end in ends],
    }
