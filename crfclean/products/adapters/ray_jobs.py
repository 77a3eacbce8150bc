"""Clean on a Ray cluster: it does what a pool of worker processes does on one machine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ray
from ray.exceptions import (
    GetTimeoutError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayError,
    WorkerCrashedError,
)

from crfclean.document.page_text import FAILED
from crfclean.products.adapters.ray import RETRIES, PackedParams, pack_params, start
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.engine import clean_batch, do_item
from crfclean.products.corpus.folder import part_task
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import Result
from crfclean.products.corpus.params import ResumeParams
from crfclean.products.corpus.parts import CorpusPart
from crfclean.products.corpus.pool import Pool
from crfclean.products.corpus.records import STDIN, is_url
from crfclean.products.corpus.tasks import Function, Lost, Task
from crfclean.types import CrfcleanError

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
        function: Function,  # noqa: ARG002 - always `engine.do_item`
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
        is_pages = not task.done and not isinstance(task.item, CorpusPart)
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
            part_task(None, item) if isinstance(item, CorpusPart) else Task(None, item)
            for item in items
        ]
        with closing(Pool(1, params.limits)) as pool:
            return [answer for _, answer in pool.map(do_item, tasks, params)]


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
