"""Turn many forum pages into threads, site by site, and one page into labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from crfclean._version import __version__
from crfclean.decision.expected import expected_f1
from crfclean.document.columns import ROW_VERSION, AddedColumns
from crfclean.document.json import json_row
from crfclean.document.page_text import OK, OVER_BLOCKS, too_many_blocks
from crfclean.io import digest
from crfclean.model.folder import MANIFEST, find_model
from crfclean.page.blocks import as_blocks
from crfclean.page.decode import decode
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import JOINED, PageInput, Result
from crfclean.products.corpus.params import Fields, PageLimits
from crfclean.products.corpus.records import Record
from crfclean.products.forum.choose import LabelledGroup
from crfclean.products.forum.fields import COMM
from crfclean.products.forum.joining import joined_in_place
from crfclean.products.forum.model import ForumModel, load_forum_model
from crfclean.products.forum.post_ends import no_words
from crfclean.products.forum.post_words import topic
from crfclean.products.forum.posts import NO_POSTS, ForumOptions, read_blocks, read_site, threads
from crfclean.products.forum.records import INSIDE
from crfclean.products.forum.thread import Thread
from crfclean.products.forum.thread_writers import THREAD_WRITERS, thread_to_dict
from crfclean.systems.capabilities import elements_of
from crfclean.types import Blocks, Floats, Label, Page, Tags

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
    def columns(self) -> AddedColumns:
        """Rows have no further columns."""
        return AddedColumns()

    @property
    def site_pages(self) -> int:
        """The number of pages of a site that are read together, since they help each other."""
        return MAX_SITE_PAGES

    @property
    def signer(self) -> None:
        """None: duplicates are kept."""
        return

    @property
    def by_site(self) -> bool:
        """False: no texts are counted."""
        return False

    def site_texts(self, record: Record) -> tuple[str, Sequence[int]]:  # noqa: ARG002 - as `Operation`
        """Return nothing."""
        return "", ()

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that the rows depend on."""
        return {
            "command": "forum",
            "version": __version__,
            "row": ROW_VERSION,
            "model": self.model.fingerprint,
            "language": self.reading.language,
            "fetched": self.reading.fetched and self.reading.fetched.isoformat(),
            "joins": self.joins,
        }

    def prepare(self, item: Any) -> None:
        """Nothing is loaded on first use."""

    def make(self, inputs: Sequence[PageInput]) -> Sequence[Result]:
        """Read the pages of a site together, and make a thread of each."""
        limit, records = self.limits.max_bytes, [each.record for each in inputs]
        pages = [decode(record.data, record.url, record.charset, limit) for record in records]
        reading = read_site(pages, self.model, self.limits.max_blocks)
        site_threads = threads(reading, self.reading)
        if self.joins:
            site_threads = joined_in_place(site_threads, [record.id for record in records])
        truncated = [
            record.cuts(outline.page.truncated)
            for record, outline in zip(records, reading.outlines, strict=True)
        ]
        jobs = [each.job for each in inputs]
        made = zip(jobs, records, pages, site_threads, truncated, strict=True)
        return [self._result(*values) for values in made]

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """The row of a thread without posts."""
        return self._row(
            record, Thread(record.url or "", "", (), status), message, record.truncated
        )

    def _result(
        self, job: Job, record: Record, page: Page, thread: Thread, truncated: str
    ) -> Result:
        status = NO_POSTS if thread.status == OK and not thread.posts else thread.status
        message = "" if thread.posts else f"no posts ({thread.status})"
        if thread.status == JOINED:
            message = f"joined with {thread.joined_to}"
        if status == OVER_BLOCKS:
            message = too_many_blocks(self.limits.max_blocks)
        result = Result(
            job,
            status,
            message,
            truncated,
            score=thread.score,
            items=len(thread.posts),
            empty_items=thread.posts_without_words,
            encoding_guessed=page.encoding_guessed,
        )
        if job.shard:
            line = self._row(record, thread, message, truncated)
            return replace(result, record=record.id, line=line)
        is_written = (thread.posts or thread.status == JOINED) and not result.failed
        return replace(result, text=THREAD_WRITERS[self.format](thread)) if is_written else result

    def _row(self, record: Record, thread: Thread, message: str, truncated: str) -> bytes:
        facts = {"id": record.id, "crawled": record.crawled, "message": message}
        return json_row(
            thread_to_dict(thread), facts | {"model": self.model.fingerprint}, truncated
        )


# the tagger of forum pages: the title is HEADER, the posts' words TEXT, all else OTHER

_LEAST = 0.5  # probability of TEXT of a post's words
_OUTSIDE = 0.02  # probability of TEXT outside posts
_HEADING = 0.9  # probability of HEADER for the title


@dataclass(frozen=True)
class ForumTagger:
    """A tagger with a forum model; pickled, it carries only its folder."""

    name: ClassVar[str] = "forum"
    picture: ClassVar[str] = "thread"

    folder: Path

    def __reduce__(self) -> tuple[type[ForumTagger], tuple[Path]]:
        return ForumTagger, (self.folder,)

    @cached_property
    def model(self) -> ForumModel:
        """The model, loaded on first use."""
        return load_forum_model(self.folder)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the model; raises `ModelError`."""
        return digest((self.folder / MANIFEST).read_bytes())

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Label a page's blocks by the probabilities of posts' words; all OTHER without posts."""
        blocks = as_blocks(blocks, elements_of(self))
        reading = read_blocks([(Page(""), blocks)], self.model)
        group = reading.chosen[0]
        if group is None:
            return _tags(blocks, np.zeros(len(blocks)), -1)
        return _tags(blocks, _words(blocks, group, reading.corrected[0]), _title(blocks, group))

    def open(self) -> None:
        """Open the model."""
        _ = self.model

    def thread(self, page: Page, blocks: Blocks) -> Thread:
        """Return the posts of a page, as `crfclean forum` does for a single page."""
        return threads(read_blocks([(page, blocks)], self.model))[0]


def open_forum_tagger(model: str | Path = "forum") -> ForumTagger:
    """The tagger of a forum model, which is read with the first page; raises `ModelError`."""
    return ForumTagger(find_model(model))


def _words(blocks: Blocks, group: LabelledGroup, corrected: Floats) -> Floats:
    """Probability that each block is a post's words (n,): the highest of its fields in bodies."""
    page_fields = group.fields
    inside = page_fields.records.side[page_fields.runs] == INSIDE
    inside &= ~no_words(group, corrected)[page_fields.runs]
    words = np.zeros(len(blocks))
    kept = np.maximum(corrected[inside, COMM], _LEAST)
    np.maximum.at(words, blocks.table.run_block[page_fields.runs[inside]], kept)
    return words


def _title(blocks: Blocks, group: LabelledGroup) -> int:
    """Place of the block that is the thread's title, -1 for none."""
    records = group.fields.records
    title = topic(records.page, records.start)
    limit = int(records.start[0])
    for block in dict.fromkeys(blocks.table.run_block[: limit + 1].tolist()):
        if blocks.texts[block] == title:
            return int(block)
    return -1


def _tags(blocks: Blocks, words: Floats, title: int) -> Tags:
    text = np.where(words > 0, words, _OUTSIDE)
    labels = np.where(words > 0, Label.TEXT, Label.OTHER).astype(np.int32)
    marginals = np.column_stack([np.zeros(len(blocks)), text, 1.0 - text])
    if title >= 0:
        labels[title] = Label.HEADER
        marginals[title] = (_HEADING, 0.0, 1.0 - _HEADING)
    kept = labels != Label.OTHER
    return Tags(labels, marginals, expected_f1(1.0 - marginals[:, 2], blocks.words, kept))
