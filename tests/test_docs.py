"""Runs the worked example of docs/ as a reader would; run as a script
with tests/lib on PYTHONPATH it rewrites it.

Outputs must be those of the page, numbers within a little.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from checkout import ROOT

from crfclean.annotate.keyboard import Keyboard
from crfclean.annotate.session import open_session
from crfclean.annotate.terminal import screen
from crfclean.taggers.load import load

PAGE = ROOT / "docs" / "fifteen-minutes.md"
KEYS = "r t o r r r E r r t o r r r E r r t o r r r E".split()
ON_SCREEN = 3  # keys pressed before the screen that the page shows
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")
_ESCAPE = re.compile(r"\x1b\[[?\d;]*[A-Za-z]")
_FENCED = re.compile(r"```(console|screen)\n(.*?)```", re.DOTALL)


def annotated(folder: Path) -> str:
    """What `crfclean annotate` says when the keys have been pressed in a terminal."""
    import pty
    import select

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "crfclean", "annotate", str(folder)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm", "LINES": "24", "COLUMNS": "80"},
        start_new_session=True,
    )
    os.close(theirs)
    seen, todo, end = b"", [*KEYS, "q"], time.monotonic() + 100
    while process.poll() is None and time.monotonic() < end:
        if select.select([ours], [], [], 0.05)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
        elif todo and b"leave" in seen:
            os.write(ours, todo.pop(0).encode())
    process.wait(10)
    os.close(ours)
    return _ESCAPE.sub("", seen.decode("utf-8", "replace")).splitlines()[-1] + "\n"


def shown(folder: Path) -> str:
    """The screen after some keys, of a copy of the pages."""
    keyboard = Keyboard(open_session(folder, load()))
    for key in KEYS[:ON_SCREEN]:
        keyboard.press(key)
    return "\n".join(text.rstrip() for _, text in screen(keyboard, 80, 24)) + "\n"


def run_all(text: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Every fenced block of the page, and what it should be: the commands with their outputs."""
    (folder / "data").symlink_to(ROOT / "data")
    (folder / "bin").mkdir()
    command = folder / "bin" / "crfclean"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m crfclean "$@"\n', "utf-8")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}
    screens = []
    for kind, old in _FENCED.findall(text):
        if kind == "screen":
            yield old, screens.pop()
            continue
        new = ""
        for line in [line for line in old.splitlines() if line.startswith("$ ")]:
            new += line + "\n"
            if line.startswith("$ crfclean annotate"):
                screens.append(
                    shown(Path(shutil.copytree(folder / "pages/label", folder / "copy")))
                )
                new += annotated(folder / "pages/label")
            else:
                new += output(line[2:], folder, environment)
        yield old, new


def output(line: str, folder: Path, environment: Mapping[str, str]) -> str:
    """What a command prints, errors first."""
    command = ["sh", "-c", line]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return (done.stderr + done.stdout).decode("utf-8")


def close(old: str, new: str) -> bool:
    """Whether texts are equal but for small differences of numbers, and blanks."""
    if NUMBER.sub("", old).split() != NUMBER.sub("", new).split():
        return False
    numbers = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(abs(float(a) - float(b)) <= 0.05 * max(1, abs(float(a))) for a, b in numbers)


@pytest.mark.skipif(os.name == "nt", reason="the example is written for a Unix shell")
def test_the_example_is_real(tmp_path: Path) -> None:
    found = list(run_all(PAGE.read_text("utf-8"), tmp_path))
    assert len(found) == 7
    for old, new in found:
        assert close(old, new), f"the page has:\n{old}\nbut this was printed:\n{new}"


def test_small_differences_are_none() -> None:
    assert close("F 0.913 of 3", "F 0.914  of 3")
    assert not close("F 0.913", "F 0.813")
    assert not close("F 0.913", "R 0.913")


PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_python_examples_run(name: str) -> None:
    """One after another, on pages of a forum, whose names the page leaves to its reader."""
    folder = ROOT / "data" / "forum" / "ask-the-bookbinder"
    corpus = [path.read_text("utf-8") for path in sorted(folder.glob("*.html"))]
    names: dict[str, object] = {"html": corpus[0], "pages": corpus, "url": "https://example.org/1"}
    examples = PYTHON.findall((ROOT / name).read_text("utf-8"))
    assert examples
    for example in examples:
        exec(compile(example, name, "exec"), names)
    assert names["text"] == names["document"].text  # type: ignore[attr-defined]


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    with TemporaryDirectory() as place:
        for before, after in list(run_all(page, Path(place))):
            kind = "console" if "$ " in before else "screen"
            page = page.replace(f"```{kind}\n{before}```", f"```{kind}\n{after}```")
    PAGE.write_text(page, "utf-8")
