"""Tests of `corpus/many.py`: a page that harms its process costs no other page."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles import Obeys

from crfclean import clean, extract, run_many
from crfclean.products.corpus import tasks
from crfclean.types import CrfcleanError, Page, WorkerError
from crfclean.types.choices import COMMENT_MODES, CONVENTIONS

GOOD = "<p>The ferry sails again over the lake.</p>"
HARM = {
    "killed": ("crashed", "its process ended (SIGKILL)"),
    "hang": ("over-time", "it took more than 1 s"),
    "eat slowly": ("over-memory", "it needed more than 200 MB of memory"),
    "raise": ("error", "ZeroDivisionError: a bug"),
}
"""What a page orders -> status and message of its document."""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory needs Linux")
def test_a_page_that_harms_its_process_costs_no_other() -> None:
    pages = [page for order in HARM for page in (Page(f"<p>{order}</p>", order), GOOD)]
    documents = list(run_many(pages, Obeys(), 2, max_seconds=1, max_memory=200))
    assert [document.status for document in documents[1::2]] == ["ok"] * len(HARM)
    lost = {each.url: (each.status, each.message) for each in documents[::2]}
    assert lost == HARM
    assert {(len(each.blocks), each.text, each.score) for each in documents[::2]} == {(0, "", 0.0)}


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory needs Linux")
def test_a_page_that_harms_its_process_costs_no_page_of_its_message() -> None:
    pages = [page for order in HARM for page in (Page(f"<p>{order}</p>", order), GOOD)]
    rows = list(run_many(pages, Obeys(), 2, format="row", max_seconds=1, max_memory=200))
    assert [row["status"] for row in rows[1::2]] == ["ok"] * len(HARM)
    lost = {row["url"]: row["status"] for row in rows[::2]}
    assert lost == {url: status for url, (status, _) in HARM.items()}


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_texts_and_rows_are_those_of_single_pages(workers: int) -> None:
    pages = [Page(f"<h1>Ferry</h1>{GOOD * n}", f"https://example.org/{n}") for n in range(1, 20)]
    texts = [extract(page, as_="body") for page in pages]
    assert list(run_many(pages, workers=workers, format="txt", as_="body")) == texts
    marked = [extract(page, format="md", headings=False) for page in pages]
    assert list(run_many(pages, workers=workers, format="markdown", headings=False)) == marked
    rows = [clean(page, without="title").to_dict(evidence=True) for page in pages]
    many = run_many(pages, workers=workers, format="row", without="title", evidence=True)
    assert list(many) == rows


def test_documents_have_the_choices_of_clean() -> None:
    page = f"<h1>Ferry</h1>{GOOD}<div class=comments><h2>Comments</h2><p>So it is.</p></div>"
    options: list[Any] = [
        *({"as_": name} for name in CONVENTIONS),
        *({"comments": mode} for mode in COMMENT_MODES),
        *({"drop": "h1"}, {"within": "p"}, {"threshold": 0.99}, {"precision": 0.99}),
    ]
    for each in options:
        (document,) = run_many([page], **each)
        assert document.to_dict() == clean(page, **each).to_dict()


def test_a_model_has_two_names() -> None:
    (first,), (second,) = run_many([GOOD], model="links"), run_many([GOOD], tagger="links")
    assert first.to_dict() == second.to_dict() != clean(GOOD).to_dict()


def test_each_page_of_a_message_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr(tasks, "_CLOCKS", [started.append])
    assert len(list(run_many([GOOD] * 3, format="txt"))) == 3
    assert started == [1, 1, 1]


@pytest.mark.parametrize("pages", [1, 100])
def test_a_program_reads_few_pages_ahead(pages: int) -> None:
    read: list[int] = []

    def sources() -> Iterator[str]:
        for number in range(400):
            read.append(number)
            yield GOOD * pages

    texts = run_many(sources(), workers=2, format="txt")
    assert max(len(read) - done for done, _ in enumerate(texts)) <= 2 * 16 * 8 + 8


def test_one_process_without_limits_loses_only_pages_that_raise() -> None:
    first, second = run_many([Page("<p>raise</p>"), GOOD], Obeys())
    assert (first.status, first.message) == HARM["raise"]
    assert second.status == "ok"


def test_the_program_itself_is_not_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its threads may hold locks, which a fork would hold for ever."""
    monkeypatch.delattr(os, "fork")
    assert [document.status for document in run_many([GOOD] * 3, workers=2)] == ["ok"] * 3


UNFINISHED = """
from crfclean import run_many
if __name__ == "__main__":
    documents = run_many(["<p>The ferry sails again over the lake.</p>"] * 99, workers=2)
    print(next(documents).status)
"""
UNGUARDED = 'from crfclean import run_many\nlist(run_many(["<p>Rain</p>"], workers=2))\n'


def program(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "run.py").write_text(code, "utf-8")
    command = [sys.executable, str(folder / "run.py")]
    return subprocess.run(command, capture_output=True, check=False, text=True)


def test_a_program_ends_before_its_pages_do(tmp_path: Path) -> None:
    done = program(UNFINISHED, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", "")


def test_a_script_that_workers_cannot_import_is_told_how_to_start_them(tmp_path: Path) -> None:
    last = program(UNGUARDED, tmp_path).stderr.splitlines()[-1]
    assert last.endswith('; a script calls run_many below `if __name__ == "__main__":`')


def test_wrong_options() -> None:
    wrong: dict[str, dict[str, Any]] = {
        "no format 'doc'": {"format": "doc"},
        "no switch 'colours'": {"format": "md", "colours": True},
        "links needs a format": {"links": False},
        "no convention 'odd'": {"as_": "odd"},
        "no mode 'odd'": {"comments": "odd"},
    }
    for message, options in wrong.items():
        with pytest.raises(CrfcleanError, match=message):
            run_many([GOOD], **options)


def test_wrong_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: list[dict[str, Any]] = [{"max_seconds": 0}, {"max_memory": 0}]
    for limits in wrong:
        with pytest.raises(CrfcleanError, match=f"{next(iter(limits))} must be from"):
            run_many([GOOD], **limits)
    config = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    monkeypatch.setitem(config, "daemon", True)
    with pytest.raises(WorkerError, match="a worker process itself, which may start none"):
        list(run_many([GOOD], workers=2))
