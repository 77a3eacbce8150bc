"""Clean Ray Data rows, or the files of `crfclean clean`, on a cluster (extra `ray`)."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import chdir, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import ray
from ray.data import ActorPoolStrategy, Dataset
from ray.exceptions import (
    GetTimeoutError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayError,
    WorkerCrashedError,
)

from crfclean.decision.rules import CutParams
from crfclean.document.page_text import FAILED
from crfclean.model.folder import Bundle, save_bundle
from crfclean.products.adapters.adapter import Cleaner
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.engine import clean_batch, work
from crfclean.products.corpus.folder import part_task
from crfclean.products.corpus.jobs import (
    Function,
    Job,
    Lost,
    PageInput,
    Result,
    Task,
    lost,
    process_pages,
)
from crfclean.products.corpus.params import PageLimits, ResumeParams
from crfclean.products.corpus.parquet import SCHEMA
from crfclean.products.corpus.parts import Part
from crfclean.products.corpus.pool import Pool
from crfclean.products.corpus.records import STDIN, Record, is_url
from crfclean.products.papers.perceptron import MlpTagger, PostParams
from crfclean.systems.load import Decides, HasModel, load, need
from crfclean.types import CrfcleanError
from crfclean.types.choices import AUTO, Convention

__all__ = ["clean_dataset", "start"]

# rows of a dataset
#
# An actor occupies a logical CPU until the work ends, and the tasks that read pages need one, too.
# If actors held all CPUs, the readers would get none, and the work would never end. So there must
# be one more CPU than actors, else an error is raised. The model is sent with the work.

_READERS = 1  # logical CPUs that actors leave to the tasks that read and write
RETRIES = 3  # of work whose worker died: by default Ray would retry for ever
_BATCH_ROWS = 32  # pages of a message: enough to pay for it, and few enough for memory
_STORE_BYTES = 512 * 2**20  # shared memory of a cluster started here
_COPIED_COLUMNS = ("id", "url", "date")  # of the input, copied into the clean rows


def start(cpus: int = 0, address: str | None = None) -> None:
    """Join the cluster at `address` (or in RAY_ADDRESS), else start one here with so many CPUs.

    The CPUs are logical: there may be more of them than cores. Does nothing if Ray is already
    running. Raises `CrfcleanError` if there is no such cluster.
    """
    if ray.is_initialized():
        return
    place = address or os.environ.get("RAY_ADDRESS")
    imports_here = {"", str(Path.cwd())} & {*sys.path}
    # Ray lets workers import from the current folder, which may be one of pages with a lxml.py
    with _restored_signals(), nullcontext() if imports_here else chdir(sys.prefix):
        if not place:
            cpus = cpus or (os.cpu_count() or 1) + _READERS
            sizes = {"num_cpus": cpus, "object_store_memory": _STORE_BYTES}
            ray.init("local", include_dashboard=False, logging_level="ERROR", **sizes)
            return
        try:
            ray.init(place, logging_level="ERROR")
        except (ConnectionError, ValueError) as error:
            raise CrfcleanError(f"no Ray cluster at {place}: {error}") from error


def clean_dataset(  # noqa: PLR0913
    dataset: Dataset,
    model: str = "default",
    *,
    html: str = "html",
    keep: Sequence[str] = (),
    as_: Convention = AUTO,
    limits: PageLimits = PageLimits(),
    actors: int = 0,
) -> Dataset:
    """Clean rows with a page in the column `html` (bytes or text), lazily.

    The rows are those of `crfclean clean`; `id`, `url`, `date` and columns of other names are
    copied. Each page has exactly one row, with its status. `actors` is the number of processes with
    the model (0: as many as the cluster has CPUs for). If one dies, its work is done again.

    Raises `ModelError` for a bad model, `CrfcleanError` for a missing column or too few CPUs.
    """
    packed = pack_params(BatchParams(Cleaner(model, tuple(keep), as_).tagger, limits=limits))
    start(actors and actors + _READERS)
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None:
        _check_column(html, schema.names)
    return dataset.map_batches(
        _PageCleaner,
        fn_constructor_args=(packed, html),
        batch_size=_BATCH_ROWS,
        batch_format="pyarrow",
        compute=ActorPoolStrategy(size=actor_count(actors)),
        num_cpus=1,
        ray_remote_args_fn=_retries,
    )


def actor_count(actors: int = 0) -> int:
    """Return how many actors the cluster has CPUs for; raises `CrfcleanError` for too many."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    count = actors or cpus - _READERS
    if not 1 <= count <= cpus - _READERS:
        count = max(count, 1)
        raise CrfcleanError(
            f"{count} actors and {_READERS} reader need {count + _READERS} logical CPUs, but the "
            f"Ray cluster has {cpus}: ask for fewer actors, or start it with more "
            f"(ray.init(num_cpus={count + _READERS}); they may be more than there are cores)"
        )
    return count


def _retries() -> dict[str, Any]:
    """Return Ray's options for actors that die; Ray takes them only from a function."""
    return {"max_restarts": -1, "max_task_retries": RETRIES}


def _check_column(name: str, columns: Sequence[str]) -> None:
    if name not in columns:
        raise CrfcleanError(f"no column {name!r} with pages; there are {', '.join(columns)}")


@dataclass(frozen=True)
class PackedParams:
    """The parameters of a batch for another machine, with the model's bytes."""

    bundle: Bundle
    cut: CutParams
    params: BatchParams
    post: PostParams | None = None

    def unpack(self, folder: Path) -> BatchParams:
        """Save the model to a folder of this machine, and return the parameters with it."""
        save_bundle(self.bundle, folder)
        tagger = need(load(folder), Decides).with_cut(self.cut)
        if isinstance(tagger, MlpTagger):
            tagger = replace(tagger, post=self.post)
        return replace(self.params, tagger=tagger)


def pack_params(params: BatchParams) -> PackedParams:
    """Pack parameters with their model; raises `CrfcleanError` for a tagger without one."""
    model = need(params.tagger, HasModel, "--engine ray")
    cut = need(params.tagger, Decides, "--engine ray").cut
    bare: Any = replace(params, tagger=None)  # type: ignore[arg-type]
    post = params.tagger.post if isinstance(params.tagger, MlpTagger) else None
    return PackedParams(model.bundle, cut, bare, post)


class _PageCleaner:
    """An actor that cleans batches of pages in a child process, which a page may crash."""

    def __init__(self, packed: PackedParams, html: str) -> None:
        self._folder = TemporaryDirectory(prefix="crfclean-")
        self._params = packed.unpack(Path(self._folder.name))
        self._pool = Pool(1, self._params.limits)
        self._html = html

    def __call__(self, batch: pa.Table) -> pa.Table:
        _check_column(self._html, batch.column_names)
        copied = [name for name in _COPIED_COLUMNS if name in batch.column_names]
        rows = batch.select([self._html, *copied]).to_pylist()
        clean = pa.Table.from_pylist(list(self._cleaned(rows)), SCHEMA)
        for name in batch.column_names:
            if name not in {self._html, *SCHEMA.names}:
                clean = clean.append_column(batch.schema.field(name), batch.column(name))
        return clean

    def _cleaned(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        inputs = (PageInput(_ROW, _record(row, self._html)) for row in rows)
        tasks = (Task(each, (each,), each.record.size) for each in inputs)
        answers = self._pool.map(process_pages, tasks, self._params)
        for row, (page_input, answer) in zip(rows, answers, strict=True):
            if isinstance(answer, Lost):
                result = lost(page_input, answer.status, answer.message, self._params)
            else:
                result = answer[0]
            yield json.loads(result.line) | {"id": _text(row.get("id"))}


_ROW = Job(STDIN, None, shard="parquet")


def _record(row: dict[str, Any], html: str) -> Record:
    """Turn a row into a record; its id is never empty, so that the record gets a line."""
    url, date, data = _text(row.get("url")), _text(row.get("date")) or "", row[html]
    problem = "" if data is None or isinstance(data, bytes | str) else "neither bytes nor text"
    return Record("-", b"" if data is None or problem else data, url, date, problem=problem)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


@contextmanager
def _restored_signals() -> Iterator[None]:
    """A context that restores the signal handlers, which Ray replaces."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


# jobs: the cluster does what a pool of worker processes does on one machine

_PAGES = 256  # single pages of a task of Ray
_TASKS_PER_CPU = 2  # submitted ahead, so that no worker waits for its next task
_MAX_WAIT = 120.0  # seconds in which a worker must answer
_RETRIED = (WorkerCrashedError, NodeDiedError, ObjectLostError, OutOfMemoryError)
"""Errors that are not the fault of a task: it is submitted again."""


def clean_batch_on_ray(
    jobs: Sequence[Job],
    operation: BatchParams,
    workers: int = 1,
    *,
    params: ResumeParams = ResumeParams(),
    stop: Callable[[], bool] = lambda: False,
) -> Generator[Result]:
    """Do jobs on a cluster, a task for each part; results come in the order of the jobs.

    Without a cluster, one is started here, with `workers` logical CPUs. Every worker must find
    input and output under the same paths. If a worker dies, another one does its part, a few times.
    Raises `CrfcleanError` for unsuitable jobs, and as `engine.clean_batch` does.
    """
    _check_jobs(jobs)
    packed = pack_params(operation)
    start(workers)
    named = (job.source for job in jobs if not job.sources)
    _await_worker([source for source in named if isinstance(source, Path)][:1])
    absolute, pool = [_absolute(job) for job in jobs], RayPool(ray.put(packed))
    yield from clean_batch(absolute, operation, workers, params=params, stop=stop, pool=pool)


class RayPool:
    """The `Processes` of a cluster; each task has a child process, which a page may crash."""

    def __init__(self, packed_ref: Any) -> None:
        self._packed_ref = packed_ref
        self._order = deque[_Bundle]()

    def map(
        self,
        function: Function,  # noqa: ARG002 - always `engine.work`
        tasks: Iterable[Task],
        shared: object,  # noqa: ARG002 - it is packed
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each task's `about` with its answer or `Lost`, in order, lazily."""
        order, todo = self._order, _bundles(tasks)
        while True:
            while sum(not each.done for each in order) < _TASKS_PER_CPU * _cpus():
                bundle = next(todo, None)
                if bundle is None:
                    break
                order.append(_Bundle(bundle, self._packed_ref))
            if not order:
                return
            ray.wait([each.ref for each in order if not each.done] or [ray.put(0)], timeout=1.0)
            for each in order:
                each.poll()
            while order and order[0].done:
                yield from self._answers(order.popleft())

    def close(self) -> None:
        """End all tasks."""
        for bundle in self._order:
            if not bundle.done:
                ray.cancel(bundle.ref, force=True)

    def _answers(self, bundle: _Bundle) -> Iterator[tuple[Any, Any]]:
        for task, answer in zip(bundle.tasks, bundle.answers, strict=True):
            replaced = [] if isinstance(answer, Lost) else list(task.instead(answer))
            if not replaced:
                yield task.about, answer
            for other in replaced:
                again = _Bundle([other], self._packed_ref)
                while not again.done:
                    ray.wait([again.ref], timeout=1.0)
                    again.poll()
                yield from self._answers(again)


def _bundles(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """Yield the tasks, single pages in groups."""
    pages = list[Task]()
    for task in tasks:
        is_pages = not task.done and not isinstance(task.item, Part)
        if pages and (not is_pages or len(pages) >= _PAGES):
            yield pages
            pages = []
        if is_pages:
            pages.append(task)
        else:
            yield [task]
    if pages:
        yield pages


def _cpus() -> int:
    """Return the number of logical CPUs of the cluster; raises `CrfcleanError` for none."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if not cpus:
        raise CrfcleanError("the Ray cluster has no logical CPU: nothing can be cleaned")
    return cpus


def _check_jobs(jobs: Sequence[Job]) -> None:
    for job in jobs:
        streams = any(source == STDIN or is_url(source) for source in job.inputs)
        if not job.refused and (job.target is None or streams):
            raise CrfcleanError("a cluster takes files, no URLs, no standard input or output")


def _await_worker(paths: list[Path]) -> None:
    """Raise `CrfcleanError` if no worker answers, or if a worker does not find the input."""
    try:
        absolute = [str(path.absolute()) for path in paths]
        missing = ray.get(_remote(_missing)(absolute), timeout=_MAX_WAIT)
    except GetTimeoutError as error:
        raise CrfcleanError(
            f"no worker of the Ray cluster has answered within {_MAX_WAIT:g} s: it has "
            f"{ray.cluster_resources().get('CPU', 0):g} logical CPUs, of which "
            f"{ray.available_resources().get('CPU', 0):g} are free (see ray status)"
        ) from error
    except RayError as error:
        raise CrfcleanError(f"the workers of the Ray cluster cannot start: {error}") from error
    if missing:
        raise CrfcleanError(f"{missing[0]}: the workers of the Ray cluster do not find it")


def _remote(function: Callable[..., Any]) -> Any:
    """Make a function a task of the cluster, on one logical CPU; `_Part` retries it."""
    return ray.remote(num_cpus=1, max_retries=0)(function).remote


def _missing(paths: list[str]) -> list[str]:
    return [path for path in paths if not Path(path).exists()]


def _clean(items: list[Any], packed: PackedParams) -> list[Any]:
    """Do items of work in a child process; return their answers."""
    with TemporaryDirectory(prefix="crfclean-") as folder:
        params = packed.unpack(Path(folder))
        tasks = [
            part_task(None, item) if isinstance(item, Part) else Task(None, item) for item in items
        ]
        with closing(Pool(1, params.limits)) as pool:
            return [answer for _, answer in pool.map(work, tasks, params)]


class _Bundle:
    """Tasks that one worker of the cluster does, submitted again if the worker dies."""

    def __init__(self, tasks: list[Task], packed_ref: Any) -> None:
        self.tasks, self._packed_ref, self._tries = tasks, packed_ref, 0
        self.done = all(task.done for task in tasks)
        self.answers: list[Any] = [task.item for task in tasks] if self.done else []
        if not self.done:
            self._submit()

    def _submit(self) -> None:
        self._tries += 1
        self.ref = _remote(_clean)([task.item for task in self.tasks], self._packed_ref)

    def poll(self) -> None:
        """Take the answers if there are any; submit the tasks again if their worker died."""
        if self.done or not ray.wait([self.ref], timeout=0)[0]:
            return
        try:
            self.answers = ray.get(self.ref)
        except _RETRIED as error:
            if self._tries <= RETRIES:
                self._submit()
                return
            self._fail(f"its worker died {self._tries} times: {error}")
        except RayError as error:
            self._fail(str(getattr(error, "cause", None) or error))
        self.done = True

    def _fail(self, message: str) -> None:
        line = " ".join(message.split())[:200]
        self.answers = [Lost(FAILED, line)] * len(self.tasks)


def _absolute(job: Job) -> Job:
    """Return a job with absolute paths, which mean the same in every process."""
    source, target = job.source, job.target and job.target.absolute()
    if isinstance(source, Path):
        source = source.absolute()
    folders = job.folders
    if folders is not None:
        folders = folders._replace(target=folders.target.absolute())
    sources = tuple(
        path if path == STDIN or is_url(path) else str(Path(path).absolute())
        for path in job.sources
    )
    return job._replace(source=source, target=target, sources=sources, folders=folders)
