"""Join the threads in the rows of a finished shard, wherever its rows stand.

The rows are read three times: once for the keys of their threads, once more for those rows whose
key others have, and once to write the shard. Memory is some 40 bytes a row, and the rows of one key
(at most `MAX_ROWS`); a copy of the unpacked rows lies beside the shard meanwhile.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from crfclean.corpus.endings import PACKERS
from crfclean.corpus.lock import Lock
from crfclean.corpus.operation import JOINED, OK
from crfclean.corpus.retry import read_rows
from crfclean.corpus.shards import MEMBER_RECORDS, WorkPaths
from crfclean.forum.joining import joined_in_place, thread_groups
from crfclean.forum.output import thread_from_dict, thread_to_dict
from crfclean.forum.thread import Thread
from crfclean.forum.thread_keys import page_key

MAX_ROWS = 2_000  # of one key that are in memory together; further ones are joined by themselves
_NO_KEY = 0


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows whose posts went to another row, and those that share a title alone and stay apart."""

    joined: int = 0
    apart: int = 0


def join_rows(target: Path, ending: str) -> RowCounts:
    """Join the threads of a shard of rows in place; it stays as it is if there are none to join.

    Raises `CrfcleanError` where another run writes it, or its rows cannot be read.
    """
    lock = Lock(WorkPaths(target).lock, target)
    try:
        with (
            tempfile.TemporaryFile(dir=target.parent) as lines,
            tempfile.TemporaryFile(dir=target.parent) as changed,
        ):
            rows = _Rows(lines, changed)
            rows.read(target, ending)
            counts = rows.join()
            if counts.joined:
                _write(target, ending, rows.lines())
    finally:
        lock.release()
    return counts


class _Rows:
    """The rows of a shard in a temporary file, and those that change in another."""

    def __init__(self, lines: IO[bytes], changed: IO[bytes]) -> None:
        self._lines, self._changed = lines, changed
        self._starts, self._keys = array("q"), array("Q")
        self._places = array("q")  # of changed rows in their file, -1 for others
        self._moved = dict[str, str]()  # ids of rows with other pages' posts -> where these are now

    def read(self, target: Path, ending: str) -> None:
        """Keep the lines of a shard, and the key of each."""
        for row in read_rows(target, ending):
            self._starts.append(self._lines.tell())
            self._places.append(-1)
            self._keys.append(_digest(json.loads(row.line)) if row.status == OK else _NO_KEY)
            self._lines.write(row.line)

    def join(self) -> RowCounts:
        """Join the rows of each key that several rows have."""
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
        """Join some rows as far as they are of one thread."""
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
        """Replace a row by that of a thread."""
        had_pages = bool(row["pages"])
        row |= thread_to_dict(thread)
        if thread.status == JOINED:
            row["message"] = f"joined with {thread.joined_to}"
            if had_pages:
                self._moved[row["id"]] = thread.joined_to
        self._places[place] = self._changed.seek(0, 2)
        self._changed.write(_line_of(row))

    def _line(self, place: int) -> bytes:
        self._lines.seek(self._starts[place])
        return self._lines.readline()

    def lines(self) -> Iterator[bytes]:
        """All lines, in their order."""
        for place in range(len(self._starts)):
            if self._places[place] >= 0:
                self._changed.seek(self._places[place])
                yield self._changed.readline()
            else:
                yield self._followed(self._line(place))

    def _followed(self, line: bytes) -> bytes:
        """A line that names the row which has its page's posts now."""
        row = json.loads(line) if self._moved else {}
        if row.get("joinedTo") not in self._moved:
            return line
        row["joinedTo"] = self._moved[row["joinedTo"]]
        return _line_of(row | {"message": f"joined with {row['joinedTo']}"})


def _line_of(row: dict[str, Any]) -> bytes:
    return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _digest(row: dict[str, Any]) -> int:
    """A number for what the pages of a thread share, `_NO_KEY` where a row shares nothing."""
    key = page_key(row.get("url") or "", (row.get("topic") or {}).get("name", "")).maybe
    data = blake2b(key.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(data, "big") if key else _NO_KEY


def _write(target: Path, ending: str, lines: Iterator[bytes]) -> None:
    """Write a shard, member by member, and give it its name when it is complete."""
    made = WorkPaths(target).made
    try:
        with made.open("wb") as stream:
            while member := list(islice(lines, MEMBER_RECORDS)):
                stream.write(PACKERS[ending](b"".join(member)))
        made.replace(target)
    finally:
        made.unlink(missing_ok=True)
