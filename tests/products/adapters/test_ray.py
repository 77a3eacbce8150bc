"""Tests of `adapters/ray.py` on a real cluster of this machine: starved, killed, and resumed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="pip install 'crfclean[ray]'")
pytest.importorskip("pyarrow", reason="pip install 'crfclean[ray]'")

import ray
from ray.data import DataContext, Dataset

import crfclean
from crfclean.products.adapters import ray as ray_module
from crfclean.products.corpus.parquet import SCHEMA
from crfclean.systems.crf import CrfTagger

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of many libraries


@pytest.fixture(scope="module", autouse=True)
def running() -> Iterator[None]:
    """A cluster with three logical CPUs, started as crfclean starts one."""
    ray_module.start(cpus=3)
    DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def pages(demo: Path) -> dict[str, bytes]:
    """Address -> page."""
    return {path.stem: path.read_bytes() for path in sorted(demo.rglob("*.html"))}


def dataset(pages: dict[str, bytes], times: int = 1) -> Dataset:
    """Every page so many times, with a number of its own."""
    rows = [{"id": url, "url": url, "date": 2026, "html": html} for url, html in pages.items()]
    return ray.data.from_items([row | {"number": at} for at, row in enumerate(rows * times)])


def test_rows_are_those_of_one_process(
    pages: dict[str, bytes], model: Path, tagger: CrfTagger
) -> None:
    rows = ray_module.clean_dataset(dataset(pages), str(model), actors=2).take_all()
    assert sorted(row["url"] for row in rows) == sorted(pages)
    for row in rows:
        document = crfclean.clean(pages[row["url"]], model=model)
        assert set(row) == {*SCHEMA.names, "number"}
        assert (row["id"], row["crawled"], row["status"]) == (row["url"], "2026", "ok")
        assert row["text"] == document.text
        assert row["score"] == pytest.approx(document.score, abs=1e-4)
        assert row["model"] == tagger.fingerprint


def actors() -> list[dict[str, Any]]:
    """What Ray tells of the processes that clean pages."""
    from ray._private.state import actors as told

    return [one for one in told().values() if "_PageCleaner" in one["ActorClassName"]]


def test_a_killed_worker_costs_no_page(pages: dict[str, bytes], model: Path) -> None:
    """A worker is killed while the rows come; each page is there once."""
    given = dataset(pages, times=20)
    seen, killed = [], 0
    for row in ray_module.clean_dataset(given, str(model), actors=2).iter_rows():
        seen.append(row["number"])
        if len(seen) == 60:
            killed = next(one["Pid"] for one in actors() if one["State"] == "ALIVE")
            os.kill(killed, signal.SIGKILL)
    assert sorted(seen) == list(range(20 * len(pages)))
    assert killed
    assert not Path(f"/proc/{killed}").exists()
    assert any(int(one["NumRestarts"]) for one in actors()), "it was killed at work"
