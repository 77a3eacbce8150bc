"""Join the threads in the rows of a finished shard, wherever its rows stand."""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

import numpy as np

from crfclean.document.page_text import OK
from crfclean.products.corpus.jobs import JOINED
from crfclean.products.corpus.locks import Lock
from crfclean.products.corpus.outputs import lock_path
from crfclean.products.corpus.parts import RowFile
from crfclean.products.corpus.rows import read_rows
from crfclean.products.forum.joining import joined_in_place, page_key, thread_groups
from crfclean.products.forum.thread import Thread
from crfclean.products.forum.thread_writers import thread_from_dict, thread_to_dict
from crfclean.types import CrfcleanError

MAX_ROWS = 2_000  # of one key that are in memory together; further rows are joined separately
_NO_KEY = 0


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Numbers of rows whose posts went to another row, and of rows that only share a title."""

    joined: int = 0
    apart: int = 0


def join_rows(target: Path, ending: str) -> RowCounts:
    """Join the threads of a shard of rows in place; without any to join, no byte changes.

    Raises `CrfcleanError` if another run writes the shard, or its rows cannot be read.
    """
    lock = Lock(lock_path(target), target)
    try:
        with tempfile.TemporaryFile(dir=target.parent) as lines:
            rows = _Rows(lines)
            rows.read(target, ending)
            counts = rows.join()
            if counts.joined:
                with RowFile(target, ending) as file:
                    for line in rows.lines():
                        file.add(line)
    finally:
        lock.release()
    return counts


class _Rows:
    """The rows of a shard in a temporary file; a changed row is appended to the file."""

    def __init__(self, lines: IO[bytes]) -> None:
        self._lines = lines
        self._starts, self._keys = array("q"), array("Q")
        self._moved = dict[str, str]()  # id of a row that had joined posts -> of the row with them

    def read(self, target: Path, ending: str) -> None:
        """Keep the lines of a shard, and the key of each."""
        for line in read_rows(target, ending):
            try:
                row = json.loads(line)
                key = _digest(row) if row["status"] == OK else _NO_KEY
            except (ValueError, KeyError, TypeError) as error:
                raise CrfcleanError(f"{target} cannot be read: no row: {error}") from error
            self._starts.append(self._lines.tell())
            self._keys.append(key)
            self._lines.write(line)

    def join(self) -> RowCounts:
        """Join the rows of each key that two or more rows have."""
        keys = np.asarray(self._keys, np.uint64)
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=_NO_KEY)) if len(order) else order
        ends = np.append(starts[1:], len(order))
        joined = apart = 0
        for run in np.flatnonzero(ends - starts > 1).tolist():
            for start in range(int(starts[run]), int(ends[run]), MAX_ROWS):
                counts = self._join(order[start : min(start + MAX_ROWS, ends[run])].tolist())
                joined, apart = joined + counts.joined, apart + counts.apart
        return RowCounts(joined, apart)

    def _join(self, places: Sequence[int]) -> RowCounts:
        """Join the rows among these that belong to one thread."""
        rows = [json.loads(self._line(place)) for place in places]
        threads = [thread_from_dict(row) for row in rows]
        groups = thread_groups(threads)
        if len(groups) < len(rows):
            made = joined_in_place(threads, [row["id"] for row in rows])
            for group in groups:
                for at in group if len(group) > 1 else ():
                    self._change(places[at], rows[at], made[at])
        return RowCounts(len(rows) - len(groups), len(groups) - 1)

    def _change(self, place: int, row: dict[str, Any], thread: Thread) -> None:
        """Replace the row of a page by the row of its thread."""
        had_pages = bool(row["pages"])
        row |= thread_to_dict(thread)
        if thread.status == JOINED:
            row["message"] = f"joined with {thread.joined_to}"
            if had_pages:
                self._moved[row["id"]] = thread.joined_to
        self._starts[place] = self._lines.seek(0, 2)
        self._lines.write(_line_of(row))

    def _line(self, place: int) -> bytes:
        self._lines.seek(self._starts[place])
        return self._lines.readline()

    def lines(self) -> Iterator[bytes]:
        """All lines, in their order."""
        return (self._followed(self._line(place)) for place in range(len(self._starts)))

    def _followed(self, line: bytes) -> bytes:
        """Update the `joinedTo` of a line if its posts have moved to yet another row."""
        row = json.loads(line) if self._moved else {}
        if row.get("joinedTo") not in self._moved:
            return line
        row["joinedTo"] = self._moved[row["joinedTo"]]
        return _line_of(row | {"message": f"joined with {row['joinedTo']}"})


def _line_of(row: dict[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _digest(row: dict[str, Any]) -> int:
    """A number for the `maybe` key of a row's page, `_NO_KEY` if it has none."""
    key = page_key(row.get("url") or "", (row.get("topic") or {}).get("name", "")).maybe
    data = blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(data, "big") if key else _NO_KEY
