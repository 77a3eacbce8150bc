"""One page of a corpus, or what is known of a page that is lost."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.corpus.streams import Damage


@dataclass(frozen=True, slots=True)
class Record:
    """One page of a file, as bytes or text, with the metadata that the file has.

    `charset` is that of its HTTP header, `truncated` the crawler's reason to cut it. `problem` says
    why there is no page; without an `id` nothing is known but that something is lost.
    """

    id: str
    data: bytes | str = b""
    url: str | None = None
    date: str = ""
    charset: str = ""
    truncated: str = ""
    problem: str = ""


def damaged_record(damage: Damage) -> Record:
    """The record of a loss of which nothing else is known."""
    return Record("", problem=f"{damage.message}, at byte {damage.at:,} of what is unpacked")
