"""Do the job of one page whose text goes to standard output: no outputs, shards or processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import Operation, PageInput, Result, lost, process_pages
from crfclean.corpus.records import PAGE, read_page
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.tasks import FirstProcess, Lost, Task


def is_single(jobs: Sequence[Job], operation: Operation) -> bool:
    """Whether there is one page whose text goes to standard output, and is compared with none."""
    job = jobs[0] if len(jobs) == 1 else None
    if job is None or job.kind != PAGE or job.shard:
        return False
    return job.target is None and operation.signer is None


def clean_single(
    jobs: Sequence[Job],
    operation: Operation,
    workers: int = 0,  # noqa: ARG001
    *,
    params: ResumeParams = ResumeParams(),  # noqa: ARG001
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Do a job for which `is_single` holds in this process, as `batch.clean_batch` does it.

    An engine of a run: there is nothing to resume, and no worker.
    """
    if stop():
        return
    page_input = PageInput(jobs[0], data=_standard_input(jobs[0], operation))
    task = Task(page_input, (page_input,))
    for _, answer in FirstProcess().map(process_pages, [task], operation):
        if type(answer) is Lost:
            yield lost(page_input, answer.status, answer.message, operation)
        else:
            yield from answer


def _standard_input(job: Job, operation: Operation) -> bytes | None:
    """The bytes of standard input if that is the page of a job; None for other pages."""
    if job.source is not None or job.url or job.refused:
        return None
    return read_page(None, operation.limits.max_bytes)
