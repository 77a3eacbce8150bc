"""Evaluation as the options of `eval` ask for it, with progress bars."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from crfclean.annotate.agreement import agreement, agreement_json, agreement_text
from crfclean.cli.cut_options import changed_cut
from crfclean.cli.options import chosen_post, element_names, open_tagger, progress_bar
from crfclean.cli.text_options import TEXT_SWITCHES, TextParams, check_comments, pop_text_params
from crfclean.cli.training import recipe_of
from crfclean.decision.rules import CutParams
from crfclean.evaluate.cross_validation import (
    UNTRAINED,
    Plan,
    PreparedPage,
    cross_validate,
    curve_point,
    learning_curve,
    prepare,
    training_size,
    within_sources,
)
from crfclean.evaluate.peers import system
from crfclean.evaluate.plurals import plural
from crfclean.evaluate.report import report_html, worst_of
from crfclean.evaluate.result import Evaluation, Overlap, evaluation_json, read_pages, trained_on
from crfclean.evaluate.runner import (
    Cleaning,
    CleaningSystem,
    PageScore,
    Scored,
    by_site_taggers,
    by_tagger,
    by_texts,
    evaluate_systems,
    site_taggers,
)
from crfclean.evaluate.tables import OURS, compare_text, evaluation_csv, evaluation_text
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.io import write_text
from crfclean.modelfiles.folder import MANIFEST, find_model
from crfclean.modelfiles.settings import is_settings, read_settings
from crfclean.nn.params import NetworkParams
from crfclean.taggers.capabilities import elements_of
from crfclean.taggers.load import shipped_model
from crfclean.train.crf import pages_of_base
from crfclean.train.mlp import CUT
from crfclean.train.params import TrainParams
from crfclean.types import Tagger

RENDERERS = {"text": evaluation_text, "json": evaluation_json, "csv": evaluation_csv}
"""Format of the output -> its text."""

_FOLDS = 5
_CUT_OPTIONS = ("rule", "threshold", "precision", "keep", "convention", "also", "without")
_TAGGER_OPTIONS = (*_CUT_OPTIONS, "kind", "post")
_TEXT_OPTIONS = ("elements", "min_score", "comments", *TEXT_SWITCHES)

CommandOptions = Mapping[str, Any]
"""The options of `eval` by parameter name."""


def print_comparison(old: Path, new: Path) -> None:
    """Print the differences of two files of scores."""
    click.echo(compare_text(read_pages(old), read_pages(new)), nl=False)


def print_agreement(sources: Sequence[Path], *, as_json: bool) -> None:
    """Print how far the labels of annotators agree."""
    report = agreement(sources)
    click.echo(agreement_json(report) if as_json else agreement_text(report), nl=False)


def evaluation(
    gold: Path, options: CommandOptions, *, has_model: bool
) -> tuple[Evaluation, list[Scored]]:
    """The scores of a tagger or of cleaned texts, and of peers; the worst pages of the first.

    `has_model` says whether the tagger has a model, which the result then names.
    """
    check_comments(options["comments"], options["convention"])
    peers = _peers(options)
    chosen = {name: options[name] for name in _TAGGER_OPTIONS}
    about: dict[str, Any] = {}
    overlap = Overlap(frozenset())
    elements: tuple[str, ...] = ()
    if options["output"] is None:
        tagger, texts = open_tagger(model=options["model"], **chosen), _texts(options)
        ours = {OURS: _system(tagger, gold, texts, options)}
        overlap = Overlap(trained_on(tagger))
        elements = texts.elements or elements_of(tagger)
        if has_model:
            switches = {**chosen, "group_by": options["group_by"], **texts.changes}
            about = _about_model(shipped_model(options["model"], options["kind"]), switches)
    else:
        ours = {"texts": by_texts(options["output"])}
    pages = overlap.count(read_gold(gold))
    scored = evaluate_systems(pages, {**ours, **peers}, options["workers"])
    scores = _collect(scored, (*ours, *peers))
    result = Evaluation(gold.resolve().name, scores.systems, options["by"], about)
    return replace(result, trained_on=overlap.pages, elements=elements), scores.worst


def _texts(options: CommandOptions) -> TextParams:
    """The options of texts, as `clean` has them."""
    return pop_text_params({name: options[name] for name in _TEXT_OPTIONS})


def _cleaning(texts: TextParams) -> Cleaning:
    return Cleaning(texts.split, texts.comments, texts.min_score, texts.show)


def _system(
    tagger: Tagger, gold: Path, texts: TextParams, options: CommandOptions
) -> CleaningSystem:
    """Our system; with --group-by site it reads all pages before the first is scored."""
    cleaning = _cleaning(texts)
    if not options["group_by"]:
        return by_tagger(tagger, cleaning)
    pages = list(read_gold(gold))
    taggers = site_taggers(pages, tagger, cleaning.split, options["workers"])
    return by_site_taggers(taggers, cleaning)


def _peers(options: CommandOptions) -> dict[str, CleaningSystem]:
    """The other systems that are scored, by name."""
    return {name: system(name) for name in dict.fromkeys(options["systems"])}


def cross_validation(
    gold: Path, options: CommandOptions, explicit: set[str]
) -> tuple[Evaluation, list[Scored]]:
    """The scores of models trained for the folds, and of peers; the worst pages of the first.

    `explicit` are the options on the command line. The learning curve and the rows of single
    sources are added where options ask for them.
    """
    check_comments(options["comments"], options["convention"])
    peers, plan, workers = _peers(options), _plan(options, explicit), options["workers"]
    overlap = Overlap(pages_of_base(plan.params.base))
    gold_pages: list[GoldPage] = list(overlap.count(read_gold(gold)))
    pages = prepare(progress_bar(gold_pages, len(gold_pages), "page"), plan, workers)
    scored = cross_validate(pages, plan, workers)
    scores = _collect(scored, (OURS,))
    systems = scores.systems
    if peers:
        systems |= _collect(evaluate_systems(gold_pages, peers, workers), tuple(peers)).systems
    texts = {name: value for name, value in _texts(options).changes.items() if name != "elements"}
    about = {"training": _about_training(plan) | ({"texts": texts} if texts else {})}
    result = Evaluation(
        gold.resolve().name, systems, options["by"], about, trained_on=overlap.pages
    )
    result = replace(result, elements=plan.params.elements)
    if options["sizes"]:
        curve = _curve(pages, plan, scored, options["sizes"], workers)
        result = replace(result, curve=curve)
    if options["per_source"]:
        rows = within_sources(pages, plan, scored, workers)
        result = replace(result, source_rows=rows)
    return result, scores.worst


def _plan(options: CommandOptions, explicit: set[str]) -> Plan:
    """The options of training as parameters."""
    params = TrainParams(
        **{
            field.name: options[field.name]
            for field in fields(TrainParams)
            if field.name in options
        }
    )
    params = replace(params, elements=element_names(options["elements"]))
    network = NetworkParams(**{field.name: options[field.name] for field in fields(NetworkParams)})
    recipe = recipe_of(options, explicit)
    default = CutParams() if recipe is None else CUT
    cut = changed_cut(default, **{name: options[name] for name in _CUT_OPTIONS})
    by = options["group_by"] or ("page" if options["per_source"] else "site")
    plan = Plan(
        options["folds"] or _FOLDS, by, params, network, cut, recipe, chosen_post(options["post"])
    )
    cleaning = _cleaning(replace(_texts(options), elements=()))  # those of training count
    return replace(plan, cleaning=cleaning)


def _curve(
    pages: Sequence[PreparedPage],
    plan: Plan,
    scored: Sequence[Scored],
    sizes: Sequence[int],
    workers: int,
) -> list[Any]:
    """The points of the learning curve; the last is that of all pages."""
    last = curve_point(scored, training_size(pages, plan))
    return [*learning_curve(pages, plan, sizes, workers), last]


def _about_training(plan: Plan) -> dict[str, Any]:
    return {
        "folds": plan.folds,
        "by": plan.by,
        "params": asdict(plan.params),
        "network": asdict(plan.network),
        "options": asdict(plan.cut),
    } | ({} if plan.recipe is None else {"recipe": asdict(plan.recipe), "post": plan.post})


def _about_model(model: str | Path, chosen: CommandOptions) -> dict[str, Any]:
    """The model's name, the SHA-256 of its manifest (which has those of its weights), options."""
    manifest = _described(model)
    options = {name: value for name, value in chosen.items() if value is not None}
    digest = hashlib.sha256(manifest).hexdigest()
    return {"model": {"name": Path(model).name, "fingerprint": digest, "options": options}}


def _described(model: str | Path) -> bytes:
    """The bytes that describe a model: its manifest, behind its file of settings if it has one."""
    if not is_settings(model):
        return (find_model(model) / MANIFEST).read_bytes()
    inner = _described(read_settings(Path(model)).model)
    return Path(model).read_bytes() + inner


def print_evaluation(result: Evaluation, form: str) -> None:
    """Print a result in a format of `RENDERERS`; the others than text have its note beside it."""
    click.echo(RENDERERS[form](result), nl=False)
    if form != "text":
        click.echo(result.note, err=True, nl=False)


@dataclass(frozen=True)
class _Scores:
    """Name of a system -> its pages, and the worst pages of the first."""

    systems: dict[str, list[PageScore]]
    worst: list[Scored]


def _collect(scored: Iterable[Scored], names: tuple[str, ...]) -> _Scores:
    """All scores; messages say why a text is empty."""
    scores, guesses = _Scores({name: [] for name in names}, []), Counter[tuple[str, str]]()
    for page in progress_bar(scored, None, "page"):
        for name, score in zip(names, page.scores, strict=True):
            scores.systems[name].append(score)
            guesses.update([(name, score.guessed)] if score.guessed else [])
            if score.status != "ok" and (name != OURS or score.status.startswith(UNTRAINED)):
                click.echo(f"{name}: {score.status}: {score.id}, counted as empty", err=True)
        scores.worst[:] = worst_of(scores.worst, page)
    for (name, language), count in sorted(guesses.items()):
        click.echo(f"{name}: language guessed: {language} on {plural(count, 'page')}", err=True)
    return scores


def write_report(path: Path, result: Evaluation, worst: list[Scored]) -> None:
    """Write the HTML report; raises `CrfcleanError`."""
    write_text(path, report_html(result, worst))
