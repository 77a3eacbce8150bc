"""The command `audit`: precision, recall and F1 of a whole run, from a few judged blocks."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING

import click

from crfclean.cli.help import GroupedCommand
from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, LOG, notice, wrote
from crfclean.cli.options import progress_bar
from crfclean.cli.paths import Reads, Writes
from crfclean.io import file_digest, naming_path, unused_path
from crfclean.page.chars import plural
from crfclean.products.corpus.locks import session_lock
from crfclean.types import CrfcleanError

if TYPE_CHECKING:
    from crfclean.products.tools.audit import Sample
    from crfclean.products.tools.judgements import Judgements


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
    type=Writes(lambda file: (file, file.with_suffix(".json")), path_type=Path, dir_okay=False),
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
    from crfclean.products.tools.audit import check_same_run, draw, read_sample, write_sample

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
        from crfclean.products.tools.judgements import write_judgements

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
    from crfclean.products.tools.judgements import read_judgements

    sample, digest = _sample_of(out, path.with_suffix(".json")), _digest(path)
    judgements = read_judgements(path, sample) if path.exists() else {}
    return _Sheet(path, sample, count, digest, judgements)


def _judge(sheet: _Sheet) -> Judgements:
    from crfclean.products.tools.judging import ask

    return ask(sheet.sample.blocks[: sheet.count], sheet.judgements, sheet.save, _press)


def _press(text: str) -> str:
    """Show a text alone on the screen, and return the key that is pressed; q for Ctrl-C."""
    click.clear()
    columns, lines = get_terminal_size().columns, text.split("\n")
    wrapped = (click.wrap_text(line, columns) if line else "" for line in lines)
    click.echo("\n".join(wrapped), nl=False)
    try:
        return click.getchar()
    except (KeyboardInterrupt, EOFError):
        return "q"


def _print(sample: Sample, judgements: Judgements, path: Path, *, as_json: bool) -> int:
    from crfclean.io import json_report
    from crfclean.products.tools.audit_summary import report, summary_text
    from crfclean.products.tools.methods import methods

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
