"""Runs the notebooks of the documentation; run as a script with tests/lib on PYTHONPATH it
rewrites their outputs."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from checkout import ROOT

from crfclean.cli.main import load_command
from crfclean.cli.messages import start_messages

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?")


def run_cell(source: str, names: dict[str, Any]) -> str:
    """Run a cell, whose `!crfclean` lines are commands; return what it prints."""
    printed = io.StringIO()
    start_messages()
    with redirect_stdout(printed), redirect_stderr(printed):
        for line in re.findall(r"^!crfclean (.*)$", source, re.MULTILINE):
            command, *arguments = shlex.split(line)
            load_command(command).main(arguments, standalone_mode=False)
        exec(re.sub(r"^!.*$", "", source, flags=re.MULTILINE), names)
    return printed.getvalue()


def run_all(path: Path, folder: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """The code cells of a notebook with what they print now, run in a folder of their own."""
    (folder / "data").symlink_to(ROOT / "data")
    names: dict[str, Any] = {}
    with chdir(folder):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield cell, run_cell("".join(cell["source"]), names)


def printed_before(cell: dict[str, Any]) -> str:
    """The output that the notebook shows."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


@pytest.mark.skipif(os.name == "nt", reason="makes a symbolic link")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_print_what_they_show(path: Path, tmp_path: Path) -> None:
    """Texts are equal, numbers within a little."""
    shown = 0
    for cell, now in run_all(path, tmp_path):
        before = printed_before(cell)
        assert NUMBER.sub("#", before) == NUMBER.sub("#", now)
        for old, new in zip(NUMBER.findall(before), NUMBER.findall(now), strict=True):
            assert float(new) == pytest.approx(float(old), rel=0.05, abs=0.05)
        shown += bool(before)
    assert shown > 3


if __name__ == "__main__":
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text("utf-8"))
        with TemporaryDirectory() as place:
            outputs = [now for _, now in run_all(path, Path(place))]
        for cell, text in zip(
            [cell for cell in notebook["cells"] if cell["cell_type"] == "code"],
            outputs,
            strict=True,
        ):
            stream = {"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}
            cell["outputs"] = [stream] if text else []
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")
