"""Tests of `corpus/run.py`: one page needs no process, and what all commands have in common."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jobplans import small_parts

from crfclean.cli.main import commands
from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK
from crfclean.document.page_text import FAILED
from crfclean.products.corpus import jobs
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import left_out_result
from crfclean.products.corpus.listing import EMPTY, GOLD, NO_HTML, ListedFile
from crfclean.products.corpus.summary import MAX_SUFFIXES, LeftOut, batch_summary

Command = Callable[..., Any]
LONG = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. "
PAGE = f"<h1>Ferry in the ice</h1><p>{LONG * 3}</p><p>{LONG * 3}</p>"
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
    monkeypatch.setattr("crfclean.systems.crf.CrfTagger.tag", fail)
    done = crfclean("clean", "page.html", out, "--model", model, "--failures", "failures.tsv")
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert "page.html: ZeroDivisionError: a bug\n" in done.err
    listed = (folder / "failures.tsv").read_text()
    assert listed == "page.html\terror\tZeroDivisionError: a bug\n"


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
    assert (again.code, "1 output file done before" in again.err) == (EXIT_OK, True)


# runs that meet, and runs that go on


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four pages in a directory; all is done in this process."""
    (folder / "in").mkdir()
    for name in "abcd":
        (folder / "in" / f"{name}.html").write_text(PAGE)
        os.utime(folder / "in" / f"{name}.html", (1, 1))
    monkeypatch.setattr("crfclean.products.corpus.run.needs_processes", lambda _: False)
    return folder


class Interrupt:
    """Does something before the third page that is written, else what is done there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> None:
        self._pages, self._action, self._write = 0, action, jobs._written
        monkeypatch.setattr(jobs, "_written", self)

    def __call__(self, *arguments: Any) -> Any:
        self._pages += 1
        if self._pages == 3:
            self._action()
        return self._write(*arguments)


def kill() -> None:
    raise KeyboardInterrupt


OUTPUTS = {
    "directory": ("clean", "in", "out"),
    "segment": ("segment", "in", "out.jsonl.xz"),
}


@pytest.mark.parametrize("arguments", OUTPUTS.values(), ids=OUTPUTS)
def test_unfinished_work_is_neither_lost_nor_mixed(
    crfclean: Command, here: Path, arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch, 1, 1)
    command = [*arguments, "--failures", "failures.tsv"]
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
    done = crfclean(*arguments, "--max-blocks", 99, "--resume")
    assert done.code == 2
    assert "cannot be continued with other options: --max-blocks was 50000" in done.err
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
    assert (done.code, (here / "out").exists()) == (2, False)
    assert "out: cannot be written: No such file or directory" in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_below_the_list_of_failures_ends_the_workers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They waited for the next page, and the command for them."""
    ended = []

    def results(*_: object, **__: object) -> Iterator[jobs.Result]:
        try:
            yield jobs.Result(Job(Path("page.html"), None), FAILED)
        finally:
            ended.append(True)

    monkeypatch.setattr("crfclean.products.corpus.run.local_engine", lambda: results)
    done = CliRunner().invoke(commands, ["clean", "page.html", "-", "--failures", "/dev/full"])
    assert isinstance(done.exception, OSError)
    assert (done.exception.filename, ended) == ("/dev/full", [True])


# the summary of a run, with the files left out


WORDS = {
    "nothing": ([], ""),
    "one": ([("x.css", NO_HTML)], "; 1 file left out: no HTML (.css)"),
    "no suffix": ([("x", NO_HTML)], "; 1 file left out: no HTML"),
    "kinds, the commonest first": (
        [("a", EMPTY), ("x.txt", GOLD), ("y.txt", GOLD)],
        f"; 3 files left out: 2 {GOLD}, 1 empty",
    ),
    "suffixes, the commonest first": (
        [("a.js", NO_HTML), ("a.CSS", NO_HTML), ("b.css", NO_HTML), ("c", NO_HTML)],
        "; 4 files left out: no HTML (.css .js)",
    ),
    "many suffixes": (
        [(f"x.{number}", NO_HTML) for number in range(MAX_SUFFIXES + 1)],
        "; 7 files left out: no HTML (.0 .1 .2 .3 .4 .5 ...)",
    ),
}


@pytest.mark.parametrize(("files", "words"), WORDS.values(), ids=WORDS)
def test_words(files: list[tuple[str, str]], words: str) -> None:
    left_out = LeftOut()
    for name, reason in files:
        left_out.add(left_out_result(ListedFile(Path(name), left_out=reason)))
    assert left_out.words == words


def test_summary_tells_what_there_is() -> None:
    counts = Counter({"ok": 2, "without": 1, "low-score": 3, "pages-before": 4})
    told = "6 pages: 2 cleaned, 1 without text, 0 failed, 3 below the score, "
    told += "4 of the pages done before, 1 output file done before"
    counts["done-before"] = 1
    assert batch_summary(counts) == told


ONE = {
    "many": ("<p>word</p>" * 50_001, ()),
    "none": ("<html><body></body></html>", ()),
    "script": ("<div id=root></div><script src=app.js></script>", ()),
    "frame": ("<iframe src=/x.html></iframe>", ("--format", "json")),
    "deep": ("<div>" * 4_000 + "Rain in the north, and the ferry stays for a week.", ()),
    "unsure": ("<p>Rain in the north, and the ferry stays.</p>", ("--precision", "0.9999")),
    "low": ("<p>Rain in the north, and the ferry stays.</p>", ("--min-score", "0.999")),
    "within": ("<p>Rain in the north, and the ferry stays.</p>", ("--within", ".none")),
}


@pytest.mark.parametrize("name", ONE)
def test_a_single_page_is_told_as_a_run_tells_it(
    crfclean: Command, tmp_path: Path, name: str
) -> None:
    """The core cleans a page alone; `--part 1/1` makes it a run."""
    html, options = ONE[name]
    page = tmp_path / "page.html"
    page.write_text(html)
    assert crfclean("clean", page, *options) == crfclean("clean", page, *options, "--part", "1/1")


@pytest.mark.parametrize("error", [ValueError("no such thing"), MemoryError()])
def test_a_tagger_that_fails_costs_its_page(
    crfclean: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    page = tmp_path / "page.html"
    page.write_text("<p>Rain in the north.</p>")
    monkeypatch.setattr("crfclean.systems.crf.CrfTagger.tag", fail)
    done = crfclean("clean", page)
    assert done == crfclean("clean", page, "--part", "1/1")
    assert done.err.endswith("1 page: 0 cleaned, 0 without text, 1 failed\n")
