"""Run the jobs of a command: paths, outputs, messages, the list of failures, and the exit code."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import (
    Callable,
    Collection,
    Container,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, fields
from logging import ERROR, INFO, WARNING
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, LOG, notice, wrote
from crfclean.cli.options import (
    Command,
    explicit_options,
    options_of,
    progress_bar,
    read_bytes,
    together,
)
from crfclean.cli.paths import Planned, Reads, Writes, files_of
from crfclean.io import naming_file, naming_path
from crfclean.page.chars import escaped, plural
from crfclean.parallel import processors
from crfclean.products.corpus.jobs import (
    DONE,
    DUPLICATE,
    FILTERED,
    JOINED,
    KEPT,
    LEFT_OUT,
    LOW_SCORE,
    TRUNCATIONS,
    UNWRITTEN,
    PageLimits,
    Result,
    left_out_result,
)
from crfclean.products.corpus.listing import NO_HTML
from crfclean.products.corpus.outputs import ResumeParams
from crfclean.products.corpus.records import PAGE, Fields
from crfclean.products.corpus.rows import ROW_ENDINGS, shard_ending
from crfclean.types import CrfcleanError, WorkerError

if TYPE_CHECKING:
    from crfclean.products.corpus.jobs import Job, Operation
    from crfclean.products.corpus.plan import JobPlan, Paths


# paths

OUT = "OUT"

path_arguments = together(
    click.argument("paths", metavar="IN... [OUT]", nargs=-1, type=Planned(readable=False)),
    click.option(
        "--input-list",
        type=Reads(dir_okay=False, allow_dash=True),
        metavar="FILE",
        help="read more INs from this file, one path or URL per line; - for standard input",
    ),
    click.option(
        "-o",
        "--output",
        type=Planned(readable=False),
        metavar="OUT",
        help="the output; all paths are then inputs, as in *.html -o texts",
    ),
)


def _paths(options: Mapping[str, Any]) -> Paths:
    """Return the INs and the OUT of the command line; the last of several paths is OUT.

    Raises `CrfcleanError` for a directory without an OUT, and for a list that cannot be read.
    """
    from crfclean.products.corpus.plan import Paths

    paths, list_file, out = options["paths"], options["input_list"], options["output"]
    if out is not None and (paths or list_file):
        paths = (*paths, out)
    if list_file is not None:
        *sources, target = paths or ("-",)
        return Paths((*sources, *read_list(list_file)), target, listed=True)
    if not paths:
        raise click.UsageError("Missing argument 'IN'.")
    if len(paths) > 1:
        return Paths(paths[:-1], paths[-1])
    if Path(paths[0]).is_dir():
        raise CrfcleanError(
            f"{paths[0]}: is a directory of pages, so name an output directory after it, or - to "
            "print the texts"
        )
    return Paths(paths, "-")


def plan_paths(
    options: Mapping[str, Any], ending: str | None, formats: Collection[str], default: str = ""
) -> tuple[JobPlan, str | None, Fields]:
    """Return the jobs of the paths, the format, and the fields of JSONL.

    The format is `ending`, or follows from the name of OUT. `default` is the format of a command
    that writes no tables. Raises `CrfcleanError` for paths or formats that do not fit.
    """
    from crfclean.cli.paths import INPUT, PathUse, refuse_overwriting
    from crfclean.products.corpus.listing import inputs_of
    from crfclean.products.corpus.outputs import parts_folder
    from crfclean.products.corpus.plan import (
        check_no_page,
        format_of,
        job_inputs,
        job_outputs,
        plan,
    )

    paths, names = _paths(options), options["fields"]
    read, written = files_of(click.get_current_context())
    written.append(PathUse(paths.target, OUT))
    if shard_ending(Path(paths.target)):
        written.append(PathUse(str(parts_folder(Path(paths.target))), OUT))
    named = [PathUse(source, INPUT, inputs_of(names)) for source in paths.sources]
    refuse_overwriting([*read, *named], written)
    check_no_page(paths.target, names)
    ending = format_of(paths.target, ending, formats)
    planned = plan(paths, ending, names, default)
    read += job_inputs(planned.jobs)  # directories were compared above
    files = [use for use in read if not os.path.isdir(use.path)]  # noqa: PTH112 - any name
    refuse_overwriting(files, [*written, *job_outputs(planned.jobs, OUT)])
    return planned, ending, names


def read_list(name: str) -> list[str]:
    """Read a list of paths and URLs, one per line; raises `CrfcleanError` if it is empty."""
    data = read_bytes(name).removeprefix(b"\xef\xbb\xbf")
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    sources = [line.rstrip("\r") for line in lines if line.strip()]
    if not sources:
        raise CrfcleanError(f"{name}: names no pages; write one path or URL per line")
    return sources


def format_option(formats: Iterable[str], what: str, default: str) -> Callable[[Command], Command]:
    """Make the option `--format` of a command that writes rows or `formats`."""
    return click.option(
        "-f",
        "--format",
        "ending",
        type=click.Choice(list(dict.fromkeys([*formats, *ROW_ENDINGS]))),
        help=f"format of the {what}; default: the suffix of OUT, else {default} for pages and "
        "jsonl.gz for WARC and JSONL",
    )


# words

MAX_SUFFIXES = 6  # named in the summary; a directory of source code has dozens


@dataclass(slots=True, eq=False)
class LeftOut:
    """Counts of the inputs left out, by reason, and of the suffixes of files without HTML."""

    reasons: Counter[str] = field(default_factory=Counter)
    suffixes: Counter[str] = field(default_factory=Counter)
    kinds: set[str] = field(default_factory=set)

    def add(self, result: Result) -> None:
        """Count a file, or a record, that was left out."""
        self.reasons[result.message] += result.pages
        self.kinds.add("record" if result.record else "file")
        if result.message == NO_HTML and not result.record:
            self.suffixes[Path(result.name).suffix.lower()] += 1

    @property
    def words(self) -> str:
        """The end of a run's summary, "" if nothing was left out."""
        if not self.reasons:
            return ""
        ordered = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        counts = (
            (f"{count} " if len(ordered) > 1 else "")
            + reason
            + (self._names if reason == NO_HTML else "")
            for reason, count in ordered
        )
        kind = "input" if len(self.kinds) > 1 else min(self.kinds)
        return f"; {plural(self.reasons.total(), kind)} left out: {', '.join(counts)}"

    @property
    def _names(self) -> str:
        counts = self.suffixes
        names = sorted((name for name in counts if name), key=lambda name: (-counts[name], name))
        more = " ..." if len(names) > MAX_SUFFIXES else ""
        return f" ({' '.join(names[:MAX_SUFFIXES])}{more})" if names else ""


_PAGES_BEFORE = "pages-before"
"""Key of the pages that an earlier run did of shards that this run finished."""

UNMATCHED = "without an element that matches "
"""The key of the pages without such an element is this and the selector."""

DOUBTFUL = 0.5
"""The text of a page with a lower score is mostly wrong."""


def batch_summary(counts: Mapping[str, int]) -> str:
    """Summarise a run in a line."""
    always = {"ok": "cleaned", "without": "without text", "failed": "failed"}
    parts = [f"{counts[key]} {name}" for key, name in always.items()]
    return f"{page_count(counts)}: {', '.join(parts + rare_counts(counts))}"


def page_count(counts: Mapping[str, int]) -> str:
    """Return the number of pages that were read, as in "3 pages"."""
    read = sum(counts[key] for key in ("ok", "without", "failed", JOINED, KEPT, *UNWRITTEN))
    return plural(read, "page")


def rare_counts(counts: Mapping[str, int]) -> list[str]:
    """Return the counts that a summary shows only if they are not 0."""
    names = {
        LOW_SCORE: "below the score",
        FILTERED: "filtered out",
        JOINED: "joined with others",
        KEPT: "kept: their texts were changed after the last run (--overwrite replaces them)",
        DUPLICATE: "left out as duplicates",
        "forgotten": "not remembered (--deduplicate-limit)",
        "truncated": "truncated",
        "guessed": "with a guessed encoding",
        "repeats": "without texts that many pages of their site have",
        "hidden": "read from hidden text",
        "carried": "whose content is only in their structured data",
        "not-in-this-html": "whose content is not in the HTML",
        "doubtful": f"with a score below {DOUBTFUL}",
        _PAGES_BEFORE: "of the pages done before",
    }
    names |= {key: key for key in sorted(counts) if key.startswith(UNMATCHED)}
    words = [f"{counts[key]} {name}" for key, name in names.items() if counts[key]]
    return words + [f"{plural(counts[DONE], 'output file')} done before"] * bool(counts[DONE])


# runs

_LIST_HEAD = 100_000  # bytes of a list of failures that are looked at
MAX_MESSAGES = 100  # about single pages of shards; the list of failures has all

_SHARE = 2  # numbers of a share
_NEED_PROCESSES = frozenset(["max_seconds", "max_memory", "engine"])

Engine = Callable[..., Generator["Result"]]


def _fields(_context: click.Context, _option: click.Parameter, text: str) -> Fields:
    """`content,uri` -> the fields of JSONL input; a missing name keeps its default."""
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(names) > len(Fields._fields):
        raise click.BadParameter(f"{text!r}: name up to three fields, as in html,url,id")
    return Fields(*names)


def _share(_context: click.Context, _option: click.Parameter, text: str) -> tuple[int, int]:
    """`3/8` -> the third of eight shares."""
    numbers = [int(number) for number in text.split("/") if number.isascii() and number.isdigit()]
    if len(numbers) != _SHARE or not 1 <= numbers[0] <= numbers[1]:
        raise click.BadParameter(f"{text!r}: write it as 3/8")
    return numbers[0], numbers[1]


batch_options = together(
    click.option(
        "-j",
        "--workers",
        type=click.IntRange(1),
        default=processors,
        metavar="N",
        show_default="what processors and memory allow",
        help="number of processes",
    ),
    *(
        click.option(
            f"--{parameter.name.replace('_', '-')}",
            parameter.name,
            is_flag=True,
            help=parameter.metadata["help"],
        )
        for parameter in fields(ResumeParams)
        if parameter.metadata
    ),
    click.option(
        "--part",
        "share",
        metavar="I/N",
        default="1/1",
        callback=_share,
        help="do the I-th of N shares of a corpus, as 3/8; then a run with --resume ends it",
    ),
    click.option(
        "--failures",
        metavar="FILE",
        type=Writes(dir_okay=False),
        help="list in this file the pages that failed, have no text or were skipped, and the files "
        "left out",
    ),
    options_of(PageLimits),
    click.option(
        "--fields",
        metavar="NAMES",
        default="html,url,id",
        show_default=True,
        callback=_fields,
        help="fields of JSONL input with the HTML, URL and id of a page; pages without an id get "
        "the number of their line",
    ),
)


@dataclass(frozen=True, slots=True)
class RunParams(ResumeParams):
    """The parameters of a run: its processes, resuming, and the file that lists failures."""

    workers: int = 1
    failures: str | None = None


def text_format(ending: str | None, formats: Container[str], default: str) -> str:
    """Return the ending if it is a format of texts, else (for a table or None) the default."""
    return ending if ending is not None and ending in formats else default


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
    jobs, left_out = plan.jobs, LeftOut()
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
        counts = _report_all(_begun(bar, older, files), listing, left_out)
    notice(summarise(counts) + left_out.words)
    if workers:
        from crfclean.page.walk import lxml_note

        if note := lxml_note():
            LOG.warning("crfclean: %s", note)
    if stopped:
        name = signal.Signals(stopped[0]).name
        LOG.error("crfclean: stopped by %s: run it again with --resume to continue", name)
        return 128 + stopped[0]
    if (place := output_of(jobs)) and counts["ok"] and place.exists():
        wrote(plural(counts["ok"], item), place)
    return _exit_code(counts)


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


def _report_all(results: Any, listing: Any, left_out: LeftOut) -> Counter[str]:
    counts = Counter[str]()
    for result in results:
        if result.status == LEFT_OUT:
            left_out.add(result)
        counts["messages"] += bool(result.record and result.failed)
        printed = not result.record or (result.failed and counts["messages"] <= MAX_MESSAGES)
        printed = printed and result.status != LEFT_OUT
        _report(result, listing, printed=printed)
        counts.update(result.before or {result.outcome: result.pages})
        counts[_PAGES_BEFORE] += result.before.total()
        counts["truncated"] += bool(result.truncated)
        counts["guessed"] += result.encoding_guessed
        counts["repeats"] += result.repeats
        counts.update(UNMATCHED + words for words in result.unmatched)
        counts["items"] += result.items
        counts["empty_items"] += result.empty_items
        counts["forgotten"] += not result.remembered
        counts[result.where if result.status == "ok" else ""] += 1
        counts["doubtful"] += result.status == "ok" and 0 < result.score < DOUBTFUL
    return counts


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
    if result.truncated and printed:
        for reason in result.truncated.split(","):
            why = TRUNCATIONS.get(reason) or f"cut by the crawler ({escaped(reason)})"
            LOG.warning("%s: truncated: %s", name, why)


def _exit_code(counts: Mapping[str, int]) -> int:
    if not counts["ok"] + counts[DONE] + counts[KEPT] + counts[_PAGES_BEFORE]:
        return EXIT_NOTHING
    return EXIT_SOME_FAILED if counts["failed"] else EXIT_OK
