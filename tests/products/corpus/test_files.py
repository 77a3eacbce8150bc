"""Tests of `cli/help.py` and `products/corpus/plan.py`: no command overwrites what it reads.

Every option that takes a file is an output once, and every other one is the input that it would
overwrite.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from crfclean import door
from crfclean.cli.main import load_command
from crfclean.cli.messages import EXIT_OK, EXIT_USAGE
from crfclean.cli.paths import PathUse, Planned, Reads, Writes, refuse_overwriting
from crfclean.types import CrfcleanError

Command = Callable[..., Any]

PAGE, SETTINGS = b"<html><p>The ferry sails.</p>\n", b"# no settings\n"
NAMES = {"--html": "w.html", "--judgements": "w.csv", "tune --output": "w.json"}
"""Option -> the name that its file must have; others may have any."""

NO_FILES = {
    *("quotes", "url", "keep", "also", "without", "languages", "page_types", "include"),
    *("within", "drop"),
    *(
        "fields",
        "features",
        "sizes",
        "elements",
        "language",
        "carry",
        "host",
        "token",
        "licence",
        "share",
        "reader",
    ),
}
"""Parameters of text that names no file."""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def options_of(command: str, *kinds: type) -> Iterator[click.Parameter]:
    parameters = load_command(command).params
    return (each for each in parameters if isinstance(each.type, kinds))


@pytest.mark.parametrize("command", door.names("commands"))
def test_every_option_with_a_path_says_whether_it_is_read(command: str) -> None:
    for option in load_command(command).params:
        if isinstance(option.type, click.Path):
            assert isinstance(option.type, Reads | Writes | Planned), option.opts
        elif isinstance(option.type, click.types.StringParamType):
            assert option.name in NO_FILES, option.opts


def arguments_of(command: str, values: dict[str, list[Path | str]]) -> list[Path | str]:
    """The command line with these values by option; other arguments name what is not there."""
    line: list[Path | str] = [command]
    for each in load_command(command).params:
        option = max(each.opts, key=len)
        if isinstance(each, click.Argument) and option != "quotes":
            line += values.get(option, ["absent"])
        elif option in values:
            line += [option, *values[option], *["absent"] * (each.nargs - 1)]
    return line


def writers(command: str) -> Iterator[tuple[str, str]]:
    """Every option that names an output, as an option and where it stands on the command line."""
    for each in options_of(command, Writes):
        yield max(each.opts, key=len), max(each.opts, key=len)
    if any(options_of(command, Planned)):
        yield from (("OUT", "paths"), ("OUT", "--output"))


def with_output(command: str, place: str, output: Path, source: str, read: Path) -> Any:
    """The command line that reads a path by `source` and writes one at `place`."""
    values: dict[str, list[Path | str]] = {source: [read]}
    if any(options_of(command, Planned)):
        values.setdefault("paths", ["absent"])
    if place == "paths":
        values["paths"] = [*values["paths"], output]
    else:
        values[place] = [output]
        if "paths" in values and place != "--output":
            values["paths"].append("elsewhere")
    return arguments_of(command, values)


def outputs(command: str, option: str, folder: Path) -> Iterator[tuple[Path, Path]]:
    """An output and the file that it would overwrite; the same by a symbolic link."""
    name = NAMES.get(f"{command} {option}") or NAMES.get(option, "w")
    output, link = folder / name, folder.parent / f"link-{folder.name}" / name
    folder.mkdir()
    output.write_bytes(PAGE)
    link.parent.mkdir()
    link.symlink_to(output)
    yield output, output
    yield link, output


@pytest.mark.parametrize("command", door.names("commands"))
def test_no_option_overwrites_what_another_reads(
    crfclean: Command, tmp_path: Path, command: str
) -> None:
    tried = 0
    for option, place in writers(command):
        for source in options_of(command, Reads, Planned):
            name = max(source.opts, key=len)
            if name == "--output":
                continue
            folder = tmp_path / f"{tried}"
            for output, target in outputs(command, option, folder):
                target.write_bytes(content := SETTINGS if name == "--config" else PAGE)
                is_file = isinstance(source.type, click.Path) and not source.type.dir_okay
                for read in [target] if is_file else [target, folder]:
                    done = crfclean(*with_output(command, place, output, name, read))
                    told = (
                        "would overwrite it" in done.err
                        or "lies among the pages" in done.err
                        or "would mix its files" in done.err
                        or "crfclean did not write" in done.err
                    )
                    assert (done.code, told) == (EXIT_USAGE, True), (option, name, done.err)
                    assert target.read_bytes() == content
                    assert output.is_symlink() == output.parent.name.startswith("link")
                    tried += 1
    assert tried or not list(writers(command))


@pytest.mark.parametrize("command", ["clean", "forum", "metadata", "segment"])
def test_no_two_options_write_one_file(crfclean: Command, tmp_path: Path, command: str) -> None:
    Path("w.txt").write_text("kept")
    Path("link").symlink_to("w.txt")
    Path("p.html").write_bytes(PAGE)
    for failures in ("w.txt", "./w.txt", "link"):
        done = crfclean(command, "p.html", "w.txt", "--failures", failures)
        assert "--failures and OUT would both write it" in done.err
    assert (done.code, Path("w.txt").read_text()) == (EXIT_USAGE, "kept")


WRONG = {
    "the text of a page": (["in", "out", "--failures", "out/a.txt"], "--failures and OUT would"),
    "parts that are the input": (["o.jsonl.parts", "o.jsonl"], "is the input"),
    "a lock": (["in/a.html", "o.jsonl", "--failures", "o.jsonl.lock"], "would both write"),
    "the record of a run": (["in", "out", "--failures", "out/.crfclean.json"], "would both write"),
    "gold": (["in", "o.jsonl", "--failures", "in/a.txt"], "is a file of in: --failures would"),
    "another page's text": (["in/a.htm", "in/a.html", "in", "-f", "html"], "is the input"),
    "the pages": (["in", "in"], "in: is the input: OUT would mix its files with it"),
    "the pages by a link": (["in", "linked"], "linked: is the input"),
    "the page in its directory": (["in/notes.txt", "in"], "in/notes.txt: is the input"),
    "a hard link": (["in", "o.jsonl", "--failures", "hard.txt"], "is a file of in"),
    "a page that no IN names": (["in/a.html", "b.html", "-f", "html"], "is an input page"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_outputs_of_a_run(crfclean: Command, arguments: list[str], message: str) -> None:
    Path("in").mkdir()
    Path("o.jsonl.parts").mkdir()
    files = ("in/a.html", "in/a.htm", "in/index.html", "in/notes.txt", "b.html", "in/a.txt")
    for name in (*files, "o.jsonl.parts/a.html"):
        Path(name).write_bytes(PAGE)
    Path("linked").symlink_to("in")
    os.link("in/index.html", "hard.txt")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    done = crfclean("clean", *arguments)
    assert (done.code, message in done.err) == (EXIT_USAGE, True), done.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


RIGHT = {
    "an output among the pages": ["in", "in/out"],
    "a list of failures there": ["in", "in/out", "--failures", "in/out/failures.tsv"],
    "a list beside the pages": ["in", "out", "--failures", "in/failures.tsv"],
    "a list beside the pages of a corpus": ["in", "o.jsonl", "--failures", "in/failures.tsv"],
    "an output above the pages": ["in/sub", "in"],
    "a device": ["in", "out", "--failures", os.devnull],
}


@pytest.mark.parametrize("arguments", RIGHT.values(), ids=RIGHT)
def test_what_harms_no_input_is_written_twice(
    crfclean: Command, model: Path, arguments: list[str]
) -> None:
    for name in ("in/sub", "in/out"):
        Path(name).mkdir(parents=True)
    for name in ("in/a.html", "in/sub/b.html"):
        Path(name).write_bytes(PAGE)
    for _ in range(2):
        done = crfclean("clean", *arguments, "--model", model, "--overwrite")
        assert done.code == EXIT_OK, done.err


def test_standard_streams_are_files_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`crfclean clean - page.html < page.html`, where the shell opens the page."""
    page = tmp_path / "page.html"
    page.write_bytes(PAGE)
    monkeypatch.setattr(os, "fstat", lambda _descriptor: page.stat())
    with pytest.raises(CrfcleanError, match="is the input"):
        refuse_overwriting([PathUse("-", "the input")], [PathUse(str(page), "OUT")])
    with pytest.raises(CrfcleanError, match=r"^-: is the input"):
        refuse_overwriting([PathUse(str(page), "the input")], [PathUse("-", "OUT")])
