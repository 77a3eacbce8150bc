"""Commands that measure: `eval`, `drift` and `audit`."""

from __future__ import annotations

import re
import sys
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from crfclean.cli.help import (
    EXIT_NOTHING,
    EXIT_OK,
    EXIT_SOME_FAILED,
    LOG,
    GroupedCommand,
    Reads,
    Writes,
    notice,
    wrote,
)
from crfclean.cli.options import (
    CUTS,
    TEXT_SWITCHES,
    explicit_options,
    html_option,
    options_of,
    progress_bar,
    refuse_options,
    text_options,
    workers_option,
)
from crfclean.corpus.outputs import session_lock
from crfclean.io import file_digest, naming_path, unused_path
from crfclean.model.fit import NetworkParams
from crfclean.page.chars import plural
from crfclean.systems.load import NAMED
from crfclean.teach.train import TrainParams
from crfclean.types import CrfcleanError
from crfclean.types.choices import FORUM_TAGGER, PEERS, SCORE_GROUPS

if TYPE_CHECKING:
    from crfclean.teach.audit import Sample
    from crfclean.teach.audit_summary import Judgements

_UNTRAINABLE = frozenset([*NAMED, FORUM_TAGGER])
"""Taggers that are not trained here."""
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
        "crfclean eval anna --agree bert": "The agreement of two annotators",
    },
)
@click.argument("gold", type=Reads(pages=True, path_type=Path), required=False)
@click.option(
    "--texts",
    metavar="DIR",
    type=Reads(path_type=Path),
    help="score the texts in this directory instead of a model",
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
    help="compare GOLD with the labels of another annotator; can be repeated",
)
@click.option("--json", "as_json", is_flag=True, help="print all figures as JSON")
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
    *,
    as_json: bool,
    **options: Any,
) -> None:
    """Score a model, or cleaned texts, on annotated pages.

    GOLD is a directory of pages with texts or labels, or a JSONL file. The tables have
    precision, recall and F1 on words, as means over pages, and the blocks that were kept, missed or
    wrongly kept. Each site is a sub-directory of GOLD, or the host of the url in a JSONL line.

    --html and --json have more measures. in order: by the longest common subsequence. distance:
    mean Levenshtein distance in characters; relative: divided by the length of the longer text.
    right begin, right end: pages whose article begins, or ends, at the right block.

    --cv reads no model: it trains one for each fold, with the options of train.

    --agree compares label files of the same pages, or directories of them. It prints
    Krippendorff's alpha and the blocks that differ.
    """
    from crfclean.cli import training as work

    _check_options(context)
    if compare is not None:
        work.print_comparison(*compare, options["group_by"] or "")
    elif gold is None:
        raise click.UsageError("Missing argument 'GOLD'.")
    elif others:
        work.print_agreement([gold, *others], as_json=as_json)
    else:
        _score(gold, html, options, explicit_options(context), as_json=as_json)


def _score(
    gold: Path, html: Path | None, options: dict[str, Any], explicit: set[str], *, as_json: bool
) -> None:
    from crfclean.cli import training as work

    if options["folds"]:
        evaluation, worst = work.cross_validation(gold, options, explicit)
    else:
        has_model = options["kind"] not in _UNTRAINABLE
        evaluation, worst = work.evaluation(gold, options, has_model=has_model)
    if html is not None:
        work.write_report(html, evaluation, worst)
    work.print_evaluation(evaluation, as_json=as_json)


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
        if context.params["kind"] in _UNTRAINABLE:
            unused.add("kind")
        refuse_options(explicit & unused, "a model is trained for every fold")
    else:
        refuse_options(explicit & _TRAINING, "--cv is missing")
        if context.params["texts"] is not None:
            refuse_options(explicit & _OF_TEXTS, "the texts of --texts are cleaned already")


# the command `drift`: tell which sites changed, and since when


@click.command(
    "drift",
    cls=GroupedCommand,
    examples={
        "crfclean drift monday.jsonl.gz tuesday.jsonl.gz": "Sites that got worse in these runs",
        "crfclean drift runs/*.jsonl.gz --json": "The same for programs",
    },
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=Reads(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="print all figures as one JSON object")
def drift_command(
    runs: tuple[Path, ...],
    as_json: bool,  # noqa: FBT001
) -> int:
    """Tell which sites changed, and since when.

    RUN is an output of clean for many pages (JSONL, CSV or Parquet); name the oldest run first.
    crfclean names a site if the scores of its pages fell. After clean --include site-places it also
    names a site if less text is in the places where its first pages had theirs. It prints the day
    of the change, or the first changed page if pages have no date. A site needs at least six pages,
    ten for the places.

    Exit code: 0 no site got worse, 1 some did, 2 wrong usage.
    """
    from crfclean.teach.drift import (
        falls_of_sites,
        read_run,
        report_json,
        report_text,
        sites_in_time,
    )

    left_out = Counter[str]()
    by_site = sites_in_time(page for run in runs for page in read_run(run, left_out))
    report = replace(falls_of_sites(by_site), left_out=left_out)
    text = report_json(report) if as_json else report_text(report)
    click.echo(text, nl=False)
    return EXIT_SOME_FAILED if report.falls else EXIT_OK


# the command `audit`: precision, recall and F1 of a whole run, from a few judged blocks


def audit_files(path: Path) -> tuple[Path, Path]:
    """Return the file of the judgements, and that of the sample beside it."""
    return path, path.with_suffix(".json")


@click.command(
    "audit",
    cls=GroupedCommand,
    examples={
        "crfclean clean crawl.warc.gz texts.jsonl --include left-out": "A run that can be audited",
        "crfclean audit texts.jsonl": "Judge 100 of its blocks at the terminal",
        "crfclean audit texts.jsonl --write": "Judge in a spreadsheet, texts.audit.csv",
        "crfclean audit texts.jsonl --report": "The figures of the judgements so far",
    },
)
@click.argument("out", type=Reads(path_type=Path))
@click.option(
    "--sample",
    "count",
    type=click.IntRange(10, 500),
    default=100,
    show_default=True,
    metavar="N",
    help="number of blocks to judge; a later run with more keeps the judgements so far",
)
@click.option(
    "--judgements",
    "file",
    type=Writes(audit_files, path_type=Path, dir_okay=False),
    metavar="FILE",
    help="CSV file of the judgements, beside a JSON file of the sample; default: NAME.audit.csv "
    "beside OUT",
)
@click.option("--write", is_flag=True, help="write the CSV file for a spreadsheet, then stop")
@click.option("--report", "only_report", is_flag=True, help="print the figures without asking")
@click.option("--json", "as_json", is_flag=True, help="print the figures as JSON")
def audit_command(
    out: Path,
    count: int,
    file: Path | None,
    *,
    write: bool,
    only_report: bool,
    as_json: bool,
) -> int:
    """Estimate how good the texts of a run are, from a few judged blocks.

    OUT is the output of clean --include left-out: JSONL, Parquet or JSON, a file or a directory.
    crfclean shows a sample of its kept and dropped blocks one by one. Press t if a block belongs to
    the text and o if it does not. Each judgement is saved at once, and the next call continues
    where this one stopped. Then crfclean prints precision, recall and F1 of the whole run with 95 %
    intervals. It also prints them by site, language, page type and kind of block, where there are
    enough judgements, and names the sites whose pages are worth labelling. A paragraph for a paper
    has versions, model, convention, pages by status and these estimates.

    Exit code: 0 figures were printed, 2 wrong usage, 3 nothing is judged yet.
    """
    asks = not (write or only_report)
    if asks and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise CrfcleanError(
            f"judging needs a terminal: without one, run crfclean audit {out} --write for a "
            "spreadsheet, then --report"
        )
    path = file or _beside(out)
    lock = path.with_name(f".{path.name}.lock")
    with nullcontext() if only_report else session_lock(lock, path):
        sheet = _open_sheet(out, path, count)
        if write or not path.exists():
            sheet.save(sheet.judgements)
        judgements = _judge(sheet) if asks else sheet.judgements
    if write:
        blocks = plural(min(count, len(sheet.sample.blocks)), "block")
        wrote(f"{blocks} to judge", path)
        notice(f"Judge them, then run crfclean audit {out} --report")
        return EXIT_OK
    if sheet.path != path:
        LOG.warning("%s was changed meanwhile: these judgements are in %s", path, sheet.path)
    return _print(sheet.sample, judgements, sheet.path, as_json=as_json)


_COLUMNS = 100  # of the paragraph for a paper
_ENDING = re.compile(r"(?<=.)\.(?:jsonl?(?:\.(?:gz|xz|zst))?|parquet)$")


def _beside(out: Path) -> Path:
    """`a.texts.jsonl.gz` -> `a.texts.audit.csv`, `out/` -> `out.audit.csv`, both beside OUT."""
    resolved = out.resolve()
    name = resolved.name if out.is_dir() else _ENDING.sub("", resolved.name)
    return out.parent / f"{name}.audit.csv" if out.name else resolved.parent / f"{name}.audit.csv"


def _sample_of(out: Path, path: Path) -> Sample:
    """Read the sample that was drawn before, or draw and write a new one."""
    from crfclean.teach.audit import check_same_run, draw, read_sample, write_sample

    if path.exists():
        sample = read_sample(path)
        check_same_run(path, sample, out)
        return sample
    sample = draw(out, progress=lambda pages: progress_bar(pages, None, "page"))
    write_sample(path, sample)
    return sample


@dataclass
class _Sheet:
    """The file of the judgements, with its digest and judgements as they were last read."""

    path: Path
    sample: Sample
    count: int
    digest: str
    judgements: Judgements

    def save(self, judgements: Judgements) -> None:
        """Write the blocks that are asked for; those judged before stay in the file.

        Raises `CrfcleanError` if another program has changed the file; from then on, the judgements
        go to a file of their own.
        """
        from crfclean.teach.audit_summary import write_judgements

        changed = self.path if _digest(self.path) != self.digest else None
        self.path = unused_path(self.path) if changed else self.path
        last = max(judgements, default=-1) + 1
        blocks = self.sample.blocks[: max(self.count, last)]
        write_judgements(self.path, self.sample, judgements, blocks)
        self.digest = _digest(self.path)
        if changed:
            raise CrfcleanError(
                f"{changed.name} was changed meanwhile: your judgements now go to "
                f"{self.path.name}: press the key again"
            )


def _digest(path: Path) -> str:
    with naming_path(path, "cannot be read"):
        return file_digest(path)


def _open_sheet(out: Path, path: Path, count: int) -> _Sheet:
    from crfclean.teach.audit_summary import read_judgements

    sample, digest = _sample_of(out, path.with_suffix(".json")), _digest(path)
    judgements = read_judgements(path, sample) if path.exists() else {}
    return _Sheet(path, sample, count, digest, judgements)


def _judge(sheet: _Sheet) -> Judgements:
    from crfclean.teach.audit_summary import ask

    return ask(sheet.sample.blocks[: sheet.count], sheet.judgements, sheet.save, _press)


def _press(text: str) -> str:
    """Show a text alone on the screen, and return the key that is pressed; q for Ctrl-C."""
    click.clear()
    click.echo("\n".join(map(_wrapped, text.split("\n"))), nl=False)
    try:
        return click.getchar()
    except (KeyboardInterrupt, EOFError):
        return "q"


def _wrapped(line: str) -> str:
    return click.wrap_text(line, get_terminal_size().columns) if line else line


def _print(sample: Sample, judgements: Judgements, path: Path, *, as_json: bool) -> int:
    from crfclean.io import json_report
    from crfclean.teach.audit_summary import methods, report, summary_text

    if not judgements:
        LOG.error("%s has no judgements yet", path)
        return EXIT_NOTHING
    figures = report(sample, judgements)
    paragraph = methods(figures)
    if as_json:
        click.echo(json_report(asdict(figures) | {"methods": paragraph}), nl=False)
    else:
        click.echo(f"{summary_text(figures)}\nFor a paper:\n{fill(paragraph, _COLUMNS)}")
    return EXIT_OK
