"""Tests of `adapters/scrapy.py` with a real crawl of a server on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("scrapy", reason="pip install 'crfclean[scrapy]'")

import attrs
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

import crfclean
from crfclean.products.adapters.scrapy import CrfcleanPipeline

SPIDER = """
import sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Pages(scrapy.Spider):
    name = "pages"
    start_urls = sys.argv[3:]

    def parse(self, response):
        yield {"url": response.url, "html": response.body}
        yield {"url": response.url, "other": "no page in this item"}

process = CrawlerProcess({
    "ITEM_PIPELINES": {"crfclean.products.adapters.scrapy.CrfcleanPipeline": 300},
    "CRFCLEAN_MODEL": sys.argv[1],
    "CRFCLEAN_DROP_SOURCE": True,
    "FEEDS": {sys.argv[2]: {"format": "jsonlines"}},
    "STATS_DUMP": True,
    "TELNETCONSOLE_ENABLED": False,
    REACTOR
})
process.crawl(Pages)
process.start()
"""
REACTORS = {
    "asyncio": "",
    "select": '"TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor",',
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site(demo: Path) -> Iterator[str]:
    """The address of a server of the demo pages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(demo)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("reactor", REACTORS)
def test_a_crawl_gives_clean_items(
    reactor: str, site: str, demo: Path, model: Path, tmp_path: Path
) -> None:
    files = sorted(demo.rglob("*.html"))[:8]
    urls = {f"{site}/{file.relative_to(demo).as_posix()}": file for file in files}
    out = tmp_path / "items.jsonl"
    code = SPIDER.replace("REACTOR", REACTORS[reactor])
    done = subprocess.run(
        [sys.executable, "-c", code, str(model), str(out), *urls],
        capture_output=True,
        env=os.environ | {"PYTHONPATH": str(demo.parent.parent)},
        timeout=120,
        check=False,
    )
    told = done.stderr.decode("utf-8", "replace")
    assert done.returncode == 0, told
    assert "'crfclean/ok': 8" in told
    assert "'crfclean/skipped': 8" in told
    assert "Deprecat" not in told
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    found = {row["url"]: row for row in rows if "other" not in row}
    assert set(found) == set(urls)
    for url, file in urls.items():
        document = crfclean.clean(file.read_bytes(), model=model)
        assert found[url]["text"] == document.text
        assert found[url]["score"] == round(document.score, 4)
        assert found[url]["status"] == "ok"
        assert found[url]["html"] is None
    assert all(set(row) == {"url", "other"} for row in rows if "other" in row)


# items of every sort, without a crawl


@pytest.fixture
def html(demo: Path) -> str:
    return (demo / "moorland-gazette" / "storm-chapel-roof.html").read_text("utf-8")


def pipeline(model: Path, **settings: object) -> CrfcleanPipeline:
    """The pipeline with these settings."""
    return CrfcleanPipeline.from_crawler(
        get_crawler(settings_dict={"CRFCLEAN_MODEL": str(model), **settings})
    )


def process(item: object, model: Path, **settings: object) -> Any:
    return asyncio.run(pipeline(model, **settings).process_item(item))


def test_items_of_zyte_common_items(html: str, model: Path) -> None:
    items = pytest.importorskip("zyte_common_items", reason="pip install zyte-common-items")

    @attrs.define(kw_only=True)
    class Page(items.Article):  # type: ignore[misc, name-defined]
        html: str | None = None

    page = Page(url="https://example.org/1", html=html)  # type: ignore[call-arg]
    item = process(page, model, CRFCLEAN_DROP_SOURCE=True)
    assert item.articleBody == crfclean.clean(html, model=model).text
    assert item.headline.startswith("Storm leaves")
    assert item.metadata is None, "our score is not Zyte's probability that this is an article"
    assert item.url == "https://example.org/1"


def test_a_response_is_a_page(html: str, model: Path) -> None:
    given = HtmlResponse("https://example.org/1", body=html.encode(), encoding="utf-8")
    found = process({"html": given}, model)
    assert found["text"] == crfclean.clean(html, model=model).text
    binary = Response("https://example.org/2", body=b"%PDF-1.7")
    assert process({"html": binary}, model)["status"] == "binary"
