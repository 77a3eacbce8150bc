"""Tests of `cli/batch.py`: one page needs no process, and what all commands have in common."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.batch import RunParams, pop_params, text_format
from crfclean.cli.exit_codes import EXIT_NOTHING, EXIT_OK
from crfclean.corpus import operation
from crfclean.corpus.limits import PageLimits
from crfclean.corpus.resume import ResumeParams

Command = Callable[..., Any]
LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. "
PAGE = f"<h1>Ferry in the ice</h1><p>{LONG * 3}</p><p>{LONG * 3}</p>"
COMMANDS = {
    "clean": ["clean", "page.html", "-"],
    "metadata": ["metadata", "page.html", "-"],
    "segment": ["segment", "page.html", "-"],
    "forum": ["forum", "page.html", "-"],
    "standard input": ["clean", "-", "-"],
    "a shard of one page": ["clean", "page.html", "out.jsonl"],
    "more workers": ["clean", "page.html", "-", "--workers", "2"],
    "limits that need no process": ["clean", "page.html", "-", "--max-blocks", "99"],
}
LIMITED = {
    "seconds": ["clean", "page.html", "-", "--max-seconds", "60"],
    "memory": ["clean", "page.html", "-", "--max-memory", "900"],
}
WATCHED = """
import atexit, sys
atexit.register(lambda: print("multiprocessing" in sys.modules, file=sys.stderr))
from crfclean.cli.main import main
main()
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path


def watched(root: Path, arguments: list[str]) -> tuple[int, bool]:
    """The exit code of a command, and whether it has imported multiprocessing."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        input=PAGE.encode(),
        capture_output=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    return done.returncode, done.stderr.decode().splitlines()[-1] == "True"


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_one_page_needs_no_process(root: Path, folder: Path, arguments: list[str]) -> None:
    code, imported = watched(root, arguments)
    assert code == (EXIT_NOTHING if arguments[0] == "forum" else EXIT_OK)
    assert not imported


@pytest.mark.parametrize("arguments", LIMITED.values(), ids=LIMITED)
def test_limits_that_need_a_process_have_one(
    root: Path, folder: Path, arguments: list[str]
) -> None:
    assert watched(root, arguments) == (EXIT_OK, True)


def fail(*_: object) -> None:
    raise ZeroDivisionError("a bug")


@pytest.mark.parametrize("out", ["-", "out.txt"])
def test_a_bad_page_never_raises(
    crfclean: Command, folder: Path, model: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    monkeypatch.setattr("crfclean.taggers.crf.CrfTagger.tag", fail)
    done = crfclean("clean", "page.html", out, "--model", model, "--failures", "failures.tsv")
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert "page.html: ZeroDivisionError: a bug\n" in done.err
    listed = (folder / "failures.tsv").read_text()
    assert listed == "page.html\terror\tZeroDivisionError: a bug\n"


def test_limits_without_a_process(crfclean: Command, folder: Path, model: Path) -> None:
    done = crfclean("clean", "page.html", "-", "--model", model, "--max-blocks", "2")
    assert (done.code, "more than 2 blocks of text" in done.err) == (EXIT_NOTHING, True)
    done = crfclean("clean", "page.html", "-", "--model", model, "--max-bytes", "150")
    assert (done.code, "truncated: only its first bytes" in done.err) == (EXIT_OK, True)


def test_with_and_without_a_process_the_text_is_the_same(
    crfclean: Command, folder: Path, model: Path
) -> None:
    options = ["clean", "page.html", "-", "--model", model, "--format", "json"]
    assert crfclean(*options).out == crfclean(*options, "--max-seconds", "60").out


SHARDS = {
    "clean": ["--model", "MODEL"],
    "metadata": ["--model", "MODEL"],
    "segment": [],
    "forum": ["--model", "FORUM"],
}


@pytest.mark.parametrize("name", SHARDS)
def test_every_command_takes_corpora(  # noqa: PLR0917
    crfclean: Command, folder: Path, model: Path, forum_folder: Path, root: Path, name: str
) -> None:
    """A row a record, in order; one that fails says why; --resume leaves what is done."""
    post = (root / "data" / "forum" / "zahradka-forum" / "1.html").read_text("utf-8")
    pages = [PAGE if name != "forum" else post, "no HTML", ""]
    rows = [
        {"id": f"p{n}", "html": html, "url": f"https://e.org/{n}"} for n, html in enumerate(pages)
    ]
    (folder / "in.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in [*rows, {"id": "x"}])
    )
    places = {"MODEL": model, "FORUM": forum_folder}
    options = [places.get(one, one) for one in SHARDS[name]]
    done = crfclean(name, "in.jsonl", "out.jsonl", *options)
    assert done.code == 1
    made = [json.loads(line) for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]
    assert [row["id"] for row in made] == ["p0", "p1", "p2", "x"]
    assert [row["status"] for row in made] == ["ok", "not-html", "empty", "failed"]
    assert [bool(row["message"]) for row in made] == [False, True, True, True]
    assert [row["url"] for row in made] == [f"https://e.org/{n}" for n in range(3)] + [None]
    again = crfclean(name, "in.jsonl", "out.jsonl", *options, "--resume")
    assert (again.code, "1 done before" in again.err) == (EXIT_OK, True)


@pytest.mark.parametrize("name", ["metadata", "segment", "forum"])
def test_rows_of_other_commands_are_no_parquet(crfclean: Command, folder: Path, name: str) -> None:
    done = crfclean(name, "page.html", "out.parquet")
    assert (done.code, "only clean writes corpora as tables" in done.err) == (2, True)


def test_sites_are_not_for_a_cluster(crfclean: Command, folder: Path, model: Path) -> None:
    options = ["--model", model, "--group-by", "site", "--engine", "ray"]
    done = crfclean("clean", "page.html", "out.txt", *options)
    assert (done.code, "leave out --engine ray" in done.err) == (2, True)


# runs that meet, and runs that go on


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four pages in a directory; all is done in this process."""
    (folder / "in").mkdir()
    for name in "abcd":
        (folder / "in" / f"{name}.html").write_text(PAGE)
        os.utime(folder / "in" / f"{name}.html", (1, 1))
    monkeypatch.setattr("crfclean.cli.batch.needs_processes", lambda _: False)
    return folder


class Interrupt:
    """Does something before the third page that is written, else what is done there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> None:
        self._pages, self._action, self._write = 0, action, operation._result
        monkeypatch.setattr(operation, "_result", self)

    def __call__(self, *arguments: Any) -> Any:
        self._pages += 1
        if self._pages == 3:
            self._action()
        return self._write(*arguments)


def kill() -> None:
    raise KeyboardInterrupt


OUTPUTS = {
    "directory": ("clean", "in", "out"),
    "shard": ("clean", "in", "out.jsonl"),
    "metadata": ("metadata", "in", "out"),
    "segment": ("segment", "in", "out.jsonl.xz"),
}


@pytest.mark.parametrize("arguments", OUTPUTS.values(), ids=OUTPUTS)
def test_unfinished_work_is_neither_lost_nor_mixed(
    crfclean: Command, here: Path, arguments: tuple[str, ...]
) -> None:
    command = [*arguments, "--tagger", "expert", "--failures", "failures.tsv"]
    (here / "in" / "a.html").write_text("no HTML")
    with pytest.MonkeyPatch.context() as patch:
        Interrupt(patch, kill)
        assert crfclean(*command).code == 130
    listed = (here / "failures.tsv").read_text()
    assert "a.html" in listed
    done = crfclean(*command)
    said = f"{arguments[2]}: an unfinished run: --resume continues it, --overwrite starts again"
    assert (done.code, said in done.err) == (2, True)
    assert (here / "failures.tsv").read_text() == listed, "a refused run changes nothing"
    done = crfclean(*arguments, "--tagger", "links", "--resume")
    assert done.code == 2
    assert f"{arguments[2]}: cannot be continued with other options: the model" in done.err
    done = crfclean(*command, "--resume")
    assert (done.code, " done before" in done.err) == (0 if " 0 failed" in done.err else 1, True)
    assert (here / "failures.tsv").read_text().startswith(listed)
    done = crfclean(*command, "--overwrite")
    assert (done.code, "4 pages: 3 cleaned" in done.err) == (1, True)
    assert (here / "failures.tsv").read_text() == listed


def test_output_that_is_removed_is_a_failure(
    crfclean: Command, here: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Interrupt(monkeypatch, lambda: shutil.rmtree("out"))
    done = crfclean("clean", "in", "out", "--model", model)
    assert (done.code, (here / "out").exists()) == (1, False)
    assert (
        "out was removed or replaced while the run wrote there: what it wrote is lost" in done.err
    )


def test_failed_pages_are_retried(crfclean: Command, here: Path) -> None:
    (here / "in" / "e.html").symlink_to(here / "later.html")
    command = ["metadata", "in", "out.jsonl", "--tagger", "expert"]
    assert crfclean(*command).code == 1
    (here / "later.html").write_text(PAGE)
    assert "1 done before" in crfclean(*command, "--resume").err
    done = crfclean(*command, "--retry-failed")
    assert (done.code, "5 pages: 5 cleaned, 0 without text, 0 failed, 4 done" in done.err) == (
        0,
        True,
    )
    rows = [json.loads(line) for line in (here / "out.jsonl").read_text().splitlines()]
    assert [row["status"] for row in rows] == ["ok"] * 5


def test_flags_that_exclude_each_other(crfclean: Command, here: Path) -> None:
    done = crfclean("clean", "in", "out", "--retry-failed", "--overwrite")
    assert (done.code, "--retry-failed and --overwrite exclude each other" in done.err) == (2, True)


def test_options_become_params() -> None:
    flags = {"resume": True, "overwrite": False, "retry_failed": False}
    options = {"workers": 3, **flags, "failures": None, "other": 1}
    params = pop_params(RunParams, options)
    assert params == RunParams(workers=3, resume=True)
    assert params.resume_params == ResumeParams(resume=True)
    assert options == {"other": 1}
    assert PageLimits().max_blocks > 0


@pytest.mark.parametrize(
    ("ending", "expected"), [(None, "txt"), ("json", "json"), ("jsonl.gz", "txt")]
)
def test_format_of_texts(ending: str | None, expected: str) -> None:
    assert text_format(ending, {"json", "txt"}, "txt") == expected
