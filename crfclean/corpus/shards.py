"""Write shards of JSON lines, one a page: JSONL, plain or packed, or Parquet.

Lines are gathered in members, each packed and written at once to `TARGET.part`; after each of them
a journal beside it, `TARGET.journal`, notes how many records are done and how long the part is.
A killed run is resumed from the last line of the journal. Members begin at the same records
whatever happens, so the bytes are those of an uninterrupted run. At the end the part gets the
name of its target.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from crfclean.corpus.streams import zstd_module
from crfclean.types import CrfcleanError

MEMBER_RECORDS = 64  # a kill costs no more work than this
MEMBER_BYTES = 4 * 2**20


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=3)


def _zst(data: bytes) -> bytes:
    packed: bytes = zstd_module().pack(data)
    return packed


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "jsonl": bytes,
    "jsonl.gz": _gzip,
    "jsonl.xz": _xz,
    "jsonl.zst": _zst,
    "parquet": _gzip,  # of the part, which becomes Parquet at the end
}
"""Ending of a shard -> the function that packs its members."""

ROW_ENDINGS = tuple(ending for ending in PACKERS if ending != "parquet")
"""Endings of shards that hold rows of any shape."""


def parquet_module() -> Any:
    """The module for Parquet (extra `parquet`); raises `CrfcleanError` without it."""
    try:
        return import_module("crfclean.corpus.parquet")
    except ImportError as error:
        raise CrfcleanError("Parquet needs its extra: pip install 'crfclean[parquet]'") from error


def check_ending(ending: str) -> None:
    """Raise `CrfcleanError` early if a shard's ending needs an extra that is not installed."""
    if ending == "parquet":
        parquet_module()
    PACKERS[ending](b"")


@dataclass(slots=True)
class State:
    """How far a shard is: records done, bytes of its part, and counts of outcomes.

    `tail` are the lines of the `since` last records, whose member is not full yet.
    """

    records: int = 0
    size: int = 0
    since: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    tail: list[str] = field(default_factory=list)


class Shard:
    """One shard being written; from the start `state` has what is done of it.

    With `resume` an existing part is continued. Raises `CrfcleanError` if it was written with other
    `options`, `OSError` where nothing can be written.
    """

    def __init__(
        self, target: Path, ending: str, options: Mapping[str, Any], *, resume: bool = False
    ) -> None:
        self._target, self._ending = target, ending
        self._part, self._journal_path = _work_paths(target)
        states = _read_journal(self._journal_path, options) if resume else []
        self.state = _usable(states, self._part)
        self._lines = [line.encode() for line in self.state.tail]
        target.parent.mkdir(parents=True, exist_ok=True)
        self._stream = _open_at(self._part, self.state.size)
        self._journal = _new_journal(self._journal_path, options, self.state)

    def add(self, line: bytes, outcome: str) -> None:
        """Write a record's line (empty for a record without one), and count its outcome."""
        self.state.records += 1
        self.state.counts[outcome] += 1
        self.state.since += 1
        if line:
            self._lines.append(line)
        if self.state.since >= MEMBER_RECORDS or sum(map(len, self._lines)) >= MEMBER_BYTES:
            self._write_member()

    def finish(self) -> None:
        """Write the remaining lines, and give the shard its name."""
        self._write_member(last=True)
        self._close()
        if self._ending == "parquet":
            finished = self._part.with_name(self._part.name + ".made")
            parquet_module().write_parquet(self._part, finished)
            finished.replace(self._part)
        self._part.replace(self._target)
        self._journal_path.unlink(missing_ok=True)

    def leave(self) -> None:
        """Note what is done, for a run that resumes; what cannot be noted will be done again."""
        self.state.tail = [line.decode() for line in self._lines]
        with suppress(OSError):
            self._note()
        self.drop()

    def drop(self) -> None:
        """Close the files after an error; the journal says how far they are right."""
        for stream in (self._stream, self._journal):
            with suppress(OSError):  # what could not be written before cannot be written now
                stream.close()

    def _write_member(self, *, last: bool = False) -> None:
        if self._lines or (last and not self.state.size):  # a packed file has one member at least
            self._stream.write(PACKERS[self._ending](b"".join(self._lines)))
            self._stream.flush()
            os.fsync(self._stream.fileno())
            self.state.size = self._stream.tell()
        self._lines, self.state.since, self.state.tail = [], 0, []
        self._note()

    def _note(self) -> None:
        self._journal.write(_journal_line(self.state))
        self._journal.flush()

    def _close(self) -> None:
        self._stream.close()
        self._journal.close()


class Pipe:
    """A shard that goes to a stream line by line: standard output, a device."""

    def __init__(self, stream: IO[bytes], ending: str) -> None:
        self._stream, self._packer = stream, PACKERS[ending]
        self.state = State()

    def add(self, line: bytes, outcome: str) -> None:
        """Write a record's line."""
        self.state.records += 1
        self.state.counts[outcome] += 1
        if line:
            self._stream.write(self._packer(line))
            self._stream.flush()

    def finish(self) -> None:
        """Close the stream, unless it is standard output, which others also write to."""
        if self._stream is not sys.stdout.buffer:
            self._stream.close()

    leave = drop = finish


def is_done(target: Path) -> bool:
    """Whether an earlier run has finished a shard."""
    return target.is_file()


def _work_paths(target: Path) -> tuple[Path, Path]:
    """The paths of a shard's part and journal."""
    return target.with_name(target.name + ".part"), target.with_name(target.name + ".journal")


def _journal_line(state: State) -> str:
    sizes = {"records": state.records, "size": state.size, "since": state.since}
    return json.dumps({**sizes, "counts": dict(state.counts), "tail": state.tail}) + "\n"


def _read_journal(path: Path, options: Mapping[str, Any]) -> list[State]:
    """The states of a journal, none without one; a torn last line does not count."""
    try:
        first, *lines = path.read_text("utf-8").split("\n")
        journal_options = json.loads(first)
    except (FileNotFoundError, ValueError):
        return []
    if journal_options != json.loads(json.dumps(options)):
        raise CrfcleanError(
            f"{path}: written by a run with another input or other options: "
            "repeat them, or start again without --resume"
        )
    return list(_states(lines[:-1]))


def _states(lines: list[str]) -> Iterator[State]:
    """The states in a journal's lines, up to the first that is damaged."""
    for line in lines:
        try:
            row = json.loads(line)
            counts = Counter[str](row["counts"])
            yield State(row["records"], row["size"], row["since"], counts, row["tail"])
        except (ValueError, KeyError, TypeError):
            return


def _usable(states: list[State], part: Path) -> State:
    """The last state whose bytes are all there."""
    size = part.stat().st_size if part.is_file() else 0
    return next((state for state in reversed(states) if state.size <= size), State())


def _open_at(path: Path, size: int) -> IO[bytes]:
    """A part, opened behind the bytes that the journal confirms."""
    stream = path.open("r+b" if path.is_file() and size else "wb")
    stream.truncate(size)
    stream.seek(size)
    return stream


def _new_journal(path: Path, options: Mapping[str, Any], state: State) -> IO[str]:
    """A journal with the state so far, which replaces an older one atomically."""
    new = path.with_name(path.name + ".new")
    stream = new.open("w", encoding="utf-8")
    stream.write(json.dumps(dict(options)) + "\n" + _journal_line(state))
    stream.flush()
    new.replace(path)
    return stream
