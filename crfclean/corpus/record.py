"""Damage -> `Record`: one page of a corpus, or what is known of a page that is lost."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.corpus.streams import Damage


@dataclass(frozen=True, slots=True)
class Record:
    """One page of a file, as bytes or text, and what the file tells of it.

    `charset` is that of its HTTP header, `truncated` what the crawler says. `problem` says why
    there is no page; without an `id` nothing is known of it but that something is lost.
    """

    id: str
    data: bytes | str = b""
    url: str | None = None
    date: str = ""
    charset: str = ""
    truncated: str = ""
    problem: str = ""


def damaged_record(damage: Damage) -> Record:
    """A record of what was lost where nothing else is known."""
    return Record("", problem=f"{damage.message}, at byte {damage.at:,} of what is unpacked")
