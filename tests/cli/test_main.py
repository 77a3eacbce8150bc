"""Tests of `cli/main.py`: every command, its output, its messages and its exit code."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from outfolder import written_texts

from crfclean.cli.main import commands, load_command
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.document.formats import WRITERS

Command = Callable[..., Any]
GOOD = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. "
PAGE = f"<ul><li><a href='/'>Home</a></li></ul><h1>Ferry in the ice</h1><p>{GOOD * 3}</p>"
TEXT = f"Ferry in the ice\n{(GOOD * 3).strip()}\n"
BAD = {
    "binary.html": (b"\x89PNG" + bytes(99), "binary data, no page"),
    "damaged.html.gz": (b"\x1f\x8bjunk", "damaged gzip data"),
    "empty.html": (b"", "the file is empty"),
    "plain.html": (b"Words alone.", "no HTML"),
}
WITHOUT = {"blank.html": (b"<body></body>", "the page shows no text")}
SCRIPTED = (
    b"<script src=a.js></script><div id=root></div>"
    b"<noscript>You need to enable JavaScript to run this app.</noscript>"
)


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with three good pages in `in`."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in" / "a.html", PAGE.encode())
    write(tmp_path / "in" / "b.htm", PAGE.encode())
    write(tmp_path / "in" / "sub" / "c.xhtml.gz", gzip.compress(PAGE.encode()))
    return tmp_path


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def add(folder: Path, *tables: dict[str, tuple[bytes, str]]) -> None:
    for table in tables:
        for name, (data, _) in table.items():
            write(folder / name, data)


def files(folder: Path) -> dict[str, bytes]:
    """All files below a directory, hidden ones too."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


# help


def every_command() -> dict[str, click.Command]:
    return {"": commands, **{name: load_command(name) for name in commands.commands}}


@pytest.mark.parametrize("name", every_command())
def test_help(crfclean: Command, name: str) -> None:
    for flag in ("--help", "-h"):
        done = crfclean(*([name] if name else []), flag)
        assert (done.code, done.err) == (EXIT_OK, "")
        assert done.out.startswith(f"Usage: crfclean {name}")
        examples = getattr(every_command()[name], "examples", {})
        assert flag == "-h" or all(f"    {line}\n" in done.out for line in examples)
    assert len(every_command()[name].help or "") > 40


WRONG = {
    "argument missing": ["clean", "in"],
    "argument too many": ["eval", "in", "more"],
    "unknown format": ["clean", "in", "out", "--format", "docx"],
    "threshold above one": ["clean", "in", "out", "--threshold", "1.5"],
    "precision below zero": ["eval", "in", "--precision", "-0.1"],
    "score below zero": ["clean", "in", "out", "--min-score", "-0.1"],
    "no workers": ["clean", "in", "out", "--workers", "0"],
    "page without a suffix": ["explain", "in/a.html", "--html", "picture"],
    "quiet and verbose": ["clean", "in", "out", "-q", "-v"],
    "wrong element": ["train", "in", "-o", "out", "--blocks", "h1,<p>"],
    "unknown model": ["clean", "in", "out", "--model", "absent"],
    "input missing": ["clean", "absent", "out"],
    "failures cannot be listed": ["clean", "in", "out", "--failures", "absent/list"],
    "gold missing": ["eval", "absent"],
    "no gold": ["eval", "in"],
    "texts missing": ["eval", "in", "--texts", "absent"],
    "training without gold": ["train", "in", "-o", "trained"],
    "training data missing": ["train", "absent", "-o", "trained"],
    "page missing": ["explain", "absent.html"],
    "page a directory": ["explain", "in"],
}


@pytest.mark.parametrize("arguments", WRONG.values(), ids=WRONG)
def test_wrong_usage(crfclean: Command, pages: Path, model: Path, arguments: list[str]) -> None:
    if arguments[0] in {"clean", "eval", "explain"} and "--model" not in arguments:
        arguments = [*arguments, "--model", str(model)]
    done = crfclean(*arguments)
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert re.search(r"^crfclean: \S", done.err, re.MULTILINE)
    assert "Traceback" not in done.err
    assert {path.name for path in pages.iterdir()} <= {"in", "out"}


# clean


def test_directory_is_cleaned(crfclean: Command, pages: Path, model: Path) -> None:
    done = crfclean("clean", "in", "out", "--model", model)
    assert (done.code, done.out) == (EXIT_OK, "")
    assert done.told == "3 pages: 3 cleaned, 0 without text, 0 failed\n"
    assert written_texts(pages / "out") == dict.fromkeys(
        ["a.txt", "b.txt", "sub/c.txt"], TEXT.encode()
    )


def test_success_says_where_it_wrote(crfclean: Command, pages: Path, model: Path) -> None:
    options = ("--model", model, "-j", 1)
    assert crfclean("clean", "in", "out", *options).err.endswith("\nWrote 3 texts to out/\n")
    done = crfclean("clean", "in/a.html", "in/b.htm", "-o", "new", "-f", "md", *options)
    assert done.err.endswith("\nWrote 2 texts to new/\n")
    assert sorted(files(pages / "new")) == [".crfclean.json", "a.md", "b.md"]
    assert "Wrote" not in crfclean("clean", "in/a.html", *options).err
    add(pages / "in", BAD)
    quiet = crfclean("clean", "in", "again", "-q", *options).err
    assert sorted(quiet.splitlines()) == sorted(
        f"in/{name}: {why}" for name, (_, why) in BAD.items()
    )
    verbose = crfclean("clean", "in", "again", "-vv", "--overwrite", *options).err
    assert re.search(r"^in/a.html: ok, score 0\.\d+$", verbose, re.MULTILINE)
    assert "in/a.html: page to again/a.txt\n" in verbose


@pytest.mark.parametrize("ending", WRITERS)
def test_formats(crfclean: Command, pages: Path, model: Path, ending: str) -> None:
    crfclean("clean", "in", "out", "--model", model, "--format", ending)
    written = written_texts(pages / "out")
    assert list(written) == [f"a.{ending}", f"b.{ending}", f"sub/c.{ending}"]
    if ending.startswith("json"):
        assert json.loads(written[f"a.{ending}"])["text"] == TEXT.strip()
    else:
        marks = {"html": "<h1>{}</h1>\n", "tei": "<head>{}</head>\n", "passages": '"# {}\\n'}
        heading = marks.get(ending, "{}\n").format("Ferry in the ice")
        if ending == "vertical":
            heading = heading.replace(" ", "\n")
        assert heading in written[f"a.{ending}"].decode()


SINGLE = {
    "to a file": ("in/a.html", "one.txt", "one.txt"),
    "to a directory": ("in/a.html", "folder", "folder/a.txt"),
    "to a name without a suffix": ("in/a.html", "new", "new/a.txt"),
    "to a new directory": ("in/a.html", "new/one.txt", "new/one.txt"),
    "gzipped": ("in/sub/c.xhtml.gz", "one.txt", "one.txt"),
    "to standard output": ("in/a.html", "-", ""),
    "from standard input": ("-", "one.txt", "one.txt"),
    "from standard input to a directory": ("-", "folder", "folder/stdin.txt"),
    "from standard input to standard output": ("-", "-", ""),
}


@pytest.mark.parametrize(("source", "out", "target"), SINGLE.values(), ids=SINGLE)
def test_single_page(
    crfclean: Command, pages: Path, model: Path, *, source: str, out: str, target: str
) -> None:
    (pages / "folder").mkdir()
    done = crfclean("clean", source, out, "--model", model, stdin=PAGE.encode())
    assert (done.code, done.told) == (EXIT_OK, "1 page: 1 cleaned, 0 without text, 0 failed\n")
    assert done.out == ("" if target else TEXT)
    assert not target or (pages / target).read_text("utf-8") == TEXT


@pytest.mark.parametrize("workers", [1, 2])
def test_bad_pages_harm_no_others(
    crfclean: Command, pages: Path, model: Path, workers: int
) -> None:
    add(pages / "in", BAD, WITHOUT)
    options = ("--model", model, "--workers", workers, "--failures", "list")
    done = crfclean("clean", "in", "out", *options)
    assert done.code == EXIT_SOME_FAILED
    *messages, summary = done.told.splitlines()
    assert summary == "8 pages: 3 cleaned, 1 without text, 4 failed"
    assert sorted(messages) == sorted(
        f"in/{name}: {message}" for name, (_, message) in {**BAD, **WITHOUT}.items()
    )
    expected = dict.fromkeys(["a.txt", "b.txt", "sub/c.txt"], TEXT.encode())
    assert written_texts(pages / "out") == expected
    rows = [line.split("\t") for line in (pages / "list").read_text("utf-8").splitlines()]
    assert rows == [
        ["in/binary.html", "binary", "binary data, no page"],
        ["in/blank.html", "no-blocks", "the page shows no text"],
        ["in/damaged.html.gz", "gzip-error", "damaged gzip data"],
        ["in/empty.html", "empty", "the file is empty"],
        ["in/plain.html", "not-html", "no HTML"],
    ]


def test_a_page_that_needs_scripts_says_so(crfclean: Command, pages: Path, model: Path) -> None:
    write(pages / "app.html", SCRIPTED)
    done = crfclean("clean", "app.html", "--model", model)
    assert done.err.startswith("app.html: no text in the HTML: the page needs JavaScript\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads and writes everywhere")
def test_no_permission(crfclean: Command, pages: Path, model: Path) -> None:
    (pages / "in" / "a.html").chmod(0)
    done = crfclean("clean", "in", "out", "--model", model)
    assert done.code == EXIT_SOME_FAILED
    assert "in/a.html: cannot be read: Permission denied" in done.err
    (pages / "closed").mkdir(mode=0o500)
    done = crfclean("clean", "in", "closed", "--model", model)
    assert (done.code, done.err) == (EXIT_USAGE, "crfclean: closed: cannot be written\n")


def test_interrupt_is_quiet(
    crfclean: Command, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(model: str, kind: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("crfclean.cli.options.load", interrupt)
    done = crfclean("clean", "in", "out")
    assert done.code == 130
    assert "Traceback" not in done.err


# processes of their own

Process = Callable[..., "subprocess.CompletedProcess[bytes]"]


def test_standard_output_is_utf_8(crfclean_process: Process, model: Path) -> None:
    page = PAGE.replace("lake", "jezero Švihov").replace("ferry", "陸")
    done = crfclean_process(
        "clean", "-", "-", "--model", model, stdin=page.encode(), PYTHONIOENCODING="ascii"
    )
    assert done.returncode == EXIT_OK
    assert "jezero Švihov" in done.stdout.decode("utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
def test_names_that_are_no_unicode(crfclean_process: Process, pages: Path, model: Path) -> None:
    write(pages / "in" / os.fsdecode(b"caf\xe9.html"), b"")
    write(pages / "in" / os.fsdecode(b"th\xe9.html"), PAGE.encode())
    done = crfclean_process("clean", "in", "out", "--model", model, "--failures", "list")
    assert done.returncode == EXIT_SOME_FAILED
    assert done.stderr.endswith(b"0 without text, 1 failed\nWrote 4 texts to out/\n")
    assert (pages / "list").read_text() == "in/caf\\udce9.html\tempty\tthe file is empty\n"
    assert (pages / "out" / os.fsdecode(b"th\xe9.txt")).read_bytes() == TEXT.encode()


def test_closed_pipe_is_quiet(root: Path, demo: Path, model: Path) -> None:
    command = [sys.executable, "-m", "crfclean", "clean", demo, "-", "--format", "json"]
    with subprocess.Popen(
        [*map(str, command), "--model", str(model), "--threshold", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        told = process.stderr.read()
        code = process.wait()
    assert b"Traceback" not in told
    assert b"Exception" not in told
    assert code != EXIT_OK


@pytest.mark.parametrize(
    ("number", "paths"),
    [(signal.SIGINT, ["-"]), (signal.SIGTERM, ["in/a.html", "-", "out.jsonl"])],
)
def test_one_signal_ends_the_reading_of_standard_input(
    root: Path, pages: Path, model: Path, paths: list[str], number: signal.Signals
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "crfclean", "clean", *paths, "--model", str(model)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(root)},
    ) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(bytes(2**21))  # more than a pipe holds: it is being read
        process.stdin.flush()
        process.send_signal(number)
        assert (process.wait(timeout=60), process.stderr.read()) == (-number, b"")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_closed_descriptors_do_no_harm(root: Path, pages: Path, model: Path) -> None:
    add(pages / "in", BAD)

    def run(closed: str, *arguments: str) -> int:
        shell = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "crfclean", "clean"]
        environment = os.environ | {"PYTHONPATH": str(root)}
        command = [*shell, *arguments, "--model", str(model)]
        done = subprocess.run(command, env=environment, capture_output=True, check=False)
        assert b"Traceback" not in done.stderr
        return done.returncode

    def outputs(closed: str, out: str) -> tuple[list[int], dict[str, bytes]]:
        (pages / out).mkdir()
        many = run(closed, "in", f"{out}/texts", "--workers", "2", "--failures", f"{out}/list")
        one = run(closed, "in/a.html", f"{out}/a.txt")
        (pages / out / "texts" / ".crfclean.json").unlink()  # names the directory
        return [many, one], files(pages / out)

    codes, written = outputs("", "open")
    assert codes == [EXIT_SOME_FAILED, EXIT_OK]
    assert outputs("<&- >&- 2>&-", "closed") == (codes, written)
    assert run(">&-", "in/a.html") == EXIT_SOME_FAILED
    assert run("<&-", "-") == EXIT_USAGE
