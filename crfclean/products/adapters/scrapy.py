"""Clean the HTML of Scrapy's items (extra `scrapy`)."""

from __future__ import annotations

from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.utils.asyncio import run_in_thread

from crfclean.products.adapters.adapter import Cleaner, facts, text_of
from crfclean.types import Document, Label
from crfclean.types.choices import AUTO

__all__ = ["CrfcleanPipeline"]

_SOURCE, _TEXT = "html", "text"
_BODY, _HEADLINE = "articleBody", "headline"
"""The names of zyte-common-items' `Article`."""


class CrfcleanPipeline:
    """An item pipeline.

    `ITEM_PIPELINES = {"crfclean.products.adapters.scrapy.CrfcleanPipeline": 300}` switches it on.

    Settings, with their defaults:

    - CRFCLEAN_MODEL ("default"): the model.
    - CRFCLEAN_KEEP: kinds of blocks to keep; or CRFCLEAN_AS ("auto"): what belongs to the text.
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
        keep = tuple(settings.getlist("CRFCLEAN_KEEP"))
        convention = settings.get("CRFCLEAN_AS", AUTO)
        self.cleaner = Cleaner(settings.get("CRFCLEAN_MODEL", "default"), keep, convention)
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


def first_heading(document: Document) -> str | None:
    """Return the first `h1` that is kept as a heading, None without one."""
    for index in document.kept:
        if document.tags.labels[index] == Label.HEADER and document.blocks[index].tag == "h1":
            return document.blocks[index].text
    return None
