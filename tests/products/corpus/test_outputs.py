"""Tests of `corpus/outputs.py`: the record of runs between directories, and OUT that vanishes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, OVERWRITE, PARAMS, RESUME
from checkout import SCRIPT_PATH
from doubles import KeepLong
from jobplans import jobs_of, small_parts

from crfclean.document.page_text import FAILED
from crfclean.products.corpus import locks as resume
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.differences import check_same, continues_run
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import DONE, KEPT, Result
from crfclean.products.corpus.locks import Lock
from crfclean.products.corpus.outputs import LOCK, RECORD, open_outputs
from crfclean.products.corpus.params import ResumeParams
from crfclean.types import CrfcleanError

OTHER = BatchParams(KeepLong(), comments="keep")
FRESH = ResumeParams()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resume, "PATIENCE", 0.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six pages in two directories."""
    for name in ("a/1", "a/2", "a/3", "b/4", "b/5", "b/6"):
        path = tmp_path / "in" / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(GOOD)
        os.utime(path, (1, 1))
    return tmp_path


def jobs(folder: Path) -> list[Job]:
    return jobs_of(str(folder / "in"), str(folder / "out"))


def run(folder: Path, params: ResumeParams = FRESH, operation: BatchParams = PARAMS) -> list[str]:
    """The statuses of a whole run."""
    results = clean_batch(jobs(folder), operation, 0, params=params)
    return [result.status for result in results]


def begun(folder: Path, pages: int, operation: BatchParams = PARAMS) -> Iterator[Result]:
    """A run that has done some pages."""
    results = clean_batch(jobs(folder), operation, 0)
    for _ in range(pages):
        next(results)
    return results


def stop(results: Iterator[Result]) -> None:
    """End a run in the middle."""
    results.close()  # type: ignore[attr-defined]


def record(folder: Path) -> dict[str, Any]:
    """The only run in the record of OUT."""
    (only,) = json.loads((folder / "out" / RECORD).read_text())["runs"].values()
    return dict(only)


def texts(folder: Path) -> list[str]:
    return sorted(path.stem for path in (folder / "out").rglob("*.txt"))


def aged(folder: Path, *names: str) -> list[Path]:
    """Make all that runs wrote an hour older, and correct some texts half an hour ago."""
    out, hour = folder / "out", 3600 * 10**9
    noted = json.loads((out / RECORD).read_text())
    noted["written"] = [[begin - hour, end - hour] for begin, end in noted["written"]]
    (out / RECORD).write_text(json.dumps(noted))
    for text in out.rglob("*.txt"):
        time = text.stat().st_mtime_ns - hour
        os.utime(text, ns=(time, time))
    corrected = [out / f"{name}.txt" for name in names]
    for text in corrected:
        text.write_text("corrected")
        time = text.stat().st_mtime_ns - hour // 2
        os.utime(text, ns=(time, time))
    return corrected


# two runs at once


def test_two_runs_into_one_directory(folder: Path) -> None:
    first = begun(folder, 2)
    with pytest.raises(
        CrfcleanError, match=r"out: another run writes there, process \d+ on .* since"
    ):
        run(folder, OVERWRITE)
    assert len(list(first)) == 4
    assert not (folder / "out" / LOCK).exists()
    assert run(folder, RESUME) == [DONE] * 6


# other options, and unfinished runs


def test_other_options_are_not_mixed(folder: Path) -> None:
    stop(begun(folder, 3))
    said = r"out: cannot be continued with other options: --comments was not set, is keep: repeat"
    with pytest.raises(CrfcleanError, match=said):
        run(folder, RESUME, OTHER)
    assert texts(folder) == ["1", "2", "3"]
    assert run(folder, RESUME) == [DONE] * 3 + ["ok"] * 3
    with pytest.raises(CrfcleanError, match=said):
        run(folder, RESUME, OTHER)


def test_unfinished_run_is_not_lost(folder: Path) -> None:
    stop(begun(folder, 3))
    said = r"out: an unfinished run: --resume continues it, --overwrite starts again"
    for operation in (PARAMS, OTHER):
        with pytest.raises(CrfcleanError, match=said):
            run(folder, operation=operation)
    assert not record(folder)["finished"]
    assert run(folder, OVERWRITE, OTHER) == ["ok"] * 6
    assert record(folder)["finished"]


def test_unfinished_corpus_of_a_run_is_not_lost(folder: Path, monkeypatch: Any) -> None:
    """A run that could not write one of its parts is not finished, though its texts are."""
    small_parts(monkeypatch)
    (folder / "in" / "c.jsonl").write_text(json.dumps({"html": GOOD}) + "\n" * 2)
    (folder / "in" / "d.jsonl").write_text(json.dumps({"html": GOOD}) + "\n")
    left = iter([None])

    def fsync(_descriptor: int) -> None:
        if next(left, 1):
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("crfclean.products.corpus.parts.os.fsync", fsync)
        assert run(folder)[-2:] == ["ok", FAILED]
    with pytest.raises(CrfcleanError, match="out: an unfinished run: --resume continues it"):
        run(folder)
    assert run(folder, RESUME).count(DONE) == 6 + 1
    assert len((folder / "out" / "part-00001.jsonl.gz").read_bytes()) > 0


def test_runs_that_share_the_texts(folder: Path) -> None:
    """A share that begins when another has written texts is no second run."""
    first = clean_batch(jobs(folder), PARAMS, 0, params=ResumeParams(share=(1, 2)))
    next(first)
    assert run(folder, ResumeParams(share=(2, 2))) == ["ok"] * 3
    assert len(list(first)) == 2
    assert run(folder, RESUME) == [DONE] * 6


def test_texts_of_the_run_before_the_last_are_not_taken_for_its_own(folder: Path) -> None:
    run(folder)
    aged(folder)
    stop(begun(folder, 2, OTHER))
    assert run(folder, RESUME, OTHER) == [DONE] * 2 + ["ok"] * 4


# pages that change


def test_page_that_is_newer_than_its_text_is_done_again(folder: Path) -> None:
    run(folder)
    (folder / "in" / "b" / "5.html").write_text("<p>The ferry sails no more today.</p>")
    later = (folder / "out" / "b" / "5.txt").stat().st_mtime + 5
    os.utime(folder / "in" / "b" / "5.html", (later, later))
    assert run(folder, RESUME) == [DONE] * 4 + ["ok", DONE]
    assert (folder / "out" / "b" / "5.txt").read_text() == "The ferry sails no more today.\n"


# directories that vanish


def test_directory_that_is_removed_is_not_made_again(folder: Path) -> None:
    results = begun(folder, 3)
    shutil.rmtree(folder / "out")
    for number in "456":
        page = next(results)
        assert page.status == FAILED
        said = f"{number}.txt cannot be written: No such file or directory"
        assert page.message.endswith(said)
    with pytest.raises(CrfcleanError, match="out: cannot be written: No such file"):
        next(results)
    assert not (folder / "out").exists()


# what a kill leaves


def test_temporary_files_of_a_killed_run_are_removed(folder: Path) -> None:
    stop(begun(folder, 2))
    ours, others = folder / "out/a/.3.txt.ab_3f9zz", ["out/a/.9.txt.ab_3f9zz", "out/a/.3.txt.abc"]
    for path in [ours, *(folder / name for name in others)]:
        path.write_text("half")
    assert run(folder, RESUME)[2:] == ["ok"] * 4
    assert not ours.exists()
    results = begun(folder, 2)
    ours.write_text("of a worker that was killed")
    assert len(list(results)) == 4
    assert not ours.exists()
    assert all((folder / name).exists() for name in others)


def test_out_that_cannot_be_locked_is_refused(folder: Path) -> None:
    planned = jobs(folder)
    (folder / "out" / LOCK).mkdir(parents=True)
    with (
        pytest.raises(CrfcleanError, match=r"out: cannot be written: Is a directory"),
        open_outputs(planned, {}, FRESH),
    ):
        pass


# texts that were corrected by hand


def test_a_corrected_text_is_kept(folder: Path) -> None:
    run(folder)
    (text,) = aged(folder, "a/2")
    for _ in range(2):
        assert run(folder) == ["ok", KEPT, "ok", "ok", "ok", "ok"]
        aged(folder)
    assert run(folder, RESUME)[1] == KEPT
    assert text.read_text() == "corrected"
    assert run(folder, OVERWRITE) == ["ok"] * 6
    assert text.read_text() != "corrected"
    assert run(folder) == ["ok"] * 6


def test_a_text_of_no_run_is_kept(folder: Path) -> None:
    text = folder / "out" / "b" / "4.txt"
    text.parent.mkdir(parents=True)
    text.write_text("gold")
    os.utime(text, (1, 1))
    assert run(folder) == ["ok"] * 3 + [KEPT] + ["ok"] * 2
    assert text.read_text() == "gold"


def test_a_stopped_run_notes_when_it_wrote(folder: Path) -> None:
    stop(begun(folder, 3))
    aged(folder, "a/2")
    assert run(folder, OVERWRITE) == ["ok"] * 6
    stop(begun(folder, 3))
    assert run(folder, RESUME) == [DONE] * 3 + ["ok"] * 3
    aged(folder, "a/2")
    assert run(folder) == ["ok", KEPT, "ok", "ok", "ok", "ok"]


# names


def test_a_name_that_is_too_long_refuses_its_page_alone(folder: Path) -> None:
    for name in ("n" * 253, "n" * 250 + ".html", "\u017e" * 125):
        (folder / "in" / name).write_text(GOOD)
    results = list(clean_batch(jobs(folder), PARAMS, 0))
    long = {result.job.name[-9:]: (result.status, result.message[-29:]) for result in results[6:]}
    problem = (FAILED, "written: File name too long")
    assert {name: (status, message[-27:]) for name, (status, message) in long.items()} == {
        "n" * 9: problem,
        "nnnn.html": ("ok", ""),
        "\u017e" * 9: ("ok", ""),
    }
    assert [result.status for result in results[:6]] == ["ok"] * 6


# what is said about two runs that differ


OPTIONS: dict[str, Any] = {
    "source": "/in",
    "input": {"files": 2, "digest": "a"},
    "comments": "drop",
    "elements": None,
    "limits": {"max_seconds": 60.0, "max_blocks": 9},
    "show": {"links": True},
}


def said(now: dict[str, Any], *, retry: bool = False) -> str:
    """What is said of a run with some other options; "" if it may go on."""
    try:
        check_same("out", OPTIONS, {**OPTIONS, **now}, retry=retry)
    except CrfcleanError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("now", "difference"),
    [
        ({"comments": "keep"}, "--comments was drop, is keep"),
        ({"comments": ""}, "--comments was drop, is not set"),
        ({"kinds": ["h1", "p"]}, "--kinds was not set, is h1,p"),
        ({"show": {"links": False}}, "--links was on, is off"),
        ({"limits": {"max_seconds": 1.0, "max_blocks": 9}}, "--max-seconds was 60.0, is 1.0"),
        ({"model": "x" * 99}, f"the model or its decisions was not set, is {'x' * 60}…"),
        ({"new": 1}, "--new was not set, is 1"),
    ],
)
def test_options_are_named(now: dict[str, Any], difference: str) -> None:
    assert said(now) == (
        f"out: cannot be continued with other options: {difference}: repeat them, or --overwrite "
        "starts again"
    )


def test_inputs_are_compared_first() -> None:
    now = {"source": "/other", "comments": "keep"}
    assert said(now) == "out: cannot be continued: its input was /in: --overwrite starts again"


def test_retries_may_have_more_time_and_memory_alone() -> None:
    more = {"limits": {"max_seconds": 99.0, "max_memory": 9, "max_blocks": 9}}
    assert not said(more, retry=True)
    assert "--max-seconds" in said(more)
    assert "--max-blocks" in said({"limits": {"max_seconds": 60.0, "max_blocks": 8}}, retry=True)


@pytest.mark.parametrize(
    ("source", "told"), [("/in", ": --resume continues it, --over"), ("/other", " of /in: --over")]
)
def test_unfinished_runs_are_not_lost(source: str, told: str) -> None:
    before, now = {"options": OPTIONS, "finished": False}, {**OPTIONS, "source": source}
    with pytest.raises(CrfcleanError, match=f"^out: an unfinished run{told}"):
        continues_run("out", before, now, FRESH, has_work=True)
    assert not continues_run("out", before, now, FRESH, has_work=False)
    assert not continues_run("out", before, now, OVERWRITE, has_work=True)


# one holder at a time, killed holders, lock files that vanish


HOLD = """
import sys, time
from pathlib import Path
from crfclean.products.corpus.locks import Lock
lock = Lock(Path(sys.argv[1]), Path("out"))
print("held", flush=True)
time.sleep(600)
"""


def holder(path: Path) -> subprocess.Popen[str]:
    """A process that holds a lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": SCRIPT_PATH},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_second_run_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    lock = Lock(path, tmp_path / "x")
    with pytest.raises(CrfcleanError) as error:
        Lock(path, tmp_path / "x")
    said = str(error.value)
    assert said.startswith(f"{tmp_path / 'x'}: another run writes there, process {os.getpid()} on ")
    assert " since 2" in said
    assert said.endswith(": wait for its end, or choose another output")
    lock.release()
    assert not path.exists()
    Lock(path, tmp_path / "x").release()


def test_lock_of_another_process_ends_with_it(tmp_path: Path) -> None:
    """The kernel releases the lock of a process that is killed; its file stays, and is taken."""
    path = tmp_path / "x.lock"
    with holder(path) as process:
        with pytest.raises(CrfcleanError, match=f"process {process.pid} on "):
            Lock(path, tmp_path)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert path.exists()
        lock = Lock(path, tmp_path)
        assert f"process {os.getpid()} on" in path.read_text()
        assert str(process.pid) not in path.read_text().split()
        lock.release()


def test_no_process_inherits_the_lock(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "x.lock", tmp_path)
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, close_fds=False) as process:
        lock.release()
        Lock(tmp_path / "x.lock", tmp_path).release()
        process.kill()


def test_lock_file_of_another_run_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    lock = Lock(path, tmp_path)
    path.unlink()
    path.write_text("of another run")
    lock.release()
    assert path.read_text() == "of another run"


def test_file_that_is_removed_before_it_is_locked_is_not_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking its holder may have removed it: then all begins anew."""
    path, tries, really = tmp_path / "x.lock", list[int](), resume._try_lock

    def removed(descriptor: int) -> bool:
        tries.append(descriptor)
        if len(tries) == 1:
            path.unlink()
        return really(descriptor)

    monkeypatch.setattr(resume, "_try_lock", removed)
    lock = Lock(path, tmp_path)
    assert (len(tries), path.exists()) == (2, True)
    lock.release()
