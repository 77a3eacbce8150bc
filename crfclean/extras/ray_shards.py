"""Do the jobs of a run on a Ray cluster: a shard or some pages a task, retried and resumed.

Each task is a call of `batch.clean_part`, which does the same in the processes of one machine.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
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

from crfclean.corpus.batch import clean_part
from crfclean.corpus.clean import BatchParams
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import FAILED, Result
from crfclean.corpus.outputs import Earlier, open_outputs
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.run_options import run_options
from crfclean.corpus.targets import STDIN, is_url
from crfclean.extras.ray import RETRIES, PackedParams, pack_params, start
from crfclean.types import CrfcleanError

_PAGES = 256  # single pages that form one task, as a shard does
_TASKS_PER_CPU = 2  # submitted ahead: no worker waits for the next
_MAX_WAIT = 120.0  # seconds in which a worker must answer
_RETRIED = (WorkerCrashedError, NodeDiedError, ObjectLostError, OutOfMemoryError)
"""Errors that a task is not to blame for: it is submitted again."""


def clean_batch_on_ray(
    jobs: Sequence[Job],
    operation: BatchParams,
    workers: int = 1,
    *,
    params: ResumeParams = ResumeParams(),
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Do jobs on a cluster, a task a shard; results come in the order of the jobs.

    The pages of a shard that succeeded share one result. Without a cluster, one is started here,
    with `workers` logical CPUs. Every worker must find input and output under the same paths. If a
    worker dies, another resumes its shard, a few times. Once `stop()` is true all tasks end; what
    is done of the shards is kept for a run that resumes. Raises `CrfcleanError` for unsuitable
    jobs, and as `batch.clean_batch` does.
    """
    _check_jobs(jobs)
    packed = pack_params(operation)
    start(workers)
    _await_worker([job.source for job in jobs if job.source][:1])
    with open_outputs([_absolute(job) for job in jobs], run_options(operation), params) as outputs:
        todo = deque(_parts(outputs.jobs))
        yield from _do_parts(todo, ray.put(packed), outputs.earlier, stop)
        if not todo:
            yield from outputs.finish()


def _do_parts(
    todo: deque[list[Job]], packed_ref: Any, earlier: Earlier, stop: Callable[[], bool]
) -> Iterator[Result]:
    """Do the parts of the jobs, in order; what is left in `todo` was not done."""
    order = deque[_Part]()
    try:
        while (todo or order) and not stop():
            max_tasks = _TASKS_PER_CPU * _cpus()
            while todo and sum(not part.done for part in order) < max_tasks:
                order.append(_Part(todo.popleft(), packed_ref, earlier))
            ray.wait([part.ref for part in order if not part.done], timeout=1.0)
            for part in order:
                part.poll()
            while order and order[0].done:
                yield from order.popleft().results
        todo.extend(part.jobs for part in order)
    finally:
        for part in order:
            ray.cancel(part.ref, force=True)


def _cpus() -> int:
    """The logical CPUs of the cluster; raises `CrfcleanError` if there is none."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if not cpus:
        raise CrfcleanError("the Ray cluster has no logical CPU: nothing can be cleaned")
    return cpus


def _check_jobs(jobs: Sequence[Job]) -> None:
    """Raise `CrfcleanError` for jobs that a cluster cannot do."""
    if not all(_has_paths(job) for job in jobs if not job.refused):
        raise CrfcleanError("a cluster takes files, no URLs, no standard input or output")


def _has_paths(job: Job) -> bool:
    """Whether a job reads files and writes one."""
    sources = job.sources or (str(job.source or STDIN),)
    return job.target is not None and not any(map(_is_stream, sources))


def _is_stream(source: str) -> bool:
    return source == STDIN or is_url(source)


def _parts(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """The jobs in parts, a task each: a shard, or up to `_PAGES` pages."""
    pages: list[Job] = []
    for job in jobs:
        if pages and (job.shard or len(pages) >= _PAGES):
            yield pages
            pages = []
        if job.shard:
            yield [job]
        else:
            pages.append(job)
    if pages:
        yield pages


def _await_worker(paths: list[Path], wait: float = _MAX_WAIT) -> None:
    """Raise `CrfcleanError` if no worker answers, or one does not find the input."""
    try:
        missing = ray.get(_remote(_missing)([str(path.absolute()) for path in paths]), timeout=wait)
    except GetTimeoutError as error:
        raise CrfcleanError(
            f"no worker of the Ray cluster has answered within {wait:g} s: it has "
            f"{ray.cluster_resources().get('CPU', 0):g} logical CPUs, of which "
            f"{ray.available_resources().get('CPU', 0):g} are free (see ray status)"
        ) from error
    except RayError as error:
        raise CrfcleanError(f"the workers of the Ray cluster cannot start: {error}") from error
    if missing:
        raise CrfcleanError(f"{missing[0]}: the workers of the Ray cluster do not find it")


def _remote(function: Callable[..., Any]) -> Any:
    """A function as a task of the cluster, on one logical CPU; retries are done here."""
    return ray.remote(num_cpus=1, max_retries=0)(function).remote


def _missing(paths: list[str]) -> list[str]:
    """The paths that a worker does not find."""
    return [path for path in paths if not Path(path).exists()]


def _clean_part(jobs: list[Job], packed: PackedParams, earlier: Earlier) -> list[Result]:
    """Clean a shard or some pages; pages without anything to report share one result."""
    pages_ok, reported = Counter[str](), []
    with TemporaryDirectory(prefix="crfclean-") as folder:
        for result in clean_part(jobs, packed.unpack(Path(folder)), earlier):
            if result.status == "ok" and not result.truncated:
                pages_ok[result.status] += result.pages
            else:
                reported.append(replace(result, line=b""))
    return [
        *reported,
        *(Result(jobs[0], status, pages=pages) for status, pages in pages_ok.items()),
    ]


class _Part:
    """A task under way: a shard or some pages, submitted again if the worker dies."""

    def __init__(self, jobs: list[Job], packed_ref: Any, earlier: Earlier) -> None:
        self.jobs, self._packed_ref, self._tries = jobs, packed_ref, 0
        self.results: list[Result] = []
        self.done = False
        self._submit(earlier)
        # what a worker has done before it dies is kept, whatever happens to earlier runs
        self._again = replace(earlier, params=replace(earlier.params, resume=True, overwrite=False))

    def _submit(self, earlier: Earlier) -> None:
        self._tries += 1
        self.ref = _remote(_clean_part)(self.jobs, self._packed_ref, earlier)

    def poll(self) -> None:
        """Take the results if the task is done; submit it again if its worker died."""
        if self.done or not ray.wait([self.ref], timeout=0)[0]:
            return
        try:
            self.results = ray.get(self.ref)
        except _RETRIED as error:
            if self._tries <= RETRIES:
                self._submit(self._again)
                return
            self._fail(f"its worker died {self._tries} times: {error}")
        except RayError as error:
            self._fail(str(getattr(error, "cause", None) or error))
        self.done = True

    def _fail(self, message: str) -> None:
        line = " ".join(message.split())[:200]
        self.results = [Result(job, FAILED, line) for job in self.jobs]


def _absolute(job: Job) -> Job:
    """A job whose paths mean the same in every process."""
    source, target = job.source and job.source.absolute(), job.target and job.target.absolute()
    folders = job.folders
    if folders is not None:
        folders = folders._replace(target=folders.target.absolute())
    sources = tuple(
        path if path == STDIN or is_url(path) else str(Path(path).absolute())
        for path in job.sources
    )
    return replace(job, source=source, target=target, sources=sources, folders=folders)
