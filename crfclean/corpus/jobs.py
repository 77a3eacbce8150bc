"""Plan the jobs of a command, and do tasks under their limits in this process."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from crfclean.corpus.listing import ListedFile, is_folder, is_missing, list_files, listed_file
from crfclean.corpus.records import FOLDER, HTTP, PAGE, Fields, fetch_module
from crfclean.corpus.rows import TABLES
from crfclean.corpus.targets import (
    MISSING,
    STDIN,
    STDOUT,
    Defaults,
    Endings,
    check_folder,
    check_many,
    endings_of,
    is_folder_name,
    is_url,
    promise,
    text_stem,
    url_stem,
)
from crfclean.io import digest
from crfclean.page.decode import HTML_SUFFIXES, MAX_BYTES
from crfclean.page.elements import MAX_BLOCKS, MAX_DEPTH, MAX_NODES
from crfclean.parallel import MAX_SECONDS, MIN_SECONDS
from crfclean.types import CrfcleanError, Prepares, check_bounds, option

Function = Callable[[Any, Any], Any]

TASK_BOUNDS: dict[str, tuple[float, float]] = {
    "max_seconds": (MIN_SECONDS, MAX_SECONDS),
    "max_memory": (1, 10**7),
}
"""Bounds of the fields of `TaskLimits`."""

OUT_OF_MEMORY = "memory"
"""The outcome that `attempt` returns for a task that ran out of memory."""


def seconds_option(default: float) -> Any:
    """Return the option of the time limit with another default."""
    return option(default, "CPU seconds per page")


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """The limits of time and memory of a page; the limit of memory needs Linux.

    The memory that the process has after loading its model does not count. A task of several pages
    gets the time of all of them, and the memory of one page. Raises `CrfcleanError` for a limit out
    of bounds.
    """

    max_seconds: float = seconds_option(60.0)
    max_memory: int = option(2_048, "memory per page in MB, beyond that of the model")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS)


@dataclass(frozen=True, slots=True)
class ToolLimits(TaskLimits):
    """Limits of a question, as those of `serve`; its page is read and cleaned in this time.

    Raises `CrfcleanError` for a limit out of bounds.
    """

    max_seconds: float = seconds_option(30.0)
    waiting: int = option(8, "most questions in the queue; more are refused")

    def __post_init__(self) -> None:
        check_bounds(self, TASK_BOUNDS | {"waiting": (0, 10_000)})


class Lost(NamedTuple):
    """The loss of a task: "over-time", "over-memory", "crashed", "error" or "stopped"."""

    status: str
    message: str


@dataclass(frozen=True, slots=True)
class Task:
    """Work for a worker: `item` is sent, `about` stays here; if `done`, the item is the result.

    `size` is roughly the bytes of the item. The time limit is the limit of a page times `pages`.
    `instead` is called with the answer when all earlier tasks have been answered. The tasks that it
    returns, if any, replace this task and its answer.
    """

    about: Any
    item: Any
    size: int = 0
    done: bool = False
    pages: int = 1
    instead: Callable[[Any], Iterable[Task]] = lambda _: ()


class Processes(Protocol):
    """The processes that do tasks: a pool of workers, or this process."""

    def map(
        self, function: Function, tasks: Iterable[Task], shared: object
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each task's `about` with `function(item, shared)` or `Lost`, in order, lazily."""

    def close(self) -> None:
        """End all processes that were started."""


class FirstProcess:
    """Does tasks in this process, without limits of time and memory."""

    def map(
        self, function: Function, tasks: Iterable[Task], shared: object
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each task's `about` with `function(item, shared)` or `Lost`, in order, lazily.

        Raises the function's `CrfcleanError`s.
        """
        for task in tasks:
            yield from _results(function, task, shared)

    def close(self) -> None:
        """Do nothing: no process was started."""


def _results(function: Function, task: Task, shared: object) -> Iterator[tuple[Any, Any]]:
    kind, value = ("done", task.item) if task.done else attempt(function, task.item, shared)
    if kind == "raise":
        raise value
    if kind == OUT_OF_MEMORY:
        value = Lost("over-memory", "it needed more memory than there is")
    others = list(task.instead(value))
    for other in others:
        yield from _results(function, other, shared)
    if not others:
        yield task.about, value


_CLOCKS: list[Callable[[int], object]] = []


def set_clock(start: Callable[[int], object]) -> None:
    """Set the function that `start_clock` calls; the first process has none, and no limit."""
    _CLOCKS[:] = [start]


def start_clock(pages: int) -> None:
    """Start the time of a number of pages, and end the time of earlier pages."""
    for start in _CLOCKS:
        start(pages)


def attempt(
    function: Function, item: object, shared: object, begin: Callable[[], object] = lambda: None
) -> tuple[str, Any]:
    """Do a task; return "done" with its result or `Lost`, "raise" with an error, or "memory".

    The models of the task are opened first; `begin` is called right before the work itself.
    """
    try:
        if isinstance(shared, Prepares):
            shared.prepare(item)
        begin()
        return "done", function(item, shared)
    except MemoryError:
        return OUT_OF_MEMORY, None
    except CrfcleanError as error:
        return "raise", error
    except Exception as error:  # noqa: BLE001 (a page that fails ends no other)
        return "done", Lost("error", f"{type(error).__name__}: {error}"[:200])


TRUNCATIONS = {
    "bytes": "only its first bytes were read (--max-bytes)",
    "gzip": "damaged gzip data: only what stands before the damage was read",
    HTTP: "its HTTP response ended early: only what the crawler got was read",
    "depth": f"elements below {MAX_DEPTH} levels were dissolved; their text is kept",
    "nodes": f"only the first {MAX_NODES:,} elements were read",
}
"""Reason why a page was cut short -> the message about it."""


@dataclass(frozen=True, slots=True)
class PageLimits(TaskLimits):
    """The limits of a page and its content. Raises `CrfcleanError` for a limit out of bounds."""

    max_bytes: int = option(MAX_BYTES, "bytes read per page; the rest is cut off")
    max_blocks: int = option(MAX_BLOCKS, "blocks per page; pages with more fail")

    def __post_init__(self) -> None:
        bounds: dict[str, tuple[float, float]] = {
            "max_bytes": (1, 2**31),
            "max_blocks": (1, MAX_NODES),
        }
        check_bounds(self, TASK_BOUNDS | bounds)

    @property
    def over_blocks(self) -> str:
        """The message about a page with more blocks than `max_blocks`."""
        return f"more than {self.max_blocks:,} blocks; raise the limit with --max-blocks"


# plan the jobs of a command: the input of each, its kind, and where its text goes


class Folders(NamedTuple):
    """A short name for the INs of a run, and the directory OUT of their outputs.

    Jobs carry these to other processes, so the name stands for all the INs.
    """

    source: str
    target: Path


@dataclass(frozen=True, slots=True)
class Job:
    """One page to clean, or one corpus.

    A `source` of None is standard input; a `target` of None is standard output. `kind` is a kind of
    `records.file_kind`, or `FOLDER`. `shard` is the ending of the files of a corpus, "" if a page
    becomes a text. `refused` says why the job is not done. A page from the network has a `url` and
    no `source`; a corpus of many inputs (paths, URLs, "-") has `sources`. `folders` are set in runs
    into a directory.
    """

    source: Path | None
    target: Path | None
    refused: str = ""
    kind: str = PAGE
    shard: str = ""
    url: str = ""
    sources: tuple[str, ...] = ()
    folders: Folders | None = None

    @property
    def is_folder(self) -> bool:
        """True for a corpus whose parts go to the directory OUT."""
        return bool(self.shard and self.folders and self.target == self.folders.target)

    @property
    def name(self) -> str:
        """The name of the page in messages."""
        return str(self.source or self.url or (self.kind == FOLDER and self.target) or STDIN)


class Paths(NamedTuple):
    """The INs of a command (paths, URLs, "-") and its OUT; `listed` if a list names INs.

    If a list names a single IN, OUT is still a directory or a shard, as for many INs.
    """

    sources: tuple[str, ...]
    target: str
    listed: bool = False


class JobPlan(NamedTuple):
    """The jobs of a command, and the files of its directories that are left out.

    A directory that becomes one corpus is not listed here: its files are known when it is read.
    """

    jobs: tuple[Job, ...]
    left_out: tuple[ListedFile, ...] = ()


def refuse_clashes(jobs: Sequence[Job]) -> Iterator[Job]:
    """Yield the jobs; refuse a job if an earlier job writes the same file.

    On Windows and macOS, names are the same if they differ only in case or Unicode composition.
    """
    seen: dict[str, Job] = {}
    for job in jobs:
        earlier = seen.setdefault(folded(job.target), job) if job.target is not None else job
        if earlier is job:
            yield job
            continue
        refused = f"would write the same {job.target} as {earlier.name}"
        if job.target != earlier.target:
            refused = f"would write the same file as {earlier.name} where names ignore case"
        source = job.source or (None if job.url else Path(job.name))
        yield Job(source, None, refused, url=job.url)


def folded(path: Path | str) -> str:
    """Return a path as seen by file systems that ignore case and Unicode's forms."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())


def source_name(sources: Sequence[str]) -> str:
    """Return a name for the inputs of a run: a path or URL, or their number and a digest."""
    names = [
        source if source == STDIN or is_url(source) else os.path.abspath(source)  # noqa: PTH100
        for source in sources
    ]
    return names[0] if len(names) == 1 else f"{len(names)} inputs {digest(*names)}"


# the plan of a command's paths


def plan(
    paths: Paths,
    ending: str | None = None,
    fields: Fields = Fields(),
    defaults: Defaults = Defaults(),
) -> JobPlan:
    """Plan the jobs of a command's paths, in order; raises `CrfcleanError` for wrong paths.

    The texts of a directory's pages keep their names under OUT, with the ending of the format. All
    that becomes rows is one corpus: a file if OUT ends like one, else the parts in OUT. The same
    rules hold for several INs. If two jobs would write the same file, the second is refused.
    Without `ending`, texts have the default format and rows are jsonl.gz.
    """
    sources, target = paths.sources, paths.target
    out = None if target == STDOUT else Path(target)
    endings = endings_of(target, ending, defaults)
    if sources.count(STDIN) > 1:
        raise CrfcleanError("standard input (-) can be named only once")
    if any(map(is_url, sources)):
        fetch_module()
    planner = _Planner(out, endings, fields, target)
    if len(sources) == 1 and not paths.listed:
        return planner.plan_one(sources[0])
    return planner.plan_many(sources)


class _Planner(NamedTuple):
    """Plans where inputs go; an `out` of None is standard output, `target` is OUT as typed."""

    out: Path | None
    endings: Endings
    fields: Fields
    target: str

    def plan_one(self, source: str) -> JobPlan:
        """Plan the jobs of one IN."""
        path, out = Path(source), self.out
        is_path = source != STDIN and not is_url(source)
        if is_path and is_missing(path):
            raise CrfcleanError(f"{source}: {MISSING}")
        if not is_path or not path.is_dir():
            if out is not None and is_folder_name(self.target):
                check_folder(out, "pages")
            job = self._single_job(source)
            into = job.shard and job.target is not None and job.target == out and self._is_folder
            return JobPlan(tuple(self._recorded([job], (source,))) if into else (job,))
        if out is not None and self.endings.single:
            return JobPlan((Job(path, out, "", FOLDER, self.endings.single),))
        if out is not None:
            self._check_folder(out, "a directory's pages")
        jobs, left_out = self._mirrored(path, out)
        jobs = list(self._recorded(jobs, (source,)))
        if not jobs:
            more = f"; files left out: {len(left_out)}" if left_out else ""
            suffixes = " ".join(HTML_SUFFIXES)
            raise CrfcleanError(f"{path}: no pages ({suffixes}), WARC or JSONL files{more}")
        return JobPlan(tuple(refuse_clashes(jobs)), left_out)

    def plan_many(self, sources: Sequence[str]) -> JobPlan:
        """Plan the jobs of several INs, below an output directory or in one shard."""
        out = self.out
        if out is not None and self.endings.single:
            return JobPlan((Job(None, out, "", FOLDER, self.endings.single, "", tuple(sources)),))
        if out is not None:
            self._check_folder(out, "several inputs")
        jobs, left_out = list[Job](), list[ListedFile]()
        for source in sources:
            path = Path(source)
            if source == STDIN or is_url(source) or not is_folder(path):
                jobs.append(self._one_of_many(source))
                continue
            more, others = self._mirrored(path, out and out / path.resolve().name)
            jobs += more or [Job(path, None, "no pages in it")]
            left_out += others
        jobs = list(self._recorded(jobs, sources))
        return JobPlan(tuple(refuse_clashes(jobs)), tuple(left_out))

    def _recorded(self, jobs: Sequence[Job], sources: Sequence[str]) -> Iterator[Job]:
        folders = Folders(source_name(sources), self.out) if self.out is not None else None
        joined = _one_corpus(jobs) if len(jobs) > 1 else jobs
        return (job if job.refused else replace(job, folders=folders) for job in joined)

    def _check_folder(self, out: Path, pages: str) -> None:
        """Raise `CrfcleanError` if OUT cannot be a directory, or its name promises a file."""
        promised = promise(self.target)
        if promised and not out.exists():
            as_stream = f"; for one file: - --format vert > {out}" if promised == "vert" else ""
            raise CrfcleanError(
                f"{out}: this name means one {promised} file, but {pages} need a directory: "
                f"write {out}/{as_stream}"
            )
        check_folder(out, pages)

    def _one_of_many(self, source: str) -> Job:
        if source != STDIN and not is_url(source) and is_missing(Path(source)):
            return Job(Path(source), None, MISSING)
        return self._single_job(source, many=True)

    def _single_job(self, source: str, *, many: bool = False) -> Job:
        """Plan the job of one page or shard; OUT is its target, or the directory of its target."""
        out = self.out
        path = None if source == STDIN or is_url(source) else Path(source)
        url = source if is_url(source) else ""
        file = listed_file(path, self.fields) if path is not None else None
        if file is not None and file.refused:
            return Job(path, None, file.refused)
        kind = file.kind if file is not None else PAGE
        name = text_stem(path) if path is not None else "stdin"
        name = url_stem(url, query=many) if url else name
        shard = self._shard(path, kind)
        into_folder = out is not None and not shard and (many or self._is_folder)
        target = out / f"{name}.{self.endings.text}" if out and into_folder else out
        if shard in TABLES and target is None:
            raise CrfcleanError(f"{shard} cannot go to standard output: name an output file")
        return Job(path, target, "", kind, shard, url)

    @property
    def _is_folder(self) -> bool:
        return is_folder_name(self.target) or (self.out is not None and self.out.is_dir())

    def _shard(self, path: Path | None, kind: str) -> str:
        """Return the ending of the shard that an input becomes, "" if it becomes a text."""
        return "" if kind == PAGE and self.endings.text else check_many(path, self.endings)

    def _mirrored(self, root: Path, out: Path | None) -> tuple[list[Job], tuple[ListedFile, ...]]:
        files = list(list_files(root, self.fields, self.out))
        left_out = tuple(file for file in files if file.left_out)
        files = [file for file in files if not file.left_out]
        jobs = [self._mirrored_job(file, root, out) for file in files]
        return jobs, left_out

    def _mirrored_job(self, file: ListedFile, root: Path, out: Path | None) -> Job:
        path = file.path
        if file.refused:
            return Job(path, None, file.refused)
        if shard := self._shard(path, file.kind):
            return Job(path, self.out, "", file.kind, shard)
        place = out and out / path.parent.relative_to(root)
        return Job(path, place and place / f"{text_stem(path)}.{self.endings.text}")


def _one_corpus(jobs: Sequence[Job]) -> Iterator[Job]:
    """Yield the jobs; all that become rows are one corpus, in the place of the first of them."""
    rows = [job for job in jobs if job.shard and not job.refused]
    sources = tuple(str(job.source or job.url or STDIN) for job in rows)
    for job in jobs:
        if job is (rows and rows[0]):
            yield Job(None, job.target, "", FOLDER, job.shard, "", sources)
        elif job not in rows:
            yield job
