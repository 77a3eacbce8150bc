"""Tests of `corpus/outputs.py`: one holder at a time, killed holders, lock files that vanish."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import SCRIPT_PATH

from crfclean.corpus import outputs as module
from crfclean.corpus.outputs import Lock
from crfclean.types import CrfcleanError

HOLD = """
import sys, time
from pathlib import Path
from crfclean.corpus.outputs import Lock
lock = Lock(Path(sys.argv[1]), Path("out"))
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)


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
    path, tries, really = tmp_path / "x.lock", list[int](), module._try_lock

    def removed(descriptor: int) -> bool:
        tries.append(descriptor)
        if len(tries) == 1:
            path.unlink()
        return really(descriptor)

    monkeypatch.setattr(module, "_try_lock", removed)
    lock = Lock(path, tmp_path)
    assert (len(tries), path.exists()) == (2, True)
    lock.release()
