"""Run the jobs of a command: messages, the list of failures, and the exit code."""

from __future__ import annotations

import os
import signal
from collections.abc import (
    Callable,
    Generator,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack, closing, contextmanager, suppress
from logging import ERROR, INFO, WARNING
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from crfclean.cli.messages import LOG, notice, wrote
from crfclean.cli.options import (
    explicit_options,
    progress_bar,
)
from crfclean.cli.summary import tell_cuts
from crfclean.io import naming_file, naming_path
from crfclean.page.chars import escaped, plural
from crfclean.products.corpus.jobs import (
    DONE,
    JOINED,
    KEPT,
    UNWRITTEN,
    Result,
    left_out_result,
)
from crfclean.products.corpus.params import RunParams
from crfclean.products.corpus.records import PAGE
from crfclean.products.corpus.summary import RunCounts, batch_summary
from crfclean.types import CrfcleanError, WorkerError

if TYPE_CHECKING:
    from crfclean.products.corpus.job import Job
    from crfclean.products.corpus.jobs import Operation
    from crfclean.products.corpus.plan import JobPlan


_LIST_HEAD = 100_000  # bytes of a list of failures that are looked at

_NEED_PROCESSES = frozenset(["max_seconds", "max_memory", "engine"])

Engine = Callable[..., Generator["Result"]]


def run_jobs(
    plan: JobPlan,
    operation: Operation,
    params: RunParams,
    *,
    engine: Engine | None = None,
    summarise: Callable[[Mapping[str, int]], str] = batch_summary,
    item: str = "page",
) -> int:
    """Do the jobs and report failures, files left out and counts; returns the exit code.

    The default engine is that of this machine. `item` is the word for the output of a page.
    """
    jobs, counts = plan.jobs, RunCounts()
    for job in jobs:
        LOG.debug("%s: %s to %s", job.name, job.kind, job.target or "standard output")
    workers = params.workers if needs_processes(jobs) else 0
    total = None if any(job.shard for job in jobs) else len(jobs)
    with ExitStack() as stack:
        listing = stack.enter_context(_listing(params.failures))
        stopped = stack.enter_context(_stopping())
        stack.enter_context(_naming_resume(jobs))
        results = (engine or local_engine())(
            jobs, operation, workers, params=params, stop=lambda: bool(stopped)
        )
        stack.enter_context(closing(results))  # an error ends the workers, too
        bar = progress_bar(results, total, "page") if workers else results
        older = None if params.continues else params.failures
        files = map(left_out_result, plan.left_out)
        for result in _begun(bar, older, files):
            _report(result, listing, printed=counts.add(result))
    notice(summarise(counts.counts) + counts.left_out.words)
    if workers:
        from crfclean.page.walk import lxml_note

        if note := lxml_note():
            LOG.warning("crfclean: %s", note)
    if stopped:
        name = signal.Signals(stopped[0]).name
        LOG.error("crfclean: stopped by %s: run it again with --resume to continue", name)
        return 128 + stopped[0]
    if (place := output_of(jobs)) and counts.counts["ok"] and place.exists():
        wrote(plural(counts.counts["ok"], item), place)
    return counts.exit_code


@contextmanager
def _listing(path: str | None) -> Iterator[IO[str]]:
    """Open the list of failures; raises `CrfcleanError`."""
    with naming_path(path, "cannot be written"):
        file = Path(path or os.devnull)
        if file.is_file() and not _is_list(file):  # `--failures texts.jsonl` emptied a corpus
            raise CrfcleanError(f"{path}: is no list of failures: name another file")
        stream = file.open("a", encoding="utf-8", errors="surrogateescape")
    try:
        yield stream
    finally:
        with suppress(OSError):  # what a full disk did not take was told by then
            stream.close()


def _is_list(file: Path) -> bool:
    """Return whether a file is empty, or begins with a name, a status and a reason."""
    with file.open("rb") as stream:
        line = stream.readline(_LIST_HEAD)
    return not line or line.count(b"\t") == 2


def output_of(jobs: Sequence[Job]) -> Path | None:
    """Where the results of jobs are: a file, or a directory; None for standard output."""
    places = {job.folders.target if job.folders else job.target for job in jobs if not job.refused}
    return min(filter(None, places), default=None)


@contextmanager
def _naming_resume(jobs: Sequence[Job]) -> Iterator[None]:
    """Add to a `WorkerError` how to continue a run that may have written something."""
    try:
        yield
    except WorkerError as error:
        if (len(jobs) == 1 and not jobs[0].shard) or any(job.target is None for job in jobs):
            raise
        raise WorkerError(f"{error}; run it again with --resume to continue") from error


def local_engine() -> Engine:
    """Return the engine of this machine; help and completion do not import it."""
    from crfclean.products.corpus.engine import clean_batch

    return clean_batch


def needs_processes(jobs: Sequence[Job]) -> bool:
    """Whether there are many pages, or an option on the command line that needs a process.

    One page is read in this process: a second one would have to import everything again.
    """
    if len(jobs) != 1 or jobs[0].kind != PAGE:
        return True
    return bool(_NEED_PROCESSES & explicit_options(click.get_current_context()))


@contextmanager
def _stopping() -> Iterator[list[int]]:
    """A context that notes SIGINT or SIGTERM in a list; a second signal interrupts at once."""
    stopped: list[int] = []

    def ask(number: int, _: object) -> None:
        if stopped:
            raise KeyboardInterrupt
        stopped.append(number)

    handlers = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stopped
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _begun(
    results: Iterator[Result], older: str | None, left_out: Iterator[Result]
) -> Iterator[Result]:
    """Yield what is left out, then the results.

    The list of failures of an `older` run is emptied only after the first result: a run that is
    refused leaves it as it is.
    """
    results = iter(results)
    first = next(results, None)
    if older is not None and Path(older).is_file():
        os.truncate(older, 0)
    yield from left_out
    if first is not None:
        yield first
        yield from results


def _report(result: Result, listing: Any, *, printed: bool) -> None:
    """Print a page's text if it goes to standard output, and list what went wrong with it.

    Messages also go to standard error if `printed`. Control characters in names are escaped.
    """
    name, message = escaped(result.name), escaped(result.message)
    if result.text:
        click.echo(result.text.encode("utf-8", "replace"), nl=False)
    if result.status not in {"ok", JOINED, DONE}:
        with naming_file(listing.name):
            listing.write(f"{name}\t{result.status}\t{message}\n")
            listing.flush()
        if printed:
            level = ERROR if result.failed else WARNING
            LOG.log(INFO if result.status in {*UNWRITTEN, KEPT} else level, "%s: %s", name, message)
    else:
        LOG.info("%s: %s, score %.4f", name, result.status, result.score)
    if printed:
        tell_cuts(result.name, result.truncated)
