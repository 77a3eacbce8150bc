"""Clean the HTML of Scrapy's items (extra `scrapy`)."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import run_in_thread

from crfclean.pipeline import CleanOptions
from crfclean.products.adapters.adapter import Cleaner, facts, text_of
from crfclean.types import Document, Label

__all__ = ["CrfcleanPipeline"]

_SOURCE, _TEXT = "html", "text"
_BODY, _HEADLINE = "articleBody", "headline"
"""The names of zyte-common-items' `Article`."""


class CrfcleanPipeline:
    """An item pipeline.

    `ITEM_PIPELINES = {"crfclean.products.adapters.scrapy.CrfcleanPipeline": 300}` switches it on.

    Settings, with their defaults:

    - CRFCLEAN_MODEL ("default"): the model.
    - CRFCLEAN_AS ("auto"), CRFCLEAN_KEEP, CRFCLEAN_COMMENTS and so on: the choices of `clean`.
    - CRFCLEAN_SOURCE ("html"): the field with the page, as str, bytes or a response.
    - CRFCLEAN_FIELD ("articleBody" if the item has it, else "text"): the field for the text.
    - CRFCLEAN_DROP_SOURCE (False): remove the page from the item.

    Items without a page pass unchanged. Dictionaries, and other items with such fields, also get
    `status`, `score` and `truncated`. An empty `headline` gets the page's main heading, if that is
    kept. Pages are cleaned in a thread, so that downloads go on. The crawl's stats count statuses.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self.cleaner = Cleaner(settings.get("CRFCLEAN_MODEL", "default"), **_options(settings))
        self.source = settings.get("CRFCLEAN_SOURCE", _SOURCE)
        self.field = settings.get("CRFCLEAN_FIELD")
        self.drop_source = settings.getbool("CRFCLEAN_DROP_SOURCE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> CrfcleanPipeline:
        """Make the pipeline by a project's settings; a bad model raises before the crawl."""
        pipeline = cls(crawler)
        pipeline.cleaner.clean("<p>The model is opened here.</p>")
        return pipeline

    async def process_item(self, item: Any) -> Any:
        """Clean the item's page in a thread, and return the item with its text."""
        adapter = ItemAdapter(item)
        page = adapter.get(self.source)
        if page is None:
            self._count("skipped")
            return item
        body, url = (page.body, page.url) if isinstance(page, Response) else (page, None)
        document = await run_in_thread(self.cleaner.clean, body, url or adapter.get("url"))
        self._count(document.status)
        self._fill(adapter, document)
        return item

    def _fill(self, adapter: ItemAdapter, document: Document) -> None:
        fields = set(adapter.field_names())
        if self.drop_source:
            adapter[self.source] = None
        adapter[self.field or (_BODY if _BODY in fields else _TEXT)] = text_of(document)
        for name, value in facts(document).items():
            if name in fields or isinstance(adapter.item, dict):
                adapter[name] = value
        if _HEADLINE in fields and not adapter.get(_HEADLINE):
            adapter[_HEADLINE] = first_heading(document)

    def _count(self, status: str) -> None:
        if self.crawler.stats is not None:
            self.crawler.stats.inc_value(f"crfclean/{status}")


def _options(settings: BaseSettings) -> CleanOptions:
    """Return the choices of a project's settings; a command line has numbers as text."""
    names = {name: f"CRFCLEAN_{name.rstrip('_').upper()}" for name in CleanOptions.__annotations__}
    options: Any = {
        name: settings[key] for name, key in names.items() if settings.get(key) not in (None, "")
    }
    limits = [name for name in ("precision", "threshold") if name in options]
    options |= {name: settings.getfloat(names[name]) for name in limits}
    chosen: CleanOptions = options
    return chosen


def first_heading(document: Document) -> str | None:
    """Return the first `h1` that is kept as a heading, None without one."""
    for index in document.kept:
        if document.tags.labels[index] == Label.HEADER and document.blocks[index].tag == "h1":
            return document.blocks[index].text
    return None
