"""Tests of `corpus/clean_command.py`: corpora, signals, resume, limits, messages."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.products.corpus.listing import GOLD
from crfclean.products.corpus.summary import MAX_MESSAGES

Command = Callable[..., Any]
GOOD = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. "
PAGE = f"<ul><li><a href='/'>Home</a></li></ul><h1>Ferry in the ice</h1><p>{GOOD * 3}</p>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the corpus `in.jsonl.gz` of five pages."""
    monkeypatch.chdir(tmp_path)
    corpus(tmp_path / "in.jsonl.gz", 5)
    return tmp_path


def corpus(path: Path, count: int, *bad: str) -> None:
    pages = [PAGE] * count + list(bad)
    rows = ({"id": f"p{number}", "html": html} for number, html in enumerate(pages))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))


def rows(path: Path | str) -> list[dict[str, Any]]:
    data = Path(path).read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return [json.loads(line) for line in text.splitlines()]


OUTPUTS = {
    "jsonl": ("out.jsonl", [], "out.jsonl"),
    "packed, of two processes": ("out.jsonl.gz", ["--workers", "2"], "out.jsonl.gz"),
    "new directory": ("out", [], "out/part-00000.jsonl.gz"),
    "directory": ("folder", [], "folder/part-00000.jsonl.gz"),
    "format": ("folder", ["--format", "jsonl"], "folder/part-00000.jsonl"),
}


@pytest.mark.parametrize(("out", "more", "made"), OUTPUTS.values(), ids=OUTPUTS)
def test_corpus_to_corpus(  # noqa: PLR0917
    crfclean: Command, folder: Path, model: Path, out: str, more: list[str], made: str
) -> None:
    (folder / "folder").mkdir()
    done = crfclean("clean", "in.jsonl.gz", out, "--model", model, *more)
    assert (done.code, done.told) == (EXIT_OK, "5 pages: 5 cleaned, 0 without text, 0 failed\n")
    found = rows(made)
    assert [row["id"] for row in found] == ["p0", "p1", "p2", "p3", "p4"]
    assert {row["text"] for row in found} == {f"Ferry in the ice\n{(GOOD * 3).strip()}"}
    assert len({row["model"] for row in found}) == 1


def test_warc_to_parquet(crfclean: Command, folder: Path, model: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    body = f"HTTP/1.1 200 EXIT_OK\r\nContent-Type: text/html\r\n\r\n{PAGE}".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:1>\r\n"
        "WARC-Target-URI: https://example.org/\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    (folder / "crawl.gz").write_bytes(gzip.compress(head + body + b"\r\n\r\n"))
    assert crfclean("clean", "crawl.gz", "out.parquet", "--model", model).code == EXIT_OK
    (row,) = pq.read_table("out.parquet").to_pylist()
    assert (row["id"], row["url"]) == ("<urn:1>", "https://example.org/")
    assert (row["crawled"], row["status"]) == ("2026-01-02T03:04:05Z", "ok")
    assert (row["url_from"], row["input"], "blocks" in row) == ("input", "crawl.gz", False)
    nested = ["--blocks", "--evidence", "--include", "levels,left-out,site-places", "--overwrite"]
    assert crfclean("clean", "crawl.gz", "out.parquet", "--model", model, *nested).code == EXIT_OK
    (row,) = pq.read_table("out.parquet").to_pylist()
    assert [block["label"] for block in row["blocks"]]
    assert {"evidence", "levels", "left_out", "site_places"} <= set(row)


def test_what_is_included_is_named(crfclean: Command, folder: Path, model: Path) -> None:
    options = ["--model", model, "--overwrite", "--include"]
    named = {"levels,left-out": {"levels", "left_out"}, "parts": {"content"}}
    for names, keys in (named | {"site-places": {"site_places"}}).items():
        assert crfclean("clean", "in.jsonl.gz", "out.jsonl", *options, names).code == EXIT_OK
        beside = {"levels", "left_out", "content", "site_places"}
        assert set(rows("out.jsonl")[0]) & beside == keys
    wrong = crfclean("clean", "in.jsonl.gz", "out.jsonl", *options, "left")
    assert (wrong.code, "'left': choose from levels, left-out" in wrong.err) == (EXIT_USAGE, True)


WRONG = {
    "text of many pages": (
        ["in.jsonl.gz", "out", "--format", "html"],
        "or --files and a directory",
    ),
    "Parquet to standard output": (
        ["in.jsonl.gz", "-", "--format", "parquet"],
        "parquet cannot go",
    ),
    "output is the input": (["in.jsonl.gz", "./in.jsonl.gz"], "is the input"),
    "output among the pages": ([".", "out.jsonl"], "lies among the pages"),
    "no time": (["in.jsonl.gz", "out", "--max-seconds", "0"], "--max-seconds must be"),
    "no number": (["in.jsonl.gz", "out", "--min-score", "nan"], "nan is not in the range 0 to 1"),
}


@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_wrong_usage(
    crfclean: Command, folder: Path, model: Path, arguments: list[str], message: str
) -> None:
    done = crfclean("clean", *arguments, "--model", model)
    assert (done.code, message in done.err) == (EXIT_USAGE, True)


def test_a_list_of_failures_replaces_no_other_file(
    crfclean: Command, folder: Path, model: Path
) -> None:
    text = '{"id": "1"}\n'
    (folder / "texts.jsonl").write_text(text, "utf-8")
    done = crfclean("clean", "in.jsonl.gz", "o", "--model", model, "--failures", "texts.jsonl")
    assert done.code == 2
    assert done.err == "crfclean: texts.jsonl: is no list of failures: name another file\n"
    assert (folder / "texts.jsonl").read_text("utf-8") == text


def test_failures_are_counted_told_and_listed(crfclean: Command, folder: Path, model: Path) -> None:
    corpus(folder / "bad.gz", 1, *["no HTML"] * (MAX_MESSAGES + 5))
    damaged = (folder / "bad.gz").read_bytes()[:-1]
    (folder / "bad.gz").write_bytes(damaged)
    done = crfclean("clean", "bad.gz", "o.jsonl", "--model", model, "--failures", "failures.tsv")
    listed = (folder / "failures.tsv").read_text().splitlines()
    assert done.code == EXIT_SOME_FAILED
    assert done.err.count(": no HTML") == MAX_MESSAGES
    assert len(listed) == MAX_MESSAGES + 5  # the damage costs the last page
    assert listed[0] == "bad.gz: p1\tnot-html\tno HTML"
    assert listed[-1].startswith("bad.gz\tfailed\tthe file ends inside its gzip data")


def test_selectors_that_name_nothing_are_told(crfclean: Command, folder: Path, model: Path) -> None:
    done = crfclean("clean", "in.jsonl.gz", "out.jsonl", "--drop", ".advert", "--model", model)
    assert "5 without an element that matches .advert" in done.err


def test_resume_leaves_what_is_done(crfclean: Command, folder: Path, model: Path) -> None:
    corpus(folder / "many" / "a.gz", 2)
    corpus(folder / "many" / "b.gz", 3)
    (folder / "many" / "c.html").write_text(PAGE)
    assert crfclean("clean", "many", "out", "--model", model).code == EXIT_OK
    before = (folder / "out" / "part-00000.jsonl.gz").stat()
    (folder / "out" / "part-00001.jsonl.gz").unlink()
    done = crfclean("clean", "many", "out", "--model", model, "--resume")
    assert (folder / "out" / "part-00000.jsonl.gz").stat() == before
    assert len(rows("out/part-00001.jsonl.gz")) == 3
    assert (done.code, "5 cleaned" in done.err) == (EXIT_OK, True)
    assert "2 of the pages done before, 1 output file done before" in done.err
    assert crfclean("clean", "many", "out", "--model", model, "--resume").code == EXIT_OK


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_finishes_the_pages_under_way(  # noqa: PLR0917
    folder: Path, root: Path, model: Path, crfclean: Command, number: int, code: int
) -> None:
    corpus(folder / "long.gz", 200, *[PAGE + f"<!-- {'x' * 30_000} -->"] * 200)
    options = ["long.gz", "out.jsonl", "--model", str(model), "--workers", "2"]
    command = [sys.executable, "-m", "crfclean", "clean", *options]
    environment = os.environ | {"PYTHONPATH": str(root)}
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    while not any(folder.glob("out.jsonl.parts/.part-*")) and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, number)  # as a terminal does: the workers get it, too
    _, told = process.communicate(timeout=60)
    assert process.returncode == code
    assert f"stopped by {signal.Signals(number).name}" in told
    assert "with --resume to continue" in told
    assert "failed" in told
    assert "Traceback" not in told
    assert not (folder / "out.jsonl").exists()
    done = crfclean("clean", *options, "--resume")
    assert (done.code, "400 pages: 400 cleaned" in done.err) == (EXIT_OK, True)
    assert [row["id"] for row in rows("out.jsonl")] == [f"p{number}" for number in range(400)]


def test_shares_of_a_corpus(crfclean: Command, folder: Path, model: Path) -> None:
    for name in "abc":
        corpus(folder / "many" / f"{name}.gz", 2)
    command = ["clean", "many", "out.jsonl", "--model", model]
    for share, count in (("2/2", 2), ("1/2", 4)):
        done = crfclean(*command, "--part", share)
        assert (done.code, f"{count} pages: {count} cleaned" in done.err) == (EXIT_OK, True)
        assert not (folder / "out.jsonl").exists()
    done = crfclean(*command, "--resume")
    assert (done.code, "6 of the pages done before" in done.err) == (EXIT_OK, True)
    assert len(rows("out.jsonl")) == 6
    for wrong in ("3/2", "0/2", "1", "a/b", "1/2/3"):
        done = crfclean(*command, "--part", wrong)
        assert (done.code, "write it as 3/8" in done.err) == (EXIT_USAGE, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("source", ["in.jsonl.gz", "page.html"])
def test_full_standard_output_is_told(folder: Path, root: Path, model: Path, source: str) -> None:
    (folder / "page.html").write_text(PAGE * 100)
    command = [sys.executable, "-m", "crfclean", "clean", source, "-", "--model", str(model)]
    with Path("/dev/full").open("wb") as full:
        environment = os.environ | {"PYTHONPATH": str(root)}
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
    assert done.returncode == EXIT_SOME_FAILED
    assert "cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_pages_without_the_precision_say_so(
    crfclean: Command, demo: Path, tmp_path: Path, model: Path
) -> None:
    """No choice of blocks is certain: no page is empty without a reason."""
    options = ("--model", model, "--precision", "0.995")
    done = crfclean("clean", demo / "severnik", tmp_path / "out", *options)
    message = "no choice of blocks has an expected precision of 0.995"
    lines = done.err.splitlines()
    assert done.code == EXIT_NOTHING
    assert [line.rpartition(": ")[2] for line in lines[:-1]] == [message] * 4
    assert lines[-1] == (f"4 pages: 0 cleaned, 4 without text, 0 failed; 4 files left out: {GOLD}")
    page = demo / "severnik" / "hokej-derby-finale.html"
    row = json.loads(crfclean("clean", page, "-", "--format", "json", *options).out)
    assert (row["status"], row["text"]) == ("below-precision", "")
    assert ": below-precision, " in crfclean("explain", page, *options).out
    rows = tmp_path / "rows.jsonl"
    crfclean("clean", demo / "severnik", rows, *options)
    told = [json.loads(line) for line in rows.read_text("utf-8").splitlines()]
    assert {(one["status"], one["message"]) for one in told} == {("below-precision", message)}


def test_fields_have_options(crfclean: Command, folder: Path, model: Path) -> None:
    (folder / "x").write_text(json.dumps({"content": PAGE, "link": "https://e.org", "key": "k"}))
    options = ["--fields", "content,link,key"]
    assert crfclean("clean", "x", "out.jsonl", "--model", model, *options).code == EXIT_OK
    (row,) = rows("out.jsonl")
    assert (row["id"], row["url"]) == ("k", "https://e.org")
    wrong = crfclean("clean", "x", "out.jsonl", "--fields", "content,link,key,more")
    assert (wrong.code, "as in html,url,id" in wrong.err) == (EXIT_USAGE, True)
