"""Arguments of `clean` -> texts and shards, messages, a list of failures, and the exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crfclean.choices import COMMENT_MODES
from crfclean.exit_codes import NOTHING, OK, SOME_FAILED
from crfclean.options import (
    element_names,
    open_tagger,
    options_of,
    progress_bar,
    tagger_options,
)
from crfclean.pagelimits import TRUNCATIONS, PageLimits
from crfclean.parts import Show
from crfclean.plurals import plural
from crfclean.records import Fields
from crfclean.shards import PACKERS
from crfclean.types import CrfcleanError
from crfclean.writers import WRITERS

if TYPE_CHECKING:  # help and completion read this module, and clean nothing
    from crfclean.cleaning import BatchParams, Result
    from crfclean.files import Job

MAX_MESSAGES = 100  # on single pages of shards; the list of failures has all


@click.command("clean")
@click.argument("source", metavar="IN")
@click.argument("target", metavar="OUT")
@tagger_options
@click.option(
    "--format",
    "ending",
    type=click.Choice(list(dict.fromkeys([*WRITERS, *PACKERS]))),
    help="format of the output, and its ending; txt for pages, jsonl.gz for WARC and JSONL",
)
@click.option("--blocks", help="only the text of these elements, as in h1,p,li")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="write no page whose expected F1 is lower",
)
@click.option(
    "--group-by",
    type=click.Choice(["site"]),
    help="the pages of a directory are of one site: what repeats across them counts as evidence",
)
@click.option(
    "--comments",
    type=click.Choice(COMMENT_MODES),
    help="readers' comments in the text, beside it or gone, instead of the tagger's own way",
)
@click.option(
    "--explain",
    "trace",
    is_flag=True,
    help="tell which rule removed what, and why (--tagger expert)",
)
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="processes")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="ray: a Ray cluster (that of RAY_ADDRESS, else one started here) takes the files",
)
@click.option("--resume", is_flag=True, help="go on with a run that was stopped or killed")
@click.option(
    "--failures",
    type=click.Path(dir_okay=False),
    help="list the pages that failed, have no text or score too low here",
)
@options_of(Show)
@options_of(PageLimits)
@options_of(Fields)
def clean_command(
    source: str,
    target: str,
    ending: str | None,
    workers: int,
    *,
    engine: str,
    resume: bool,
    failures: str | None,
    **more: Any,
) -> int:
    """Clean IN (a directory, a page, its URL, a WARC or JSONL file, or -) into OUT.

    OUT is a directory or a file, or - for standard output. Pages (.html .htm .xhtml, also .gz)
    become texts of the same names. WARC and JSONL files (plain, gzip, xz, zstd), found by their
    content, become JSONL or Parquet, as does all of IN where OUT ends so: .jsonl[.gz|.xz|.zst]
    or .parquet.

    Exit code: 0 all done, 1 some pages failed, 2 wrong usage, 3 no text at all (pages below the
    score count as those without text), 130 or 143 stopped by a signal: --resume goes on.
    """
    from crfclean.files import plan

    params = _params(ending, **more)
    jobs = plan(source, target, ending, params.fields)
    return run_jobs(jobs, params, workers, failures, engine=engine, resume=resume)


def run_jobs(
    jobs: Sequence[Job],
    params: BatchParams,
    workers: int,
    failures: str | None,
    *,
    engine: str = "local",
    resume: bool = False,
) -> int:
    """Do the jobs, tell what went wrong and how it ended; the exit code."""
    total = None if any(job.shard for job in jobs) else len(jobs)
    with ExitStack() as stack:
        listing = stack.enter_context(_open_listing(failures, resume=resume))
        stopped = stack.enter_context(_stopping())
        clean = _engine(engine)
        results = clean(jobs, params, workers, resume=resume, stop=stopped.is_set)
        counts = _tell_all(progress_bar(results, total, "page"), listing)
    click.echo(_summary(counts), err=True)
    if stopped.signal:
        name = signal.Signals(stopped.signal).name
        click.echo(f"crfclean: stopped by {name}: the same with --resume goes on", err=True)
        return 128 + stopped.signal
    return _code(counts)


def _engine(name: str) -> Callable[..., Iterator[Result]]:
    """What does the jobs; raises `CrfcleanError` for an extra that is not installed."""
    from crfclean.batch import clean_batch

    if name == "local":
        return clean_batch
    try:
        module = import_module("crfclean.extras.ray_shards")
    except ImportError as error:
        raise CrfcleanError("Ray needs its extra: pip install 'crfclean[ray]'") from error
    found: Callable[..., Iterator[Result]] = module.clean_batch_on_ray
    return found


def _params(
    ending: str | None,
    blocks: str | None,
    min_score: float,
    group_by: str | None,
    comments: str | None,
    *,
    trace: bool,
    **more: Any,
) -> BatchParams:
    """The options that say how pages are cleaned."""
    from crfclean.blocks import SplitParams
    from crfclean.cleaning import BatchParams

    limits, fields, show = (_taken(params, more) for params in (PageLimits, Fields, Show))
    split = SplitParams(element_names(blocks)) if blocks else None
    text = ending if ending and ending in WRITERS else "txt"
    tagger = open_tagger(**more)
    if trace:
        from crfclean.taggers.capabilities import Traces, need

        need(tagger, Traces, "--explain")
    params = BatchParams(tagger, text, split, min_score, bool(group_by), limits, fields)
    return replace(params, comments=comments or "", show=show, trace=trace)


def _taken(params: type[Any], options: dict[str, Any]) -> Any:
    """The params of a dataclass out of the options, that lose them."""
    return params(**{name: options.pop(name) for name in params.__dataclass_fields__})


@dataclass(slots=True)
class _Stopped:
    """The signal that asked the run to stop, 0 if none has."""

    signal: int = 0

    def is_set(self) -> bool:
        """Whether there was one."""
        return bool(self.signal)


@contextmanager
def _stopping() -> Iterator[_Stopped]:
    """Within it SIGINT and SIGTERM ask the run to stop; a second one ends it at once."""
    stopped = _Stopped()

    def ask(number: int, _: object) -> None:
        if stopped.signal:
            raise KeyboardInterrupt
        stopped.signal = number

    before = {one: signal.signal(one, ask) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _open_listing(path: str | None, *, resume: bool) -> Any:
    """The list of failures; a run that goes on adds to it."""
    mode = "a" if resume else "w"
    try:
        return Path(path or os.devnull).open(mode, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error


def _tell_all(results: Any, listing: Any) -> Counter[str]:
    """Print and list what there is to tell, and count the outcomes."""
    from crfclean.cleaning import DONE

    counts = Counter[str]()
    for result in results:
        counts["messages"] += bool(result.record and result.failed)
        loud = not result.record or (result.failed and counts["messages"] <= MAX_MESSAGES)
        _tell(result, listing, loud=loud)
        counts.update(result.before or {result.outcome: result.pages})
        counts[DONE] += result.before.total() if result.before else 0
        counts["truncated"] += bool(result.truncated)
    return counts


def _tell(result: Result, listing: Any, *, loud: bool) -> None:
    """Print a page's text if it goes to standard output, and what went wrong with it."""
    from crfclean.cleaning import DONE

    if result.text:
        click.echo(result.text.encode("utf-8", "replace"), nl=False)
    if result.status not in {"ok", DONE}:
        listing.write(f"{result.name}\t{result.status}\t{result.message}\n")
        listing.flush()
        if loud:
            _write(f"{result.name}: {result.message}")
    if result.trace:
        _write(f"{result.name}:\n{result.trace}", end="")
    if result.truncated and loud:
        reason = TRUNCATIONS[result.truncated]
        _write(f"{result.name}: truncated: {reason}")


def _write(message: str, end: str = "\n") -> None:
    """Print a message above the progress bar."""
    from tqdm import tqdm

    tqdm.write(message, file=sys.stderr, end=end)


def _summary(counts: Mapping[str, int]) -> str:
    from crfclean.cleaning import DONE, LOW_SCORE

    always = {"ok": "cleaned", "without": "without text", "failed": "failed"}
    seldom = {LOW_SCORE: "below the score", "truncated": "truncated", DONE: "done before"}
    parts = [f"{counts[key]} {name}" for key, name in always.items()]
    parts += [f"{counts[key]} {name}" for key, name in seldom.items() if counts[key]]
    pages = sum(counts[key] for key in (*always, LOW_SCORE))
    return f"{plural(pages, 'page')}: {', '.join(parts)}"


def _code(counts: Mapping[str, int]) -> int:
    from crfclean.cleaning import DONE

    if not counts["ok"] + counts[DONE]:
        return NOTHING
    return SOME_FAILED if counts["failed"] else OK
