"""Know which tests reach a line: the tests of a room run once, watched by coverage."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Lock

SETTINGS = "[run]\nsource = crfclean\ndynamic_context = test_function\n"


class Reach:
    """The tests of each room that reach each line, and the seconds they take, kept in a folder."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.lock = Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def tests(self, path: str, first: int, last: int) -> list[str]:
        """What pytest is to run for the lines of a module, the last one included.

        The test files that name the module are run whole, since their fixtures may reach the
        lines; of the others those tests that reach a line, or all files if no test does: the line
        may be run in another process.
        """
        from coverage import CoverageData

        data = CoverageData(str(self._measured(path)))
        data.read()
        contexts = data.contexts_by_lineno(str(self.root / path))
        reaching = sorted(
            {name for line in range(first, last + 1) for name in contexts.get(line, [])}
        )
        files = test_files(self.root, path)
        near = [file for file in files if is_near(self.root / file, path)]
        tests = [test for name in reaching if (test := node_id(name)) and file_of(test) not in near]
        return near + tests or files

    def seconds(self, path: str) -> float:
        """The CPU time that the tests of a module's room take, under coverage."""
        return float(self._measured(path).with_suffix(".seconds").read_text("utf-8"))

    def _measured(self, path: str) -> Path:
        """The coverage of a room's tests; raises `SystemExit` if they fail."""
        target = self.folder / f"{path.split('/')[1]}.coverage"
        with self.lock:
            if not target.with_suffix(".seconds").exists():
                seconds = run_covered(self.root, test_files(self.root, path), target)
                target.with_suffix(".seconds").write_text(f"{seconds:.1f}", "utf-8")
        return target


def run_covered(root: Path, files: list[str], target: Path) -> float:
    """The CPU seconds of tests run under coverage; raises `SystemExit` if they fail."""
    settings = target.with_suffix(".rc")
    settings.write_text(SETTINGS, "utf-8")
    measured = ["-m", "coverage", "run", f"--rcfile={settings}", f"--data-file={target}"]
    command = [sys.executable, *measured, "-m", "pytest", "-x", "-p", "no:cacheprovider", *files]
    environment = quiet_environment(root)
    process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE)  # noqa: S603
    with process:
        shown = process.stdout.read() if process.stdout else b""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        printed = shown.decode(errors="replace")[-2_000:]
        sys.exit(f"these tests fail without a change: {' '.join(files)}\n{printed}")
    return usage.ru_utime + usage.ru_stime


def quiet_environment(root: Path) -> dict[str, str]:
    """The environment of tests: nothing is written beside the sources, one thread."""
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"}
    return os.environ | quiet | {"HYPOTHESIS_STORAGE_DIRECTORY": str(root / ".hypothesis")}


def test_files(root: Path, path: str) -> list[str]:
    """The test files of a module's room, and those of the whole path."""
    room = path.split("/")[1]
    files = [*sorted((root / "tests" / room).rglob("test_*.py")), root / "tests/test_pipeline.py"]
    return [file.relative_to(root).as_posix() for file in files]


def is_near(file: Path, path: str) -> bool:
    """Whether a file of tests is named as a module, or imports from it."""
    module = path.removesuffix(".py").replace("/", ".")
    stem = module.rpartition(".")[2]
    return file.stem.startswith(f"test_{stem}") or f"{module} import" in file.read_text("utf-8")


def node_id(context: str) -> str:
    """`tests/a/test_b.py::test_c` of coverage's `tests.a.test_b.test_c`, "" if it is no test."""
    module, _, function = context.rpartition(".")
    return f"{module.replace('.', '/')}.py::{function}" if module.startswith("tests.") else ""


def file_of(test: str) -> str:
    """The file of a test."""
    return test.partition("::")[0]
