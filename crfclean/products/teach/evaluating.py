"""The work of the command `eval`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from crfclean import door
from crfclean.cli.messages import LOG, wrote
from crfclean.cli.options import (
    CUTS,
    TextParams,
    open_tagger,
    progress_bar,
    text_params,
)
from crfclean.io import write_text
from crfclean.model.folder import MANIFEST, find_model
from crfclean.model.settings import is_settings, read_settings
from crfclean.products.teach.agreement import agreement, agreement_json, agreement_text
from crfclean.products.teach.cleaning import (
    Cleaning,
    CleaningSystem,
    PageScore,
    by_tagger,
    by_texts,
)
from crfclean.products.teach.coverage import Coverage
from crfclean.products.teach.cross_validation import UNTRAINED, Plan, cross_validate, prepare
from crfclean.products.teach.gold import GoldPage, read_gold
from crfclean.products.teach.overlap import Overlap, trained_on
from crfclean.products.teach.peers import system
from crfclean.products.teach.report import worst_of
from crfclean.products.teach.result import Evaluation, read_scores
from crfclean.products.teach.runner import Scored, evaluate_systems
from crfclean.products.teach.tables import OURS, compare_text
from crfclean.products.teach.train import (
    pages_of_base,
)
from crfclean.products.teach.training import learner_of, tell_of_other_pages
from crfclean.systems.capabilities import elements_of
from crfclean.systems.load import shipped_model
from crfclean.types.choices import check_comments

ONE_SITE = (
    "all pages count as one site: folds are by page, and scores may be too high for other sites; "
    "give each site a sub-directory of its own, or each JSONL line its url"
)

CommandOptions = Mapping[str, Any]
"""The options of `eval` by parameter name."""


def print_comparison(old: Path, new: Path, group_by: str) -> None:
    """Print the differences of two files of scores."""
    text = compare_text(read_scores(old), read_scores(new), group_by)
    click.echo(text, nl=False)


def print_agreement(sources: Sequence[Path], *, as_json: bool) -> None:
    """Print how far the labels of annotators agree."""
    report = agreement(sources)
    click.echo(agreement_json(report) if as_json else agreement_text(report), nl=False)


def evaluation(gold: Path, options: CommandOptions, *, has_model: bool) -> Evaluation:
    """The scores of a tagger or of cleaned texts, and of peers.

    `has_model` says whether the tagger has a model, which the result then names.
    """
    check_comments(options["comments"], options["convention"])
    peers = _peers(options)
    about: dict[str, Any] = {}
    overlap = Overlap(frozenset())
    elements: tuple[str, ...] = ()
    if options["texts"] is None:
        tagger, texts = open_tagger(options), text_params(options)
        ours = {OURS: by_tagger(tagger, _cleaning(texts))}
        overlap = Overlap(trained_on(tagger))
        elements = elements_of(tagger)
        if has_model:
            switches = {name: options[name] for name in (*CUTS, "kind")} | texts.changes
            about = _about_model(shipped_model(options["model"], options["kind"]), switches)
    else:
        ours = {"texts": by_texts(options["texts"])}
    coverage = Coverage()
    pages = overlap.count(coverage.count(read_gold(gold)))
    scored = evaluate_systems(pages, {**ours, **peers}, options["workers"], options["metrics"])
    scores = _collect(scored, (*ours, *peers))
    coverage.tell(gold)
    tell_of_other_pages(scores.mismatched)
    result = Evaluation(gold.resolve().name, scores.systems, options["by"], about)
    result = replace(result, trained_on=overlap.pages, elements=elements)
    return replace(result, group_by=options["group_by"] or "", worst=scores.worst)


def _cleaning(texts: TextParams) -> Cleaning:
    return Cleaning(texts.comments, texts.min_score, texts.show)


def _peers(options: CommandOptions) -> dict[str, CleaningSystem]:
    return {name: system(name) for name in dict.fromkeys(options["systems"])}


def cross_validation(gold: Path, options: CommandOptions, explicit: set[str]) -> Evaluation:
    """The scores of models trained for the folds, and of peers.

    `explicit` are the options on the command line.
    """
    check_comments(options["comments"], options["convention"])
    peers, plan, workers = _peers(options), _plan(options, explicit), options["workers"]
    overlap = Overlap(pages_of_base(plan.learner.params.base))
    coverage = Coverage()
    gold_pages: list[GoldPage] = list(overlap.count(coverage.count(read_gold(gold))))
    coverage.tell(gold)
    if not options["group_by"] and len({gold.site for gold in gold_pages}) == 1:
        if plan.by == "site":
            LOG.warning(ONE_SITE)
        plan = replace(plan, by="page")
    pages = prepare(progress_bar(gold_pages, len(gold_pages), "page"), plan, workers)
    scored = cross_validate(pages, plan, workers)
    scores = _collect(scored, (OURS,))
    tell_of_other_pages(scores.mismatched)
    systems = scores.systems
    if peers:
        systems |= _collect(
            evaluate_systems(gold_pages, peers, workers, plan.metrics), tuple(peers)
        ).systems
    texts = text_params(options).changes
    about = {"training": _about_training(plan) | ({"texts": texts} if texts else {})}
    result = Evaluation(
        gold.resolve().name, systems, options["by"], about, trained_on=overlap.pages
    )
    elements = plan.learner.params.elements
    return replace(result, elements=elements, group_by=plan.by, worst=scores.worst)


def _plan(options: CommandOptions, explicit: set[str]) -> Plan:
    by, cleaning = options["group_by"] or "site", _cleaning(text_params(options))
    learner = learner_of(options, explicit)
    return Plan(options["folds"], by, learner, cleaning, options["metrics"])


def _about_training(plan: Plan) -> dict[str, Any]:
    learner = plan.learner
    return {
        "folds": plan.folds,
        "by": plan.by,
        "params": asdict(learner.params),
        "network": asdict(learner.network),
        "options": asdict(learner.cut),
    } | ({} if learner.recipe is None else {"recipe": asdict(learner.recipe)})


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


def print_evaluation(result: Evaluation, report: str) -> None:
    """Print a report of a result by its name; beside any but text, the note is a message."""
    click.echo(door.find("reports", report)(result), nl=False)
    if report != "text" and result.note:
        LOG.warning("%s", result.note.rstrip("\n"))


@dataclass(frozen=True)
class _Scores:
    """Name of a system -> its pages; the worst pages of the first; pages with gold of others."""

    systems: dict[str, list[PageScore]]
    worst: list[Scored]
    mismatched: list[str]


def _collect(scored: Iterable[Scored], names: tuple[str, ...]) -> _Scores:
    scores = _Scores({name: [] for name in names}, [], [])
    for page in progress_bar(scored, None, "page"):
        for name, score in zip(names, page.scores, strict=True):
            scores.systems[name].append(score)
            if score.status != "ok" and (name != OURS or score.status.startswith(UNTRAINED)):
                LOG.warning("%s: %s: %s, counted as empty", name, score.status, score.id)
        scores.worst[:] = worst_of(scores.worst, page)
        if page.is_mismatched:
            scores.mismatched.append(page.scores[0].id)
    return scores


def write_report(path: Path, result: Evaluation) -> None:
    """Write the HTML report; raises `CrfcleanError`."""
    write_text(path, door.find("reports", "html")(result))
    wrote(str(path))
