"""Tests of `tools/page_tools.py`: what is asked about a page, and which pages may be read."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hostile import HOSTILE
from sleepytools import SleepyTools

import crfclean
from crfclean.products.corpus.fetch import Fetched
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.tools.page_tools import (
    MAX_ANSWER_TEXT,
    PageTools,
    Question,
    ToolParams,
    ToolWorker,
)
from crfclean.types import CrfcleanError

NAME = "moorland-gazette/sunday-bus-reprieve.html"
QUOTE = "More than 1,900 people signed a petition against the cut"


@pytest.fixture(scope="module")
def pages(demo: Path, model: Path) -> PageTools:
    return PageTools(ToolParams(str(model), demo))


@pytest.fixture(scope="module")
def html(demo: Path) -> str:
    return (demo / NAME).read_text("utf-8")


def test_clean_gives_the_text(pages: PageTools, html: str, model: Path) -> None:
    answer = pages.clean(html, "txt")
    document = crfclean.clean(html, model=model)
    assert answer["text"] == crfclean.write(document, "txt")
    assert answer["title"] == document.blocks.title
    assert (answer["status"], answer["score"]) == ("ok", round(document.score, 4))
    assert not answer["is_cut"]
    assert pages.clean(html)["text"].startswith("# ")


def test_an_outline_leads_to_blocks(pages: PageTools) -> None:
    outline = pages.outline(NAME)["blocks"]
    assert outline[0]["kind"] == "title"
    assert any(row.get("level") for row in outline)
    assert all(row["is_kept"] for row in outline)
    for row in outline[:5]:
        texts = [block["text"] for block in pages.block(NAME, row["xpath"])["blocks"]]
        assert any(text.startswith(row["text"]) for text in texts)


def test_answers_are_bounded(pages: PageTools) -> None:
    long = "<p>" + "</p><p>".join(["A long paragraph with many words, and more. " * 50] * 200)
    answer = pages.clean(f"<article>{long}</article>", "txt", "everything")
    assert answer["is_cut"]
    assert len(answer["text"]) == MAX_ANSWER_TEXT
    assert pages.block(f"<article>{long}</article>", "/html[1]")["is_cut"]
    with pytest.raises(CrfcleanError, match="more than 10,000,000"):
        pages.score("<" * 10_000_001)


def test_the_last_page_is_kept(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = PageTools(ToolParams(str(model)))
    read: list[str] = []

    def reading(page: str) -> tuple[str, None]:
        read.append(page)
        return page, None

    monkeypatch.setattr(mine, "_read", reading)
    for page in "<p>A", "<p>A", "<p>B", "<p>A":
        mine.score(page)
    assert read == ["<p>A", "<p>B", "<p>A"]
    mine.clean("<p>A", convention="everything")
    assert read[3:] == ["<p>A"]


def test_only_files_of_the_directory_are_read(pages: PageTools, tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>Secret</p>", "utf-8")
    inside = tmp_path / "pages"
    inside.mkdir()
    (inside / "link.html").symlink_to(secret)
    mine = PageTools(ToolParams(folder=inside))
    for name in ("../secret.html", str(secret), "link.html"):
        with pytest.raises(CrfcleanError, match="not in the directory"):
            mine.score(name)
    for name in ("none.html", "a\0b", "."):
        with pytest.raises(CrfcleanError, match="cannot be read"):
            mine.score(name)
    with pytest.raises(CrfcleanError, match="files are read only with --pages"):
        PageTools().score("none.html")


def test_urls_are_fetched_only_if_allowed(
    pages: PageTools, html: str, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fetched(url: str) -> Fetched:
        asked.append(url)
        return Fetched(f"{url}/final", html.encode())

    monkeypatch.setattr("crfclean.products.corpus.fetch.fetch", fetched)
    with pytest.raises(CrfcleanError, match="--allow-fetch"):
        pages.score("https://example.org/1")
    assert asked == []
    allowed = PageTools(ToolParams(str(model), fetches=True))
    citation = allowed.find_quote("https://example.org/1", QUOTE)["citation"]
    assert citation["url"].startswith("https://example.org/1/final#:~:text=")
    allowed.score("https://example.org/1")
    assert asked == ["https://example.org/1"]  # the page was kept


def texts_of(values: Mapping[str, Any]) -> Iterator[str]:
    """The hostile values that are HTML."""
    for value in values.values():
        text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
        if "<" in text and len(text) < 200_000:
            yield text


@pytest.mark.parametrize("text", list(texts_of(HOSTILE)))
def test_answers_are_json_on_any_page(pages: PageTools, text: str) -> None:
    for tool in (pages.clean, pages.outline, pages.score, pages.has_content):
        assert json.dumps(tool(text))


# in a worker process, within limits


LONG = (
    "<html><body>" + "<p>A paragraph with words, <b>some</b> of them bold, and more.</p>" * 45_000
)


@pytest.fixture
def worker(model: Path, demo: Path) -> Iterator[ToolWorker]:
    opened = ToolWorker(ToolParams(str(model), demo))
    yield opened
    opened.close()


def test_errors_are_raised_and_keep_the_process(worker: ToolWorker) -> None:
    worker.ask(Question("score", {"page": NAME}))
    (process,) = [each.process for each in worker._pool._workers]
    with pytest.raises(CrfcleanError, match="no block at '/none'"):
        worker.ask(Question("block", {"page": NAME, "xpath": "/none"}))
    with pytest.raises(CrfcleanError, match="no convention 'blog'"):
        worker.ask(Question("clean", {"page": NAME, "convention": "blog"}))
    assert worker.ask(Question("score", {"page": NAME}))["status"] == "ok"
    assert [each.process for each in worker._pool._workers] == [process]


def test_a_slow_page_ends_its_process_alone(model: Path) -> None:
    worker = ToolWorker(ToolParams(str(model)), TaskLimits(max_seconds=3.0))
    worker._pages = SleepyTools(ToolParams(str(model)))
    score = Question("score", {"page": "<p>Home"})
    answer = worker.ask(score)
    (process,) = [each.process for each in worker._pool._workers]
    with pytest.raises(CrfcleanError, match="it took more than 3 s"):
        worker.ask(Question("clean", {"page": "<p>Home"}))
    assert worker.ask(score) == answer
    assert not process.is_alive()
    worker.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory needs Linux")
def test_a_page_that_needs_too_much_memory_is_told(model: Path) -> None:
    worker = ToolWorker(ToolParams(str(model)), TaskLimits(max_memory=20))
    with pytest.raises(CrfcleanError, match="memory"):
        worker.ask(Question("clean", {"page": LONG}))
    assert worker.ask(Question("score", {"page": "<p>Home"}))["blocks"] == 1
    worker.close()
