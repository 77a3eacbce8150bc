"""Records of a site -> its threads, a text or a row for each page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from crfclean._version import __version__
from crfclean.corpus.limits import (
    PageLimits,
)
from crfclean.corpus.operation import (
    OK,
    OVER_BLOCKS,
    PageInput,
    PageOutput,
)
from crfclean.corpus.record import Record
from crfclean.corpus.records import Fields
from crfclean.forum.dates import open_library
from crfclean.forum.gold import RULES, read_rules, select
from crfclean.forum.model import ForumModel
from crfclean.forum.output import WRITERS, to_dict
from crfclean.forum.pairing import GoldPost
from crfclean.forum.posts import NO_POSTS, ForumOptions, Reading, Thread, read, threads
from crfclean.gold.pages import stem
from crfclean.page.decode import decode
from crfclean.types import Page
from crfclean.writers.json import json_row

MAX_PAGES = 50  # of a site that are read together; the next ones are another group


@dataclass(frozen=True, slots=True)
class ForumOperation:
    """How threads are made of pages; an `Operation`.

    `format` is that of texts, `reading` what is known of the pages. With `steps` what was found on
    the way is written there, at the place that the pages' directory has below `root`.
    """

    model: ForumModel
    format: str = "jsonl"
    reading: ForumOptions = field(default_factory=ForumOptions)
    limits: PageLimits = field(default_factory=PageLimits)
    fields: Fields = field(default_factory=Fields)
    steps: Path | None = None
    root: Path = Path()

    @property
    def site_pages(self) -> int:
        """The pages of a site help each other."""
        return MAX_PAGES

    @property
    def options(self) -> Mapping[str, Any]:
        """What rows depend on."""
        return {
            "command": "forum",
            "version": __version__,
            "model": self.model.fingerprint,
            "language": self.reading.language,
            "fetched": self.reading.fetched and self.reading.fetched.isoformat(),
        }

    def prepare(self, inputs: tuple[PageInput, ...]) -> None:  # noqa: ARG002
        """Open what reads dates, once a process."""
        open_library()

    def make(self, records: Sequence[Record], *, retried: bool = False) -> Sequence[PageOutput]:
        """Read the pages of a site together, and make a thread of each."""
        pages = [self._page(record) for record in records]
        found = read(pages, self.model, self.limits.max_blocks)
        if self.steps is not None and pages and not retried:
            self._write_steps(found, [Path(record.id) for record in records], self.steps)
        made = threads(found, self.reading)
        return [
            self._made(thread, outline.page.truncated)
            for thread, outline in zip(made, found.outlines, strict=True)
        ]

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """The row of a thread without posts."""
        return self._row(record, Thread(record.url or "", "", (), status), message, "")

    def _page(self, record: Record) -> Page:
        return decode(record.data, record.url, record.charset, self.limits.max_bytes)

    def _made(self, thread: Thread, truncated: str) -> PageOutput:
        status = NO_POSTS if thread.status == OK and not thread.posts else thread.status
        message = "" if thread.posts else f"no posts ({thread.status})"
        if status == OVER_BLOCKS:
            message = self.limits.over_blocks
        return PageOutput(
            status,
            message,
            partial(WRITERS[self.format], thread) if thread.posts else None,
            partial(self._row, thread=thread, message=message, truncated=truncated),
            truncated,
            thread.score,
            len(thread.posts),
        )

    def _row(self, record: Record, thread: Thread, message: str, truncated: str) -> bytes:
        facts = {"id": record.id, "date": record.date, "message": message}
        facts |= {"model": self.model.fingerprint, "truncated": record.truncated}
        return json_row(to_dict(thread), facts, truncated)

    def _write_steps(self, found: Reading, paths: Sequence[Path], steps: Path) -> None:
        """Write what was found on the way; standard input has no directory but the root."""
        folder = paths[0].parent if paths[0].is_file() else self.root
        inside = folder.relative_to(self.root) if self.root.is_dir() else Path()
        names = [stem(path) for path in paths]
        from crfclean.forum.papers.steps import write_steps

        write_steps(found, names, steps / inside, annotated(folder, found.pages))


def annotated(folder: Path, pages: Sequence[Page]) -> list[list[GoldPost]] | None:
    """The posts of pages by the rules that stand beside them, None where none do."""
    if not (folder / RULES).is_file():
        return None
    rules = read_rules(folder / RULES)
    return [list(select(page.html, rules)) for page in pages]
