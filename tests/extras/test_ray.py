"""Tests of `extras/ray.py` on a real cluster of this machine: starved, killed, and resumed."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="pip install 'crfclean[ray]'")
pytest.importorskip("pyarrow", reason="pip install 'crfclean[ray]'")

import pyarrow as pa
import ray
from pyarrow import parquet
from ray.data import DataContext, Dataset

import crfclean
from crfclean.corpus.parquet import SCHEMA
from crfclean.extras import ray as ray_module
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
        assert (row["id"], row["date"], row["status"]) == (row["url"], "2026", "ok")
        assert row["text"] == document.text
        assert row["score"] == pytest.approx(document.score, abs=1e-4)
        assert row["model"] == tagger.fingerprint
        assert [block["index"] for block in row["blocks"]] == document.kept


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


def test_a_batch_that_kills_every_worker_ends_in_an_error(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Deadly:
        def __init__(self, *_: object) -> None:
            pass

        def __call__(self, batch: pa.Table) -> pa.Table:
            (tmp_path / str(time.monotonic_ns())).touch()
            os._exit(9)

    monkeypatch.setattr(ray_module, "_PageCleaner", Deadly)
    made = ray_module.clean_dataset(dataset({"a": b"<p>a"}), str(model), actors=1)
    with pytest.raises(ray.exceptions.RayActorError):
        made.take_all()
    assert 1 < len(list(tmp_path.iterdir())) <= 1 + ray_module.RETRIES


def test_files_are_read_and_written_by_the_cpu_that_is_left(
    pages: dict[str, bytes], model: Path, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    for at, (url, html) in enumerate(pages.items()):
        table = pa.table({"url": [url], "html": [html], "date": ["2026-01-02"]})
        parquet.write_table(table, tmp_path / "in" / f"{at}.parquet")
    given = ray.data.read_parquet(str(tmp_path / "in"))
    ray_module.clean_dataset(given, str(model), actors=2).write_parquet(str(tmp_path / "out"))
    found = parquet.read_table(tmp_path / "out")
    assert sorted(found.column("url").to_pylist()) == sorted(pages)
    assert set(found.column("date").to_pylist()) == {"2026-01-02"}
    assert "html" not in found.column_names


def test_the_example_of_the_docs(pages: dict[str, bytes], root: Path, tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (root / "docs/cluster.md").read_text(), re.DOTALL)
    (tmp_path / "pages").mkdir()
    rows = [{"url": url, "html": html} for url, html in list(pages.items())[:3]]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "pages" / "a.parquet")
    exec(compile(code.replace("/data", str(tmp_path)), "cluster.md", "exec"), {})
    found = parquet.read_table(tmp_path / "clean").to_pylist()
    texts = {row["url"]: crfclean.extract(row["html"]) for row in rows}
    assert {row["url"]: row["text"] for row in found} == texts


def test_the_convention_is_applied(pages: dict[str, bytes], model: Path) -> None:
    made = ray_module.clean_dataset(dataset(pages), str(model), keep=["body"], actors=1)
    whole = {url: crfclean.clean(html, model=model).text for url, html in pages.items()}
    assert any(len(row["text"]) < len(whole[row["url"]]) for row in made.take_all())
