"""Ray Data rows with pages -> rows with clean text, on a cluster (extra `ray`).

An actor takes a logical CPU for as long as the work lasts, and whatever reads the pages needs one
too: where the actors hold them all, the readers get none and the work never ends. So there is
always one more CPU than actors, or an error.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import ray
from ray.data import ActorPoolStrategy, Dataset

from crfclean.bundle import Bundle
from crfclean.cleaner import Cleaner, corpus_row, page_of
from crfclean.cut import CutParams
from crfclean.pipeline import run
from crfclean.taggers.crf import CrfTagger, from_bundle
from crfclean.types import CrfcleanError

READERS = 1  # logical CPUs that actors leave to those who read and write
RETRIES = 3  # of a batch whose worker died: by default Ray would try one that kills it for ever
BATCH = 32  # pages: enough to be worth a message, few enough for memory where they are large
STORE_BYTES = 512 * 2**20  # shared memory of a cluster that is started here

ROW = pa.schema(
    [
        ("url", pa.string()),
        ("text", pa.string()),
        ("blocks", pa.list_(pa.string())),
        ("labels", pa.list_(pa.string())),
        ("probabilities", pa.list_(pa.float32())),
        ("score", pa.float32()),
        ("status", pa.string()),
        ("truncated", pa.string()),
        ("model", pa.string()),
    ]
)
"""The columns of a clean row; a page without text has its row, too, and a status that says why."""


def start(actors: int = 0, address: str | None = None) -> None:
    """Join the cluster at `address` (or in RAY_ADDRESS), else start one here with room for actors.

    Does nothing where Ray runs already. Raises `CrfcleanError` where there is no such cluster.
    """
    if ray.is_initialized():
        return
    quiet: dict[str, Any] = {"include_dashboard": False, "logging_level": "ERROR"}
    place = address or os.environ.get("RAY_ADDRESS")
    if not place:
        cpus = (actors or os.cpu_count() or 1) + READERS
        ray.init("local", num_cpus=cpus, object_store_memory=STORE_BYTES, **quiet)
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
    url: str = "url",
    keep: Sequence[str] = (),
    actors: int = 0,
) -> Dataset:
    """Rows with a page in column `html` (bytes or text) -> the same with clean text, lazily.

    The page's column goes, those of `ROW` come, all others stay. `actors` processes hold the model
    (0: as many as the cluster has CPUs for); it is sent to them, and need not be on their machines.
    What a dead worker had under way is cleaned again, a few times. Raises `ModelError` for a bad
    model, `CrfcleanError` for a missing column or a cluster without enough logical CPUs.
    """
    tagger = Cleaner(model, tuple(keep)).tagger
    if not isinstance(tagger, CrfTagger):
        raise CrfcleanError("this model cannot be sent to a cluster")
    start(actors)
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None and html not in schema.names:
        raise _no_column(html, schema.names)
    return dataset.map_batches(
        _PageCleaner,
        fn_constructor_args=(tagger.bundle, tagger.cut, Path(model).name, html, url),
        batch_size=BATCH,
        batch_format="pyarrow",
        compute=ActorPoolStrategy(size=room(actors)),
        num_cpus=1,
        ray_remote_args_fn=_retries,
    )


def room(actors: int = 0) -> int:
    """How many actors the cluster has logical CPUs for; raises `CrfcleanError` for too many."""
    cpus = int(ray.cluster_resources().get("CPU", 0))
    found = actors or cpus - READERS
    if not 1 <= found <= cpus - READERS:
        wanted = max(found, 1)
        raise CrfcleanError(
            f"{wanted} actors and {READERS} reader need {wanted + READERS} logical CPUs, but the "
            f"Ray cluster has {cpus}: ask for fewer actors, or start it with more "
            f"(ray.init(num_cpus={wanted + READERS}); they may be more than there are cores)"
        )
    return found


def _retries() -> dict[str, Any]:
    """What Ray does when a worker dies; a function, since Ray has no parameter for it."""
    return {"max_restarts": -1, "max_task_retries": RETRIES}


class _PageCleaner:
    """What an actor does: one model, one batch of pages after the other."""

    def __init__(self, bundle: Bundle, cut: CutParams, model: str, html: str, url: str) -> None:
        self.tagger = from_bundle(Path(model), bundle).with_cut(cut)
        self.model, self.html, self.url = model, html, url

    def __call__(self, batch: pa.Table) -> pa.Table:
        if self.html not in batch.column_names:
            raise _no_column(self.html, batch.column_names)
        pages = batch.column(self.html).to_pylist()
        none = [None] * len(pages)
        urls = batch.column(self.url).to_pylist() if self.url in batch.column_names else none
        rows = [self._row(*page) for page in zip(pages, urls, strict=True)]
        clean = pa.Table.from_pylist(rows, schema=ROW)
        kept = [name for name in batch.column_names if name not in {self.html, *ROW.names}]
        for name in kept:
            clean = clean.append_column(batch.schema.field(name), batch.column(name))
        return clean

    def _row(self, page: object, url: object) -> dict[str, Any]:
        document = run(page_of(page, url), self.tagger)
        return corpus_row(document) | {"model": self.model}


def _no_column(name: str, columns: Iterable[str]) -> CrfcleanError:
    return CrfcleanError(f"no column {name!r} with pages; there are {', '.join(columns)}")
