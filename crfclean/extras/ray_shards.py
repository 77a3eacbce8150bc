"""Do jobs on a Ray cluster: a task is a shard or some pages, retried and resumed.

What `batch.clean_batch` does in one machine's processes; each task is a call of it.
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

from crfclean.corpus.batch import clean_batch
from crfclean.corpus.clean import BatchParams
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import FAILED, Result
from crfclean.extras.ray import RETRIES, Sent, send, start
from crfclean.types import CrfcleanError

PAGES = 256  # single pages that are as good as a shard
AHEAD = 2  # shards a CPU that are given out: no worker waits for the next
PATIENCE = 120.0  # seconds in which a worker must have answered
LOST = (WorkerCrashedError, NodeDiedError, ObjectLostError, OutOfMemoryError)
"""What ends a task that is not at fault: it is given out again."""


def clean_batch_on_ray(
    jobs: Sequence[Job],
    params: BatchParams,
    workers: int = 1,
    *,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """`batch.clean_batch` on a cluster, a task a shard; results come in the order of the jobs.

    All that went well in a shard is one result. Without a cluster, one is started here, with
    `workers` logical CPUs. Input and output must be where every worker finds them. A shard whose
    worker dies is gone on with by another, a few times. Once `stop` says so all ends; what is
    done of the shards stays for `resume`. Raises `CrfcleanError` for what a cluster cannot do.
    """
    _check_jobs(jobs)
    sent = send(params)
    start(workers)
    _await_worker([job.source for job in jobs if job.source][:1])
    model, todo, order = ray.put(sent), deque(_parts(jobs)), deque[_Part]()
    try:
        while (todo or order) and not stop():
            most = AHEAD * _cpus()
            while todo and sum(not part.done for part in order) < most:
                order.append(_Part(todo.popleft(), model, resume=resume))
            ray.wait([part.ref for part in order if not part.done], timeout=1.0)
            for part in order:
                part.look()
            while order and order[0].done:
                yield from order.popleft().results
    finally:
        for part in order:
            ray.cancel(part.ref, force=True)


def _cpus() -> int:
    """The logical CPUs of the cluster; raises `CrfcleanError` where none is left."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    if not cpus:
        raise CrfcleanError("the Ray cluster has no logical CPU: nothing can be cleaned")
    return cpus


def _check_jobs(jobs: Sequence[Job]) -> None:
    """Raise `CrfcleanError` for what a cluster cannot do."""
    if any(job.source is None or job.target is None for job in jobs if not job.refused):
        raise CrfcleanError("a cluster takes files, no standard input or output")


def _parts(jobs: Sequence[Job]) -> Iterator[list[Job]]:
    """The jobs in parts for a worker each: a shard, or so many pages."""
    pages: list[Job] = []
    for job in jobs:
        if pages and (job.shard or len(pages) >= PAGES):
            yield pages
            pages = []
        if job.shard:
            yield [job]
        else:
            pages.append(job)
    if pages:
        yield pages


def _await_worker(paths: list[Path], wait: float = PATIENCE) -> None:
    """Raise `CrfcleanError` where no worker answers, or one does not find the input."""
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
    """A function as a task of the cluster, on one logical CPU; the retries are ours."""
    return ray.remote(num_cpus=1, max_retries=0)(function).remote


def _missing(paths: list[str]) -> list[str]:
    """The paths that are not there for a worker."""
    return [path for path in paths if not Path(path).exists()]


def _clean_part(jobs: list[Job], sent: Sent, *, resume: bool) -> list[Result]:
    """What a task does: a shard or some pages; what needs no word is one result."""
    fine, told = Counter[str](), []
    with TemporaryDirectory(prefix="crfclean-") as folder:
        for result in clean_batch(jobs, sent.unpack(Path(folder)), resume=resume):
            if result.status == "ok" and not result.truncated:
                fine[result.status] += result.pages
            else:
                told.append(replace(result, line=b""))
    return [*told, *(Result(jobs[0], status, pages=pages) for status, pages in fine.items())]


class _Part:
    """A shard or some pages under way: given out, and again where the worker died."""

    def __init__(self, jobs: list[Job], sent: Any, *, resume: bool) -> None:
        self._jobs, self._sent, self._tries = jobs, sent, 0
        self.results: list[Result] = []
        self.done = False
        self._give(resume=resume)

    def _give(self, *, resume: bool) -> None:
        self._tries += 1
        jobs = [_everywhere(job) for job in self._jobs]
        self.ref = _remote(_clean_part)(jobs, self._sent, resume=resume)

    def look(self) -> None:
        """Take the results if they are there."""
        if self.done or not ray.wait([self.ref], timeout=0)[0]:
            return
        try:
            self.results = ray.get(self.ref)
        except LOST as error:
            if self._tries <= RETRIES:
                self._give(resume=True)
                return
            self._fail(f"its worker died {self._tries} times: {error}")
        except RayError as error:
            self._fail(str(getattr(error, "cause", None) or error))
        self.done = True

    def _fail(self, message: str) -> None:
        line = " ".join(message.split())[:200]
        self.results = [Result(job, FAILED, line) for job in self._jobs]


def _everywhere(job: Job) -> Job:
    """A job whose paths mean the same in every process."""
    source, target = job.source and job.source.absolute(), job.target and job.target.absolute()
    return replace(job, source=source, target=target)
