"""Clean the rows of a dataset of Ray."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack

import pyarrow as pa
import ray
from ray.data import ActorPoolStrategy, Dataset

from crfclean.decision.rules import CutParams
from crfclean.model.folder import Bundle, save_bundle
from crfclean.pipeline import CleanOptions
from crfclean.products.adapters.adapter import Cleaner
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import PageInput, lost, process_pages
from crfclean.products.corpus.params import PageLimits
from crfclean.products.corpus.parquet import SCHEMA
from crfclean.products.corpus.pool import Pool
from crfclean.products.corpus.records import STDIN, Record
from crfclean.products.corpus.tasks import Lost, Task
from crfclean.products.papers.perceptron import MlpTagger
from crfclean.products.papers.post_analysis import PostParams
from crfclean.systems.capabilities import Decides, HasModel, need
from crfclean.systems.load import load
from crfclean.types import CrfcleanError

__all__ = ["clean_dataset", "start"]


_READERS = 1  # logical CPUs that actors leave to the tasks that read and write
RETRIES = 3  # of work whose worker died: by default Ray would retry for ever
_BATCH_ROWS = 32  # pages of a message: enough to pay for it, and few enough for memory
_STORE_BYTES = 512 * 2**20  # shared memory of a cluster started here
_COPIED_COLUMNS = ("id", "url", "crawled", "date")  # of the input, copied into the clean rows


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


def clean_dataset(
    dataset: Dataset,
    model: str | Path = "default",
    *,
    html: str = "html",
    limits: PageLimits = PageLimits(),
    actors: int = 0,
    **options: Unpack[CleanOptions],
) -> Dataset:
    """Clean rows with a page in the column `html` (bytes or text), lazily.

    The rows are those of `crfclean clean`; `id`, `url`, `crawled` (or `date`) and columns of other
    names are copied. The `options` are the choices of `clean`. Each page has exactly one row, with
    its status. `actors` is the number of processes with the model (0: as many as the cluster has
    CPUs for). If one dies, its work is done again.

    Raises `ModelError` for a bad model, `CrfcleanError` for a missing column or too few CPUs.
    """
    chosen = Cleaner(model, **options).params
    packed = pack_params(BatchParams(chosen.tagger, comments=chosen.comments or "", limits=limits))
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
            if name not in {self._html, *_COPIED_COLUMNS, *SCHEMA.names}:
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
    url, data = _text(row.get("url")), row[html]
    crawled = _text(row.get("crawled") or row.get("date")) or ""
    problem = "" if data is None or isinstance(data, bytes | str) else "neither bytes nor text"
    return Record("-", b"" if data is None or problem else data, url, crawled, problem=problem)


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
