"""One page of a corpus, or what is known of a page that is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from crfclean.corpus.pickled import pickled_by_fields
from crfclean.corpus.streams import Damage


@pickled_by_fields
@dataclass(frozen=True, slots=True)
class Record:
    """One page of a file, as bytes or text, with the metadata that the file has.

    `charset` is that of its HTTP header, `truncated` the crawler's reason to cut it. `problem` says
    why there is no page; without an `id` nothing is known but that something is lost. `read` reads
    a record of which little is known yet but how many bytes it has, its `length`.
    """

    id: str
    data: bytes | str = b""
    url: str | None = None
    date: str = ""
    charset: str = ""
    truncated: str = ""
    problem: str = ""
    length: int = 0
    read: Callable[[], Record] | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        """Bytes (or characters) of the page, read or not."""
        return len(self.data) + self.length

    @property
    def opened(self) -> Record:
        """The record with all that is known of it; raises `CrfcleanError` for a changed file."""
        return self if self.read is None else self.read()


def damaged_record(damage: Damage) -> Record:
    """The record of a loss of which nothing else is known."""
    return Record("", problem=f"{damage.message}, at byte {damage.at:,} of what is unpacked")
