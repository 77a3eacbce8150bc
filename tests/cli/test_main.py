"""Tests of `cli/main.py`: every command, its output, its messages and its exit code."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from doubles import KeepLong
from outfolder import written_texts

import crfclean as package
from crfclean.cli.exit_codes import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.cli.main import commands, load_command
from crfclean.modelfiles.folder import load_bundle, save_bundle
from crfclean.train.params import ALGORITHMS
from crfclean.types.choices import RULES
from crfclean.writers.formats import WRITERS

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


def small_demo(demo: Path, folder: Path) -> Path:
    """Six demo pages of three sites, with their gold."""
    for site in ("moorland-gazette", "podhorsky-denik", "severnik"):
        for page in sorted((demo / site).glob("*.html"))[:2]:
            (folder / site).mkdir(parents=True, exist_ok=True)
            shutil.copy(page, folder / site)
            shutil.copy(page.with_suffix(".txt"), folder / site)
    return folder


# help


def every_command() -> dict[str, click.Command]:
    return {"": commands, **{name: load_command(name) for name in commands.commands}}


def test_commands() -> None:
    names = (
        "annotate audit cite clean doctor drift eval explain forum mcp "
        "metadata segment serve train tune"
    ).split()
    assert set(commands.commands) == set(names)


@pytest.mark.parametrize("name", every_command())
def test_help(crfclean: Command, name: str) -> None:
    for flag in ("--help", "-h"):
        done = crfclean(*([name] if name else []), flag)
        assert (done.code, done.err) == (EXIT_OK, "")
        assert done.out.startswith(f"Usage: crfclean {name}")
    assert len(every_command()[name].help or "") > 40


OPTIONS = [
    (name, parameter.opts[0])
    for name, command in every_command().items()
    for parameter in command.params
    if isinstance(parameter, click.Option)
]


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_every_option_has_help(command: str, option: str) -> None:
    (found,) = [one for one in every_command()[command].params if option in one.opts]
    assert isinstance(found, click.Option)
    assert found.help


def test_there_are_options() -> None:
    named = {option for _, option in OPTIONS}
    assert {"--model", "--threshold", "--rule", "--blocks", "--workers", "--failures"} <= named
    assert {"--precision", "--min-score", "--keep", "--group-by"} <= named
    assert {"--networks", "--from", "--epochs", "--dropout"} <= named
    assert {"--format", "--output", "--held-out", "--algorithm", "--json", "--csv"} <= named


def test_version(crfclean: Command) -> None:
    done = crfclean("--version")
    assert (done.code, done.out) == (EXIT_OK, f"crfclean {package.__version__}\n")


WRONG = {
    "unknown command": ["scrub"],
    "unknown option": ["clean", "in", "out", "--colour"],
    "argument missing": ["clean", "in"],
    "argument too many": ["eval", "in", "more"],
    "unknown format": ["clean", "in", "out", "--format", "docx"],
    "unknown rule": ["clean", "in", "out", "--rule", "best"],
    "threshold above one": ["clean", "in", "out", "--threshold", "1.5"],
    "threshold below zero": ["clean", "in", "out", "--threshold", "-0.1"],
    "threshold no number": ["clean", "in", "out", "--threshold", "half"],
    "precision above one": ["clean", "in", "out", "--precision", "90"],
    "precision below zero": ["eval", "in", "--precision", "-0.1"],
    "precision and threshold": ["clean", "in", "out", "--precision", "1", "--threshold", "1"],
    "score above one": ["clean", "in", "out", "--min-score", "1.5"],
    "score below zero": ["clean", "in", "out", "--min-score", "-0.1"],
    "score no number": ["clean", "in", "out", "--min-score", "high"],
    "no workers": ["clean", "in", "out", "--workers", "0"],
    "wrong element": ["clean", "in", "out", "--blocks", "h1,<p>"],
    "unknown model": ["clean", "in", "out", "--model", "absent"],
    "input missing": ["clean", "absent", "out"],
    "failures cannot be listed": ["clean", "in", "out", "--failures", "absent/list"],
    "gold missing": ["eval", "absent"],
    "no gold": ["eval", "in"],
    "texts missing": ["eval", "in", "--output", "absent"],
    "training without gold": ["train", "in", "-o", "trained"],
    "training data missing": ["train", "absent", "-o", "trained"],
    "unknown algorithm": ["train", "in", "--algorithm", "adam"],
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
    assert done.err == "3 pages: 3 cleaned, 0 without text, 0 failed\n"
    assert written_texts(pages / "out") == dict.fromkeys(
        ["a.txt", "b.txt", "sub/c.txt"], TEXT.encode()
    )


@pytest.mark.parametrize("ending", WRITERS)
def test_formats(crfclean: Command, pages: Path, model: Path, ending: str) -> None:
    crfclean("clean", "in", "out", "--model", model, "--format", ending)
    written = written_texts(pages / "out")
    assert list(written) == [f"a.{ending}", f"b.{ending}", f"sub/c.{ending}"]
    if ending.startswith("json"):
        assert json.loads(written[f"a.{ending}"])["text"] == TEXT.strip()
    else:
        marks = {"html": "<h1>{}</h1>\n", "tei": "<head>{}</head>\n"}
        heading = marks.get(ending, "{}\n").format("Ferry in the ice")
        assert heading in written[f"a.{ending}"].decode()


SINGLE = {
    "to a file": ("in/a.html", "one.txt", "one.txt"),
    "to a directory": ("in/a.html", "folder", "folder/a.txt"),
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
    assert (done.code, done.err) == (EXIT_OK, "1 page: 1 cleaned, 0 without text, 0 failed\n")
    assert done.out == ("" if target else TEXT)
    assert not target or (pages / target).read_text("utf-8") == TEXT


def test_directory_to_standard_output(crfclean: Command, pages: Path, model: Path) -> None:
    assert crfclean("clean", "in", "-", "--model", model).out == TEXT * 3
    lines = crfclean("clean", "in", "-", "--model", model, "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["text"] for line in lines] == [TEXT.strip()] * 3
    assert [path.name for path in pages.iterdir()] == ["in"]


@pytest.mark.parametrize("workers", [1, 2])
def test_bad_pages_harm_no_others(
    crfclean: Command, pages: Path, model: Path, workers: int
) -> None:
    add(pages / "in", BAD, WITHOUT)
    done = crfclean("clean", "in", "out", "--model", model, "--workers", workers)
    assert done.code == EXIT_SOME_FAILED
    *messages, summary = done.err.splitlines()
    assert summary == "8 pages: 3 cleaned, 1 without text, 4 failed"
    assert sorted(messages) == sorted(
        f"in/{name}: {message}" for name, (_, message) in {**BAD, **WITHOUT}.items()
    )
    expected = dict.fromkeys(["a.txt", "b.txt", "sub/c.txt"], TEXT.encode())
    assert written_texts(pages / "out") == {"blank.txt": b"", **expected}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD)
def test_bad_page_alone(
    crfclean: Command, pages: Path, model: Path, data: bytes, message: str
) -> None:
    done = crfclean("clean", "-", "out.txt", "--model", model, stdin=data)
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert done.err == f"-: {message}\n1 page: 0 cleaned, 0 without text, 1 failed\n"
    assert not (pages / "out.txt").exists()


def test_pages_without_text(crfclean: Command, pages: Path, model: Path) -> None:
    shutil.rmtree(pages / "in")
    add(pages / "in", WITHOUT)
    done = crfclean("clean", "in", "out", "--model", model)
    assert done.code == EXIT_NOTHING
    assert done.err.endswith("1 page: 0 cleaned, 1 without text, 0 failed\n")


def test_page_without_text_is_no_failure(crfclean: Command, pages: Path, model: Path) -> None:
    add(pages / "in", WITHOUT)
    assert crfclean("clean", "in", "out", "--model", model).code == EXIT_OK


def test_clash_is_told(crfclean: Command, pages: Path, model: Path) -> None:
    write(pages / "in" / "a.htm", b"<h1>Another page of the same name, first in order</h1>")
    done = crfclean("clean", "in", "out", "--model", model)
    assert done.code == EXIT_SOME_FAILED
    assert "in/a.html: would write the same out/a.txt as in/a.htm\n" in done.err
    assert (pages / "out" / "a.txt").read_bytes() != TEXT.encode()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads and writes everywhere")
def test_no_permission(crfclean: Command, pages: Path, model: Path) -> None:
    (pages / "in" / "a.html").chmod(0)
    done = crfclean("clean", "in", "out", "--model", model)
    assert done.code == EXIT_SOME_FAILED
    assert "in/a.html: cannot be read: Permission denied" in done.err
    (pages / "closed").mkdir(mode=0o500)
    done = crfclean("clean", "in", "closed", "--model", model)
    assert (done.code, done.err) == (EXIT_USAGE, "crfclean: closed: cannot be written\n")


REFUSED = {
    "output a file": ("in", "file", "file: is a file"),
    "output the input": ("in", "in/sub/..", "is the input"),
    "output below a file": ("in", "file/out", "cannot be made"),
    "output the page": ("in/a.html", "in/a.html", "is the input"),
}


@pytest.mark.parametrize(("source", "out", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_output(
    crfclean: Command, pages: Path, model: Path, *, source: str, out: str, message: str
) -> None:
    (pages / "file").write_text("keep me")
    before = files(pages)
    done = crfclean("clean", source, out, "--model", model)
    assert done.code == EXIT_USAGE
    assert message in done.err
    assert files(pages) == before


def test_page_that_cannot_be_written(crfclean: Command, pages: Path, model: Path) -> None:
    (pages / "out" / "a.txt" / "full").mkdir(parents=True)
    done = crfclean("clean", "in", "out", "--model", model)
    assert done.code == EXIT_SOME_FAILED
    assert "in/a.html: out/a.txt cannot be written: Is a directory\n" in done.err
    assert list(written_texts(pages / "out")) == ["b.txt", "sub/c.txt"]


@pytest.mark.parametrize("workers", [1, 2])
def test_failures_are_listed(crfclean: Command, pages: Path, model: Path, workers: int) -> None:
    add(pages / "in", BAD, WITHOUT)
    crfclean("clean", "in", "out", "--model", model, "--failures", "list", "--workers", workers)
    rows = [line.split("\t") for line in (pages / "list").read_text("utf-8").splitlines()]
    assert rows == [
        ["in/binary.html", "binary", "binary data, no page"],
        ["in/blank.html", "no-blocks", "the page shows no text"],
        ["in/damaged.html.gz", "gzip-error", "damaged gzip data"],
        ["in/empty.html", "empty", "the file is empty"],
        ["in/plain.html", "not-html", "no HTML"],
    ]


def test_no_failures_leave_an_empty_list(crfclean: Command, pages: Path, model: Path) -> None:
    (pages / "list").write_text("from an earlier run")
    crfclean("clean", "in", "out", "--model", model, "--failures", "list")
    assert (pages / "list").read_bytes() == b""


def test_truncation_is_told(crfclean: Command, pages: Path, model: Path) -> None:
    write(pages / "in" / "deep.html", b"<div>" * 3_000 + PAGE.encode())
    done = crfclean("clean", "in", "out", "--model", model)
    assert re.search(r"^in/deep\.html: truncated: .*512 levels", done.err, re.MULTILINE)
    assert done.err.endswith("4 pages: 4 cleaned, 0 without text, 0 failed, 1 truncated\n")
    assert done.code == EXIT_OK


def test_threshold_moves_what_is_kept(
    crfclean: Command, pages: Path, model: Path, demo: Path
) -> None:
    demo, sizes = small_demo(demo, pages / "demo"), []
    for threshold in (0, 0.1, 0.5, 0.9, 0.99, 1):
        out = pages / f"out-{threshold}"
        crfclean("clean", demo, out, "--model", model, "--threshold", threshold)
        sizes.append(sum(len(text) for text in written_texts(out).values()))
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) >= 5


def test_threshold_keeps_everything_or_nothing(crfclean: Command, pages: Path, model: Path) -> None:
    everything = crfclean("clean", "in/a.html", "-", "--model", model, "--threshold", 0)
    assert everything.out == "- Home\n" + TEXT
    nothing = crfclean("clean", "in/a.html", "-", "--model", model, "--threshold", 1)
    assert (nothing.code, nothing.out) == (EXIT_NOTHING, "")
    assert "in/a.html: no paragraph was kept" in nothing.err


def test_precision_moves_what_is_kept(
    crfclean: Command, pages: Path, model: Path, demo: Path
) -> None:
    demo, sizes = small_demo(demo, pages / "demo"), []
    for precision in (0, 0.5, 0.7, 0.9, 0.99, 1):
        out = pages / f"out-{precision}"
        crfclean("clean", demo, out, "--model", model, "--precision", precision)
        sizes.append(sum(len(text) for text in written_texts(out).values()))
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) >= 5
    crfclean("clean", demo, pages / "rule", "--model", model, "--rule", "precision")
    assert written_texts(pages / "rule") == written_texts(pages / "out-0.9")


def json_scores(crfclean: Command, *options: object) -> dict[str, float]:
    crfclean("clean", "in", "scored", "--format", "json", *options)
    texts = written_texts(Path("scored"))
    return {name: json.loads(text)["score"] for name, text in texts.items()}


POOR = b"<p>Home page</p><p><a href='/'>News of the day</a> and some words</p><p>Contact</p>"


@pytest.fixture
def poor(crfclean: Command, pages: Path, model: Path) -> float:
    """The score of the page `poor.html`, which is below that of the others."""
    write(pages / "in" / "poor.html", POOR)
    scores = json_scores(crfclean, "--model", model)
    shutil.rmtree(pages / "scored")
    assert 0 < scores["poor.json"] < scores["a.json"] - 0.01
    return scores["poor.json"]


@pytest.mark.parametrize("workers", [1, 2])
def test_pages_below_the_score_are_not_written(
    crfclean: Command, pages: Path, model: Path, poor: float, workers: int
) -> None:
    add(pages / "in", WITHOUT)
    least = poor + 0.01
    options = ["--min-score", least, "--failures", "list", "--workers", workers]
    done = crfclean("clean", "in", "out", "--model", model, *options)
    assert done.code == EXIT_OK
    *messages, summary = done.err.splitlines()
    assert summary == "5 pages: 3 cleaned, 1 without text, 0 failed, 1 below the score"
    message = f"its score {poor:.4f} is below {least:g}"
    assert f"in/poor.html: {message}" in messages
    assert list(written_texts(pages / "out")) == ["a.txt", "b.txt", "sub/c.txt"]
    rows = [line.split("\t") for line in (pages / "list").read_text("utf-8").splitlines()]
    assert rows == [
        ["in/blank.html", "no-blocks", "the page shows no text"],
        ["in/poor.html", "low-score", message],
    ]


def test_lower_score_leaves_all_pages(
    crfclean: Command, pages: Path, model: Path, poor: float
) -> None:
    done = crfclean("clean", "in", "out", "--model", model, "--min-score", poor - 0.01)
    assert done.code == EXIT_OK
    assert done.err.startswith("4 pages: 4 cleaned, 0 without text, 0 failed")
    assert len(written_texts(pages / "out")) == 4


@pytest.mark.parametrize("ending", WRITERS)
def test_page_below_the_score_is_not_printed(
    crfclean: Command, pages: Path, model: Path, ending: str
) -> None:
    options = ["--model", model, "--format", ending, "--min-score", 1]
    done = crfclean("clean", "in/a.html", "-", *options)
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert done.err.endswith("1 page: 0 cleaned, 0 without text, 0 failed, 1 below the score\n")


def test_failed_page_among_those_below_the_score(
    crfclean: Command, pages: Path, model: Path, poor: float
) -> None:
    add(pages / "in", BAD)
    done = crfclean("clean", "in", "out", "--model", model, "--min-score", poor + 0.01)
    assert done.code == EXIT_SOME_FAILED
    assert done.err.endswith("8 pages: 3 cleaned, 0 without text, 4 failed, 1 below the score\n")


def test_rules(crfclean: Command, pages: Path, model: Path, demo: Path) -> None:
    texts = {}
    for rule in RULES:
        crfclean("clean", demo, pages / rule, "--model", model, "--rule", rule)
        texts[rule] = written_texts(pages / rule)
    assert len({str(written) for written in texts.values()}) == len(RULES)
    crfclean("clean", demo, pages / "half", "--model", model, "--threshold", "0.5")
    assert written_texts(pages / "half") == texts["threshold"]


@pytest.mark.parametrize("rule", ["expected_f1", "threshold", "viterbi"])
def test_kinds_to_keep(crfclean: Command, pages: Path, model: Path, rule: str) -> None:
    def clean(*options: object) -> str:
        return str(
            crfclean("clean", "in/a.html", "-", "--model", model, *options, "--rule", rule).out
        )

    head, body = TEXT.splitlines(keepends=True)
    assert clean() == TEXT
    assert clean("--keep", "body") == clean("--keep", "headers,comments") == body
    assert clean("--keep", "title") == clean("--keep", " Body, TITLE ") == head + body
    assert clean("--keep", "") == TEXT


def test_kinds_to_keep_reach_every_command(
    crfclean: Command, pages: Path, model: Path, gold: Path
) -> None:
    def explained(keep: str) -> list[list[str]]:
        """The labels and probabilities of the blocks."""
        out = crfclean("explain", "in/a.html", "--model", model, "--keep", keep).out
        lines = [line for line in out.splitlines()[1:] if not line.startswith("Rule ")]
        return [line.split()[:2] for line in lines[::3]]

    assert explained("body")[1] == ["OTHER", "0.000"]
    one, two = explained("title")[1:]
    assert (one[0], two[0]) == ("HEADER", "TEXT")
    assert one[1] == two[1], "as sure as the surest"
    plain, body = (
        json.loads(crfclean("eval", gold, "--model", model, "--json", *options).out)
        for options in ([], ["--keep", "body"])
    )
    assert body["table"][-1]["recall"] < plain["table"][-1]["recall"]


@pytest.mark.parametrize("name", ["clean", "eval", "explain"])
def test_unknown_kinds(crfclean: Command, pages: Path, model: Path, name: str) -> None:
    arguments = ["in", "out"] if name == "clean" else ["in/a.html"]
    done = crfclean(name, *arguments, "--model", model, "--keep", "title,foo")
    message = "crfclean: keep: no kind 'foo'; there are body, title, headers, captions, bylines"
    assert (done.code, done.out) == (EXIT_USAGE, "")
    assert done.err.startswith(message)
    assert not (pages / "out").exists()


def test_blocks_restrict_the_elements(crfclean: Command, pages: Path, model: Path) -> None:
    def clean(blocks: str) -> str:
        options = ["--model", model, "--threshold", 0, "--blocks", blocks]
        return str(crfclean("clean", "in/a.html", "-", *options).out)

    assert clean("h1") == "Ferry in the ice\n"
    assert clean("H1, LI") == "- Home\nFerry in the ice\n"
    assert clean("h1,p") == TEXT


def test_workers_write_the_same_files(
    crfclean: Command, pages: Path, model: Path, demo: Path
) -> None:
    for workers in (1, 2):
        done = crfclean(
            "clean",
            demo,
            f"out-{workers}",
            "--model",
            model,
            "--format",
            "json",
            "--workers",
            workers,
        )
        assert done.code == EXIT_OK
    assert written_texts(pages / "out-1") == written_texts(pages / "out-2")
    assert len(written_texts(pages / "out-1")) == 24


def test_model_by_relative_path_reaches_workers(
    crfclean: Command, pages: Path, model: Path
) -> None:
    shutil.copytree(model, pages / "model")
    done = crfclean("clean", "in", "out", "--model", "model", "--workers", 2)
    assert (done.code, len(written_texts(pages / "out"))) == (EXIT_OK, 3)


def test_damaged_model_is_named(crfclean: Command, pages: Path, model_copy: Path) -> None:
    (model_copy / "weights.crf").write_bytes(b"short")
    done = crfclean("clean", "in", "out", "--model", model_copy)
    assert done.code == EXIT_USAGE
    assert re.match(r"crfclean: .*weights\.crf: 5 bytes, the manifest says \d+\n", done.err)
    assert not (pages / "out").exists()


def test_shipped_model_is_the_default(crfclean: Command, pages: Path, default_model: Path) -> None:
    assert crfclean("clean", "in/a.html", "-").out == TEXT
    assert crfclean("clean", "in/a.html", "-", "--model", default_model).out == TEXT


# train


@pytest.fixture
def gold(demo: Path, pages: Path) -> Path:
    return small_demo(demo, pages / "gold")


def test_train_writes_a_folder(crfclean: Command, gold: Path, pages: Path) -> None:
    done = crfclean("train", gold, "-o", "trained", "--iterations", 20)
    assert (done.code, done.err) == (EXIT_OK, "")
    assert list(files(pages / "trained")) == ["manifest.json", "weights.crf"]
    assert "held out: 2 pages of 1 site, trained on 4\n" in done.out
    assert re.search(r"^F +0\.\d{3} +0\.\d{3}$", done.out, re.MULTILINE)
    assert done.out.endswith("trained: trained on 6 pages\n")


def test_trained_model_tells_its_training(crfclean: Command, gold: Path, pages: Path) -> None:
    crfclean("train", gold, "-o", "trained", "--iterations", 20, "--l2", 0.5, "--rule", "viterbi")
    bundle = load_bundle(pages / "trained")
    assert bundle.parameters["iterations"] == 20
    assert bundle.parameters["l2"] == 0.5
    assert bundle.cut["rule"] == "viterbi"
    assert [row["pages"] for row in bundle.sets] == [2, 2, 2]
    assert bundle.scores["held_out_pages"] == 2
    low, high = bundle.scores["interval"]
    assert 0 < low <= bundle.scores["f1"] <= high <= 1


def test_training_is_repeatable(crfclean: Command, gold: Path, pages: Path) -> None:
    for name in ("one", "two"):
        crfclean("train", gold, "-o", name, "--iterations", 20)
    assert files(pages / "one") == files(pages / "two")


def test_training_without_held_out_pages(crfclean: Command, gold: Path, pages: Path) -> None:
    done = crfclean("train", gold, "-o", "trained", "--iterations", 20, "--held-out", 0)
    assert done.code == EXIT_OK
    assert (done.out, done.err) == ("trained: trained on 6 pages\n", "")
    assert load_bundle(pages / "trained").scores == {}


def test_one_page_cannot_be_held_out(crfclean: Command, pages: Path) -> None:
    write(pages / "gold" / "p.html", PAGE.encode())
    write(pages / "gold" / "p.txt", TEXT.encode())
    done = crfclean("train", "gold", "-o", "trained", "--iterations", 5)
    assert (done.code, done.out) == (EXIT_OK, "trained: trained on 1 page\n")
    assert done.err == "no scores: too few pages to hold some out\n"


def test_licence_stands_in_the_manifest(crfclean: Command, gold: Path, pages: Path) -> None:
    crfclean("train", gold, "-o", "trained", "--iterations", 5, "--licence", "CC0-1.0")
    assert {row["licence"] for row in load_bundle(pages / "trained").sets} == {"CC0-1.0"}


def test_scores_do_not_change_the_weights(crfclean: Command, gold: Path, pages: Path) -> None:
    crfclean("train", gold, "-o", "one", "--iterations", 20)
    crfclean("train", gold, "-o", "two", "--iterations", 20, "--held-out", 0)
    assert load_bundle(pages / "one").weights == load_bundle(pages / "two").weights


def test_trained_model_cleans(crfclean: Command, gold: Path, pages: Path) -> None:
    crfclean("train", gold, "-o", "trained", "--iterations", 50)
    done = crfclean("clean", "in", "out", "--model", "trained")
    assert done.code == EXIT_OK
    assert written_texts(pages / "out")["a.txt"].decode().startswith("Ferry in the ice\n")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms(crfclean: Command, gold: Path, pages: Path, algorithm: str) -> None:
    done = crfclean("train", gold, "-o", "trained", "--algorithm", algorithm, "--iterations", 10)
    assert done.code == EXIT_OK
    assert load_bundle(pages / "trained").parameters["algorithm"] == algorithm


def test_training_on_some_elements(crfclean: Command, gold: Path, pages: Path) -> None:
    crfclean("train", gold, "-o", "trained", "--iterations", 20, "--blocks", "h1,h2,p")
    assert load_bundle(pages / "trained").elements == ("h1", "h2", "p")
    text = crfclean("clean", "in/a.html", "-", "--model", "trained", "--threshold", 0).out
    assert text == TEXT


def test_training_on_the_demo_with_some_elements(
    crfclean: Command, demo: Path, pages: Path
) -> None:
    done = crfclean("train", demo, "-o", "trained", "--iterations", 10, "--blocks", "h1,p,li,td")
    assert (done.code, done.err) == (EXIT_OK, "")
    assert crfclean("eval", demo, "--model", "trained").code == EXIT_OK


BAD_GOLD = {
    "one label": ("p.html", PAGE.encode(), "p.txt", b"", "every block is OTHER"),
    "wrong labels": ("p.html", PAGE.encode(), "p.labels.tsv", b"TEXT\tx\n", "label line 1"),
    "malformed labels": ("p.html", PAGE.encode(), "p.labels.tsv", b"text\n", r"tsv:1: expected"),
    "malformed row": ("x", b"", "p.jsonl", b"{}\n", r"p\.jsonl:1: expected"),
    "text not in UTF-8": ("p.html", PAGE.encode(), "p.txt", b"\xe9\xff", r"p\.txt"),
    "empty pages": ("p.html", b"", "p.txt", b"", "no block to train on"),
}


@pytest.mark.parametrize(
    ("page", "html", "name", "data", "message"), BAD_GOLD.values(), ids=BAD_GOLD
)
def test_bad_gold_is_named(
    crfclean: Command, pages: Path, *, page: str, html: bytes, name: str, data: bytes, message: str
) -> None:
    write(pages / "gold" / page, html)
    write(pages / "gold" / name, data)
    done = crfclean("train", "gold", "-o", "trained")
    assert done.code == EXIT_USAGE
    assert re.search(rf"^crfclean: .*{message}", done.err, re.MULTILINE)
    assert not (pages / "trained").exists()


def test_model_cannot_be_written(crfclean: Command, gold: Path, pages: Path) -> None:
    (pages / "file").write_text("keep me")
    done = crfclean("train", gold, "-o", "file", "--iterations", 5)
    assert done.code == EXIT_USAGE
    assert "file: cannot write the model" in done.err
    assert (pages / "file").read_text() == "keep me"


IMPOSSIBLE = [
    ("bins", "0"),
    ("bins", "-3"),
    ("reach", "-1"),
    ("iterations", "0"),
    ("l2", "-1"),
    ("precision", "1.5"),
]


@pytest.mark.parametrize(("option", "value"), IMPOSSIBLE)
def test_impossible_parameters(
    crfclean: Command, gold: Path, pages: Path, option: str, value: str
) -> None:
    done = crfclean("train", gold, "-o", "trained", f"--{option}", value)
    assert done.code == EXIT_USAGE
    assert not (pages / "trained").exists()


# explain


@pytest.mark.parametrize("most", [1, 3])
def test_explain_shows_features(crfclean: Command, pages: Path, model: Path, most: int) -> None:
    done = crfclean("explain", "in/a.html", "--model", model, "--features", most)
    for line in done.out.splitlines()[3::3]:
        told = line.split("  ")
        found = [part for part in told if part.strip()]
        assert len(found) == most
        assert all(re.fullmatch(r"\s*\w+(\[[+-]\d\])?=\S+ [+-]\d+\.\d\d", part) for part in found)


def test_explain_heads_are_tidy(crfclean: Command, pages: Path, model: Path) -> None:
    head = crfclean("explain", "in/a.html", "--model", model).out.splitlines()[0]
    document = package.clean(PAGE, model=model)
    score, presence = document.score, document.presence
    assert presence
    place = f"visible {presence.probability:.3f}"
    assert head == f"in/a.html: ok, 3 blocks, score {score:.4f}, {place}"
    assert score > 0.5
    write(pages / "deep.html", b"<div>" * 3_000 + PAGE.encode())
    head = crfclean("explain", "deep.html", "--model", model).out.splitlines()[0]
    assert head.startswith("deep.html: ok, 3 blocks, ")
    assert "depth" in head


def test_explain_follows_the_threshold(crfclean: Command, pages: Path, model: Path) -> None:
    def labels(*options: object) -> list[str]:
        lines = crfclean("explain", "in/a.html", "--model", model, *options).out.splitlines()
        return [line.split()[0] for line in lines[1::3]]

    assert labels() == ["OTHER", "HEADER", "TEXT"]
    assert "OTHER" not in labels("--threshold", 0)
    assert set(labels("--threshold", 1)) == {"OTHER"}
    assert "OTHER" not in labels("--precision", 0)
    assert set(labels("--precision", 1)) == {"OTHER"}


@pytest.mark.parametrize("name", ["clean", "eval", "explain"])
def test_threshold_and_precision_exclude_each_other(
    crfclean: Command, pages: Path, model: Path, name: str
) -> None:
    arguments = ["in/a.html", "-"] if name == "clean" else ["in/a.html"]
    limits = ["--threshold", 0.5, "--precision", 0.5]
    done = crfclean(name, *arguments, "--model", model, *limits)
    message = "crfclean: --threshold and --precision exclude each other\n"
    assert (done.code, done.out, done.err) == (EXIT_USAGE, "", message)


@pytest.mark.parametrize("name", sorted({**BAD, **WITHOUT}))
def test_explain_of_a_bad_page(crfclean: Command, pages: Path, model: Path, name: str) -> None:
    add(pages, BAD, WITHOUT)
    done = crfclean("explain", name, "--model", model)
    assert done.code == EXIT_OK
    assert re.match(rf"{re.escape(name)}: [a-z-]+, 0 blocks, score 0\.0000\b", done.out.strip())
    assert len(done.out.splitlines()) == 1


# taggers that can do less


def test_tagger_without_cut_or_reasons(
    crfclean: Command, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crfclean.cli.options.load", lambda model, kind: KeepLong())
    assert crfclean("clean", "in/a.html", "-").out == TEXT
    assert (
        "--threshold: the tagger KeepLong makes decisions that are not made by a cut"
        in crfclean("clean", "in/a.html", "-", "--threshold", "0.5").err
    )
    assert "explain: the tagger KeepLong gives no reasons" in crfclean("explain", "in/a.html").err


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


def test_process_reads_and_writes_pipes(crfclean_process: Process, model: Path) -> None:
    done = crfclean_process("clean", "-", "-", "--model", model, stdin=PAGE.encode())
    assert (done.returncode, done.stdout) == (EXIT_OK, TEXT.encode())
    assert done.stderr == b"1 page: 1 cleaned, 0 without text, 0 failed\n"


def test_process_reads_standard_input_with_workers(crfclean_process: Process, model: Path) -> None:
    done = crfclean_process(
        "clean", "-", "-", "--model", model, "--workers", 2, stdin=PAGE.encode()
    )
    assert done.stderr == b"1 page: 1 cleaned, 0 without text, 0 failed\n"
    assert (done.returncode, done.stdout) == (EXIT_OK, TEXT.encode())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_standard_output_is_utf_8(crfclean_process: Process, model: Path, encoding: str) -> None:
    page = PAGE.replace("lake", "jezero Švihov").replace("ferry", "陸")
    done = crfclean_process(
        "clean", "-", "-", "--model", model, stdin=page.encode(), PYTHONIOENCODING=encoding
    )
    assert done.returncode == EXIT_OK
    assert "jezero Švihov" in done.stdout.decode("utf-8")


CODES = {
    "done": (["clean", "in/a.html", "-"], EXIT_OK),
    "some failed": (["clean", "in", "out"], EXIT_SOME_FAILED),
    "wrong usage": (["clean", "absent", "out"], EXIT_USAGE),
    "no text": (["clean", "in/empty.html", "-"], EXIT_NOTHING),
    "unknown command": (["scrub"], EXIT_USAGE),
}


@pytest.mark.parametrize(("arguments", "code"), CODES.values(), ids=CODES)
def test_exit_codes(
    crfclean: Command, pages: Path, model: Path, arguments: list[str], code: int
) -> None:
    add(pages / "in", BAD)
    options = ["--model", model] if arguments[0] == "clean" else []
    done = crfclean(*arguments, *options)
    assert done.code == code
    assert "Traceback" not in done.err


def test_exit_code_is_that_of_the_process(crfclean_process: Process) -> None:
    done = crfclean_process("scrub")
    assert done.returncode == EXIT_USAGE
    assert b"Traceback" not in done.stderr


def test_codes_differ() -> None:
    assert (EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE, EXIT_NOTHING) == (0, 1, 2, 3)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
def test_names_that_are_no_unicode(crfclean_process: Process, pages: Path, model: Path) -> None:
    write(pages / "in" / os.fsdecode(b"caf\xe9.html"), b"")
    write(pages / "in" / os.fsdecode(b"th\xe9.html"), PAGE.encode())
    done = crfclean_process("clean", "in", "out", "--model", model, "--failures", "list")
    assert done.returncode == EXIT_SOME_FAILED
    assert done.stderr.endswith(b"5 pages: 4 cleaned, 0 without text, 1 failed\n")
    assert (pages / "list").read_text() == "in/caf\\udce9.html\tempty\tthe file is empty\n"
    assert (pages / "out" / os.fsdecode(b"th\xe9.txt")).read_bytes() == TEXT.encode()


def test_pipes_see_no_progress_bar(
    crfclean_process: Process, demo: Path, pages: Path, model: Path
) -> None:
    gold = small_demo(demo, pages / "gold")
    done = crfclean_process("clean", gold, "out", "--model", model)
    counts, left_out = b"6 pages: 6 cleaned, 0 without text, 0 failed", b"6 files left out"
    assert done.stderr == counts + b"; " + left_out + b": 6 gold of a page\n"
    done = crfclean_process("eval", gold, "--model", model)
    assert done.stderr == b""
    done = crfclean_process("train", gold, "-o", "trained", "--iterations", 5)
    assert done.stderr == b""


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


def test_model_of_another_cut_is_used(crfclean: Command, pages: Path, model: Path) -> None:
    save_bundle(
        replace(load_bundle(model), cut={"rule": "threshold", "threshold": 0.0}), pages / "all"
    )
    assert crfclean("clean", "in/a.html", "-", "--model", "all").out == "- Home\n" + TEXT


@pytest.mark.parametrize("rule", ["viterbi", "expected_f1"])
@pytest.mark.parametrize("limit", ["--threshold", "--precision"])
def test_limit_needs_its_rule(
    crfclean: Command, pages: Path, model: Path, limit: str, rule: str
) -> None:
    done = crfclean("clean", "in", "out", "--model", model, limit, "0.7", "--rule", rule)
    assert (done.code, done.err) == (
        EXIT_USAGE,
        f"crfclean: {limit} has no effect with --rule {rule}\n",
    )


@pytest.mark.parametrize(("name", "threads"), [("clean", "1"), ("train", None)])
def test_commands_that_read_pages_start_no_threads(
    monkeypatch: pytest.MonkeyPatch, name: str, threads: str | None
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "")  # restored at the end
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    load_command(name)
    assert os.environ.get("OPENBLAS_NUM_THREADS") == threads


def test_the_threads_that_a_user_asks_for_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    load_command("clean")
    assert os.environ["OPENBLAS_NUM_THREADS"] == "3"
