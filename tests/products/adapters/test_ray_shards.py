"""Tests of `adapters/ray.py` on a real cluster: equal bytes, killed workers, resuming."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jobplans import jobs_of

pytest.importorskip("ray", reason="pip install 'crfclean[ray]'")
pytest.importorskip("pyarrow", reason="pip install 'crfclean[ray]'")

import ray
from batchpages import RESUME

from crfclean.document.page_text import FAILED
from crfclean.products.adapters import ray_jobs as ray_module
from crfclean.products.adapters.ray import start
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import DONE, Result
from crfclean.systems.crf import CrfTagger

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own, of many libraries
SHARDS, TIMES = 3, 6  # pages a shard: so many times the demo pages


@pytest.fixture(scope="module", autouse=True)
def running() -> Iterator[None]:
    """A cluster with two logical CPUs, started as crfclean starts one."""
    start(cpus=2)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def corpus(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """JSONL shards of the demo pages, and two single pages."""
    folder = tmp_path_factory.mktemp("corpus")
    pages = [path.read_text("utf-8", "replace") for path in sorted(demo.rglob("*.html"))]
    for shard in range(SHARDS):
        rows = [{"id": f"{shard}-{at}", "html": html} for at, html in enumerate(pages * TIMES)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{shard}.jsonl").write_text(text, "utf-8")
    for name, html in zip("ab", pages, strict=False):
        (folder / f"{name}.html").write_text(html, "utf-8")
    return folder


@pytest.fixture(scope="module")
def params(tagger: CrfTagger) -> BatchParams:
    return BatchParams(tagger)


@pytest.fixture(scope="module")
def expected(
    corpus: Path, params: BatchParams, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What one machine makes of the corpus: name -> bytes."""
    out = tmp_path_factory.mktemp("expected")
    assert not [one for one in clean_batch(jobs(corpus, out), params) if one.failed]
    return files(out)


def jobs(corpus: Path, out: Path) -> list[Job]:
    return jobs_of(str(corpus), str(out), None)


def files(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("[!.]*")}


def outcomes(results: list[Result]) -> Counter[str]:
    counts = Counter[str]()
    for result in results:
        counts.update(result.before or {result.outcome: result.pages})
    return counts


def test_bytes_are_those_of_one_machine(
    corpus: Path, params: BatchParams, expected: dict[str, bytes], tmp_path: Path
) -> None:
    results = list(ray_module.clean_batch_on_ray(jobs(corpus, tmp_path), params))
    assert files(tmp_path) == expected
    assert outcomes(results) == {"ok": SHARDS * TIMES * 24 + 2}


def inside_a_part(out: Path) -> int | None:
    """The process of a task that has begun a part, found by the spool that its child writes."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            path = link.readlink()
            if path.parent == out and path.suffix == ".spool" and path.stat().st_size:
                return parent_of(int(link.parts[2]))
        except OSError:  # it has ended meanwhile
            continue
    return None


def parent_of(process: int) -> int:
    """The task of Ray above a child, past the server that forks it."""
    while True:
        stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        process = int(stat[1])
        if b"ray::" in Path(f"/proc/{process}/cmdline").read_bytes():
            return process


@pytest.mark.skipif(sys.platform != "linux", reason="the worker is found by /proc")
def test_a_killed_worker_costs_no_page(
    corpus: Path, params: BatchParams, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """A worker is killed inside a part; another does it; each page is there once."""
    killed: list[int] = []

    def kill_once() -> bool:
        found = inside_a_part(tmp_path) if not killed else None
        if found:
            os.kill(found, signal.SIGKILL)
            killed.append(found)
        return False

    results = list(ray_module.clean_batch_on_ray(jobs(corpus, tmp_path), params, stop=kill_once))
    assert len(killed) == 1
    assert files(tmp_path) == expected
    counts = outcomes(results)
    assert counts.total() == counts["ok"] == SHARDS * TIMES * 24 + 2


def test_stopped_run_is_gone_on_with(
    corpus: Path, params: BatchParams, expected: dict[str, bytes], tmp_path: Path
) -> None:
    def begun() -> bool:
        return any(tmp_path.glob("_part-*"))

    list(ray_module.clean_batch_on_ray(jobs(corpus, tmp_path), params, stop=begun))
    assert begun()
    assert set(files(tmp_path)) != set(expected)
    results = list(ray_module.clean_batch_on_ray(jobs(corpus, tmp_path), params, params=RESUME))
    assert files(tmp_path) == expected
    assert any(result.status == DONE for result in results)


def test_what_fails_is_told_and_the_rest_goes_on(
    corpus: Path, params: BatchParams, tmp_path: Path
) -> None:
    (given,) = jobs_of(str(corpus / "1.jsonl"), str(tmp_path / "1.jsonl"))
    gone = Job(tmp_path / "gone.jsonl", tmp_path / "gone.jsonl.gz", "", "jsonl", "jsonl")
    results = list(ray_module.clean_batch_on_ray([given, gone], params))
    assert outcomes(results) == {"ok": TIMES * 24, "failed": 1}
    (failed,) = [one for one in results if one.failed]
    assert failed.job.source == gone.source
    assert "cannot be read" in failed.message


def test_a_part_that_kills_every_worker_is_given_up(
    corpus: Path, params: BatchParams, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object, **__: object) -> list[Result]:
        os._exit(9)

    monkeypatch.setattr(ray_module, "_clean", die)
    job = jobs_of(str(corpus / "1.jsonl"), str(tmp_path / "1.jsonl"))
    results = list(ray_module.clean_batch_on_ray(job, params))
    assert {result.status for result in results} == {FAILED}
    assert all("its worker died 4 times" in result.message for result in results)
    assert not (tmp_path / "1.jsonl").exists()


# the command


def test_the_command_takes_it(
    corpus: Path,
    model: Path,
    expected: dict[str, bytes],
    tmp_path: Path,
    crfclean: Callable[..., Any],
) -> None:
    done = crfclean("clean", corpus, tmp_path, "--engine", "ray", "--model", model)
    assert done.code == 0, done.err
    assert f"{SHARDS * TIMES * 24 + 2} pages: {SHARDS * TIMES * 24 + 2} cleaned" in done.err
    assert files(tmp_path) == expected


def test_workers_run_no_module_of_the_current_folder(corpus: Path, tmp_path: Path) -> None:
    trap = tmp_path / "pyarrow.py"
    trap.write_text('open(__file__ + ".ran", "w").close()\nraise ImportError("a trap")', "ascii")
    command = [sys.executable, str(Path(sys.executable).with_name("crfclean")), "clean"]
    words = [str(corpus / "0.jsonl"), str(tmp_path / "out.jsonl"), "--engine", "ray", "-j", "1"]
    done = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not Path(f"{trap}.ran").exists()
