"""Lines of JSON, one a page -> a shard: JSONL, plain or packed, or Parquet; kept through kills.

Lines are gathered in members, each packed and written at once to `TARGET.part`; a journal beside
it, `TARGET.journal`, tells after each of them how many records are done and how long the part is.
A killed run goes on from the last line of the journal; members are cut alike whatever happens,
so the bytes are those of a run that nobody killed. At the end the part takes its target's name.
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

from crfclean.corpus.streams import zstandard
from crfclean.types import CrfcleanError

MEMBER_RECORDS = 64  # a kill costs no more work than this
MEMBER_BYTES = 4 * 2**20


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _xz(data: bytes) -> bytes:
    return lzma.compress(data, preset=3)


def _zst(data: bytes) -> bytes:
    packed: bytes = zstandard().pack(data)
    return packed


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "jsonl": bytes,
    "jsonl.gz": _gzip,
    "jsonl.xz": _xz,
    "jsonl.zst": _zst,
    "parquet": _gzip,  # of the part, that becomes Parquet at the end
}
"""Ending of a shard -> what packs its members."""

ROW_ENDINGS = tuple(ending for ending in PACKERS if ending != "parquet")
"""Endings of shards that hold rows of any shape."""


def parquet() -> Any:
    """The module for Parquet (extra `parquet`); raises `CrfcleanError` without it."""
    try:
        return import_module("crfclean.corpus.parquet")
    except ImportError as error:
        raise CrfcleanError("Parquet needs its extra: pip install 'crfclean[parquet]'") from error


def check_ending(ending: str) -> None:
    """Raise `CrfcleanError` now where a shard's ending needs an extra that is not there."""
    if ending == "parquet":
        parquet()
    PACKERS[ending](b"")


@dataclass(slots=True)
class State:
    """How far a shard is: records done, bytes of its part, and what became of the records.

    `tail` are the lines of the `since` last records, whose member is not full yet.
    """

    records: int = 0
    size: int = 0
    since: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    tail: list[str] = field(default_factory=list)


class Shard:
    """One shard being written. What is done of it already is in `state` from the start.

    With `resume` a part is gone on with; it must have been made with the same `options`.
    Raises `CrfcleanError` where it was not, `OSError` where nothing can be written.
    """

    def __init__(
        self, target: Path, ending: str, options: Mapping[str, Any], *, resume: bool = False
    ) -> None:
        self._target, self._ending = target, ending
        self._part, self._journal_path = _beside(target)
        known = _read_journal(self._journal_path, options) if resume else None
        self.state = _usable(known or [], self._part)
        self._lines = [line.encode() for line in self.state.tail]
        target.parent.mkdir(parents=True, exist_ok=True)
        self._stream = _open_at(self._part, self.state.size)
        self._journal = _new_journal(self._journal_path, options, self.state)

    def add(self, line: bytes, outcome: str) -> None:
        """Write a record's line (none for a record without one), and count what became of it."""
        self.state.records += 1
        self.state.counts[outcome] += 1
        self.state.since += 1
        if line:
            self._lines.append(line)
        if self.state.since >= MEMBER_RECORDS or sum(map(len, self._lines)) >= MEMBER_BYTES:
            self._write_member()

    def finish(self) -> None:
        """Write what is left, and give the shard its name."""
        self._write_member(last=True)
        self._close()
        if self._ending == "parquet":
            made = self._part.with_name(self._part.name + ".made")
            parquet().write(self._part, made)
            made.replace(self._part)
        self._part.replace(self._target)
        self._journal_path.unlink(missing_ok=True)

    def leave(self) -> None:
        """Note what is done, for a run that goes on; what cannot be noted will be done again."""
        self.state.tail = [line.decode() for line in self._lines]
        with suppress(OSError):
            self._note()
        self.drop()

    def drop(self) -> None:
        """Close the files after an error; the journal tells how far they are right."""
        for stream in (self._stream, self._journal):
            with suppress(OSError):  # what could not be written before cannot be now
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
    """A shard that goes to a stream as it is, line by line: standard output, a device."""

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
        """Close the stream, unless it is standard output, that others write to as well."""
        if self._stream is not sys.stdout.buffer:
            self._stream.close()

    leave = drop = finish


def is_done(target: Path) -> bool:
    """Whether a shard was finished by a run before."""
    return target.is_file()


def _beside(target: Path) -> tuple[Path, Path]:
    """Where the part and the journal of a shard lie."""
    return target.with_name(target.name + ".part"), target.with_name(target.name + ".journal")


def _journal_line(state: State) -> str:
    told = {"records": state.records, "size": state.size, "since": state.since}
    return json.dumps({**told, "counts": dict(state.counts), "tail": state.tail}) + "\n"


def _read_journal(path: Path, options: Mapping[str, Any]) -> list[State] | None:
    """The states of a journal, None if there is none; a last line that was cut does not count."""
    try:
        first, *lines = path.read_text("utf-8").split("\n")
        known = json.loads(first)
    except (FileNotFoundError, ValueError):
        return None
    if known != json.loads(json.dumps(options)):
        raise CrfcleanError(
            f"{path}: of a run with another input or other options: "
            "repeat them, or start anew without --resume"
        )
    return list(_states(lines[:-1]))


def _states(lines: list[str]) -> Iterator[State]:
    """The states that a journal's lines tell, up to the first that is damaged."""
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
    """A part, cut to the bytes that are known to be right."""
    stream = path.open("r+b" if path.is_file() and size else "wb")
    stream.truncate(size)
    stream.seek(size)
    return stream


def _new_journal(path: Path, options: Mapping[str, Any], state: State) -> IO[str]:
    """A journal with the state so far, put in the place of an older one at once."""
    new = path.with_name(path.name + ".new")
    stream = new.open("w", encoding="utf-8")
    stream.write(json.dumps(dict(options)) + "\n" + _journal_line(state))
    stream.flush()
    new.replace(path)
    return stream
