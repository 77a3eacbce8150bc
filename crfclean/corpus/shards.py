"""Write shards of rows slice by slice, with their journals."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from time import monotonic
from typing import IO, Any, NamedTuple

from crfclean.corpus.resume import Lock, ResumeParams, check_same, refuse_restart
from crfclean.corpus.rows import HEADS, PACKERS, RowGroup, parquet_module, part_lines
from crfclean.io import digest
from crfclean.types import CrfcleanError

# journals


@dataclass(slots=True)
class State:
    """The progress of a shard: slices and records done, bytes of its part, counts of outcomes.

    `at` is the byte of the file where the next slice begins, 0 if it begins at the planned cut.
    `left_out` counts by the reason the records that workers read and found to be no pages.
    """

    slices: int = 0
    records: int = 0
    size: int = 0
    at: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Journal:
    """A journal as it was read: the options of the run, and the states, oldest first.

    If `retried` is not 0, the failed pages among the first `retried` records are retried. All other
    rows of the finished shard are kept.
    """

    options: Mapping[str, Any]
    retried: int
    states: list[State]


def read_journal(path: Path) -> Journal | None:
    """Read the journal of an unfinished shard; None if it is missing or damaged.

    A torn last line does not count. Raises `OSError` if the journal cannot be read.
    """
    try:
        first, *lines = path.read_text("utf-8").split("\n")
        header = json.loads(first)
        return Journal(header["options"], int(header["retried"]), list(_states(lines[:-1])))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def begin_journal(path: Path, options: Mapping[str, Any], retried: int, state: State) -> IO[str]:
    """Write a journal with the state so far; it replaces an older journal atomically."""
    new = path.with_name(path.name + ".new")
    stream = new.open("w", encoding="utf-8")
    stream.write(json.dumps({"retried": retried, "options": dict(options)}) + "\n")
    write_state(stream, state)
    new.replace(path)
    return stream


def write_state(stream: IO[str], state: State) -> None:
    """Add a line with the state of a shard to its journal."""
    row = {field.name: getattr(state, field.name) for field in fields(State)}
    stream.write(json.dumps(row) + "\n")
    stream.flush()


def _states(lines: list[str]) -> Iterator[State]:
    for line in lines:
        try:
            row = json.loads(line)
            counters = {name: Counter[str](row[name]) for name in ("counts", "left_out")}
            yield State(**row | counters)
        except (ValueError, KeyError, TypeError):
            return


# shards
#
# The worker that has done a slice packs it, and the parent writes it to `TARGET.part`. Twice a
# second, when all bytes are on disk, the journal `TARGET.journal` notes the number of slices done
# and the size of the part. A killed run is resumed from the last line of the journal. Slices do not
# depend on interruptions, so a resumed run writes the same bytes as an uninterrupted run. At the
# end the part gets the name of its target.


NOTE_SECONDS = 0.5  # between two notes, each of which waits for the disk


class Shard:
    """One shard being written; from the start, `state` has its progress.

    An unfinished part is continued if `params` allow it; `retried` then comes from its `Journal`.
    Raises `CrfcleanError` if another run writes the shard, or if its part would be lost or does not
    fit. Raises `OSError` if nothing can be written.
    """

    def __init__(
        self,
        target: Path,
        ending: str,
        options: Mapping[str, Any],
        params: ResumeParams = ResumeParams(),
        retried: int = 0,
    ) -> None:
        self._target, self._ending, self._paths = target, ending, work_paths(target)
        with ExitStack() as stack:
            self._lock = Lock(self._paths.lock, target)
            stack.callback(self._lock.release)
            journal = _journal_of(self._paths, options, params)
            self.retried = journal.retried if journal else retried
            self.state = _usable(journal, self._paths.part)
            self._next_note = 0.0
            self._joiner: Any = None
            part, size = self._paths.part, self.state.size
            self._stream = stack.enter_context(
                part.open("r+b" if part.is_file() and size else "wb")
            )
            self._stream.truncate(size)  # the journal confirms the bytes before
            self._stream.seek(size)
            self._journal = begin_journal(self._paths.journal, options, self.retried, self.state)
            stack.pop_all()

    def add(self, packed: bytes, outcomes: Mapping[str, int]) -> None:
        """Write the packed lines of a slice, count its records, and note the state at times."""
        if not self.state.size:
            packed = HEADS.get(self._ending, b"") + packed
        self._stream.write(packed)
        self.state.size += len(packed)
        _count(self.state, outcomes)
        if monotonic() >= self._next_note:
            self._note()

    def written_lines(self) -> Iterator[bytes]:
        """Yield the lines so far; raises `OSError`."""
        yield from part_lines(self._paths.part, self._ending)

    def seal(self) -> list[RowGroup]:
        """End the part; return the row groups that workers pack for a Parquet file."""
        if not self.state.size:  # a packed file has one member at least
            self.add(PACKERS[self._ending](b""), {})
        self._note()
        self._close()
        if self._ending != "parquet":
            return []
        self._joiner = parquet_module().ParquetJoiner(self._paths.made)
        return list(parquet_module().row_groups(self._paths.part))

    def join(self, packed: bytes) -> None:
        """Add the file of the next row group to the one that the part becomes."""
        self._joiner.add(packed)

    def publish(self) -> None:
        """Give the shard its name.

        After a kill between any two steps the run can be resumed: the part and its journal stay
        valid until the target is complete.
        """
        if self._joiner is not None:
            self._joiner.close()
            self._paths.made.replace(self._target)
            self._paths.part.unlink()
        else:
            self._paths.part.replace(self._target)
        self._paths.journal.unlink(missing_ok=True)
        self._lock.release()

    def abandon(self) -> None:
        """Remove the part and its journal; a finished target stays."""
        self._close()
        with suppress(OSError):
            for path in (self._paths.journal, self._paths.part, self._paths.made):
                path.unlink(missing_ok=True)
        self._lock.release()

    def leave(self) -> None:
        """Close the files of a run that may be resumed; remove them if no record is done."""
        if self.state.records:
            with suppress(OSError):  # without a note, this work is done again
                self._note()
            self.drop()
        else:
            self.abandon()

    def drop(self) -> None:
        """Close the files; the journal has the number of valid bytes."""
        self._close()
        self._lock.release()

    def _close(self) -> None:
        self._joiner = None
        for stream in (self._stream, self._journal):
            with suppress(OSError):  # bytes that could not be written cannot be written now
                stream.close()

    def _note(self) -> None:
        """Note the state after all bytes are on disk."""
        self._stream.flush()
        os.fsync(self._stream.fileno())
        write_state(self._journal, self.state)
        self._next_note = monotonic() + NOTE_SECONDS


def _count(state: State, outcomes: Mapping[str, int]) -> None:
    state.counts.update(outcomes)
    state.records += sum(outcomes.values())


class Pipe:
    """A shard that goes to a stream: standard output or a device."""

    retried = 0

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.state = State()

    def add(self, packed: bytes, outcomes: Mapping[str, int]) -> None:
        """Write the packed lines of a slice."""
        _count(self.state, outcomes)
        self._stream.write(packed)
        self._stream.flush()

    def seal(self) -> list[RowGroup]:
        """Close the stream unless it is standard output."""
        if self._stream is not sys.stdout.buffer:
            self._stream.close()
        return []

    def join(self, packed: bytes) -> None:
        """Do nothing: no Parquet file goes to a stream."""

    leave = drop = abandon = publish = seal


class WorkPaths(NamedTuple):
    """The files beside a shard that is being written.

    The `part` has the rows so far; `made` is the Parquet file that the part becomes. The `journal`
    has the progress of the part; the `lock` names the process that writes it.
    """

    target: Path
    part: Path
    made: Path
    journal: Path
    lock: Path


_MAX_NAME = 243  # bytes: with `.journal.new`, the 255 that file systems allow
_SHORT_NAME = 80  # bytes of a longer name that stay, before its digest


def work_paths(target: Path) -> WorkPaths:
    """Return the files beside a shard; those of a very long name have a shorter one."""
    name, endings = target.name, (".part", ".part.made", ".journal", ".lock")
    data = name.encode("utf-8", "surrogateescape")
    if len(data) > _MAX_NAME:
        name = f"{data[:_SHORT_NAME].decode('utf-8', 'ignore')}-{digest(data)}"
    return WorkPaths(target, *(target.with_name(name + ending) for ending in endings))


def is_finished(target: Path) -> bool:
    """Return whether a text or shard exists, and no run has begun to write it again."""
    is_file = os.path.isfile(target)  # noqa: PTH113 - no error for a name that is too long
    return is_file and not work_paths(target).part.exists()


def is_unfinished(target: Path) -> bool:
    """Return whether a new run would lose finished records of a shard; raises `OSError`."""
    paths = work_paths(target)
    return _usable(read_journal(paths.journal), paths.part).records > 0


def remove_leftovers(target: Path) -> None:
    """Remove the files of a run that was killed after its shard had got its name."""
    paths = work_paths(target)
    if not (paths.journal.exists() or paths.lock.exists()):
        return
    with suppress(CrfcleanError, OSError):  # another run may still write there
        lock = Lock(paths.lock, target)
        if is_finished(target):
            for path in (paths.journal, paths.made):
                path.unlink(missing_ok=True)
        lock.release()


def _journal_of(
    paths: WorkPaths, options: Mapping[str, Any], params: ResumeParams
) -> Journal | None:
    journal = None if params.overwrite else read_journal(paths.journal)
    if journal is None or not paths.part.exists():
        return None
    if journal.retried and not paths.target.exists():
        return None  # the finished shard whose rows were kept
    if params.continues:
        check_same(paths.target, journal.options, options, retry=params.retry_failed)
        return journal
    if _usable(journal, paths.part).records:
        refuse_restart(paths.target, journal.options, options)
    return None


def _usable(journal: Journal | None, part: Path) -> State:
    """Return the last state whose bytes are all in the part."""
    size = part.stat().st_size if part.is_file() else 0
    states = journal.states if journal else []
    return next((state for state in reversed(states) if state.size <= size), State())
