"""Commands that a page of Markdown quotes, and the comparison of what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from checkout import ROOT

_FENCED = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_INDENTED = re.compile(r"(?<=\n\n)(?: {4,}\S[^\n]*\n)+")
_NUMBER = r"[+-]?\d+(?:,\d{3})*(?:\.\d+)?"
_PART = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<left_out>\s*^\.\.\.$\s*|…)|(?P<blank>\s+)", re.MULTILINE
)


class Quoted(NamedTuple):
    """A command, and the output that the page quotes; None if it quotes none."""

    command: str
    output: str | None = None


def quoted(page: str) -> Iterator[Quoted]:
    """Yield the commands of a page, in order.

    They are the lines of indented blocks, the scripts in blocks of `sh`, and, in blocks of
    `console`, the lines after `$ `, each with the lines below it as output.
    """
    blocks = [(match.start(), match[2], match[3]) for match in _FENCED.finditer(page)]
    bare = _FENCED.sub(lambda match: "`" + " " * (len(match[0]) - 2) + "\n", page)
    blocks += [(match.start(), "indented", match[0]) for match in _INDENTED.finditer(bare)]
    for _, kind, text in sorted(blocks):
        if kind == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield Quoted(command, output)
        elif kind == "sh":
            yield Quoted(text)
        elif kind == "indented":
            yield from map(Quoted, text.replace("\\\n", " ").splitlines())


def close(old: str, new: str) -> bool:
    """Whether texts are equal but for small differences of numbers, blanks, and omitted parts.

    In `old`, `…`, or a line of three dots, stands for anything.
    """
    found = re.fullmatch(_pattern(old.strip()), new.strip())
    if found is None:
        return False
    numbers = (match["number"] for match in _PART.finditer(old.strip()))
    pairs = zip(filter(None, numbers), found.groups(), strict=True)
    values = ((float(a.replace(",", "")), float(b.replace(",", ""))) for a, b in pairs)
    return all(abs(a - b) <= 0.05 * max(1, abs(a)) for a, b in values)


def _pattern(old: str) -> str:
    """The regular expression of a quoted output, with a group for each number."""
    parts = {"number": f"({_NUMBER})", "left_out": r"[\s\S]*?", "blank": r"\s+"}
    pattern, end = "", 0
    for match in _PART.finditer(old):
        pattern += re.escape(old[end : match.start()]) + parts[match.lastgroup or ""]
        end = match.end()
    return pattern + re.escape(old[end:])


def with_command(folder: Path) -> None:
    """Write the command `crfclean` of this checkout into a directory `bin`."""
    (folder / "bin").mkdir()
    command = folder / "bin" / "crfclean"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m crfclean "$@"\n', "utf-8")
    command.chmod(0o755)


def in_shell(line: str, folder: Path) -> tuple[int, str]:
    """The exit code of a line in a folder with the command, and what it prints, errors first."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT)}
    command = ["sh", "-c", line]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return done.returncode, (done.stderr + done.stdout).decode("utf-8")
