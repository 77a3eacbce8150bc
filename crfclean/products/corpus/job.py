"""A job of a command: its input, its kind, and where its text goes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from crfclean.io import digest
from crfclean.products.corpus.records import PAGE, STDIN, is_url


class Folders(NamedTuple):
    """A short name for the INs of a run, and the directory OUT of their outputs.

    Jobs carry these to other processes, so the name stands for all the INs.
    """

    source: str
    target: Path


class Job(NamedTuple):
    """One page to clean, or one corpus.

    A `source` is a file, or else a URL or "-", as in `page_of`; a `target` of None is standard
    output. `kind` is a kind of `records.file_kind`, or `FOLDER`. `shard` is the ending of the files
    of a corpus, "" if a page becomes a text. `refused` says why the job is not done. A corpus of
    many inputs (paths, URLs, "-") has `sources`, and its `source` stands for them in messages.
    `folders` are set in runs into a directory.
    """

    source: Path | str
    target: Path | None
    refused: str = ""
    kind: str = PAGE
    shard: str = ""
    sources: tuple[str, ...] = ()
    folders: Folders | None = None

    @property
    def is_folder(self) -> bool:
        """True for a corpus whose parts go to the directory OUT."""
        return bool(self.shard and self.folders and self.target == self.folders.target)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The paths, URLs and "-" that are read."""
        return self.sources or (self.name,)

    @property
    def name(self) -> str:
        """The name of the page in messages."""
        return str(self.source)


def source_name(sources: Sequence[str]) -> str:
    """Return a name for the inputs of a run: a path or URL, or their number and a digest."""
    names = [
        source if source == STDIN or is_url(source) else os.path.abspath(source)  # noqa: PTH100
        for source in sources
    ]
    return names[0] if len(names) == 1 else f"{len(names)} inputs {digest(*names)}"
