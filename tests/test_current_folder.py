"""Tests that no process runs a module of the current folder, which may be a folder of pages."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.messages import EXIT_USAGE

SCRIPT = Path(sys.executable).with_name("crfclean")
"""The command as it is installed."""

TRAPS = """
    lxml numpy regex click pycrfsuite rapidfuzz tqdm threadpoolctl
    json socket struct selectors typing __future__ concurrent
""".split()
"""Names of modules that crfclean imports, or what starts its processes."""

TRAP = 'open(__file__ + ".ran", "w").close()\nraise ImportError("a trap")\n'

SITES = ("moorland-gazette", "severnik")

COMMANDS = """
    clean severnik OUT.jsonl -j 2
    eval severnik -j 2
""".strip().splitlines()


def folder_of_pages(folder: Path, demo: Path, traps: Iterable[str]) -> Path:
    """Fill a folder with annotated pages, their texts and modules that write `NAME.py.ran`."""
    for site in SITES:
        shutil.copytree(demo / site, folder / site)
    for name in traps:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(TRAP, "ascii")
    return folder


@pytest.fixture
def checkout(demo: Path, tmp_path: Path) -> Path:
    """A folder of pages, in which there is also another crfclean."""
    traps = ["crfclean/__init__.py", *(f"{name}.py" for name in TRAPS)]
    return folder_of_pages(tmp_path / "checkout", demo, traps)


def outputs(folder: Path) -> dict[str, bytes]:
    """The files that a command wrote; those with a dot have the time of the run."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, text=True, encoding="utf-8")


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[0])
def test_no_command_runs_a_module_of_the_current_folder(
    line: str,
    checkout: Path,
    crfclean: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each command does in a process of its own what it does in this one."""
    monkeypatch.chdir(checkout)
    here, apart = tmp_path / "here", tmp_path / "apart"
    here.mkdir()
    apart.mkdir()
    expected = crfclean(*line.replace("OUT", str(here / "out")).split())
    done = run(SCRIPT, *line.replace("OUT", str(apart / "out")).split())
    assert not list(checkout.rglob("*.ran"))
    assert done.returncode == expected.code != EXIT_USAGE, done.stderr
    assert done.stdout.replace(str(apart), str(here)) == expected.out
    assert outputs(apart) == outputs(here)


def test_serve_runs_no_module_of_the_current_folder(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("uvicorn", reason="needs crfclean[web]")
    from serving import Running

    monkeypatch.chdir(checkout)
    with closing(Running(SCRIPT, "serve", "--port", "0")) as server:
        html = {"html": "<h1>Ice</h1><p>The ferry stays in its harbour, for there is ice.</p>"}
        headers = {"x-crfclean-token": server.token, "content-type": "application/json"}
        status, answer = server.ask("/extract", html, **headers)
    assert (status, answer["status"]) == (200, "ok")
    assert not list(checkout.rglob("*.ran"))


def test_python_m_runs_no_module_of_the_current_folder(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python puts the folder first; what crfclean loads until it removes it is part of Python."""
    monkeypatch.chdir(folder_of_pages(tmp_path, demo, [f"{name}.py" for name in TRAPS]))
    done = run("-m", "crfclean", "clean", ".", "out", "-j", "2")
    assert (done.returncode, len(list(tmp_path.rglob("out/**/*.txt")))) == (0, 8), done.stderr
    assert not list(tmp_path.rglob("*.ran"))


PROGRAM = """
from crfclean import run_many
if __name__ == "__main__":
    pages = ["<p>The ferry sails again.</p>"] * 3
    print([document.status for document in run_many(pages, workers=2)])
"""


def test_a_program_starts_workers_that_run_no_module_of_the_current_folder(
    demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "run.py").write_text(PROGRAM, "ascii")
    pages = tmp_path / "pages"
    monkeypatch.chdir(folder_of_pages(pages, demo, [f"{name}.py" for name in TRAPS]))
    done = run(tmp_path / "program" / "run.py")
    assert (done.stdout, done.stderr) == ("['ok', 'ok', 'ok']\n", "")
    assert not list(pages.rglob("*.ran"))
