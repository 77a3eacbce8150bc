"""The operation that turns many forum pages, site by site, into threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crfclean._version import __version__
from crfclean.corpus.operation import (
    JOINED,
    OK,
    OVER_BLOCKS,
    PageInput,
    Result,
)
from crfclean.corpus.records import Fields, Record
from crfclean.corpus.tasks import (
    PageLimits,
)
from crfclean.forum.joining import joined_in_place
from crfclean.forum.model import ForumModel
from crfclean.forum.posts import NO_POSTS, ForumOptions, read_site, threads
from crfclean.forum.thread import THREAD_WRITERS, Thread, thread_to_dict
from crfclean.page.decode import decode
from crfclean.types import Page
from crfclean.writers.json import json_row

MAX_SITE_PAGES = 50  # of a site that are read together; further pages are read in another group


@dataclass(frozen=True, slots=True)
class ForumOperation:
    """The `Operation` that turns pages into threads.

    `format` is the format of texts. With `joins`, pages of one thread that are read together become
    one thread.
    """

    model: ForumModel
    format: str = "jsonl"
    reading: ForumOptions = field(default_factory=ForumOptions)
    limits: PageLimits = field(default_factory=PageLimits)
    fields: Fields = field(default_factory=Fields)
    joins: bool = True

    @property
    def site_pages(self) -> int:
        """The number of pages of a site that are read together, since they help each other."""
        return MAX_SITE_PAGES

    @property
    def signer(self) -> None:
        """None: duplicates are kept."""
        return

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that the rows depend on."""
        return {
            "command": "forum",
            "version": __version__,
            "model": self.model.fingerprint,
            "language": self.reading.language,
            "fetched": self.reading.fetched and self.reading.fetched.isoformat(),
            "joins": self.joins,
        }

    def prepare(self, item: Any) -> None:
        """Nothing is loaded on first use."""

    def make(self, inputs: Sequence[PageInput], records: Sequence[Record]) -> Sequence[Result]:
        """Read the pages of a site together, and make a thread of each."""
        limit = self.limits.max_bytes
        pages = [decode(record.data, record.url, record.charset, limit) for record in records]
        reading = read_site(pages, self.model, self.limits.max_blocks)
        site_threads = threads(reading, self.reading)
        if self.joins:
            site_threads = joined_in_place(site_threads, [record.id for record in records])
        truncated = [
            record.cuts(outline.page.truncated)
            for record, outline in zip(records, reading.outlines, strict=True)
        ]
        made = zip(inputs, records, pages, site_threads, truncated, strict=True)
        return [self._result(*values) for values in made]

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """The row of a thread without posts."""
        return self._row(
            record, Thread(record.url or "", "", (), status), message, record.truncated
        )

    def _result(
        self, page_input: PageInput, record: Record, page: Page, thread: Thread, truncated: str
    ) -> Result:
        status = NO_POSTS if thread.status == OK and not thread.posts else thread.status
        message = "" if thread.posts else f"no posts ({thread.status})"
        if thread.status == JOINED:
            message = f"joined with {thread.joined_to}"
        if status == OVER_BLOCKS:
            message = self.limits.over_blocks
        result = Result(
            page_input.job,
            status,
            message,
            truncated,
            score=thread.score,
            items=len(thread.posts),
            empty_items=thread.posts_without_words,
            encoding_guessed=page.encoding_guessed,
        )
        if page_input.record is not None:
            line = self._row(record, thread, message, truncated)
            return replace(result, record=record.id, line=line)
        is_written = (thread.posts or thread.status == JOINED) and not result.failed
        return replace(result, text=THREAD_WRITERS[self.format](thread)) if is_written else result

    def _row(self, record: Record, thread: Thread, message: str, truncated: str) -> bytes:
        facts = {"id": record.id, "date": record.date, "message": message}
        return json_row(
            thread_to_dict(thread), facts | {"model": self.model.fingerprint}, truncated
        )
